"""The engine that all runs of a model share: prepare, estimate, ask, store and resume."""
