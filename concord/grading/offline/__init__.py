"""Offline packages: the work of an annotator without access, as a file and back."""
