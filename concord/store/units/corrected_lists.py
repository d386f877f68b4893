"""Corrected lists: model-made lists of units with the same lists as annotators left them.

Only lists that a model made are included. `annotators` edited the newest list or approved it
unchanged; without any, the correct list is unknown.
"""

from collections.abc import Sequence
from typing import NamedTuple

from concord.store.database import Store
from concord.store.units.units import NEWEST


class Corrected(NamedTuple):
    """One list: its item, the model's grader id, the model's texts and the current ones.

    `cluster` is the question's own, or None; `annotators` are grader ids. Merged graders have the
    id they were merged into.
    """

    item_id: int
    question_id: int
    cluster: str | None
    maker: int
    made: tuple[str, ...]
    right: tuple[str, ...]
    annotators: tuple[int, ...]


def of_sheet(store: Store, sheet_id: int, kind: str) -> list[Corrected]:
    """Return every list of a kind that a model made on a sheet, by item id."""
    return _read(store, "i.sheet_id = :id", sheet_id, kind)


def of_item(store: Store, item_id: int, kind: str) -> Corrected | None:
    """The list of a kind of one item; None where no model made one."""
    return next(iter(_read(store, "i.id = :id", item_id, kind)), None)


def _read(store: Store, where: str, id_: int, kind: str) -> list[Corrected]:
    values = {"id": id_, "kind": kind}
    rows = store.rows(
        "with recursive chain (newest, id, before) as (select d.id, d.id, d.supersedes"
        f" from decompositions d join items i on i.id = d.item_id where {where}"
        f" and d.kind = :kind and {NEWEST} union all select c.newest, d.id, d.supersedes"
        " from chain c join decompositions d on d.id = c.before)"
        " select i.id, i.question_id, q.cluster, coalesce(m.merged_into, m.id) as maker,"
        " c.id as first, c.newest from chain c join decompositions f on f.id = c.id"
        " join items i on i.id = f.item_id join questions q on q.id = i.question_id"
        " join graders m on m.id = f.decomposer_id"
        " where c.before is null and m.kind <> 'person' order by i.id",
        values,
    )
    texts = _by_list(
        store,
        "select d.id, u.text from decompositions d join items i on i.id = d.item_id"
        " join decomposition_units p on p.decomposition_id = d.id join units u on u.id = p.unit_id"
        f" where {where} and d.kind = :kind order by d.id, p.place",
        values,
    )
    who = (
        "join items i on i.id = d.item_id join graders r on r.id = said.who"
        f" where {where} and d.kind = :kind and +r.kind = 'person'"
    )
    annotators = _by_list(
        store,
        "select d.id, coalesce(r.merged_into, r.id) from decompositions d"
        " join (select id, decomposer_id as who from decompositions) said on said.id = d.id"
        f" {who} union select d.id, coalesce(r.merged_into, r.id) from decompositions d"
        " join (select decomposition_id as id, grader_id as who from decomposition_approvals) said"
        f" on said.id = d.id {who} order by 1, 2",
        values,
    )
    return [
        Corrected(
            *row[:4],
            made=tuple(texts.get(row["first"], ())),
            right=tuple(texts.get(row["newest"], ())),
            annotators=tuple(dict.fromkeys(annotators.get(row["newest"], ()))),
        )
        for row in rows
    ]


def _by_list(store: Store, query: str, values: dict) -> dict[int, Sequence]:
    """The second column of some rows by the first."""
    found: dict[int, list] = {}
    for list_id, one in store.rows(query, values):
        found.setdefault(list_id, []).append(one)
    return found
