"""Judges: LLMs and the embedded baseline, how they are asked and how replies are parsed."""
