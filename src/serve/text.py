"""Text of a request that can be kept and sent on."""

from typing import Annotated

from pydantic import AfterValidator


def _whole(text: str) -> str:
    """Return a text as it is. Raises ValueError for half a surrogate pair, which JSON can hold and UTF-8 cannot."""
    if not text.isascii():
        text.encode()
    return text


Text = Annotated[str, AfterValidator(_whole)]
