"""Ranking: in which order annotators and a judge put the answering models, and how certain."""

from concord.ui.frame import enter
from concord.ui.screens import ranking

ranking.show(enter(__file__))
