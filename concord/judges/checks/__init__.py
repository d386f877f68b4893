"""Checks of a judge and its endpoint before a run."""
