"""Agreement between graders and inter-rater reliability."""
