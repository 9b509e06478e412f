"""Tests of the guarded client, and the spellings that they and a benchmark try."""
