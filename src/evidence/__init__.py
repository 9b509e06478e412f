"""What a sentence rests on: statements of sources, and how far they support what is claimed."""
