"""The reference of metrics as Markdown, generated from their declarations.

It is the second part of docs/metrics.md, after what is written there by hand.
"""

import asyncio
from collections.abc import Iterator

from concord import metrics
from concord.judges.metric_runs.rehearsal import Rehearsal, rehearsed
from concord.metrics.framework.metric import Metric
from concord.metrics.selection import chosen
from concord.model import Context, Item
from concord.reports.metrics.metrics import asked, limits, needs
from concord.rubrics.model import of_units

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


def page() -> str:
    """The requests of each metric, and a section for each."""
    known = list(metrics.available().values())
    by_model = [one for one in known if one.asks or one.embeds]
    computed = [one for one in known if not (one.asks or one.embeds)]
    costs = ["| metric | requests | embeddings |", "|---|---|---|", *map(_cost_row, by_model)]
    parts = [
        "\n".join(costs),
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


def _section(metric: Metric) -> str:
    return f"### {metric.title}\n\n`{metric.name}`: {metric.sentence}\n\n" + "\n".join(
        f"- **{head}** {text}" for head, text in _lines(metric)
    )


def _lines(metric: Metric) -> Iterator[tuple[str, str]]:
    yield "Formula:", _closed(metric.formula)
    better = f"{limits(metric)}, {metric.better} is better"
    other = (f"*{choice}* from {low:g}" for choice, low in metric.low_by.items())
    better += f"; with the switch {', '.join(other)}" if metric.low_by else ""
    calls = asked(metric) if metric.asks or metric.embeds else "no model"
    yield "Range:", f"{better}. **Calls** {calls}. **Inputs** {needs(metric)}."
    for switch in metric.switches:
        first, *others = switch.choices
        yield (
            f"Switch, {_plain(switch.name)}:",
            f"*{first}*, or {', '.join(others)}. " + (switch.sentence),
        )
    if metric.rubrics:
        units = of_units()
        named = (f"{units[name].title} (`{name}`)" for name in metric.rubrics)
        yield "Verdicts annotators can check:", f"{'; '.join(named)}."
    if metric.example is not None:
        yield "Example:", _closed(metric.example.working)
    if metric.others:
        yield "Where others differ:", metric.others
    yield "If the value is poor:", metric.when_low
    yield "Source:", _closed(metric.source)


def _closed(text: str) -> str:
    """The text as a sentence of a list, with a full stop."""
    return text if text.endswith(".") else f"{text}."


def _plain(name: str) -> str:
    return name.replace("_", " ")
