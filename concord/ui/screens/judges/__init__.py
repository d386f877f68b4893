"""Judges: definitions, runs and prompts."""
