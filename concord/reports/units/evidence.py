"""Evidence of one answer: its units, each grader's verdict and reason, and the quoted passages."""

from collections.abc import Iterable, Sequence, Set
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from concord import metrics
from concord.metrics.prompts.unit_kinds import KINDS
from concord.model import Item, Sheet, Unit, status_words
from concord.reports.document import Column, Table, table_of
from concord.reports.metrics.metric_records import LIST_EDITED, Readings, Record, short, standing
from concord.reports.metrics.metrics import reading, word
from concord.reports.panel.wording import named
from concord.reports.units.decomposition import as_read
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.store import grade_table, items, metric_values
from concord.store.database import Row, Store
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts, units
from concord.store.units.units import Decomposition
from concord.text import marked_passages, quotations
from concord.text.display import visible
from concord.text.marked_passages import Passage, text_name
from concord.text.normal_form import folded

# Nothing can be gained by rewriting these: they are the texts of the sheet themselves.
AS_THEY_ARE = ("answer", "chunk")
MODEL = "answer model"


def as_lines(cut: Decomposition) -> str:
    """The list as a text, a unit on each line."""
    return "\n".join(_line(unit.text) for unit in cut.units)


def plan(store: Store, cut: Decomposition, text: str) -> tuple[list[tuple[int | None, str]], int]:
    """Return what a text with a unit per line makes of a list; nothing is stored.

    An unchanged line is the same unit; as many other lines as units that are gone are these,
    changed. Blank lines are dropped, and so are duplicates, except for units that a rule cuts from
    a text.

    Returns:
        In order each unit's old id (None for a new one) with its text, and the number of verdicts
        that no longer count.
    """
    given = [_line(one) for one in text.splitlines() if one.strip()]
    texts = _matched(cut, folded(given) if KINDS[cut.kind].rule is None else given)
    old = {unit.id: unit.text for unit in cut.units}
    kept = {unit_id for unit_id, line in texts if unit_id and _line(old[unit_id]) == line}
    made = [(unit_id, old[unit_id] if unit_id in kept else line) for unit_id, line in texts]
    return made, len(unit_verdicts.of_units(store, sorted(old.keys() - kept)))


def _line(text: str) -> str:
    return " ".join(text.split())


def _matched(cut: Decomposition, lines: Sequence[str]) -> list[tuple[int | None, str]]:
    """Return each line with the id of the unit it is or was."""
    left: dict[str, list[int]] = {}
    for unit in cut.units:
        left.setdefault(_line(unit.text), []).append(unit.id)
    ids = [left[line].pop(0) if left.get(line) else None for line in lines]
    gone, new = [i for those in left.values() for i in those], ids.count(None)
    if len(gone) == new:  # as many as before: they were reworded
        ids = [gone.pop(0) if unit_id is None else unit_id for unit_id in ids]
    return [*zip(ids, lines, strict=True)]


class Part(NamedTuple):
    """One text that is shown, and the passages in it: begin, end and the unit, each."""

    name: str
    text: str
    spans: Sequence[tuple[int, int, int]] = ()


class Evidence(NamedTuple):
    """One answer under one rubric of units.

    Attributes:
        cut: The current list of units; None where not decomposed yet.
        units: As the reader shows them: `id`, `number` in the list's own order, `text`, `differs`,
            `where` (of a pair with a context), `again` (the claim of the line above), and of each
            grader `said`: `who`, `kind`, `label`, `fails`, `reason` and `quotes` with their texts.
            Those graders differ on come first, then the lowest.
    """

    cut: Decomposition | None
    units: list[dict[str, Any]]
    parts: list[Part]


def read(store: Store, item_id: int, rubric: Rubric) -> Evidence:
    """Return all verdicts on the units of one answer under a rubric of units."""
    rows = unit_verdicts.of_item(store, item_id, list(rubric_versions.criteria(store, rubric)))
    cut = units.current(store, [item_id], rubric.units).get(item_id)
    listed = cut.units if cut else ()
    names = short(_label(row) for row in rows)
    by_unit: dict[int, list[Row]] = {unit.id: [] for unit in listed}
    for row in rows:  # one on a unit that is no longer in the list does not count
        by_unit.get(row["unit_id"], []).append(row)
    ranks: dict[int, tuple] = {}
    scores = {
        unit_id: [row["score"] for row in mine if row["score"] is not None]
        for unit_id, mine in by_unit.items()
    }
    for number, unit in enumerate(listed, 1):
        mine = len({*scores[unit.id]}) < 2, min(scores[unit.id], default=1e9), number
        # The contexts of one claim stay together, at the place of the worst.
        ranks[_claim(unit)] = min(mine, ranks.get(_claim(unit), mine))
    order = sorted(enumerate(listed, 1), key=lambda pair: (ranks[_claim(pair[1])], pair[0]))
    shown, above = [], None
    for number, unit in order:
        one = {
            "id": unit.id,
            "number": number,
            "text": visible(as_read(unit.kind, unit.text)),
            "differs": len({*scores[unit.id]}) > 1,
            "where": f"in context {unit.position + 1}" if _is_pair(unit) else "",
            "said": [_verdict(row, rubric, names) for row in by_unit[unit.id]],
            "again": above is not None and _is_pair(unit) and above.parent == unit.parent,
        }
        shown.append(one)
        above = unit
    passages = [
        (unit, passage)
        for _, unit in order
        for passage in dict.fromkeys(one for row in by_unit[unit.id] for one in _marked(row))
    ]
    return Evidence(cut, shown, _parts(items.item(store, item_id).item, rubric, passages))


def _is_pair(unit: Unit) -> bool:
    return unit.kind.endswith("_chunk") and unit.parent is not None


def _claim(unit: Unit) -> int:
    """Return the claim of a pair with a context, else the unit itself."""
    return unit.parent if _is_pair(unit) else unit.id


def _label(row: Row) -> str:
    return f"{row['name']}@{row['fingerprint']}" if row["fingerprint"] else row["name"]


def _marked(row: Row) -> Sequence[Passage]:
    return marked_passages.of_grade(row["quote"], row["marked_passages"])


def _verdict(row: Row, rubric: Rubric, names: dict[str, str]) -> dict[str, Any]:
    criterion, score = rubric.criteria[0], row["score"]
    labels = {level.score: level.label for level in criterion.levels}
    label = status_words(row["status"]) if score is None else labels.get(score, f"{score:g}")
    return {
        "who": named(names[_label(row)], bool(row["simulated"])),
        "kind": row["kind"],
        "label": label,
        "fails": score is not None and score in rubric.failing(criterion),
        "reason": visible(row["reason"]),
        "quotes": [(text_name(one) or "", visible(one.words)) for one in _marked(row)],
    }


def lists(store: Store, item_id: int) -> list[Decomposition]:
    """The current lists of an answer that annotators may edit; pairs follow their units."""
    kinds = [kind for kind in KINDS if kind not in AS_THEY_ARE]
    found = [units.current(store, [item_id], kind).get(item_id) for kind in kinds]
    return [one for one in found if one is not None]


def segments(part: Part) -> list[dict[str, Any]]:
    """Return a text in visible pieces, cut where evidence begins and ends.

    Each has its `text` and the ids of the `units` that it is evidence of.
    """
    cuts = sorted({0, len(part.text), *(end for span in part.spans for end in span[:2])})
    return [
        {
            "text": visible(part.text[begin:end]),
            "units": sorted({u for b, e, u in part.spans if b <= begin and end <= e}),
        }
        for begin, end in pairwise(cuts)
    ]


def _parts(item: Item, rubric: Rubric, passages: Sequence[tuple[Unit, Passage]]) -> list[Part]:
    """Return the texts with their passages marked."""
    texts = {
        (key, number): Part(name, text, [])
        # What graders see, and the units' source.
        for key, number, name, text in _texts(item, {*rubric.shown, _source(rubric)})
    }
    for unit, passage in passages:
        if passage.part:
            places = [(passage.part, passage.number)]
        else:
            # The context that the verdict is about, or all of them; the units' source comes last.
            is_of_one = "chunk" in rubric.shown or unit.kind == "chunk"
            places = sorted(
                (
                    place
                    for place in texts
                    if place[0] != "context" or not is_of_one or place[1] == unit.position + 1
                ),
                key=lambda place: (
                    place[0] == _source(rubric),
                    place[0] in ("answer", "reference"),
                ),
            )
        for place in places:
            if place in texts and (span := _span(passage, texts[place].text)):
                texts[place].spans.append((*span, unit.id))
                break
    return [*texts.values()]


def _span(passage: Passage, text: str) -> tuple[int, int] | None:
    marked = marked_passages.span(passage, text) if passage.part else None
    return marked or quotations.find(passage.words, text)


def _source(rubric: Rubric) -> str:
    """Return the text that units of a kind are taken from; for pairs that of the unit."""
    found = KINDS.get(rubric.units) or KINDS.get(rubric.units.removesuffix("_chunk"))
    return found.of if found else ""


def side_texts(item: Item) -> list[Part]:
    """Return the reference and the contexts of an answer."""
    return [Part(name, text) for *_, name, text in _texts(item, {"reference", "contexts"})]


def _texts(item: Item, shown: Set[str]) -> Iterable[tuple[str, int, str, str]]:
    """Yield the texts of an answer that are shown: part and number as in `Passage`, name, text."""
    if "answer" in shown:
        yield "answer", 1, "Answer", item.answer
    if "reference" in shown:
        for number, text in enumerate(item.reference, 1):
            yield "reference", number, "Reference answer", text
    if shown & {"contexts", "chunk"}:
        for number, one in enumerate(sorted(item.contexts, key=lambda one: one.rank), 1):
            yield "context", number, f"Context {number}", one.text
    if "reference_contexts" in shown:
        for number, text in enumerate(item.reference_contexts, 1):
            yield "document", number, f"Document {number}", text


def listed(
    store: Store,
    sheet: Sheet,
    found: Readings,
    rubric: Rubric | None,
    by: str | None,
) -> tuple[pd.DataFrame, int]:
    """Return the answers with units of a rubric, or with a metric value, outdated ones included.

    `by` is the metric and the judge of the value in the list, with a space between.

    Returns:
        By item id, those to begin with first: answer, question, `MODEL`, units, differ (units
        graders differ on), graders and value; and how many answers are of a question that is held
        out or in the few-shot pool.
    """
    shut = splits.leaked(store, sheet.id) | splits.held_out(store, sheet.id)
    index = items.item_index(store, sheet.id)
    open_ids = sorted(row["id"] for row in index if row["question_id"] not in shut)
    names = items.item_names(store, sheet.id)
    columns = ["id", "answer", "question", MODEL]
    frame = pd.DataFrame([(i, *names[i]) for i in open_ids], columns=columns).set_index("id")
    counts = _counts(store, sheet, rubric) if rubric else None
    for name in ("units", "differ", "graders"):
        frame[name] = (
            0 if counts is None else counts[name].reindex(frame.index).fillna(0).astype(int)
        )
    values = {
        one.item_id: one.value
        for one in found.records
        if f"{one.metric} {one.judge}" == by and one.repeat == 1 and one.value is not None
    }
    frame["value"] = pd.Series(values, dtype=float)
    edited = frame.index.isin([one.item_id for one in found.records if one.status == LIST_EDITED])
    kept = frame[(frame["units"] > 0) | frame["value"].notna() | edited]
    metric = metrics.available().get(by.split()[0]) if by else None
    is_low_worst = metric is None or metric.better != "lower"
    order = {"differ": False, "value": is_low_worst, "answer": True}
    kept = kept.sort_values([*order], ascending=[*order.values()], kind="stable")
    return kept, len(index) - len(open_ids)


def _counts(store: Store, sheet: Sheet, rubric: Rubric) -> pd.DataFrame:
    """Return by item id the current units, those graders differ on, and the number of graders."""
    cut = units.index(store, sheet.id, rubric.units)
    current = pd.DataFrame(
        [(unit, item) for unit, item, is_current in cut if is_current], columns=["unit_id", "id"]
    )
    versions = rubric_versions.criteria(store, rubric)
    table = grade_table.table(store, sheet.id, versions, units=True)
    scored = table.loc[
        (table["repeat"] == 1) & table["score"].notna(), ["unit_id", "grader_id", "score"]
    ].merge(current, on="unit_id")
    differ = scored.groupby("unit_id")["score"].nunique().gt(1)
    by_unit = current.assign(differ=current["unit_id"].map(differ).fillna(False).astype(int))
    made = by_unit.groupby("id").agg(units=("unit_id", "size"), differ=("differ", "sum"))
    return made.join(scored.groupby("id")["grader_id"].nunique().rename("graders"))


def metric_values_of(store: Store, item_id: int) -> list[Record]:
    """Return every metric's first value for an answer, under the newest prompts."""
    edited = metric_values.edited(store, id=item_id)
    rows = metric_values.of_item(store, item_id)
    records = [standing(row, edited) for row in rows if row["repeat"] == 1]
    newest = {(one.grader_id, one.metric, str(one.switches)): one for one in records}
    return [*newest.values()]


def rests_on(metric: str, rubric: str) -> bool:
    """True for a metric computed from verdicts under a rubric of units."""
    found = metrics.available().get(metric)
    return bool(found) and rubric in found.rubrics


def values_table(found: Sequence[Record]) -> Table:
    """Return a row for each value, and how it came about or why it is undefined."""
    judges = short(one.judge for one in found)
    parts = (
        ("metric", lambda one: metrics.title(one.metric)),
        ("judge", lambda one: judges[one.judge]),
        (Column("value", "value"), "value"),
        ("variant", lambda one: reading(one.switches)),
        ("status", lambda one: status_words(one.status)),
        ("derivation", "reason"),
        ("flags", lambda one: ", ".join(map(word, one.flags))),
    )
    return table_of("values", found, parts, sparse=True)
