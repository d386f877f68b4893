"""Prompts that several metrics share."""
