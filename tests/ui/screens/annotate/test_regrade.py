"""From a rubric's screen grades go back into queues, and old and new stand together."""

from concord.grading import grading_sets
from concord.store.rubrics import rubric_edits
from tests.support.panels import ATLAS, BIRCH, give
from tests.support.rubrics import reworded
from tests.support.screens import opened


def test_asking_says_how_many_first_and_shows_old_and_new_after(store, sheet, rubric, monkeypatch):
    first, second = reworded(rubric[1]), reworded(rubric[1], words="Is it true?")
    rubric_edits.save(store, rubric[1], first, {})
    give(store, first, "Ana", {ATLAS: 0, BIRCH: 2})
    rubric_edits.save(store, first, second, {})
    app = opened(monkeypatch, store.path, "pages/rubrics.py", rubric="mine")
    asked = next(one.value for one in app.dataframe if "sheet" in one.value)
    assert asked.values.tolist() == [["numbers", 2, 2, 1]]
    app.button(key="regrade.ask.correctness").click().run()
    assert not app.exception and not app.error
    [made] = grading_sets.of_sheet(store, sheet.id)
    assert (made.name, made.answers) == ("Correctness again", 2)
    give(store, second, "Ana", {ATLAS: 1})
    app.run()
    shown = next(one.value for one in app.dataframe if "mean change" in one.value)
    assert shown["up"].tolist() == [1]
