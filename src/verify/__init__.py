"""A finished report under test: checked again offline, held against today's pages, compared, or one of a stranger's."""
