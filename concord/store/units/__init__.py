"""Stored units (claims, sentences, entities) of answers, and what annotators say of them."""
