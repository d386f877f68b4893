"""One look at a decision, complete: verdicts, costs, warnings, robustness and the finding."""

from dataclasses import replace

from concord.clock import now
from concord.judges.definition import stated_price
from concord.messages import joined
from concord.reports.decision.choice import compared
from concord.reports.decision.cost import costs
from concord.reports.decision.document import document
from concord.reports.decision.results import Choice, Terms, to_json
from concord.reports.decision.robustness import without_each
from concord.reports.decision.verdict import verdicts
from concord.reports.panel.candidates import Field, digest
from concord.reports.panel.panel import Panel
from concord.reports.reliability import annotator_warnings
from concord.stats.intervals.alpha_spending import Look
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision


def terms_of(decision: Decision) -> Terms:
    """The terms a decision fixed."""
    return Terms(decision.margin, decision.minimum, decision.caught_minimum)


def compared_look(store: Store, found: Field, decision: Decision, this: Look) -> Choice:
    """Compare the judges under a decision; return the look with its sentence and analyses."""
    judged = verdicts(found, terms_of(decision), this.level)
    judges = found.on.panel.judges
    spent = costs(store, found.on.panel.sheet, [*found.judges, *map(judges.get, found.sparse)])
    number = _number(store, decision)
    result = replace(
        compared(found, decision, number, this, judged, spent),
        annotator_warnings=tuple(annotator_warnings.warnings(found.on.panel, [found.on.name])),
        without_annotators=without_each(found, terms_of(decision), judged, this.level),
        grades_digest=digest(found),
        looked_at=now(),
    )
    shown = document(result)
    return replace(result, sentence=joined(" ", (shown.headline, *shown.facts)))


def repriced(store: Store, panel: Panel, shown: Choice) -> bool:
    """True where the prices that persons stated are others than those of a look."""
    judges = [judge for judge in panel.judges.values() if stated_price.stated(judge)]
    named = {row.judge for row in shown.judges}
    now_stated = {
        panel.labels[i]: (cost.stated_on, cost.per_1000)
        for i, cost in costs(store, panel.sheet, judges).items()
        if cost.stated_on and panel.labels[i] in named
    }
    return now_stated != decisions.stated_prices(to_json(shown))


def _number(store: Store, decision: Decision) -> int:
    """Return the number of the decision among those on the same answers and criterion, from 1."""
    every = decisions.of_sheet(store, decision.sheet_id, decision.criterion)
    return [one.id for one in every].index(decision.id) + 1
