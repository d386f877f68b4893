"""Encoding: score the answers with their statements by a cross-encoder, and store the scores.

They are stored like metric values, so every report on metrics reads them too. Stored with the logit
of the answer with its statements are that of the answer alone, and those with each metric at its
worst and at its best, which show whether the cross-encoder responds to the metric at all.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from concord.definitions import canonical_json, digest
from concord.judges.transport.cross_encoder import has_cjk
from concord.metrics.framework.statement import DoesNotFit, Pieces, enriched, statement
from concord.model import Sheet
from concord.reports.composites.composite_table import ENCODED, Column, CompositeTable, table
from concord.reports.metrics.metric_records import Record
from concord.reports.metrics.metric_records import read as readings
from concord.store import graders, items, metric_values
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.items import Stored
from concord.store.metric_values import NewMetricValue

GRADER = "cross-encoder"
PLAIN = "plain answer"
FLAGS = CUT, PLAIN_CUT, CJK = ("answer cut", "plain answer cut", "English vocabulary")
_TEMPLATE = 2  # raise it when the words of `statement`, a title or a question, or the order change
_ITEMS_AT_ONCE = 8


class Encoder(Pieces, Protocol):
    """Protocol of a scorer of text pairs: `cross_encoder.CrossEncoder`."""

    name: str
    identity: str
    knows_cjk: bool

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The raw logit of each (question, answer)."""


class EncodingRun(NamedTuple):
    """Answers that a run of the cross-encoder scored, that were there before, and too long ones."""

    scored: int
    there: int
    too_long: int
    left_out: dict[str, int]


def encode(
    store: Store,
    sheet: Sheet,
    chosen: Sequence[Column],
    encoder: Encoder,
    progress: Callable[[str], None] = lambda sentence: None,
) -> EncodingRun:
    """Score every answer that has all the metrics and is not scored on the same numbers yet.

    A few answers at a time are stored, so a run that is stopped resumes there.
    """
    found = readings(store, sheet)
    held = table(found, chosen)
    grader, version = _registered(store, chosen, encoder)
    known = {one.item_id: one for one in found.records if one.version == version}
    rows = [row for row in range(len(held.item)) if not _is_stored(held, row, known)]
    too_long = 0
    for start in range(0, len(rows), _ITEMS_AT_ONCE):
        some = rows[start : start + _ITEMS_AT_ONCE]
        stored = items.items(store, [int(held.item[row]) for row in some])
        made = [
            _measured(one, held, row, encoder, grader, version)
            for one, row in zip(stored, some, strict=True)
        ]
        metric_values.record(store, made)
        too_long += sum(one.press.status == "too_long" for one in made)
        progress(f"{start + len(some):,} of {len(rows):,} answers")
    return EncodingRun(len(rows) - too_long, len(held.item) - len(rows), too_long, held.left_out)


def at(column: Column, end: str) -> str:
    """The part that holds the logit with a metric at `low` or `high`."""
    return f"{column.metric.name} at {end}"


def _registered(store: Store, chosen: Sequence[Column], encoder: Encoder) -> tuple[int, str]:
    over = ", ".join(f"{one.metric.name} by {one.judge}" for one in chosen)
    body = {
        "measure": ENCODED,  # hashed, as in `selection.chosen`
        "switches": {"over": over},
        "readings": [dict(one.switches) for one in chosen],
        "model": encoder.identity,
        "template": _TEMPLATE,
    }
    version = digest(body)
    metric_values.register(store, ENCODED, version, canonical_json(body))
    defined = {"model": encoder.name}
    return graders.ensure(store, "metric", GRADER, encoder.identity, defined), version


def _is_stored(held: CompositeTable, row: int, known: dict[int, Record]) -> bool:
    """True where an answer is already scored from the current values of its metrics."""
    one = known.get(int(held.item[row]))
    names = [column.metric.name for column in held.columns]
    return one is not None and [one.parts.get(name) for name in names] == held.raw[row].tolist()


def _measured(
    stored: Stored, held: CompositeTable, row: int, encoder: Encoder, grader: int, version: str
) -> NewMetricValue:
    """One answer on its way to the disk."""
    numbers = held.raw[row].tolist()
    used = {one.metric.name: value for one, value in zip(held.columns, numbers, strict=True)}
    press = Press(stored.id, version, grader, status="scored")
    try:
        texts, flags = _texts(stored, held.columns, numbers, encoder)
    except DoesNotFit as fault:
        return NewMetricValue(press._replace(status="too_long", reason=str(fault)), used)
    logits = encoder.score([(stored.item.question, text) for text in texts.values()])
    said = dict(zip(texts, logits, strict=True))
    value = said.pop(ENCODED)
    reason = f"{encoder.name} on the answer with {len(numbers)} statements"
    return NewMetricValue(
        press._replace(score=value, reason=reason), used | said, flags, len(numbers)
    )


def _texts(
    stored: Stored, chosen: Sequence[Column], numbers: Sequence[float], encoder: Encoder
) -> tuple[dict[str, str], list[str]]:
    """Return every text scored for an answer, by its part, and the flags."""
    question, answer = stored.item.question, stored.item.answer

    def with_statements(changed: dict[int, float]) -> Any:
        said = [
            statement(one.metric, changed.get(place, numbers[place]), one.least)
            for place, one in enumerate(chosen)
        ]
        return enriched(encoder, question, answer, said)

    whole, plain = with_statements({}), enriched(encoder, question, answer)
    texts = {ENCODED: whole.text, PLAIN: plain.text}
    for place, one in enumerate(chosen):
        texts[at(one, "low")] = with_statements({place: one.least}).text
        texts[at(one, "high")] = with_statements({place: one.metric.high}).text
    flags = {CUT: whole.cut, PLAIN_CUT: plain.cut}
    flags[CJK] = not encoder.knows_cjk and has_cjk(question + answer)
    return texts, [flag for flag, there in flags.items() if there]
