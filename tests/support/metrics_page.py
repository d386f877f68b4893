"""The reference of metrics as Markdown: the second part of docs/metrics.md.

`python -m tests.support.metrics_page` prints it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

from concord import metrics as concord_metrics
from concord.judges.metric_results import Rehearsal, rehearsed
from concord.metrics.framework.metric import Metric, Switch
from concord.metrics.selection import chosen
from concord.model import Context, Item
from concord.reports.metrics.metrics import limits, needs, word

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
    """The shared switches, and a section for each metric, or for several that differ in words."""
    known = list(concord_metrics.available().values())
    shared = [
        f"- *{word(one.name)}* ({_choices(one)}): {one.sentence}" for one in _shared_switches()
    ]
    parts = [
        f"The range is {USUAL_RANGE}, unless a metric says otherwise. Switches of several metrics:",
        "\n".join(shared),
        "## Metrics that call a model",
        *_sections([one for one in known if one.asks or one.embeds]),
        "## Metrics that call no model",
        "These are computed from the data of the sheet and cost nothing: `judge computed`.",
    ]
    computed = sorted((one for one in known if not (one.asks or one.embeds)), key=needs)
    for inputs, found in groupby(computed, needs):
        parts += [f"**From {inputs}:**", *_sections([*found])]
    return "\n\n".join(parts) + "\n"


def _shared_switches() -> list[Switch]:
    """The switches that several metrics have with the same choices."""
    switches = (switch for one in concord_metrics.available().values() for switch in one.switches)
    return [switch for switch, times in Counter(switches).items() if times > 1]


def _choices(switch: Switch) -> str:
    first, *others = switch.choices
    return ", ".join([f"*{first}*", *others])


def _sections(metrics: list[Metric]) -> Iterator[str]:
    for shared, found in groupby(metrics, _shared):
        alike = list(found)
        yield f"### {', '.join(one.title for one in alike)}"
        if len(alike) == 1:
            lines = [*shared[:-2], *_own(alike[0]), *shared[-2:]]
            yield f"`{alike[0].name}`: {alike[0].sentence}\n" + _run_in(lines, "\n")
        else:
            yield _run_in(shared, "\n")
            yield "\n".join(f"- `{one.name}`: {one.sentence} {_run_in(_own(one))}" for one in alike)


def _run_in(lines: Iterable[tuple[str, str]], between: str = " ") -> str:
    return between.join(f"**{head}** {_closed(text)}" for head, text in lines)


def _shared(metric: Metric) -> list[tuple[str, str]]:
    """What several metrics may have in common: formula, inputs, differences and source."""
    able = [] if metric.lacks(ANSWER) else [chosen(metric, {})]
    asked = len(rehearsed(able, ANSWER, Rehearsal()).asks)
    calls = [f"{asked} request{'s' * (asked > 1)}"] * bool(asked) + ["embeddings"] * metric.embeds
    inputs = [("Inputs:", "; ".join([needs(metric), *calls]))] * bool(calls)
    ends = [("Differences:", metric.others), ("Source:", metric.source)]
    return [("Formula:", metric.formula), *inputs, *ends]


def _own(metric: Metric) -> Iterator[tuple[str, str]]:
    ranged = f"{limits(metric)}, {metric.better} is better"
    other = (f"*{choice}* from {low:g}" for choice, low in metric.low_by.items())
    ranged += f"; with the switch {', '.join(other)}" if metric.low_by else ""
    if ranged != USUAL_RANGE:
        yield "Range:", ranged
    shared = _shared_switches()
    if alike := [word(one.name) for one in metric.switches if one in shared]:
        yield "Switches:", ", ".join(alike)
    for switch in metric.switches:
        if switch not in shared:
            yield f"Switch {word(switch.name)}:", f"{_choices(switch)}. {switch.sentence}"
    if metric.rubrics:
        yield "Units:", ", ".join(f"`{name}`" for name in metric.rubrics)
    if metric.example is not None:
        yield "Example:", metric.example.working


def _closed(text: str) -> str:
    """The text with a full stop."""
    return text if text.endswith(".") else f"{text}."


if __name__ == "__main__":
    print(page(), end="")
