"""The base of all other packages: messages, plan, sources, notices, errors, events, one run and its journal.

Nothing here knows of models, pages or files; all other folders import its modules by name.
"""
