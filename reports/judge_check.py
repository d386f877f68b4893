"""Judge check: the one request that a check sends to a judge, whatever its kind."""

from data.model import Unit
from data.store import Store
from judges import check, roster
from judges.check import ITEM, Report
from judges.findings import Sent
from judges.measuring import question
from judges.model import Judge
from metrics.frame import verdict_ask
from metrics.frame.choosing import wanted


def named(
    store: Store,
    name: str,
    model: str | None = None,
    base_url: str | None = None,
    rubric: str | None = None,
    sheet_name: str | None = None,
) -> Sent | Report:
    """The request for a judge that the user names, or the report on one that sends none.

    A judge for measures is asked for a verdict as its first measure with verdicts asks for one;
    where none does, by a small rubric.
    """
    judge = roster.named(store, name).with_overrides(model, base_url)
    asked = None if rubric else _verdict(judge)
    return asked or check.named(store, name, model, base_url, rubric, sheet_name)


def _verdict(judge: Judge) -> Sent | None:
    """A request for a verdict on the built-in answer; None where the judge is asked for none."""
    if judge.kind != "metric" or judge.model is None:
        return None
    chosen = wanted(judge)
    name = next((name for one in chosen if not one.by_rule for name in one.rubrics), None)
    return of_rubric(judge, name) if name else None


def of_rubric(judge: Judge, name: str) -> Sent:
    """A request for a verdict on the built-in answer under a rubric of units."""
    rubric = verdict_ask.rubric(name)
    ask = verdict_ask.request(rubric, _ITEM, [Unit(1, rubric.units, ITEM.answer, 0)])
    return Sent(judge, rubric, question.part(ask), question.body(judge, ask), 1, ask)


_ITEM = ITEM._replace(reference_contexts=tuple(one.text for one in ITEM.contexts))
