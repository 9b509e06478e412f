"""Validation of the user's question."""

from unicodedata import category

from .errors import QuestionError

LONGEST_QUESTION = 10_000  # characters; longer text is source material and belongs in a file


def checked_question(text: str) -> str:
    """Return a question with control characters as spaces, and without surrounding white space.

    Raises QuestionError for a question without a letter or digit, or of more than LONGEST_QUESTION characters.
    """
    question = "".join(" " if category(letter) == "Cc" else letter for letter in text).strip()
    if not any(map(str.isalnum, question)):
        what = "The question contains no words" if question else "The question is empty"
        raise QuestionError(what, remedy='Example: spyglass report "What is known about …?"')
    if len(question) > LONGEST_QUESTION:
        raise QuestionError(
            f"The question has {len(question):,} characters; the limit is {LONGEST_QUESTION:,}",
            remedy="Save long texts as a file in the folder of documents, and ask about it.",
        )
    return question
