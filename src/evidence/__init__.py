"""What a sentence rests on: statements of sources, and how far they support what is claimed.

A passage is cut into windows (`block`). How the words of a claim lie in one says how likely it supports it
(`alignment`). What both state is read from their tokens (`word`, `facts`) and compared rule by rule: what differs is a
mismatch, which forbids support or limits it. `judgement` makes a verdict of both, `Evidence` of many passages.
"""
