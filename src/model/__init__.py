"""Models: one small base, one file per SDK, a scripted one for tests, and one way to read a structured answer."""
