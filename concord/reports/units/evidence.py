"""Evidence of one answer: its units, each grader's verdict and reason, and the quoted passages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from concord.language.grade_statuses import status_words
from concord.messages import Numeral, said
from concord.metrics.prompts.unit_kinds import KINDS
from concord.model import Item, Unit
from concord.reports.units.unit_edit import can_be_edited
from concord.rubrics.model import Rubric
from concord.store import items
from concord.store.database import Row, Store
from concord.store.items import Stored
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts, units
from concord.store.units.units import Decomposition
from concord.text import marked_passages, quotations
from concord.text.marked_passages import Passage


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
