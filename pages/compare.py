"""Compare prompts and scales: variants of a judge side by side on the same answers."""

from concord.ui.frame import enter
from concord.ui.screens import comparison

comparison.show(enter(__file__))
