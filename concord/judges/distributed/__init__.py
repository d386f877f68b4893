"""Distributed runs: partitions of a run that are judged on other machines."""
