"""A text is divided into the most probable pieces of a vocabulary."""

from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from spyglass.rag.unigram import BEGIN, END, UNKNOWN, Unigram

MARKS = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
LETTERS = "▁abé"
pieces = st.dictionaries(st.text(LETTERS, min_size=1, max_size=4), st.integers(-64, -1).map(float), min_size=1)


def test_the_pieces_stand_between_two_marks_and_a_long_text_is_cut() -> None:
    tokenizer = Unigram([*MARKS, ("▁ab", -2.0), ("a", -1.0), ("▁", -1.0), ("b", -5.0)], most=6)
    assert tokenizer.encode("ab  axy") == ([BEGIN, 4, 6, 5, UNKNOWN, END], [0] * 6)
    assert tokenizer.encode("ab ab ab ab ab ab").ids == [BEGIN, 4, 4, 4, 4, END]
    assert tokenizer.encode("").ids == [BEGIN, END]


@given(pieces, st.lists(st.text("abécﬁ", min_size=1, max_size=8), min_size=1, max_size=4).map(" ".join))
def test_they_are_as_probable_as_those_of_the_package(vocabulary: dict[str, float], text: str) -> None:
    known = [*MARKS, *vocabulary.items()]
    theirs = Tokenizer(models.Unigram(known, unk_id=UNKNOWN))
    theirs.normalizer = normalizers.NFKC()
    theirs.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)

    def known_part(ids: list[int]) -> tuple[float, int]:
        """The log-probability of the known pieces, and their characters: equal for equally probable divisions."""
        found = [known[number] for number in ids if number != UNKNOWN]
        return sum(score for _, score in found), sum(len(piece) for piece, _ in found)

    assert known_part(Unigram(known, most=99).encode(text).ids[1:-1]) == known_part(theirs.encode(text).ids)
