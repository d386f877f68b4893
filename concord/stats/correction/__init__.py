"""Bias correction, weighting, thresholds and calibration."""
