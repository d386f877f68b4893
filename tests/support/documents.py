"""Texts of documents to draft questions from."""

HARBOUR = "The harbour opens at six in the morning. Boats wait until the signal is green. "
