"""Proposals: what the columns of an unknown file are, judged by their names and their values."""
