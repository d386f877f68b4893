import pytest

from concord.messages import Problem
from concord.rubrics.model import Rubric
from concord.store import database, grades
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions


def _reworded(rubric: Rubric, meaning: str | None = None, **changes) -> Rubric:
    body = rubric.model_dump(mode="json") | changes
    if meaning:
        body["criteria"][0]["levels"][0]["meaning"] = meaning
    return Rubric.model_validate(body)


def test_the_same_content_is_registered_once_and_an_edit_is_newer(store, rubric):
    rubric_id, preset = rubric
    assert rubric_versions.register(store, preset, "preset") == rubric_id
    edited = _reworded(preset, title="Ours")
    edited_id = rubric_versions.register(store, edited, "app")
    assert rubric_versions.named(store, "doc-qa-0-3") == (edited_id, edited)
    assert edited.versions() == preset.versions()


def test_a_preset_that_is_stored_is_read_while_another_writes(store, rubric, monkeypatch):
    monkeypatch.setattr(database, "BUSY_S", 0)
    with open_store(store.path) as other, other.write():
        assert rubric_versions.named(store, "doc-qa-0-3") == rubric


def test_an_unknown_rubric_lists_what_there_is(store):
    with pytest.raises(Problem, match=r"no rubric “x”\. Known rubrics: .*doc-qa-0-3"):
        rubric_versions.named(store, "x")


def test_changed_meanings_leave_the_grades_behind_unless_carried(store, sheet, rubric, ana):
    _, old = rubric
    new = _reworded(old, meaning="Wrong, or about something else.")
    rubric_versions.register(store, new, "app")
    item = store.value("select min(id) from items")
    grades.record(store, [Press(item, old.versions()["correctness"], ana, score=2)])
    version = new.versions()["correctness"]
    assert rubric_versions.counting(store, version) == [version]
    rubric_versions.carry(store, old, new, "correctness", "a comma")
    assert set(rubric_versions.counting(store, version)) == {
        version,
        old.versions()["correctness"],
    }
    assert rubric_versions.grades_under(store, new.versions()["correctness"]) == 0
    assert rubric_versions.graded(store, sheet.id) == ["doc-qa-0-3"]


def test_another_scale_is_more_than_wording(store, rubric):
    _, old = rubric
    _, other = rubric_versions.named(store, "doc-qa-0-4")
    with pytest.raises(Problem, match="not only the wording"):
        rubric_versions.carry(store, old, other, "correctness", "no")


def test_a_preset_reworded_by_a_release_keeps_the_wording_that_has_grades(
    store, sheet, ana, monkeypatch
):
    _, graded = rubric_versions.named(store, "doc-qa-0-3")
    _, ungraded = rubric_versions.named(store, "doc-qa-0-4")
    item = store.value("select min(id) from items")
    grades.record(store, [Press(item, graded.versions()["correctness"], ana, score=2)])
    released = {one.name: _reworded(one, "As of the next release.") for one in (graded, ungraded)}
    monkeypatch.setattr(rubric_versions, "presets", lambda: released)
    assert rubric_versions.named(store, "doc-qa-0-3")[1] == graded
    assert rubric_versions.graded(store, sheet.id) == ["doc-qa-0-3"]
    assert rubric_versions.named(store, "doc-qa-0-4")[1] == released["doc-qa-0-4"]
