"""The lead lets answers be trained on, mixes known ones in, and sees how both went."""

from concord.grading import assignments, gold_items, training_round
from concord.reports.reliability.gold_results import ALL
from tests.support.known import grade_training, prepared, press
from tests.support.screens import opened


def words(app) -> str:
    parts = (*app.markdown, *app.caption, *app.error, *app.warning)
    return " ".join(part.value for part in parts)


def test_known_answers_are_chosen_scored_and_told_of(store, sheet, rubric, ana, monkeypatch):
    made = prepared(store, sheet, rubric, "Team")
    versions = list(rubric[1].versions().values())
    grade_training(store, made, ana, rubric, 3)
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert list(app.dataframe[0].value.iloc[0]) == ["Ana", 1, 1]
    key = f"known.gold.{made.id}"
    app.toggle(key=f"{key}.open").set_value(True).run()
    app.number_input(key=f"{key}.count").set_value(1).run()
    scores = [box for box in app.selectbox if str(box.key).startswith(key)]
    assert len(scores) == 3 and {box.value for box in scores} == {None}
    scores[0].set_value(2)
    submit = next(button for button in app.button if button.label == "Add gold items")
    submit.click().run()
    assert "needs one agreed score for" in words(app)
    for box in [box for box in app.selectbox if str(box.key).startswith(key)]:
        box.set_value(2)
    next(button for button in app.button if button.label == "Add gold items").click().run()
    assert not app.exception
    assert "Gold items: 1 answer" in [fold.label for fold in app.expander]
    [item] = gold_items.to_come(store, made.id, ana)
    assert len(training_round.answers(store, made.id, versions)) == 1
    for place in assignments.queue(store, made, ana, versions, 1000):
        if place.item_id == item:
            press(store, made, ana, rubric, place, 2)
    app.run()
    rows = app.dataframe[2].value
    assert list(rows["Criterion"])[-1] == ALL and list(rows["n"]) == [1, 1, 1, 3]
    app.button(key=f"freeze.{made.id}").click().run()
    assert "was frozen on" in words(app)
    app.toggle(key=f"pilot.{made.id}").set_value(True).run()
    assert not app.exception
    assert "No minutes per answer" in words(app)
