import pytest

from concord.clock import now
from concord.messages import Problem
from concord.rubrics.model import Rubric
from concord.store import grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_edits, rubric_versions
from tests.support.patience import until


def reworded(rubric, name="mine", meaning="Nothing about it is right.", **changes):
    """The rubric under another name with the first meaning of its first criterion changed."""
    first = rubric.criteria[0]
    level = first.levels[0].model_copy(update={"meaning": meaning})
    first = first.model_copy(update={"levels": (level, *first.levels[1:])})
    return rubric.model_copy(
        update={"name": name, "criteria": (first, *rubric.criteria[1:]), **changes}
    )


def test_an_edit_is_saved_under_a_name_of_its_own(store, graded_preset):
    new = reworded(graded_preset)
    rubric_edits.save(store, graded_preset, new, {})
    assert rubric_versions.named(store, "mine")[1] == new
    assert rubric_edits.is_own(store, "mine")
    assert rubric_versions.named(store, graded_preset.name)[1] == graded_preset
    assert not rubric_edits.is_own(store, graded_preset.name)


def test_an_edit_back_is_the_newest_again(store, graded_preset):
    first, second = reworded(graded_preset), reworded(graded_preset, meaning="Other.")
    rubric_edits.save(store, graded_preset, first, {})
    rubric_edits.save(store, first, second, {})
    assert rubric_versions.named(store, "mine")[1] == second
    saved = now()
    until(lambda: now() > saved)  # which edit is the newest is told by the millisecond
    rubric_edits.save(store, second, first, {})
    assert rubric_versions.named(store, "mine")[1] == first


def test_grades_stay_with_their_version_unless_they_are_carried(store, graded_preset):
    new = reworded(graded_preset)
    rubric_edits.save(store, graded_preset, new, {})
    assert rubric_versions.grades_under(store, new.versions()["correctness"]) == 0
    assert rubric_versions.counting(store, new.versions()["correctness"]) == [
        new.versions()["correctness"]
    ]


def test_a_wording_only_edit_carries_its_grades_and_says_why(store, graded_preset):
    new = reworded(graded_preset)
    rubric_edits.save(store, graded_preset, new, {"correctness": " Only a clearer sentence. "})
    old_version, new_version = (r.versions()["correctness"] for r in (graded_preset, new))
    assert set(rubric_versions.counting(store, new_version)) == {old_version, new_version}
    carried = [
        v for v in rubric_edits.history(store, graded_preset.name) if v.version == old_version
    ]
    assert carried[0].counted_in == ((new_version, "Only a clearer sentence."),)
    assert carried[0].grades == 1


def test_carrying_needs_a_reason_and_leaves_nothing_behind_without(store, graded_preset):
    with pytest.raises(Problem, match="give the reason"):
        rubric_edits.save(store, graded_preset, reworded(graded_preset), {"correctness": " "})
    assert "mine" not in rubric_versions.names(store)


def test_the_history_lists_every_version_with_its_grades(store, graded_preset, ana):
    first, second = reworded(graded_preset), reworded(graded_preset, meaning="Other.")
    rubric_edits.save(store, graded_preset, first, {})
    grades.record(store, [Press(1, first.versions()["correctness"], ana, score=1)])
    rubric_edits.save(store, first, second, {})
    correctness = [v for v in rubric_edits.history(store, "mine") if v.criterion == "correctness"]
    assert [(v.newest, v.grades) for v in correctness] == [(True, 0), (False, 1)]
    assert len(rubric_edits.history(store, "mine")) == 4


def test_filling_in_meanings_keeps_the_imported_grades(store, sheet, ana):
    bare = Rubric(
        name="ours",
        title="Ours",
        scale=(1, 2),
        criteria=[{"name": "quality", "weight": 1, "question": "Quality"}],
    )
    rubric_versions.register(store, bare, "file")
    version = bare.versions()["quality"]
    grades.record(store, [Press(1, version, ana, score=2)])
    levels = [{"score": 1, "meaning": "Bad."}, {"score": 2, "meaning": "Good."}]
    body = bare.model_dump(mode="json")
    body["criteria"][0] |= {"levels": levels, "question": "Is it good?"}
    body["shown"] = ["question"]
    full = Rubric.model_validate(body)
    rubric_edits.save(store, bare, full, {})
    assert set(rubric_versions.criteria(store, full)) == {version, full.versions()["quality"]}
    assert rubric_versions.graded(store, sheet.id) == ["ours"]


def _reworded(rubric: Rubric, meaning: str | None = None, **changes) -> Rubric:
    body = rubric.model_dump(mode="json") | changes
    if meaning:
        body["criteria"][0]["levels"][0]["meaning"] = meaning
    return Rubric.model_validate(body)


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
