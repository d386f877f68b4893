"""Segment analysis."""
