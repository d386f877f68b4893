"""The texts of an answer, and its units with their verdicts, as the review component shows them."""

from concord.messages import said
from concord.model import Item
from concord.reports.metrics.metric_records import short
from concord.reports.panel.simulated import named
from concord.reports.panel.unit_words import noun
from concord.reports.units.decomposition import as_read
from concord.reports.units.evidence import Evidence, Line, Part
from concord.rubrics.model import Rubric
from concord.text.display import visible
from concord.text.marked_passages import Passage, text_name
from concord.ui.components.review_data import LongTexts, ShownUnit, ShownVerdict, shown_text
from concord.ui.language import say, word


def contexts(item: Item) -> LongTexts:
    """Return the contexts of an answer without units."""
    ranked = sorted(item.contexts, key=lambda one: one.rank)
    parts = [Part(said("Context {n}", n=one.rank), one.text, ()) for one in ranked]
    return LongTexts(parts=[shown_text(part) for part in parts])


def units_in_texts(found: Evidence, rubric: Rubric) -> LongTexts:
    """Return the texts with the evidence marked, and the units, those graders differ on first."""
    names = short(one.who for line in found.lines for one in line.said)
    above = (None, *found.lines)
    nothing = said("There are no {units}." if found.cut else "No search for {units} yet.")
    return LongTexts(
        parts=[shown_text(part) for part in found.parts],
        units=[
            _unit(line, names, _is_again(before, line))
            for before, line in zip(above, found.lines, strict=False)
        ],
        nothing=say(nothing, units=noun(rubric.plural)),
    )


def _quote(passage: Passage) -> tuple[str, str]:
    name = text_name(passage)
    return say(name) if name else "", visible(passage.words)


def _is_pair(line: Line) -> bool:
    """True for a unit compared with one context; the list repeats its text for each context."""
    return line.unit.kind.endswith("_chunk")


def _is_again(above: Line | None, line: Line) -> bool:
    """True where the line above is the same claim with another context."""
    return above is not None and _is_pair(line) and above.unit.parent == line.unit.parent


def _unit(line: Line, names: dict[str, str], again: bool) -> ShownUnit:
    verdicts = [
        ShownVerdict(
            who=word(named(names[one.who], one.simulated)),
            kind=one.kind,
            label=word(one.label),
            fails=one.fails,
            reason=visible(one.reason),
            quotes=[_quote(passage) for passage in one.marked],
        )
        for one in line.said
    ]
    return ShownUnit(
        id=line.unit.id,
        number=line.number,
        text=visible(as_read(line.unit.kind, line.unit.text)),
        differs=line.differs,
        where=say("in context {n}", n=line.unit.position + 1) if _is_pair(line) else "",
        said=verdicts,
        again=again,
    )
