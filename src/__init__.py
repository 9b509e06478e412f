"""Spyglass: ask a question of the web and of your own files; get a report in which every sentence can be checked."""
