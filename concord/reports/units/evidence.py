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
from concord.text import quotations


class UnitGrade(NamedTuple):
    """One grader's verdict on one unit; `label` is the label of the score, or the status."""

    who: str
    kind: str
    simulated: bool
    score: float | None
    label: str
    reason: str
    quote: str
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
        unplaced: Number of quotes that occur in none of the texts.
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
        quote=row["quote"] or "",
        fails=score is not None and score in rubric.failing(criterion),
    )


def _parts(item: Item, rubric: Rubric, lines: Sequence[Line]) -> tuple[tuple[Part, ...], int]:
    """Return the texts with their passages marked, and how many quotes occur in none."""
    texts = list(_texts(item, rubric))
    spans: list[list[tuple[int, int, int]]] = [[] for _ in texts]
    unplaced = 0
    for line in lines:
        for passage in dict.fromkeys(one.quote for one in line.said if one.quote):
            found = _place(passage, texts, _chunk(line.unit, rubric), _source(rubric.units))
            unplaced += found is None
            if found:
                spans[found[0]].append((*found[1], line.unit.id))
    made = (
        Part(name, text, tuple(there)) for (name, _, text), there in zip(texts, spans, strict=True)
    )
    return tuple(made), unplaced


def _texts(item: Item, rubric: Rubric) -> Iterable[tuple[str, int | None, str]]:
    """Yield (name, chunk or None, text) of all that graders see, and of the units' source."""
    shown = {*rubric.shown, _source(rubric.units)}
    if "answer" in shown:
        yield said("Answer"), None, item.answer
    if "reference" in shown:
        for text in item.reference:
            yield said("Reference answer"), None, text
    if shown & {"contexts", "chunk"}:
        for place, one in enumerate(sorted(item.contexts, key=lambda one: one.rank)):
            yield said("Context {n}", n=place + 1), place, one.text
    if "reference_contexts" in shown:
        for place, text in enumerate(item.reference_contexts, 1):
            yield said("Document {n}", n=place), None, text


def _source(kind: str) -> str:
    """Return the text that units of a kind are taken from; for pairs that of the unit."""
    found = KINDS.get(kind) or KINDS.get(kind.removesuffix("_chunk"))
    return found.of if found else ""


def _chunk(unit: Unit, rubric: Rubric) -> int | None:
    """The place of the one context that a verdict on a unit is about; None for all of them."""
    return unit.position if "chunk" in rubric.shown or unit.kind == "chunk" else None


def _place(
    passage: str, texts: Sequence[tuple[str, int | None, str]], chunk: int | None, source: str
) -> tuple[int, tuple[int, int]] | None:
    """Return the text a quote occurs in, and where; contexts first, the units' source last."""
    names = [name for name, _, _ in texts]
    whole = {"answer": "Answer", "reference": "Reference answer"}
    last = whole.get(source)
    order = sorted(range(len(texts)), key=lambda n: (names[n] == last, names[n] in whole.values()))
    for place in order:
        if chunk is None or texts[place][1] in (None, chunk):
            span = quotations.find(passage, texts[place][2])
            if span:
                return place, span
    return None
