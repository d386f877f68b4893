"""Metrics: values, validity and VERA's composite."""
