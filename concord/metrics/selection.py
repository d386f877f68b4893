"""Choosing: the measures that a judge is to find, under the switches of its file, ready to run."""

import functools
from collections.abc import Mapping, Sequence

from concord import metrics
from concord.judges.definition.model import Judge
from concord.judges.metric_runs.chosen_metrics import Choice, Chosen
from concord.metrics.framework.metric import Measure, Outcome, lacking
from concord.metrics.prompts import ask, verdicts
from concord.metrics.prompts.inputs import Desk, Hand
from concord.model import Item
from concord.problems import Problem
from concord.rubrics.model import digest


def choice(judge: Judge, names: Sequence[str] = ()) -> Choice:
    """The measures that a judge is to find, under the switches of its file; see `wanted`."""
    switches = checked(judge.switches)
    measures = (chosen(one, switches.get(one.name, {})) for one in wanted(judge, names))
    return Choice(tuple(measures), digest([verdicts.TASK, ask.REPLY]))


def wanted(judge: Judge, names: Sequence[str] = ()) -> list[Measure]:
    """The measures that a judge is to find, each once.

    Args:
        judge: The judge of kind `metric`.
        names: Those asked for, by name or path; one that the judge's file names by its path goes
            by its name too. None stands for those its file names, and if it names none, for all
            that ask somebody, or where the judge has no model, for all that ask nobody.

    Raises:
        Problem: A measure, a switch or a choice is not known, or a measure asks nobody where the
            judge has a model: what is computed belongs to no model.
    """
    of_file = {one.name: one for one in map(metrics.named, judge.measures or ())}
    said = [of_file.get(name) or metrics.named(name) for name in names] or [*of_file.values()]
    computes = judge.model is None and judge.embedding is None
    for measure in said:
        if not computes and is_computed(measure):
            raise Problem(
                f"{measure.name} is computed, by no model. Leave it out here, and run it with "
                f"`judge computed --measures {measure.name}`."
            )
        if computes and not is_computed(measure):
            raise Problem(f"{measure.name} asks a model. Run it with a judge that names one.")
    found = said or [one for one in metrics.found().values() if is_computed(one) == computes]
    return list({one.name: one for one in found}.values())


def chosen(measure: Measure, switches: Mapping[str, str]) -> Chosen:
    """A measure under switches; the first choice of each where nothing is said."""
    said = measure.chosen(switches)
    rubrics = tuple(verdicts.rubric(name) for name in measure.rubrics)
    return Chosen(
        name=measure.name,
        title=measure.title,
        asks=measure.asks,
        embeds=measure.embeds,
        definition={
            "measure": measure.name,
            "formula": measure.formula,
            "needs": measure.needs,
            "switches": said,
            "verdicts": [version for rubric in rubrics for version in rubric.versions().values()],
            **({"code": measure.code} if measure.code else {}),
        },
        lacks=functools.partial(lacking, measure),
        find=functools.partial(_find, measure, said),
    )


def checked(switches: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Choices by measure and switch; a Problem where one of the three is not known."""
    for name, given in switches.items():
        known = {one.name: one.choices for one in metrics.named(name).switches}
        for switch, said in given.items():
            if switch not in known:
                listed = ", ".join(known) or "none"
                raise Problem(f"{name} has no switch “{switch}”. It has: {listed}.")
            if said not in known[switch]:
                listed = ", ".join(known[switch])
                raise Problem(f"{name}: {switch} is one of {listed}, and not “{said}”.")
    return {metrics.named(name).name: dict(given) for name, given in switches.items()}


def is_computed(measure: Measure) -> bool:
    """Whether a measure asks nobody."""
    return not (measure.asks or measure.embeds)


async def _find(measure: Measure, switches: Mapping[str, str], item: Item, desk: Desk) -> Outcome:
    return await measure.measure(item, Hand(item, desk, switches))
