"""Splits: the few-shot pool, evaluation, and the held-out test."""

from concord.ui.frame import enter
from concord.ui.screens import splits

splits.show(enter(__file__))
