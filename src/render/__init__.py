"""A report as Markdown, as a page, as a document, as a bibliography."""
