import pytest

from data import roles, sheets
from problems import Problem
from tests.conftest import made_item


def _ids(store, sheet):
    return {row["own_id"]: row["id"] for row in roles.of_sheet(store, sheet.id)}


def test_roles_default_to_evaluation_and_the_last_word_counts(store, sheet):
    first = _ids(store, sheet)["000"]
    assert {row["role"] for row in roles.of_sheet(store, sheet.id)} == {"evaluation"}
    roles.assign(store, [first], "examples", "try")
    roles.assign(store, [first], "sealed", "no, keep")
    assert roles.sealed(store, sheet.id) == {first}
    assert roles.leaked(store, sheet.id) == set()
    with pytest.raises(Problem, match="not a role"):
        roles.assign(store, [first], "secret", "")


def test_an_example_closes_its_cluster_and_its_text_in_every_sheet(store):
    def sheet(name, *rows):
        made = [
            made_item(n, question_id=str(n), own_id=f"{n}", question=text, cluster=cluster)
            for n, (text, cluster) in enumerate(rows)
        ]
        return sheets.add(store, name, made, name, "x", {})

    first = sheet("first", ("How?", "a"), ("Why?", "a"), ("When?", "b"), ("Who?", None))
    second = sheet("second", ("ＨＯＷ? ", None), ("How?", "c"), ("how?", "a"), ("What?", None))
    roles.assign(store, [_ids(store, first)["0"]], "examples", "shown")
    assert roles.leaked(store, first.id) == {_ids(store, first)[k] for k in "01"}
    # the same text leaks unless both have clusters and those differ
    assert roles.leaked(store, second.id) == {_ids(store, second)[k] for k in "02"}
