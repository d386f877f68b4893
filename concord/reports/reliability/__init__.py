"""Inter-annotator agreement and the quality of annotators."""
