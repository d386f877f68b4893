"""Annotators: how far those who grade agree, and who is stricter."""

from concord.ui.frame import enter
from concord.ui.screens import annotators

annotators.show_agreement(enter(__file__))
