"""Gold and training items: what came of them, and which answers they are."""
