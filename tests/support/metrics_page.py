"""The reference of metrics as Markdown: the second part of docs/metrics.md.

`python -m tests.support.metrics_page` prints it.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator

from concord import metrics as concord_metrics
from concord.judges.metric_results import Rehearsal, rehearsed
from concord.metrics.framework.metric import Metric
from concord.metrics.selection import chosen
from concord.model import Context, Item
from concord.reports.metrics.metrics import asked, limits, needs, word

# Two claims in the answer, two in the reference, five contexts.
ANSWER = Item(
    own_id="example",
    question_id=None,
    cluster=None,
    question="When was the harbour bridge built, and by whom?",
    contexts=tuple(Context(f"c{n}", f"d{n}", f"Passage {n}.", n) for n in range(1, 6)),
    answer="It was built in 1932. Anna Lind built it.",
    answer_model=None,
    reference=("The bridge opened in 1932. Its builder was Anna Lind.",),
    reference_contexts=("Anna Lind built the harbour bridge, which opened in 1932.",),
    turns=({"role": "user", "content": "Hello."},),
    synthetic=False,
    metadata={"relevant_ids": ["d1"], "rubric": {"0": "Wrong.", "1": "Right."}},
    row=1,
)
# The metrics of RAGAS that a question, an answer, contexts and a reference allow.
RAGAS_SET = (
    "faithfulness",
    "response_relevancy",
    "context_precision",
    "context_recall",
    "context_entity_recall",
    "noise_sensitivity_relevant",
    "factual_correctness",
)


USUAL_RANGE = "0 to 1, higher is better"


def page() -> str:
    """The requests of each metric, the shared switches, and a section for each metric."""
    known = list(concord_metrics.available().values())
    by_model = [one for one in known if one.asks or one.embeds]
    computed = [one for one in known if not (one.asks or one.embeds)]
    costs = ["| metric | requests | embeddings |", "|---|---|---|", *map(_cost_row, by_model)]
    shared = [f"- *{word(name)}*: {sentence}" for name, sentence in _shared_switches()]
    parts = [
        "\n".join(costs),
        f"The range is {USUAL_RANGE}, unless a metric says otherwise. Switches of several metrics:",
        "\n".join(shared),
        "## Metrics that call a model",
        *map(_section, by_model),
        "## Metrics that call no model",
        "These are computed from the data of the sheet and cost nothing: `judge computed`.",
        *map(_section, computed),
    ]
    return "\n\n".join(parts) + "\n"


def _cost_row(metric: Metric) -> str:
    """The requests of a metric for one answer, counted by rehearsal, without API calls."""
    mark = " *" if metric.name in RAGAS_SET else ""
    able = [] if metric.lacks(ANSWER) else [chosen(metric, {})]
    sent = asyncio.run(rehearsed(able, ANSWER, Rehearsal()))
    return f"| {metric.title}{mark} | {len(sent.asks)} | {'yes' if metric.embeds else 'no'} |"


def _shared_switches() -> list[tuple[str, str]]:
    """The name and sentence of each switch that several metrics have."""
    switches = (switch for one in concord_metrics.available().values() for switch in one.switches)
    times = Counter((switch.name, switch.sentence) for switch in switches)
    return [switch for switch, metrics_with in times.items() if metrics_with > 1]


def _section(metric: Metric) -> str:
    return f"### {metric.title}\n\n`{metric.name}`: {metric.sentence}\n\n" + "\n".join(
        f"- **{head}** {text}" for head, text in _lines(metric)
    )


def _lines(metric: Metric) -> Iterator[tuple[str, str]]:
    yield "Formula:", _closed(metric.formula)
    calls = f"; calls {asked(metric)}" if metric.asks or metric.embeds else ""
    yield "Inputs:", f"{needs(metric)}{calls}."
    ranged = f"{limits(metric)}, {metric.better} is better"
    other = (f"*{choice}* from {low:g}" for choice, low in metric.low_by.items())
    ranged += f"; with the switch {', '.join(other)}" if metric.low_by else ""
    if ranged != USUAL_RANGE:
        yield "Range:", f"{ranged}."
    for switch in metric.switches:
        first, *others = switch.choices
        known = (switch.name, switch.sentence) in _shared_switches()
        yield (
            f"Switch, {word(switch.name)}:",
            f"*{first}*, or {', '.join(others)}." + ("" if known else f" {switch.sentence}"),
        )
    if metric.rubrics:
        yield "Annotators can check:", f"{', '.join(f'`{name}`' for name in metric.rubrics)}."
    if metric.example is not None:
        yield "Example:", _closed(metric.example.working)
    if metric.others:
        yield "Differences:", metric.others
    yield "If poor:", metric.when_low
    yield "Source:", _closed(metric.source)


def _closed(text: str) -> str:
    """The text as a sentence of a list, with a full stop."""
    return text if text.endswith(".") else f"{text}."


if __name__ == "__main__":
    print(page(), end="")
