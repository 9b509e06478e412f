"""The check of a question."""

from unicodedata import category

from .errors import QuestionError

LONGEST_QUESTION = 10_000  # Characters; longer text is material, and belongs in a file


def checked_question(text: str) -> str:
    """Return a question without outer white space and control characters.

    Raises QuestionError for a question without a word, or of more than LONGEST_QUESTION characters.
    """
    question = "".join(" " if category(letter) == "Cc" else letter for letter in text).strip()
    if not any(map(str.isalnum, question)):
        what = "The question has no word" if question else "The question is empty"
        raise QuestionError(what, remedy='Ask one: spyglass report "What is known about …?"')
    if len(question) > LONGEST_QUESTION:
        raise QuestionError(
            f"The question has {len(question):,} characters, and at most {LONGEST_QUESTION:,} are taken",
            remedy="Put long material into a file in the folder, and ask about it.",
        )
    return question
