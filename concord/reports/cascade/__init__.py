"""Cascades: selective prediction with a cheap judge and a fallback."""
