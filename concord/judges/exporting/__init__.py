"""Judges as files that other tools run."""
