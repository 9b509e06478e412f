"""Tests of the documents room; `documents.files` makes the files that they read, for other tests too."""
