"""The HTML page of a report: the parts of its body, and its style sheet.

Other modules of `render` import these modules by name: `card`, `element`, `frame` and `prose`.
"""

__all__: list[str] = []
