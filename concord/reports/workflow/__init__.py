"""State of a calibration: runs, judges, regrading and the next step."""
