"""Inter-rater and intra-rater reliability, and tests of annotators."""
