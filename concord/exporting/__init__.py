"""Export of every table, RAGAS datasets, and restoring an export."""
