"""Every key of the grading pane, for one annotator on one machine and for a signed-in grader."""

from concord.grading import set_graders, workspace
from concord.grading.workspace import Key
from concord.store import graders
from concord.store.database import open_store
from concord.store.permissions import GRADER, Who

CURRENT = (
    "select status, score, label, reason, quote from grades g where not exists"
    " (select 1 from grades later where later.supersedes = g.id) order by id"
)


def test_every_key_on_whole_answers_is_saved(store, pane, practised_set, rubric, ana):
    opened = pane(practised_set)
    practised, _, first, second, *_ = places = _places(opened, practised_set, ana, rubric[1])
    one, *others = rubric[1].versions().values()
    saved = _save(
        *(opened, practised_set, ana, rubric[1]),
        Key("score", first.id, one, "scored", 2, "", 1.5),
        Key("change", first.id, one, "scored", 3, "a note", 0.5, "what it says"),
        Key("later", first.id, "", "later"),
        Key("cannot", second.id, one, "cannot_grade", language="ko"),
        Key("undo", second.id, one, "withdrawn"),
        *(Key(f"try {v}", practised.id, v, "scored", 1) for v in (one, *others)),
        Key("comment", practised.id, "", "comment", note="I read it otherwise."),
    )
    assert saved.refused == {} and len(saved.on_disk) == 6 + len(rubric[1].criteria)
    last = _places(opened, practised_set, ana, rubric[1])
    assert [place.id for place in last] == [p.id for p in places if p.id != first.id] + [first.id]
    assert {tuple(row)[:3] for row in store.rows(CURRENT)} == {
        ("scored", 3, None),
        ("withdrawn", None, None),
        ("scored", 1, None),
    }
    assert store.column("select quote from grades where score = 3") == ["what it says"]
    # The language of the translation that was read is stored with the grade.
    languages = store.column("select rubric_language from grades order by id")
    assert languages[:4] == ["", "", "ko", ""] and set(languages[4:]) == {""}
    assert store.value("select text from comments") == "I read it otherwise."


def test_every_key_on_units_and_their_list_is_saved(store, pane, claims_set, ana):
    made, rubric = claims_set
    opened = pane(made)
    first, second, *_ = _places(opened, made, ana, rubric)
    saved = _save(
        *(opened, made, ana, rubric),
        Key("verdict", first.id, first.steps[0].slot, "scored", 0, "no", 1.0, "0 is a number."),
        Key("check", first.id, first.steps[1].slot, "scored", 5),
        Key("cannot", second.id, second.steps[0].slot, "cannot_grade"),
        Key("neither", second.id, second.steps[1].slot, "cannot_grade"),
        Key("undo", second.id, second.steps[1].slot, "withdrawn"),
        Key("later", second.id, "", "later"),
    )
    assert saved.refused == {} and len(saved.on_disk) == 6
    assert [tuple(row) for row in store.rows(CURRENT)] == [
        ("scored", 0, "contradicted", "no", "0 is a number."),
        ("scored", None, "missing, not atomic", "", ""),
        ("cannot_grade", None, None, "", ""),
        ("withdrawn", None, None, "", ""),
    ]
    assert _places(opened, made, ana, rubric)[-1].id == second.id


def test_later_moves_no_place_of_another_grader(store, pane, practised_set, rubric, ana):
    ben = graders.ensure(store, "person", "Ben")
    theirs = [place.id for place in _places(store, practised_set, ben, rubric[1])]
    mine = _places(pane(practised_set), practised_set, ana, rubric[1])
    saved = _save(
        *(pane(practised_set), practised_set, ana, rubric[1]),
        Key("theirs", theirs[0], "", "later"),
        Key("mine", mine[0].id, "", "later"),
    )
    assert saved.on_disk == ["mine"] and list(saved.refused) == ["theirs"]
    assert [place.id for place in _places(store, practised_set, ben, rubric[1])] == theirs


def test_a_key_that_the_database_refuses_holds_up_none_behind_it(
    store, pane, practised_set, rubric, ana
):
    opened = pane(practised_set)
    *_, first, second = _places(opened, practised_set, ana, rubric[1])
    version = rubric[1].version(rubric[1].criteria[0])
    store.execute(
        "create trigger no_later before update on assignments begin"
        " select raise(abort, 'never'); end"
    )
    saved = _save(
        *(opened, practised_set, ana, rubric[1]),
        Key("before", first.id, version, "scored", 1),
        Key("refused", first.id, "", "later"),
        Key("behind", second.id, version, "scored", 2),
    )
    assert saved == (["before", "behind"], {"refused": "the database denies this grader access"})
    assert [row["score"] for row in store.rows(CURRENT)] == [1, 2]


def test_what_a_role_refuses_holds_up_none_behind_it(
    store, practised_set, rubric, ana, monkeypatch
):
    """As an older server refused `later`: by the role, before the statement ran."""
    set_graders.join(store, practised_set, ana, "Lea")
    with open_store(store.path, Who("Ana", GRADER, ana)) as opened:
        first, *_ = _places(opened, practised_set, ana, rubric[1])
        version = rubric[1].version(rubric[1].criteria[0])
        monkeypatch.setattr(
            "concord.grading.assignments.postpone",
            lambda *_: opened.execute("delete from main.assignments"),
        )
        saved = _save(
            *(opened, practised_set, ana, rubric[1]),
            Key("refused", first.id, "", "later"),
            Key("behind", first.id, version, "scored", 2),
        )
    assert saved.on_disk == ["behind"] and list(saved.refused) == ["refused"]


def _places(store, grading_set, ana, rubric):
    return workspace.window(store, grading_set, ana, rubric, None).places


def _save(store, grading_set, ana, rubric, *keys):
    return workspace.save(store, grading_set, ana, rubric, list(keys))
