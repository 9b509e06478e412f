"""Pages to text, through one guarded door."""
