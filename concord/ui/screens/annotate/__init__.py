"""Annotate: sets, campaigns, adjudication and annotators."""
