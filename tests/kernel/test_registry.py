"""Names stand for classes, in any case, and what an entry point brings is loaded when it is asked for."""

import pytest

from spyglass.kernel.errors import UnknownNameError
from spyglass.kernel.registry import Registry


class Shape:
    """The base of the things that are named here."""


class Circle(Shape):
    """One of them."""


@pytest.fixture
def shapes() -> Registry[Shape]:
    return Registry("shape", Shape, "spyglass.no_such_group", {"Circle": Circle})


def test_a_name_is_found_in_any_case(shapes: Registry[Shape]) -> None:
    assert shapes.get("circle") is shapes.get(" CIRCLE ") is Circle


def test_an_unknown_name_is_an_error_that_lists_the_known_ones(shapes: Registry[Shape]) -> None:
    shapes.register("Disc", Circle)
    with pytest.raises(UnknownNameError, match=r'There is no shape "square"\. Known: circle, disc\.'):
        shapes.get("square")
    assert shapes.names() == ["circle", "disc"]
