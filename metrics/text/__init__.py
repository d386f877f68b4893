"""Texts as measures take them; words, terms and LCS are those of `judges`. Pure."""
