"""Judges that answer with a probability for each score: reading and scoring."""
