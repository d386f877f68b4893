"""Unit steps in the browser: what a step shows and asks where a set goes unit by unit."""

from concord.grading.steps import Step
from concord.grading.workspace import Place
from concord.messages import said
from concord.reports.panel.unit_words import as_read, noun
from concord.reports.units.decomposition import is_by_rule
from concord.reports.units.decomposition import source as kind_of
from concord.rubrics.model import Rubric
from concord.ui.language import say

_PAIRS = "_chunk"
# Kinds whose texts are long: they are read beside, and a step is called by what they are.
_READ = {"chunk": said("Context"), "answer": said("Answer")}
_ONE = {
    "claim": said("claim"),
    "reference_claim": said("reference claim"),
    "fact": said("fact"),
    "answer": said("answer"),
    "chunk": said("context"),
    "sentence": said("sentence"),
    "reference_sentence": said("reference sentence"),
    "context_sentence": said("context sentence"),
    "reference_entity": said("reference entity"),
    "context_entity": said("context entity"),
}


def source(rubric: Rubric) -> tuple[str, ...]:
    """What a model takes the units of a rubric from, and so is shown when the list is checked."""
    kind = rubric.units
    by_model = kind and not is_by_rule(kind) and not kind.endswith(_PAIRS)
    return (kind_of(kind).of,) if by_model else ()


def words(rubric: Rubric) -> dict[str, str]:
    """What the units are called: one of them and several, and what their list is taken from."""
    kind = kind_of(rubric.units)
    return {
        "one": say(_ONE[kind.name]),
        "several": say(noun(kind.plural)),
        "source": kind.of,
    }


def steps(place: Place, rubric: Rubric) -> list[dict]:
    """The steps of a place: slot, title, the text it is about, the one context it is held against.

    `list` where it is about the list itself; `self` is the text of a unit that is read beside,
    `chunk` the place of a context from 0.
    """
    return [_step(step, rubric) for step in place.steps]


def _step(step: Step, rubric: Rubric) -> dict:
    title = as_read(rubric.units, step.text)
    told = {"slot": step.slot, "title": title, "self": None, "chunk": None}
    told["list"] = step.position < 0
    if rubric.units in _READ:
        name = say(_READ[rubric.units])
        many = rubric.units == "chunk"
        title = say("Context {n}", n=step.position + 1) if many else name
        return told | {"title": title, "self": step.text}
    return told | ({"chunk": step.position} if rubric.units.endswith(_PAIRS) else {})
