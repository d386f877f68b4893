"""Where a calibration stands: runs, judges, regrading and the next step."""
