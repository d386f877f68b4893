"""The screen a grader stays in: question, answer, contexts and the rubric, by keyboard."""

from concord.ui.components.grading_pane import pane
from concord.ui.frame import enter, remember
from concord.ui.screens.annotate.annotator import choose

store = enter(__file__)
chosen = choose(store)
if chosen:
    remember(set=chosen.grading_set.id)
    pane(chosen.grading_set.id, chosen.grader_id)
