"""Plan: the sample size, annotators per answer, and the next sample."""

from concord.ui.frame import enter
from concord.ui.screens import plan

plan.show(enter(__file__))
