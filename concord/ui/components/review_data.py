"""Data of the review component: the entries of a page, and the long texts of the one in sight."""

from dataclasses import dataclass, field

from concord.reports.units.evidence import Part, segments
from concord.text.display import visible
from concord.ui.components.payload import OPTIONAL
from concord.ui.language import say


@dataclass(frozen=True)
class Decision:
    """A decision that an entry can get: its name in the table, its words and its key cap."""

    key: str
    name: str
    cap: str


@dataclass(frozen=True)
class ShownKind:
    """A kind of entry: its mark in the list, and what can be done with an entry of it."""

    mark: str
    decisions: list[Decision]
    withdraw: str
    prompts: bool


@dataclass(frozen=True)
class ShownMark:
    """The mark before an entry in the list: of an annotator, of a judge, or a count."""

    text: str
    kind: str
    title: str


@dataclass(frozen=True)
class ShownSide:
    """One who graded: the score or the status, and the reason, as text."""

    name: str
    score: float | None
    status: str
    reason: str


@dataclass(frozen=True)
class ShownScores:
    """The two scores of a disagreement, and who gave them; `others` gave another one."""

    criterion: str
    person: int
    said: int
    judge: ShownSide
    annotators: list[ShownSide]
    others: list[ShownSide]


@dataclass(frozen=True)
class ShownClaim:
    """A unit that a judge calls contradicted; `others` are decisions on it for other judges."""

    title: str
    text: str
    judge: str
    reason: str
    others: list[str]


@dataclass(frozen=True)
class ShownEntry:
    """An entry: `row`, `about` and `marks` in the list, the rest in the reader.

    All are plain text except the answer: safe HTML, or None if it is among the side texts. `kind`
    is set by the list.
    """

    id: str
    row: str
    about: str
    marks: list[ShownMark]
    model: str
    question: str
    answer: str | None = field(default=None, metadata=OPTIONAL)
    scores: ShownScores | None = field(default=None, metadata=OPTIONAL)
    claim: ShownClaim | None = field(default=None, metadata=OPTIONAL)
    decision: str = ""
    note: str = ""
    who: str = ""
    kind: str = ""


@dataclass(frozen=True)
class ShownText:
    """A text with what it is called; each piece has the ids of the units it is evidence of."""

    name: str
    segments: list[dict]


@dataclass(frozen=True)
class ShownVerdict:
    """One grader's verdict on a unit; `quotes` is its evidence, each with its text's name."""

    who: str
    kind: str
    label: str
    fails: bool
    reason: str
    quotes: list[tuple[str, str]]


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


@dataclass(frozen=True)
class SentPrompt:
    """The prompt as it was sent, or why none is known."""

    messages: list[dict[str, str]]
    rest: str
    source: str


@dataclass(frozen=True)
class LongTexts:
    """The texts that are sent for the entry in sight and its neighbours alone.

    The side texts, the units with their verdicts (`nothing` is shown if there are
    none), and the prompt once it is asked for.
    """

    parts: list[ShownText]
    units: list[ShownUnit] | None = field(default=None, metadata=OPTIONAL)
    nothing: str = ""
    prompt: SentPrompt | None = None


@dataclass(frozen=True)
class ReviewLevel:
    """A score of a criterion; its meaning is '' where the rubric has none."""

    score: int
    meaning: str
    fails: bool


@dataclass(frozen=True)
class ReviewCriterion:
    """A criterion of the rubric."""

    title: str
    question: str
    levels: list[ReviewLevel]


def shown_text(part: Part) -> ShownText:
    """Return a text in pieces, cut where its marked passages begin and end."""
    pieces = [{"text": visible(one.text), "units": list(one.units)} for one in segments(part)]
    return ShownText(say(part.name), pieces)
