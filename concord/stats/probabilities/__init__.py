"""Judges that answer with a probability for each score: reading, scoring and recalibration."""
