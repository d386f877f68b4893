"""Metric runs: how a judge of kind `metric` computes metrics over a sheet."""
