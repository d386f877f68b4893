"""Evidence of one answer: its units, each grader's verdict and reason, and the quoted passages."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

import pandas as pd

from concord.language.grade_statuses import status_words
from concord.messages import Numeral, said
from concord.metrics.prompts.unit_kinds import KINDS
from concord.model import Item, Sheet, Unit
from concord.reports.document import Column, Document, Table
from concord.reports.metrics.metric_records import LIST_EDITED, Readings
from concord.reports.work_list import Listed, WorkList
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.store import grade_table, items
from concord.store.database import Row, Store
from concord.store.items import Stored
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts, units
from concord.store.units.units import Decomposition
from concord.text import marked_passages, quotations
from concord.text.marked_passages import Passage
from concord.text.normal_form import folded

# Nothing can be gained by rewriting these: they are the texts of the sheet themselves.
AS_THEY_ARE = ("answer", "chunk")
_OTHER = "another rubric"
_GIVEN_BY = {"person": "annotators", "metric": "judges"}


class Edit(NamedTuple):
    """An annotator's edit of a list of units, and its effect.

    Attributes:
        texts: In order, each unit's old id (None for a new one) and its text.
        kept: Number of unchanged units.
        changed: Number with another text.
        added: Number of new units.
        removed: Number of removed units.
        moved: True where the remaining units are reordered.
        lost: Number of verdicts that no longer count, by grader kind and rubric title.
    """

    texts: list[tuple[int | None, str]]
    kept: int
    changed: int
    added: int
    removed: int
    moved: bool
    lost: dict[str, dict[str, int]]

    def is_none(self) -> bool:
        """True where nothing is changed, not even the order."""
        return not (self.changed or self.added or self.removed or self.moved)


def can_be_edited(kind: str) -> bool:
    """True where annotators may rewrite units of a kind; pairs follow their units."""
    return kind in KINDS and kind not in AS_THEY_ARE


def as_lines(cut: Decomposition) -> str:
    """The list as a text, a unit on each line."""
    return "\n".join(_line(unit.text) for unit in cut.units)


def plan(store: Store, cut: Decomposition, text: str) -> Edit:
    """Return the effect of a text with a unit per line on a list; nothing is stored.

    An unchanged line is the same unit; lines in place of others are those units, changed. Blank
    lines are dropped, and so are duplicates, except for units that a rule cuts from a text.
    """
    given = [_line(one) for one in text.splitlines() if one.strip()]
    lines = folded(given) if KINDS[cut.kind].rule is None else given
    texts = _matched(cut, lines)
    stay = {unit.id: _line(unit.text) for unit in cut.units}
    kept = {unit_id for unit_id, line in texts if unit_id and stay[unit_id] == line}
    known = {unit_id for unit_id, _ in texts if unit_id}
    originals = {unit.id: unit.text for unit in cut.units}
    made = [(i, originals[i] if i in kept else line) for i, line in texts]
    return Edit(
        texts=made,
        kept=len(kept),
        changed=len(known - kept),
        added=sum(unit_id is None for unit_id, _ in texts),
        removed=len(stay.keys() - known),
        moved=[i for i in stay if i in known] != [i for i, _ in made if i],
        lost=_lost(store, stay.keys() - kept),
    )


def document(edit: Edit) -> Document:
    """Return the effect of saving: the counts, and the verdicts that no longer count."""
    heads = (Column("verdicts by"), Column("rubric"), Column("verdicts", "count"))
    rows = tuple(
        (_GIVEN_BY[kind], title, n)
        for kind in _GIVEN_BY
        for title, n in edit.lost.get(kind, {}).items()
    )
    return Document(
        said(
            "{changed:,} changed, {added:,} added, {removed:,} removed, {kept:,} unchanged.",
            **{key: getattr(edit, key) for key in ("changed", "added", "removed", "kept")},
        ),
        tables=(Table("lost", heads, rows, "Verdicts that no longer count"),),
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def _matched(cut: Decomposition, lines: Sequence[str]) -> list[tuple[int | None, str]]:
    """Return each line with the id of the unit it is or was."""
    old = [_line(unit.text) for unit in cut.units]
    moved = {text: unit.id for text, unit in zip(old, cut.units, strict=True)}
    found: list[tuple[int | None, str]] = []
    taken: set[int] = set()
    for tag, a, b, c, d in SequenceMatcher(None, old, lines, autojunk=False).get_opcodes():
        for place in range(c, d):
            text, unit_id = lines[place], None
            if tag == "equal":
                unit_id = cut.units[a + place - c].id
            elif text in moved and text not in old[a:b]:
                unit_id = moved[text]
            elif tag == "replace" and a + place - c < b and old[a + place - c] not in lines:
                unit_id = cut.units[a + place - c].id
            if unit_id in taken:
                unit_id = None
            taken |= {unit_id} if unit_id else set()
            found.append((unit_id, text))
    return found


def _lost(store: Store, unit_ids: set[int]) -> dict[str, dict[str, int]]:
    """Return the number of verdicts on some units, by grader kind and rubric title."""
    titles = {
        version: rubric.title
        for rubric in rubric_versions.of_parts(store).values()
        for version in rubric.versions().values()
    }
    lost: dict[str, Counter] = {}
    for row in unit_verdicts.of_units(store, sorted(unit_ids)):
        title = titles.get(row["version"], _OTHER)
        lost.setdefault(row["kind"], Counter())[title] += 1
    return {kind: dict(counts) for kind, counts in lost.items()}


class UnitGrade(NamedTuple):
    """One grader's verdict on one unit; `label` is the label of the score, or the status.

    `marked` are the passages that are its evidence.
    """

    who: str
    kind: str
    simulated: bool
    score: float | None
    label: str
    reason: str
    marked: tuple[Passage, ...]
    fails: bool


class Line(NamedTuple):
    """One unit with what all graders say; `number` counts from 1 in the list's own order."""

    unit: Unit
    number: int
    said: tuple[UnitGrade, ...]

    @property
    def differs(self) -> bool:
        """True where graders gave it different scores."""
        return len({one.score for one in self.said if one.score is not None}) > 1

    @property
    def lowest(self) -> float:
        """The lowest score it got; beyond all scores where it got none."""
        return min((one.score for one in self.said if one.score is not None), default=1e9)


class Part(NamedTuple):
    """One text that is shown, and the passages in it: begin, end and the unit, each."""

    name: str
    text: str
    spans: tuple[tuple[int, int, int], ...]


class Evidence(NamedTuple):
    """One answer under one rubric of units.

    Attributes:
        cut: The current list of units; None where not decomposed yet.
        lines: The units, those graders differ on first, then the lowest.
        gone: Number of verdicts on units that are no longer in the list.
        unplaced: Number of passages that occur in none of the texts.
    """

    stored: Stored
    cut: Decomposition | None
    lines: tuple[Line, ...]
    parts: tuple[Part, ...]
    gone: int
    unplaced: int


def read(store: Store, item_id: int, rubric: Rubric) -> Evidence:
    """Return all verdicts on the units of one answer under a rubric of units."""
    stored = items.item(store, item_id)
    versions = list(rubric_versions.criteria(store, rubric))
    rows = unit_verdicts.of_item(store, item_id, versions)
    cut = units.current(store, [item_id], rubric.units).get(item_id)
    by_unit: dict[int, list[UnitGrade]] = {}
    for row in rows:
        by_unit.setdefault(row["unit_id"], []).append(_unit_grade(row, rubric))
    listed = cut.units if cut else ()
    lines = [
        Line(unit, number, tuple(by_unit.pop(unit.id, ()))) for number, unit in enumerate(listed, 1)
    ]
    lines = _worst_first(lines)
    parts, unplaced = _parts(stored.item, rubric, lines)
    return Evidence(stored, cut, tuple(lines), parts, sum(map(len, by_unit.values())), unplaced)


def _worst_first(lines: Sequence[Line]) -> list[Line]:
    """Those graders differ on first, then the lowest; the contexts of one claim stay together."""
    ranks: dict[int, tuple] = {}
    for one in lines:
        place = _whole(one)
        mine = not one.differs, one.lowest, one.number
        ranks[place] = min(mine, ranks.get(place, mine))
    return sorted(lines, key=lambda one: (ranks[_whole(one)], one.number))


def _whole(one: Line) -> int:
    """Return the group of a line: the claim of a pair with a context, else the line itself."""
    is_pair = one.unit.kind.endswith("_chunk") and one.unit.parent is not None
    return one.unit.parent if is_pair else one.unit.id


def other_lists(store: Store, item_id: int, besides: str = "") -> list[Decomposition]:
    """The current lists of an answer that annotators may edit, but for one kind."""
    kinds = [kind for kind in KINDS if kind != besides and can_be_edited(kind)]
    found = [units.current(store, [item_id], kind).get(item_id) for kind in kinds]
    return [one for one in found if one is not None]


@dataclass(frozen=True)
class Segment:
    """A piece of a text, with the ids of the units whose evidence it belongs to."""

    text: str
    units: tuple[int, ...]


def segments(part: Part) -> list[Segment]:
    """Return a text in pieces, cut where evidence begins and ends."""
    cuts = sorted({0, len(part.text), *(end for span in part.spans for end in span[:2])})
    return [
        Segment(
            part.text[begin:end],
            tuple(sorted({u for b, e, u in part.spans if b <= begin and end <= e})),
        )
        for begin, end in pairwise(cuts)
    ]


def _unit_grade(row: Row, rubric: Rubric) -> UnitGrade:
    criterion = rubric.criteria[0]
    words = {level.score: level.label for level in criterion.levels}
    score = row["score"]
    own = f"@{row['fingerprint']}" if row["fingerprint"] else ""
    return UnitGrade(
        who=f"{row['name']}{own}",
        kind=row["kind"],
        simulated=bool(row["simulated"]),
        score=score,
        label=status_words(row["status"])
        if score is None
        else words.get(score, Numeral(f"{score:g}")),
        reason=row["reason"],
        marked=marked_passages.of_grade(row["quote"], row["marked_passages"]),
        fails=score is not None and score in rubric.failing(criterion),
    )


def _parts(item: Item, rubric: Rubric, lines: Sequence[Line]) -> tuple[tuple[Part, ...], int]:
    """Return the texts with their passages marked, and how many passages occur in none."""
    texts = list(_texts(item, rubric))
    spans: list[list[tuple[int, int, int]]] = [[] for _ in texts]
    unplaced = 0
    for line in lines:
        for passage in dict.fromkeys(passage for one in line.said for passage in one.marked):
            chunk, source = _chunk(line.unit, rubric), _source(rubric.units)
            found = (
                _marked(passage, texts)
                if passage.part
                else _place(passage.words, texts, chunk, source)
            )
            unplaced += found is None
            if found:
                spans[found[0]].append((*found[1], line.unit.id))
    made = (Part(one.name, one.text, tuple(there)) for one, there in zip(texts, spans, strict=True))
    return tuple(made), unplaced


class _Text(NamedTuple):
    """A text with its part and number as in `Passage`; `chunk` is the place of a context."""

    name: str
    chunk: int | None
    text: str
    part: str
    number: int = 1


def _texts(item: Item, rubric: Rubric) -> Iterable[_Text]:
    """Yield all texts that graders see, and the units' source."""
    shown = {*rubric.shown, _source(rubric.units)}
    if "answer" in shown:
        yield _Text(said("Answer"), None, item.answer, "answer")
    if "reference" in shown:
        for number, text in enumerate(item.reference, 1):
            yield _Text(said("Reference answer"), None, text, "reference", number)
    if shown & {"contexts", "chunk"}:
        for place, one in enumerate(sorted(item.contexts, key=lambda one: one.rank)):
            name, number = said("Context {n}", n=place + 1), place + 1
            yield _Text(name, place, one.text, "context", number)
    if "reference_contexts" in shown:
        for place, text in enumerate(item.reference_contexts, 1):
            yield _Text(said("Document {n}", n=place), None, text, "document", place)


def _source(kind: str) -> str:
    """Return the text that units of a kind are taken from; for pairs that of the unit."""
    found = KINDS.get(kind) or KINDS.get(kind.removesuffix("_chunk"))
    return found.of if found else ""


def _chunk(unit: Unit, rubric: Rubric) -> int | None:
    """The place of the one context that a verdict on a unit is about; None for all of them."""
    return unit.position if "chunk" in rubric.shown or unit.kind == "chunk" else None


def _marked(passage: Passage, texts: Sequence[_Text]) -> tuple[int, tuple[int, int]] | None:
    """Return the text a passage was marked in, and where; None where it is not shown."""
    for place, one in enumerate(texts):
        if (one.part, one.number) == (passage.part, passage.number):
            span = marked_passages.span(passage, one.text)
            span = span or quotations.find(passage.words, one.text)
            return span and (place, span)
    return None


def _place(
    passage: str, texts: Sequence[_Text], chunk: int | None, source: str
) -> tuple[int, tuple[int, int]] | None:
    """Return the text a quote occurs in, and where; contexts first, the units' source last."""
    names = [one.name for one in texts]
    whole = {"answer": "Answer", "reference": "Reference answer"}
    last = whole.get(source)
    order = sorted(range(len(texts)), key=lambda n: (names[n] == last, names[n] in whole.values()))
    for place in order:
        if chunk is None or texts[place].chunk in (None, chunk):
            span = quotations.find(passage, texts[place].text)
            if span:
                return place, span
    return None


MODEL = "answer model"
COLUMNS = ("answer", "question", MODEL, "units", "differ", "graders", "value")


class Answers(NamedTuple):
    """The answers as a table, best to begin with first, and what was left out of it.

    `rows` is indexed by item id and has `COLUMNS`; `closed` counts answers whose question is
    held out or in the few-shot pool.
    """

    rows: pd.DataFrame
    closed: int

    def ids(self) -> Listed[tuple[int, int]]:
        """Return the id of each answer, and on how many of its units graders differ."""
        return LIST.of(self.rows["differ"].items(), ordered=False)


LIST: WorkList[tuple[int, int]] = WorkList(
    "evidence",
    "entry",
    key=lambda one: one[0],
    is_open=lambda one: one[1] > 0,
)


def listed(
    store: Store,
    sheet: Sheet,
    found: Readings,
    rubric: Rubric | None,
    by: tuple[str, str] | None,
    worst_is_high: bool = False,
) -> Answers:
    """Return the answers with units of a rubric, or with a metric value, outdated ones included.

    `by` is the judge and metric of the value in the list; `worst_is_high` where less of it is
    better.
    """
    shut = _closed(store, sheet)
    index = items.item_index(store, sheet.id)
    open_ids = {row["id"] for row in index if row["question_id"] not in shut}
    names = items.item_names(store, sheet.id)
    frame = pd.DataFrame(
        [(i, *names[i]) for i in sorted(open_ids)],
        columns=["id", "answer", "question", MODEL],
    ).set_index("id")
    frame = frame.join(_counts(store, sheet, rubric))
    counted = ["units", "differ", "graders"]
    frame[counted] = frame[counted].fillna(0).astype(int)
    values = {
        one.item_id: one.value
        for one in found.records
        if (one.judge, one.metric) == by and one.repeat == 1 and one.value is not None
    }
    frame["value"] = pd.Series(values, dtype=float)
    edited = frame.index.isin([one.item_id for one in found.records if one.status == LIST_EDITED])
    kept = frame[(frame["units"] > 0) | frame["value"].notna() | edited]
    kept = kept.sort_values(
        ["differ", "value", "answer"], ascending=[False, not worst_is_high, True], kind="stable"
    )
    return Answers(kept[list(COLUMNS)], len(index) - len(open_ids))


def _closed(store: Store, sheet: Sheet) -> set[int]:
    """Return the held-out questions and those of the few-shot pool, whose answers are not shown."""
    return splits.leaked(store, sheet.id) | splits.held_out(store, sheet.id)


def narrowed(found: Answers, model: str | None, matching: set[int] | None) -> Answers:
    """Return the answers by one model and among some ids (None: all), in their order."""
    rows = found.rows
    if model is not None:
        rows = rows[rows[MODEL] == model]
    if matching is not None:
        rows = rows[rows.index.isin(matching)]
    return found._replace(rows=rows)


def _counts(store: Store, sheet: Sheet, rubric: Rubric | None) -> pd.DataFrame:
    """Return by item id the current units, those graders differ on, and the number of graders."""
    empty = pd.DataFrame({name: pd.Series(dtype=int) for name in ("units", "differ", "graders")})
    if rubric is None:
        return empty
    cut = units.index(store, sheet.id, rubric.units)
    current = pd.DataFrame(
        [(unit, item) for unit, item, is_current in cut if is_current], columns=["unit_id", "id"]
    )
    if not len(current):
        return empty
    versions = rubric_versions.criteria(store, rubric)
    table = grade_table.table(store, sheet.id, versions, units=True)
    scored = table.loc[
        (table["repeat"] == 1) & table["score"].notna(), ["unit_id", "grader_id", "score"]
    ].merge(current, on="unit_id")
    differ = scored.groupby("unit_id")["score"].nunique().gt(1)
    by_unit = current.assign(differ=current["unit_id"].map(differ).fillna(False).astype(int))
    made = by_unit.groupby("id").agg(units=("unit_id", "size"), differ=("differ", "sum"))
    return made.join(scored.groupby("id")["grader_id"].nunique().rename("graders"))
