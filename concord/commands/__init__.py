"""The command line: one command per file, and the frame they share."""
