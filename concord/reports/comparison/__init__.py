"""Comparison of judge variants: prompts, scales and models."""
