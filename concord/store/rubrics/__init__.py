"""Stored rubrics: versions and edits."""
