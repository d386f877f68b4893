"""Stored rubrics: versions, edits and freezes."""
