"""The page on metrics, docs/metrics.md, generated from their declarations."""

from collections.abc import Iterable, Iterator

from concord import metrics
from concord.metrics.framework.metric import Metric
from concord.reports.metrics import metric_cost
from concord.reports.metrics.metrics import asked, limits, needs
from concord.rubrics.model import of_units

HEAD = """\
# Metrics

What each metric answers, its formula, a worked example, differences from other tools, and what to
do when it is low. `python cli.py metrics --markdown` generates this page from the declarations in
`concord/metrics/`; a test recomputes every example. To compute metrics on a sheet, see
[judge](command-line.md#judge) and [metrics](command-line.md#metrics); to add one, see
[Your own metric](own-metric.md).

If a metric has *verdicts annotators can check*, it is computed from verdicts on units of an answer
(claims, sentences, contexts). Annotators can label the same units by the same rubric, which shows
how far the value can be trusted. A *switch* is a choice in the definition on which the sources
differ: the first option is the default unless the judge's file sets another, and the others are
recomputed from the same verdicts at no cost. A value that cannot be computed is missing with its
reason: it is never 0, and never left out silently."""

BESIDE_RAGAS = """\
## Differences from RAGAS

Compared with the code of RAGAS 0.4.3. Every metric lists its own differences; these apply to all:

- **Duplicates.** A claim or fact that a model lists twice counts once here, and twice in RAGAS. A
  context that was retrieved twice counts once unless the switch says *each*; in RAGAS twice.
- **Undefined values.** An empty answer or reference, or one without words: RAGAS gives 0 for BLEU,
  chrF and ROUGE-L, and the similarity to a blank text for semantic similarity. One side without
  claims: 0 or a recall of 1 for factual correctness, 1 for the facts of answer correctness. A
  reference without names: 0 for context entity recall. No guessed question: 0 for response
  relevancy. Blank contexts: 0 for context relevance. Each of these is undefined here, with its
  reason.
- **Contexts.** RAGAS joins them with line breaks; here they are numbered, and a blank one keeps its
  rank."""

LABELLING = """\
## Label the units of a metric

1. Run the metric: `judge rag-metrics`, or the screen *Judges*. The run extracts claims from the
   answers; contexts and sentences are split by a rule and need no run.
2. On *Grading sets* create a set, and choose the rubric that says *for* the metric, such as
   *Claims of the answer, by the contexts · for Faithfulness*. Send the link, or grade the set
   yourself.
3. Label each unit by its text (`?` shows the keys). The digits are those of the rubric: for claims,
   0 is contradicted and 3 is supported. Select a passage to keep it as evidence. The last step of
   each answer asks about the list itself: Y if it is correct, A to H if a unit is missing, invented
   or not atomic; digits do nothing there.
4. Read *Agreement* under that rubric, or `agreement --rubric claims-in-contexts`: the judge is
   compared with annotators on the same units. `--all` adds the metric's value by annotators' labels
   and by the judge's.

Labels are blind: an annotator sees neither the judge's verdict nor another annotator's. *Evidence*
and *Refuted* show verdicts of both, and record who has seen them.

Whether an answer avoids its question (*The whole answer, by whether it avoids its question*) is
labelled once per answer. The judge's verdict is the majority of the questions it guessed, so no
request is sent for it. An annotator's label gives no metric value by itself: it is compared only
with the judge's verdict.

Entities (*Entities of the reference answer, by the contexts*) are labelled present or missing; the
other names in the list follow the first. No model is called for these verdicts: they follow from
the entities found in the reference and in the contexts, so judges with the same lists agree. The
quality of a model's extraction is measured by its lists instead: correct them on *Evidence*, or
approve them as they are, including the correct ones, and precision, recall and F1 of the extraction
appear there and on *Agreement*. Label before you edit: verdicts use the edited lists once the judge
runs again."""

COST = """\
## Cost

Requests to a model for one answer with two claims, a reference with two claims and {chunks}
contexts. Extracted units and verdicts are shared by all metrics, so metrics computed together cost
less than their sum: the seven marked * take **{together} requests together**, {apart} separately.
RAGAS sends 30 for them (2 + 3 + 5 + 1 + 2 + 13 + 4 by its definitions). Every further context adds
{more} requests to the {together}; further claims add none. With the switch
`contexts = "one by one"`, faithfulness and context recall use the verdicts of noise sensitivity,
and the seven take **{alone}**; a claim that needs two contexts together is then not supported, so
it is not the default.

| metric | requests | embeddings |
|---|---|---|
{rows}"""


def page() -> str:
    """The whole page, as Markdown."""
    known = list(metrics.found().values())
    by_model = [one for one in known if one.asks or one.embeds]
    computed = [one for one in known if not (one.asks or one.embeds)]
    parts = [
        HEAD,
        BESIDE_RAGAS,
        LABELLING,
        _costs(by_model),
        "## Metrics that call a model",
        *map(_section, by_model),
        "## Metrics that call no model",
        "These are computed from the data of the sheet and cost nothing: `judge computed`.",
        *map(_section, computed),
    ]
    return "\n\n".join(parts) + "\n"


def _costs(metrics: Iterable[Metric]) -> str:
    together, apart = metric_cost.shared_and_apart()
    return COST.format(
        chunks=len(metric_cost.ANSWER.contexts),
        together=together.requests,
        alone=metric_cost.context_by_context().requests,
        apart=apart.requests,
        more=metric_cost.for_one_more_context(),
        rows="\n".join(map(_cost_row, metrics)),
    )


def _cost_row(metric: Metric) -> str:
    mark = " *" if metric.name in metric_cost.RAGAS_SET else ""
    asks = metric_cost.cost([metric]).requests
    return f"| {metric.title}{mark} | {asks} | {'yes' if metric.embeds else 'no'} |"


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
    yield "When it is bad:", metric.when_low
    yield "Source:", _closed(metric.source)


def _closed(text: str) -> str:
    """The text as a sentence of a list, with a full stop."""
    return text if text.endswith(".") else f"{text}."


def _plain(name: str) -> str:
    return name.replace("_", " ")
