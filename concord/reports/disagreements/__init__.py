"""Disagreements of judges with annotators, and adjudication."""
