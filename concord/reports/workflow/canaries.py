"""Canaries: the requests by which a judge is tried before it is run, whatever its kind."""

from collections.abc import Iterable, Sequence

from concord.judges.checks.canary import Trials
from concord.judges.checks.check_request import setup
from concord.judges.checks.rubric_canaries import of_rubric
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.messages import Problem, joined, said
from concord.metrics.framework.metric import Metric
from concord.metrics.selection import wanted
from concord.reports.metrics.metric_canary import of_canary, of_units
from concord.store.database import Store


def of_named(
    store: Store,
    name: str,
    model: str | None = None,
    base_url: str | None = None,
    rubric: str | None = None,
    sheet_name: str | None = None,
    names: Sequence[str] = (),
) -> Trials:
    """Return a judge that the user names and its canaries; none for one without API calls.

    `names` are metrics; empty means those of its file.
    """
    judge = registry.named(store, name).with_overrides(model, base_url)
    if judge.kind == "metric":
        return of_judge(judge, names)
    if names:
        raise Problem("{judge} grades by a rubric. Leave --metrics out.", judge=judge.name)
    if judge.model is None:
        return Trials(judge, [])
    return of_rubric(*setup(store, judge, rubric, sheet_name))


def of_judge(judge: Judge, names: Sequence[str] = ()) -> Trials:
    """Return the canaries of a judge for metrics: verdicts on units, then whole metrics.

    Every claim is tested under the first rubric that compares claims with a text, and those that
    say so under all others too. Each metric the judge can compute is tested with the canaries it
    declares; one with neither is named.
    """
    if judge.model is None and judge.embedding is None:
        return Trials(judge, [])
    # Metrics that the judge has the models for.
    chosen = [
        one
        for one in wanted(judge, names)
        if (judge.model or not one.asks) and (judge.embedding or not one.embeds)
    ]
    made = of_units(judge, _rubrics(chosen))
    whole = [of_canary(judge, one, canary) for one in chosen for canary in one.canaries]
    bare = [one.name for one in chosen if not (one.canaries or _rubrics([one]))]
    without = said(
        "{metrics} declares no canary; see docs/own-metric.md."
        if len(bare) == 1
        else "{metrics} declare no canary; see docs/own-metric.md.",
        metrics=joined(", ", bare),
    )
    return Trials(judge, made + whole, (without,) if bare else ())


def _rubrics(chosen: Iterable[Metric]) -> list[str]:
    """The rubrics of units by which some metrics ask for verdicts, each once."""
    asked = (one.rubrics for one in chosen if not one.by_rule)
    return list(dict.fromkeys(name for names in asked for name in names))
