"""Estimates, weighted tables and pairs that all statistics share."""
