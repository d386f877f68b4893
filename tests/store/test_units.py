"""Units: lists of parts of an item, of which the newest counts; what stays keeps its id."""

from concord.metrics.prompts import verdicts
from concord.model import Cell
from concord.store import grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import units


def made(store, item_id, *texts):
    cells = [Cell(text, place) for place, text in enumerate(texts)]
    return units.keep(store, item_id, "claim", cells, None)


def test_the_first_list_counts_and_an_empty_one_is_a_list(store, item_id):
    assert units.current(store, [item_id], "claim") == {}
    first = made(store, item_id)
    assert made(store, item_id, "Too late.") == first
    assert first.units == ()


def test_an_edit_keeps_the_units_that_stay_and_names_what_it_replaces(store, item_id, person):
    old = made(store, item_id, "One.", "Two.", "Three.")
    one, two, _ = (unit.id for unit in old.units)
    new = units.edit(store, old, [(one, "One."), (two, "Two, put right."), (None, "Four.")], person)
    assert [unit.text for unit in new.units] == ["One.", "Two, put right.", "Four."]
    assert new.units[0].id == one and new.supersedes == old.id
    assert store.value("select supersedes from units where id = ?", (new.units[1].id,)) == two
    assert units.current(store, [item_id], "claim")[item_id] == new


def test_an_approval_belongs_to_one_list_and_twice_is_once(store, item_id, person):
    old = made(store, item_id, "One.")
    units.approve(store, old.id, person)
    units.approve(store, old.id, person)
    assert units.current(store, [item_id], "claim")[item_id].approved_by == (person,)
    new = units.edit(store, old, [(None, "Other.")], person)
    assert new.approved_by == ()


def test_a_unit_is_graded_like_an_answer_with_its_label_and_its_evidence(store, item_id, person):
    rubric = verdicts.rubric("claims-in-contexts")
    rubric_versions.register(store, rubric, "preset")
    unit = made(store, item_id, "One.").units[0]
    version = rubric.version(rubric.criteria[0])
    press = Press(item_id, version, person, score=3, label="supported", unit_id=unit.id, quote="1")
    grades.record(store, [press, press._replace(score=0, label="contradicted", quote="")])
    found = store.rows("select unit_id, score, label, quote from grades order by id")
    assert [tuple(row) for row in found] == [
        (unit.id, 3, "supported", "1"),
        (unit.id, 0, "contradicted", ""),
    ]


def test_pairs_follow_the_units_they_are_made_from_and_keep_their_ids(store, item_id, person):
    def pairs(claims):
        cells = [Cell(one.text, chunk, one.id) for one in claims.units for chunk in range(2)]
        return units.keep(store, item_id, "claim_chunk", cells, None)

    claims = made(store, item_id, "One.", "Two.")
    before = pairs(claims)
    assert pairs(claims) == before
    one = claims.units[0]
    edited = units.edit(store, claims, [(one.id, one.text), (None, "Three.")], person)
    after = pairs(edited)
    assert after.supersedes == before.id
    assert after.units[:2] == before.units[:2]
    assert [unit.text for unit in after.units[2:]] == ["Three.", "Three."]
    gone = units.edit(store, edited, [], person)
    assert pairs(gone).units == ()
