"""Metrics: values, validity against annotators, and diagnosis."""
