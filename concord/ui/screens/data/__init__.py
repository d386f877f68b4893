"""Data: import, build, splits."""
