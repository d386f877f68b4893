"""Stored questions and drafts from which a sheet is built."""
