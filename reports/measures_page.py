"""The page on measures, docs/measures.md, written from their declarations."""

from collections.abc import Iterable, Iterator

import metrics
from metrics.frame.measure import Measure
from reports import measure_cost
from reports.measures import asked, limits, needs

HEAD = """\
# Measures

What each measure answers, how it is reckoned, an example done by hand, where other tools
differ, and what to do when it is bad. This page is written by `python cli.py measures
--markdown` from the declarations in `metrics/`; a test reckons every example again. How to find
measures on a sheet stands under [judge and measures](command-line.md), how to add one of your
own in [own-measure.md](own-measure.md).

A measure is a number between a model's verdicts and yours. Where it says *verdicts people can
check*, it is found from verdicts on the parts of an answer (claims, sentences, contexts), and
people can label the same parts by the same rubric, so that you know how far the number may be
trusted. A *reading* is a choice in the definition on which the sources differ: the first is
taken unless the judge's file says otherwise, and the others are reckoned from the same verdicts
at no cost. What cannot be measured is no number, with its reason: never 0, and never left out
in silence."""

COST = """\
## What they cost

Requests to a model for one answer with two claims, a reference with two claims and {chunks}
contexts. What is taken apart once serves every measure, as does every verdict, so measures
found together cost less than their sum: the seven marked * take **{together} requests
together**, {apart} one by one. RAGAS sends 30 for them (2 + 3 + 5 + 1 + 2 + 13 + 4 by its
definitions). Every further context adds {more} requests to the {together}; the number of claims
adds none.

| measure | requests | embeddings |
|---|---|---|
{rows}"""


def page() -> str:
    """The whole page, as Markdown."""
    known = list(metrics.found().values())
    by_model = [one for one in known if one.asks or one.embeds]
    computed = [one for one in known if not (one.asks or one.embeds)]
    parts = [
        HEAD,
        _costs(by_model),
        "## Measures that ask a model",
        *map(_section, by_model),
        "## Measures that ask nobody",
        "These are computed from what the sheet holds and cost nothing: `judge computed`.",
        *map(_section, computed),
    ]
    return "\n\n".join(parts) + "\n"


def _costs(measures: Iterable[Measure]) -> str:
    together, apart = measure_cost.shared_and_apart()
    return COST.format(
        chunks=len(measure_cost.ANSWER.contexts),
        together=together.requests,
        apart=apart.requests,
        more=measure_cost.for_one_more_context(),
        rows="\n".join(map(_cost_row, measures)),
    )


def _cost_row(measure: Measure) -> str:
    mark = " *" if measure.name in measure_cost.RAGAS_SET else ""
    asks = measure_cost.cost([measure]).requests
    return f"| {measure.title}{mark} | {asks} | {'yes' if measure.embeds else 'no'} |"


def _section(measure: Measure) -> str:
    return f"### {measure.title}\n\n`{measure.name}`: {measure.sentence}\n\n" + "\n".join(
        f"- **{head}** {text}" for head, text in _lines(measure)
    )


def _lines(measure: Measure) -> Iterator[tuple[str, str]]:
    yield "Formula:", _closed(measure.formula)
    better = f"{limits(measure)}, {measure.better} is better"
    yield "Range:", f"{better}. **Asks** {asked(measure)}. **Needs** {needs(measure)}."
    for switch in measure.switches:
        first, *others = switch.choices
        yield (
            f"Reading, {_plain(switch.name)}:",
            f"*{first}*, else {', '.join(others)}. " + (switch.sentence),
        )
    if measure.rubrics:
        yield "Verdicts people can check:", ", ".join(measure.rubrics) + "."
    if measure.example is not None:
        yield "Example:", _closed(measure.example.working)
    if measure.others:
        yield "Where others differ:", measure.others
    yield "When it is bad:", measure.when_low
    yield "Source:", _closed(measure.source)


def _closed(text: str) -> str:
    """The text as a sentence of a list, with a full stop."""
    return text if text.endswith(".") else f"{text}."


def _plain(name: str) -> str:
    return name.replace("_", " ")
