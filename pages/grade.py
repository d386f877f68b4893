"""The screen a grader stays in: question, answer, contexts and the rubric, by keyboard."""

from ui.frame import enter, remember
from ui.grader import choose
from ui.grading import pane

store = enter(__file__)
chosen = choose(store)
if chosen:
    remember(set=chosen.grading_set.id)
    pane(chosen.grading_set.id, chosen.grader_id)
