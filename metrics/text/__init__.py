"""Texts as measures take them: tokens, sentences, common subsequences, likeness. Pure."""
