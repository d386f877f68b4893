"""Agreement of judges with annotators."""
