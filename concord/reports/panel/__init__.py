"""The panel: a sheet under a rubric as arrays, and what all reports share."""
