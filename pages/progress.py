"""Progress: a card per annotator, with alerts; for leads."""

from concord.ui.frame import enter
from concord.ui.screens import annotators

annotators.show_progress(enter(__file__))
