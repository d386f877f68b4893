"""Judges: LLMs and the embedded baseline, their requests and the parsing of replies."""
