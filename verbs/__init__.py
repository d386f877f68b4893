"""The verbs of the command line: one per file, and the frame they share."""
