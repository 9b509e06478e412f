"""A finished report under test: checked again offline, held against today's pages, compared, or one of a stranger's.

`verify.verify`, `refetch.refetch`, `difference.diff` and `check.check` do that.
"""
