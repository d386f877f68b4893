"""Metrics: values, validity and composites."""
