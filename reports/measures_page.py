"""The page on measures, docs/measures.md, written from their declarations."""

from collections.abc import Iterable, Iterator

import metrics
from metrics.frame.measure import Measure
from reports import measure_cost
from reports.measures import asked, limits, needs
from rubrics.model import of_units

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

BESIDE_RAGAS = """\
## Beside RAGAS

Compared with the code of RAGAS 0.4.3. Every measure says where it differs; this holds for all:

- **Repeats.** A claim or fact that a model lists twice counts once here, and each time in RAGAS. A
  context that was retrieved twice counts once unless the reading says *each*; in RAGAS each time.
- **No number where RAGAS gives one.** An answer or reference that is empty or without words: RAGAS
  gives 0 for BLEU, chrF and ROUGE-L, and the likeness to a blank for semantic similarity. A side
  without claims: 0 or a recall of 1 for factual correctness, 1 for the facts of answer
  correctness. A reference without names: 0 for context entity recall. No guessed question: 0 for
  response relevancy. Blank contexts: 0 for context relevance. Each of these is undefined here,
  with its reason.
- **Contexts.** RAGAS joins them by line ends; here they are numbered, and a blank one keeps its
  rank."""

LABELLING = """\
## Labelling what a measure rests on

1. Run the measure: `judge rag-measures`, or the screen *Judges*. The run takes the answers apart
   into claims; what a rule cuts, such as contexts and sentences, needs no run.
2. On *Grading sets* make a set, and choose as its rubric the one that says *for* the measure,
   such as *Claims of the answer, by the contexts · for Faithfulness*. Send the link, or grade
   the set yourself.
3. Label each unit by its words (`?` shows the keys): the digits are those of the rubric, so for
   claims 0 is contradicted and 3 is supported. Select a passage to keep it as evidence. The last
   step of each answer asks about the list itself: Y where it is right, A to H where something is
   missing, invented or not atomic; digits say nothing of a list.
4. Read *Agreement* under that rubric, or `agreement --rubric claims-in-contexts`: judge against
   people on the same units, and with `--all` the measure's number by people's labels beside the
   judge's.

Labels are blind: who labels sees neither the judge's verdict nor another person's. Verdicts side
by side stand on *Evidence* and *Refuted*, which note who has seen them.

Whether an answer avoids its question (*The whole answer, by whether it avoids its question*) is
labelled once for the answer. The judge's verdict is that of most of the questions it guessed, so no
request is sent for it, and a person's label is no number by itself: it is held against the judge's
verdict alone.

Entities (*Entities of the reference answer, by the contexts*) are labelled present or missing: the
other names that the list gives stand behind the first. No model is asked for these verdicts: they
follow from the entities found in the reference and in the contexts, so two judges with the same
lists agree. How well a model finds entities is told by its lists instead: put them right on
*Evidence*, or approve them as they are, the right ones too, and precision, recall and F1 of what it
found stand there and on *Agreement*. Label before you edit: verdicts rest on the edited lists once
the judge is run again."""

COST = """\
## What they cost

Requests to a model for one answer with two claims, a reference with two claims and {chunks}
contexts. What is taken apart once serves every measure, as does every verdict, so measures
found together cost less than their sum: the seven marked * take **{together} requests
together**, {apart} one by one. RAGAS sends 30 for them (2 + 3 + 5 + 1 + 2 + 13 + 4 by its
definitions). Every further context adds {more} requests to the {together}; the number of claims
adds none. With the reading `contexts = "one by one"` faithfulness and context recall take the
verdicts of noise sensitivity, and the seven take **{alone}**; a claim that needs two contexts
together is then not supported, so it is not the first reading.

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
        BESIDE_RAGAS,
        LABELLING,
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
        alone=measure_cost.context_by_context().requests,
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
    other = (f"*{choice}* from {low:g}" for choice, low in measure.low_by.items())
    better += f"; by the reading {', '.join(other)}" if measure.low_by else ""
    yield "Range:", f"{better}. **Asks** {asked(measure)}. **Needs** {needs(measure)}."
    for switch in measure.switches:
        first, *others = switch.choices
        yield (
            f"Reading, {_plain(switch.name)}:",
            f"*{first}*, else {', '.join(others)}. " + (switch.sentence),
        )
    if measure.rubrics:
        units = of_units()
        named = (f"{units[name].title} (`{name}`)" for name in measure.rubrics)
        yield "Verdicts people can check:", f"{'; '.join(named)}."
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
