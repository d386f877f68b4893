"""Preview of the exact requests a run would send for one item."""

import json
from typing import NamedTuple

from concord.judges.metric_results import Rehearsal, rehearsed
from concord.judges.prompting import metric_request
from concord.judges.prompting.request import messages, prompt_band, request, route, settings
from concord.judges.run.metric import MetricJob
from concord.judges.run.rubric import RubricJob
from concord.model import Item


class Preview(NamedTuple):
    """One request, taken apart for reading: what it is for, its messages, and the rest as JSON.

    `about` says to which model it goes, and how long it is.
    """

    name: str
    messages: list[dict[str, str]]
    rest: str
    about: str


def previews(job: RubricJob | MetricJob, item: Item) -> list[Preview]:
    """Return the requests about an item as the runner makes them.

    What a model is to find for later requests of a metric is made up.
    """
    judge = job.judge
    if judge.of_metrics:
        able = [metric for metric in job.metrics if not metric.lacks(item)]
        found = rehearsed(able, item, Rehearsal())
        bodies = [(ask.name, metric_request.body(judge, ask)) for ask in found.asks]
    else:
        parts = judge.parts(job.rubric)
        bodies = [(part, request(judge, job.rubric, item, part, job.shots)) for part in parts]
    shown = []
    for name, body in bodies:
        model, (low, high) = route(judge, body), prompt_band(body)
        rest = json.dumps(settings(body) | {"model": model}, ensure_ascii=False, indent=2)
        to = model or "no model: the prompt fits none of this judge"
        about = f"{low:,}-{high:,} tokens: {to}"
        shown.append(Preview(name, messages(body), rest, about))
    return shown
