"""Statistics: arrays in, estimates out. Imports nothing of ours."""
