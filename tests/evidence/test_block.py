"""What a passage is cut into."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.evidence.block import LONGEST_BLOCK, LONGEST_PIECE, blocks


@given(st.lists(st.sampled_from(["bee ", "hive. ", "\n\n", "| a | b |\n", "蜜", "x" * 700, "a\u0301"]), max_size=60))
def test_blocks_cover_a_passage_and_pieces_are_within_them(parts: list[str]) -> None:
    text = "".join(parts)
    position = 0
    for block in blocks(0, text):
        assert not text[position : block.start].strip()
        assert text[block.start : block.start + len(block.text)] == block.text
        assert len(block.text) <= LONGEST_BLOCK
        position = block.start + len(block.text)
        end = 0
        for piece in block.pieces:
            assert end <= piece.start < piece.end <= len(block.text)
            assert piece.end - piece.start <= LONGEST_PIECE
            assert block.text[piece.start : piece.end].strip() == block.text[piece.start : piece.end]
            end = piece.end
    assert not text[position:].strip()


def test_a_long_passage_is_cut_between_paragraphs() -> None:
    paragraph = "The bees dance. " * 50
    found = list(blocks(3, f"{paragraph}\n\n" * 9))
    assert len(found) > 1
    assert all(block.passage == 3 for block in found)
    assert all(block.text.startswith("The bees") for block in found)


def test_a_line_of_data_knows_the_names_of_its_columns() -> None:
    (block,) = blocks(0, "Station,2021\nBrora,803\nAmble,611\n")
    assert [piece.text for piece in block.pieces[1:]] == ["Station: Brora · 2021: 803", "Station: Amble · 2021: 611"]


def test_a_row_knows_the_names_of_its_columns() -> None:
    (block,) = blocks(0, "| Hive | Frames |\n| --- | --- |\n| Langstroth | 10 |\n")
    row = block.pieces[-1]
    assert {"hive", "10"} <= row.words
    assert block.text[row.start : row.end] == "| Langstroth | 10 |"


def test_the_rows_of_a_passage_in_a_table_are_pieces_with_the_names_of_their_columns() -> None:
    for text in ("Pen;3\nGlue;88\n", "| Pen | 3 |\n| Glue | 88 |\n"):
        (block,) = blocks(0, text, "", ["Article", "Left"])
        assert [piece.text for piece in block.pieces] == ["Article: Pen · Left: 3", "Article: Glue · Left: 88"]


def test_prose_below_the_rows_of_a_passage_is_read_as_prose() -> None:
    told = "Members pay 6 crowns, and the treasurer keeps the\nbooks for all of them."
    for rows in ("Pen;3\nGlue;88\n", "| Pen | 3 |\n", "| Pen | 3 |\n" * 300):
        pieces = [
            piece.text for block in blocks(0, f"{rows}\n{told}\n", "", ["Article", "Left"]) for piece in block.pieces
        ]
        assert pieces[-1] == told.replace("\n", " ")
    (block,) = blocks(0, "Ann likes it. It is red. |\n| Bob | Rome |\n", "", ["Name", "City"])
    read = ["Ann likes it.", "It is red.", "Name: Bob · City: Rome"]
    assert [piece.text for piece in block.pieces if piece.text] == read, "the rest of a row is in none of its columns"
    (block,) = blocks(
        0, "Pen;3;A\nGlue;88;B\nThe club met in May, and\nit was good.\n", "", ["Article", "Left", "Shelf"]
    )
    assert [piece.text for piece in block.pieces][2:] == ["The club met in May, and it was good."]
