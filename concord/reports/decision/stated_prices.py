"""Stated prices: whether those that a look shows have changed since."""

from concord.judges.definition import stated_price
from concord.reports.decision.cost import costs
from concord.reports.decision.results import Choice
from concord.reports.panel.panel import Panel
from concord.store import decisions
from concord.store.database import Store


def repriced(store: Store, panel: Panel, shown: Choice) -> bool:
    """True where the prices that persons stated are others than those of a look."""
    judges = [judge for judge in panel.judges.values() if stated_price.stated(judge)]
    named = {row.judge for row in shown.judges}
    now_stated = {
        panel.labels[i]: (cost.stated_on, cost.per_1000)
        for i, cost in costs(store, panel.sheet, judges).items()
        if cost.stated_on and panel.labels[i] in named
    }
    return now_stated != decisions.stated_prices(shown.to_json())
