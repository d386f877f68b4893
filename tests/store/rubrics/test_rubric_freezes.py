"""A rubric is frozen once, before grading, and what changed stands criterion by criterion."""

import pytest

from concord.grading import assignments, gold_items, grading_sets
from concord.messages import Problem
from concord.reports.workflow import rubric_freeze
from concord.rubrics.rubric_toml import as_toml
from concord.store.rubrics import rubric_edits, rubric_freezes, rubric_versions
from tests.support.known import known, press


def test_a_frozen_name_takes_no_other_words_from_a_file_or_without_a_question(
    store, set_of_reworded, worded, tmp_path
):
    old, new = worded
    rubric_freezes.freeze(store, set_of_reworded, "Lea")
    path = tmp_path / "ours.toml"
    path.write_text(as_toml(old), encoding="utf-8")
    assert rubric_versions.argument(store, str(path))[1] == old
    path.write_text(as_toml(new), encoding="utf-8")
    with pytest.raises(Problem, match=r"“Team” \(numbers\), frozen by Lea on .* another name"):
        rubric_versions.argument(store, str(path))
    with pytest.raises(Problem, match="ours is frozen: “Team”"):
        rubric_edits.save(store, old, new, {})
    rubric_edits.save(store, old, new, {}, despite_freeze=True)
    assert rubric_versions.named(store, "ours")[1] == new
    assert rubric_versions.argument(store, str(path))[1] == new


def test_a_freeze_takes_the_newest_words_and_lists_what_changed(store, set_of_reworded, worded):
    old, new = worded
    gold_items.agree(
        store, set_of_reworded, known(store, set_of_reworded, (0, old), ["000-atlas"]), "Lea"
    )
    rubric_edits.save(store, old, new, {})
    assert rubric_freeze.freeze(store, set_of_reworded).at is None
    rubric_freezes.freeze(store, set_of_reworded, "Lea")
    again = grading_sets.get(store, set_of_reworded.id)
    assert rubric_versions.get(store, again.rubric_id) == new
    found = rubric_freeze.freeze(store, again)
    name = old.criteria[0].name
    assert found.by == "Lea" and [one.criterion for one in found.changed] == [name]
    [line] = rubric_freeze.difference(found.changed[0])
    assert line == (name, "question", old.criteria[0].question, "Is it right, all of it?")
    assert line[0].translations
    assert gold_items.training_outdated(store, set_of_reworded.id, list(new.versions().values()))
    with pytest.raises(Problem, match=r"was frozen on .* by Lea"):
        rubric_freezes.freeze(store, again, "Lea")


def test_of_a_change_of_what_is_shown_both_are_listed(store, set_of_reworded, worded):
    old, _ = worded
    rubric_edits.save(store, old, old.model_copy(update={"shown": ("question",)}), {})
    changed = rubric_freeze.freeze(store, set_of_reworded).changed
    (line,) = {row[1:] for one in changed for row in rubric_freeze.difference(one)}
    part = "what is shown with the answer"
    assert line == (part, "the contexts, the question", "the question")


def test_an_edit_after_the_freeze_says_which_grades_it_leaves_behind(
    store, set_of_reworded, worded, ana
):
    old, new = worded
    rubric_freezes.freeze(store, set_of_reworded, "Lea")
    place = assignments.queue(store, set_of_reworded, ana, list(old.versions().values()), 1)[0]
    press(store, set_of_reworded, ana, (0, old), place, 2)
    rubric_edits.save(store, old, new, {}, despite_freeze=True)
    [since] = rubric_freeze.freeze(store, set_of_reworded).since
    assert (since.criterion, since.grades) == (old.criteria[0].name, 1)
    shown = rubric_freeze.document(rubric_freeze.freeze(store, set_of_reworded)).tables[1]
    assert shown.rows == ((old.criteria[0].name, 1),)


def test_words_that_changed_after_grading_began_cannot_be_frozen(
    store, set_of_reworded, worded, ana
):
    old, new = worded
    place = assignments.queue(store, set_of_reworded, ana, list(old.versions().values()), 1)[0]
    press(store, set_of_reworded, ana, (0, old), place, 2)
    rubric_edits.save(store, old, new, {})
    with pytest.raises(Problem, match="under an earlier wording"):
        rubric_freezes.freeze(store, set_of_reworded, "Lea")
