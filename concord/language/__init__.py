"""Translation of the interface."""
