"""Adjudication: decided differences, and the causes of disagreements."""
