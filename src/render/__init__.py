"""A report as Markdown, page, PDF, Word, JSON or bibliography: `output.render` chooses by the suffix of a file.

What the code itself says in a report comes from `labels.labels`, in the report's language.
"""
