"""Agreement: judges, ranking, comparison and segments."""
