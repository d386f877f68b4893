"""Confidence intervals, resampling and multiplicity."""
