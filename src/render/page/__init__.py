"""The report as a page: its parts as HTML, and how they look.

Other modules of `render` import these by module: `card`, `element`, `frame` and `prose`.
"""

__all__: list[str] = []
