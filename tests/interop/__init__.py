"""Other tools, each in an environment of its own."""
