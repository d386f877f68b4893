"""Adjudication: settled differences, and the causes of disagreements."""
