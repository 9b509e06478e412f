"""The base of all other packages: settings, messages, plans, sources, notices, errors, events, runs, journals.

It does not depend on models, web pages or documents; other packages import its modules by name.
"""
