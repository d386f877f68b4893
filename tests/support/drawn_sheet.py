"""A sheet of which annotators graded a drawn set and a lenient judge everything, for the tests."""

import numpy as np

from concord.grading import assignments, grading_sets
from concord.store import additions, graders, sheets
from concord.store import items as store_items
from tests.support.made_items import made_item
from tests.support.panels import give

MODELS = ("atlas", "birch", "cobalt")
CRITERIA = ("correctness", "comprehensiveness", "readability")
TRUTH = {"atlas": 0.8, "birch": 0.6, "cobalt": 0.2}  # how likely a model's answer is a 3


def made(
    store, rubric, questions=90, drawn=30, graded=None, seed=5, fooled=(0.2, 0.2, 0.5)
) -> dict[str, float]:
    """Make it, Ana grading the first `graded` answers of her queue (None: all).

    Answers are a 3 or a 1 in every criterion. The judge is right on the 3s, and gives a 3 to half
    of the 1s of cobalt and to a fifth of the others', so that it flatters the worst model most;
    `fooled` says otherwise.

    Returns:
        The true mean of every model.
    """
    items = [made_item(n, m) for n in range(questions) for m in MODELS]
    additions.add(store, "drawn", items, "drawn.csv", "0" * 64, {})
    truth = truth_of(questions, seed)
    wrong = np.random.default_rng([seed, 1]).random((questions, 3)) < np.array(fooled)
    said = np.where(wrong.ravel(), 3, truth)
    for criterion in CRITERIA:
        scores = {n: int(score) for n, score in enumerate(said)}
        give(store, rubric[1], "lenient", scores, criterion, "judge")
    if drawn:
        asked(store, rubric, drawn, graded, truth)
    return {m: float(truth[n::3].mean()) for n, m in enumerate(MODELS)}


def truth_of(questions: int, seed: int = 5) -> np.ndarray:
    """What every answer of the sheet deserves, in its order."""
    random = np.random.default_rng(seed)
    good = random.random((questions, 3)) < np.array([TRUTH[m] for m in MODELS])
    return np.where(good, 3, 1).ravel()


def asked(store, rubric, drawn: int, graded: int | None = None, truth=None) -> None:
    """Draw a set of so many questions and let Ana grade its first `graded` answers.

    All are a 1, unless `truth` says what they are by their place in the sheet.
    """
    sheet = sheets.all_sheets(store)[0]
    grade(
        store,
        rubric,
        grading_sets.create(store, sheet.id, rubric[0], "first", drawn, 3),
        graded,
        truth,
    )


def grade(store, rubric, of_set, graded: int | None = None, truth=None) -> None:
    """Let Ana grade the first `graded` answers of a set in the order she is given them."""
    places = _queue(store, rubric, of_set)[:graded]
    scores = {n: 1 if truth is None else int(truth[n]) for n in places}
    for criterion in CRITERIA:
        give(store, rubric[1], "Ana", scores, criterion, blind=True)


def _queue(store, rubric, of_set) -> list[int]:
    """The places in the sheet of the answers Ana is given, in her order, repeats left out."""
    ana = graders.ensure(store, "person", "Ana")
    laid = assignments.queue(store, of_set, ana, list(rubric[1].versions().values()), 10_000)
    place = {item: n for n, item in enumerate(store_items.item_ids(store, of_set.sheet_id))}
    return [place[one.item_id] for one in laid if one.repeat == assignments.FIRST]
