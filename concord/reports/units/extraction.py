"""Extraction: how far the entities that a model found are those that annotators left in the list.

Entries that share a form are one entity. One of the model's has at most one counterpart among the
annotators': any form in common makes it one. Precision is the share of the model's entities with a
counterpart, recall that of the annotators', and F1 that of both lists together, which is the
harmonic mean of the two. All lists are counted together, so a long list says more than a short one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from concord.language.plurals import counted
from concord.messages import joined, said
from concord.metrics.prompts.unit_kinds import KINDS
from concord.model import ENTITIES
from concord.reports.cells import share as as_share
from concord.reports.panel.panel import Panel
from concord.reports.panel.unit_words import noun
from concord.reports.units.answer_comparison import Ground, ground, share
from concord.stats.core.estimate import Estimate, undefined
from concord.store import graders
from concord.store.database import Store
from concord.store.units import corrected_lists
from concord.store.units.corrected_lists import Corrected
from concord.store.units.units import Decomposition
from concord.text.entity_names import folded

NOBODY = said("nobody has edited or approved the list")
NONE_MADE = said("the model found no entity")
NONE_RIGHT = said("annotators left no entity in the list")
NEITHER = said("neither the model nor annotators found an entity")


class Match(NamedTuple):
    """How many entities the model's list holds, the annotators', and how many are in both."""

    made: int
    right: int
    both: int


def match(made: Sequence[str], right: Sequence[str]) -> Match:
    """The two lists held against each other, each folded.

    An entity that a list names twice, under forms that it does not join, has one counterpart.
    """
    one, other = folded(made), folded(right)
    if not (one and other):
        return Match(len(one), len(other), 0)
    shared = csr_array([[bool(a & b) for b in other] for a in one])
    both = int((maximum_bipartite_matching(shared, perm_type="column") >= 0).sum())
    return Match(len(one), len(other), both)


def report(store: Store, panel: Panel) -> list[dict[str, Any]]:
    """Precision, recall and F1 of each model that made lists of entities, one row for each kind.

    Empty where the panel's units are no entities, or no model has made a list. `lists` is how many
    lists annotators edited or approved, `annotators` how many did, `left_out` the lists that do
    not count by reason; `made`, `right` and `both` count entities. Undefined without such a list.
    """
    if panel.rubric.units not in ENTITIES:
        return []
    rows = []
    for kind in ENTITIES:
        every = corrected_lists.of_sheet(store, panel.sheet.id, kind)
        for maker in dict.fromkeys(one.maker for one in every):
            own = [one for one in every if one.maker == maker]
            name = panel.labels.get(maker) or graders.get(store, maker).label()
            rows.append({"kind": kind, "maker": name} | _row(store, panel, own))
    return rows


def sentence(row: Mapping[str, Any]) -> str:
    """A row of `report` in one sentence."""
    who = {"maker": row["maker"], "units": noun(KINDS[row["kind"]].plural)}
    if not row["lists"]:
        why = row["f1"]["why_none"]
        return said("What {maker} found of the {units}: no F1, {why}.", **who, why=why)
    return said(
        "What {maker} found of the {units}, held against {lists} that annotators edited or "
        "approved: "
        "{figures} ({made:,} found, {right:,} right, {both:,} in both).",
        **who,
        lists=counted(row["lists"], "list"),
        figures=joined(", ", [_figure(row, key) for key in ("precision", "recall", "f1")]),
        made=row["made"],
        right=row["right"],
        both=row["both"],
    )


def _figure(row: Mapping[str, Any], key: str) -> str:
    name = said("F1") if key == "f1" else said("recall") if key == "recall" else said("precision")
    if row[key]["value"] is None:
        return said("no {figure}", figure=name)
    return said("{figure} {value}", figure=name, value=as_share(row[key]))


def of_list(store: Store, cut: Decomposition) -> str:
    """How far a model's first list of an answer agrees with a list of entities, in words.

    '' where the list is of something else, or no model made it.
    """
    one = corrected_lists.of_item(store, cut.item_id, cut.kind) if cut.kind in ENTITIES else None
    if one is None:
        return ""
    by = graders.get(store, one.maker).name
    if not one.annotators:
        return said("F1 of what {maker} found is undefined: {why}.", maker=by, why=NOBODY)
    made, right, both = match(one.made, one.right)
    if not made + right:
        return said("F1 of what {maker} found is undefined: {why}.", maker=by, why=NEITHER)
    return said(
        "Of {entities} that {maker} found {both} stand in this list of {right}: precision "
        "{precision}, recall {recall}, F1 {f1}.",
        entities=counted(made, "entity", "entities"),
        maker=by,
        both=both,
        right=right,
        precision=_plain(both, made),
        recall=_plain(both, right),
        f1=_plain(2 * both, made + right),
    )


def _plain(hits: int, of: int) -> str:
    return f"{hits / of:.2f}" if of else said("undefined")


def _row(store: Store, panel: Panel, every: Sequence[Corrected]) -> dict[str, Any]:
    seen = [one for one in every if _speakers(panel, one)]
    on = ground(store, panel, *zip(*(one[:3] for one in seen), strict=True)) if seen else None
    left_out = Counter({NOBODY: len(every) - len(seen)}) + (on.left_out if on else Counter())
    kept = [one for one, weight in zip(seen, on.weight, strict=True) if weight] if on else []
    found = np.array([match(one.made, one.right) for one in kept], int).reshape(-1, 3)
    made, right, both = found.T
    whole = on and Ground(on.weight[on.weight > 0], on.cluster[on.weight > 0], on.left_out)
    return {
        "lists": len(kept),
        "annotators": len({person for one in kept for person in _speakers(panel, one)}),
        "left_out": dict(left_out),
        "made": int(made.sum()),
        "right": int(right.sum()),
        "both": int(both.sum()),
        "precision": _share(whole, both, made, NONE_MADE)._asdict(),
        "recall": _share(whole, both, right, NONE_RIGHT)._asdict(),
        "f1": _share(whole, 2 * both, made + right, NEITHER)._asdict(),
    }


def _speakers(panel: Panel, one: Corrected) -> list[int]:
    """Who edited or approved a list, without those who labelled here and do not count."""
    return [who for who in one.annotators if panel.lets_count(who)]


def _share(on: Ground | None, hits: np.ndarray, of: np.ndarray, why_none: str) -> Estimate:
    if on is None or not len(of):
        return undefined(NOBODY)
    if not of.sum():
        return undefined(why_none)
    return share(on, hits, of, np.repeat(on.weight, of))
