"""Evidence component: units with their verdicts next to the texts; selecting one marks its text.

See evidence/evidence.js. It is one-way: nothing comes back from the browser.
"""

from dataclasses import dataclass

from concord.reports.metrics.metric_records import short
from concord.reports.panel.simulated import named
from concord.reports.panel.unit_words import noun
from concord.reports.units.decomposition import as_read
from concord.reports.units.evidence import Evidence, Line, segments
from concord.text.display import visible
from concord.ui.components.payload import FOLDER, component, payload, words_of
from concord.ui.language import say, word

NAME = "evidence"


@dataclass(frozen=True)
class ShownVerdict:
    """One grader's verdict on a unit."""

    who: str
    kind: str
    label: str
    fails: bool
    reason: str
    quote: str


@dataclass(frozen=True)
class ShownUnit:
    """A unit with its verdicts; `again` where the line above is the same claim."""

    id: int
    number: int
    text: str
    differs: bool
    where: str
    said: list[ShownVerdict]
    again: bool


_PAGE, _SCRIPT = "evidence/evidence.html", FOLDER / "evidence/evidence.js"
_component = component(
    NAME,
    _PAGE,
    ("grading_pane/pane.css", "evidence/evidence.css"),
    (FOLDER / "say.js", FOLDER / "grading_pane/dom.js", _SCRIPT),
)


def pane(found: Evidence, plural: str) -> None:
    """The units and the texts of one answer."""
    nothing = say(
        "There are no {units}." if found.cut else "No search for {units} yet.",
        units=noun(plural),
    )
    names = short(one.who for line in found.lines for one in line.said)
    _component(
        key=NAME,
        data={
            "words": words_of((FOLDER / _PAGE, _SCRIPT)),
            "units": payload(
                [
                    _unit(line, names, _is_again(before, line))
                    for before, line in zip((None, *found.lines), found.lines, strict=False)
                ]
            ),
            "parts": [{"name": say(part.name), "segments": _pieces(part)} for part in found.parts],
            "nothing": nothing,
        },
    )


def _pieces(part) -> list[dict]:
    return [{"text": visible(one.text), "units": list(one.units)} for one in segments(part)]


def _is_pair(line: Line) -> bool:
    """True for a unit compared with one context; the list repeats its text for each context."""
    return line.unit.kind.endswith("_chunk")


def _is_again(before: Line | None, line: Line) -> bool:
    """True where the line above is the same claim with another context."""
    return before is not None and _is_pair(line) and before.unit.parent == line.unit.parent


def _unit(line: Line, names: dict[str, str], again: bool) -> ShownUnit:
    said = [
        ShownVerdict(
            who=word(named(names[one.who], one.simulated)),
            kind=one.kind,
            label=word(one.label),
            fails=one.fails,
            reason=visible(one.reason),
            quote=visible(one.quote),
        )
        for one in line.said
    ]
    return ShownUnit(
        id=line.unit.id,
        number=line.number,
        text=visible(as_read(line.unit.kind, line.unit.text)),
        differs=line.differs,
        where=say("in context {n}", n=line.unit.position + 1) if _is_pair(line) else "",
        said=said,
        again=again,
    )
