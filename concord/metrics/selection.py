"""Choosing: the metrics that a judge is to find, under the switches of its file, ready to run."""

import functools
from collections.abc import Mapping, Sequence

from concord import metrics
from concord.definitions import digest
from concord.judges.definition.model import Judge
from concord.judges.metric_results import Choice, ChosenMetric, Scratch
from concord.judges.prompting.delimiters import MATERIAL
from concord.messages import Problem
from concord.metrics.framework.metric import Metric, Outcome, missing_inputs
from concord.metrics.prompts import ask, verdicts
from concord.metrics.prompts.inputs import Inputs
from concord.model import Item


def choice(judge: Judge, names: Sequence[str] = ()) -> Choice:
    """The metrics that a judge is to find, under the switches of its file; see `wanted`."""
    switches = checked(judge.switches)
    metrics = (chosen(one, switches.get(one.name, {})) for one in wanted(judge, names))
    return Choice(tuple(metrics), digest([verdicts.TASK.replace("$material", MATERIAL), ask.REPLY]))


def wanted(judge: Judge, names: Sequence[str] = ()) -> list[Metric]:
    """Return the metrics that a judge computes, without duplicates.

    Args:
        judge: The judge of kind `metric`.
        names: Requested metrics, by name or path; one that the judge's file names by its path has
            its name too. Empty means those its file names, by default all that send requests, or
            for a judge without a model all that are computed.

    Raises:
        Problem: A metric, a switch or a choice is unknown, or a computed metric is requested of a
            judge with a model: a computed value belongs to no model.
    """
    of_file = {one.name: one for one in map(metrics.named, judge.metrics or ())}
    said = [of_file.get(name) or metrics.named(name) for name in names] or [*of_file.values()]
    computes = judge.model is None and judge.embedding is None
    for metric in said:
        if not computes and is_computed(metric):
            raise Problem(
                "{name} is computed without a model: `judge computed --metrics {name}`.",
                name=metric.name,
            )
        if computes and not is_computed(metric):
            raise Problem("{name} needs a judge with a model.", name=metric.name)
    found = said or [one for one in metrics.available().values() if is_computed(one) == computes]
    return list({one.name: one for one in found}.values())


def chosen(metric: Metric, switches: Mapping[str, str]) -> ChosenMetric:
    """A metric under switches; the first choice of each where nothing is said."""
    made = metric.chosen(switches)

    async def find(item: Item, session: Scratch) -> Outcome:
        return await metric.metric(item, Inputs(item, session, made))

    rubrics = tuple(verdicts.rubric(name) for name in metric.rubrics)
    return ChosenMetric(
        name=metric.name,
        title=metric.title,
        asks=metric.asks,
        embeds=metric.embeds,
        # Its hash is the version under which values are stored: a key renamed is a metric paid for
        # again.
        definition={
            "measure": metric.name,
            "formula": metric.formula,
            "needs": metric.needs,
            "switches": made,
            "verdicts": [version for rubric in rubrics for version in rubric.versions().values()],
            **({"code": metric.code} if metric.code else {}),
        },
        lacks=functools.partial(missing_inputs, metric),
        find=find,
    )


def checked(switches: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Choices by metric and switch; a Problem where one of the three is not known."""
    for name, given in switches.items():
        known = {one.name: one.choices for one in metrics.named(name).switches}
        for switch, choice in given.items():
            if choice not in known.get(switch, ()):
                raise Problem(
                    "{name} has no choice {switch}={choice}. Its switches: {known}.",
                    name=name,
                    switch=switch,
                    choice=choice,
                    known="; ".join(f"{key}={', '.join(of)}" for key, of in known.items()),
                )
    return {metrics.named(name).name: dict(given) for name, given in switches.items()}


def is_computed(metric: Metric) -> bool:
    """True for a metric that makes no API calls."""
    return not (metric.asks or metric.embeds)
