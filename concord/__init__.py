"""Concord: calibrate LLM judges against human annotators."""
