"""The engine that all runs of a model share: plan, estimate, ask, store and resume."""
