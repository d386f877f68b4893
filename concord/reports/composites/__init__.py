"""Composites of metrics."""
