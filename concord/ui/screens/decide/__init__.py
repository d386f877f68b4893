"""Decide: choice, robustness, cascade and certificate."""
