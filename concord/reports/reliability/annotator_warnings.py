"""Annotator warnings: whose scores do not go with the other annotators' of the same answers.

A near-random annotator lowers inter-annotator agreement, which is what judges are compared with.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from concord.messages import joined, said
from concord.reports.cells import number, percent, share
from concord.reports.panel.comparison import Ground, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.simulated import named
from concord.reports.panel.unit_words import heading
from concord.stats.reliability.annotator_check import ANSWERS_FLOOR, CHANCE, LOWEST, Check, check

_SENTENCES = {
    LOWEST: said(
        "{annotator}: exact agreement with the other annotators on {criterion} is {exact} (95% "
        "CI), below the CI of every other annotator (lowest limit {least}%)."
    ),
    CHANCE: said(
        "{annotator}: agreement with the other annotators on {criterion} is not above chance (QWK "
        "{qwk}; the others with one another {others})."
    ),
}
TOGETHER = said(
    "Inter-annotator agreement on {criterion} is not above chance (QWK {qwk}, n = {n})."
)
REMEDY = said("Review these grades before you rely on figures that include them.")


def warnings(panel: Panel, criteria: Sequence[str] | None = None) -> list[dict]:
    """The warnings of some criteria, else of all.

    Returns:
        `criterion`; `annotator`, null where it is about all of them together; `reasons` (`lowest`,
        `chance`); `n`, the answers shared with others; `exact` and `qwk` with the others; `least`,
        the lowest lower limit of another annotator; `others`, the QWK of the others with one
        another, null where it was not needed; and the `sentence`.
    """
    names = [name for name in criteria or panel.criteria if name != COMPOSITE]
    return [one for name in names for one in _of_criterion(ground(panel, name, EACH))]


def text(found: Iterable[dict]) -> str:
    """The warnings for a terminal; '' where there is none."""
    told = [f"Warning: {one['sentence']}" for one in found]
    return "\n".join([*told, REMEDY] if told else [])


def _of_criterion(on: Ground) -> list[dict]:
    items, scores = on.overlap()
    weight = on.panel.weight[items] if on.panel.reweighted else None
    checks = check(scores, on.panel.cluster[items], on.panel.rubric.scale, weight)
    annotators = on.panel.annotators.values()
    rows = [
        _row(on, one, named(person.name, person.simulated))
        for person, one in zip(annotators, checks, strict=True)
        if one.warnings
    ]
    return rows or _together(on, len(items))


def _row(on: Ground, one: Check, annotator: str) -> dict:
    others = one.others._asdict() if one.others else None
    values = {
        "annotator": annotator,
        "criterion": heading(on.panel.rubric, on.name),
        "exact": share(one.exact._asdict()),
        "least": percent(one.least),
        "qwk": number(one.qwk._asdict()),
        "others": number(others) if others else "",
    }
    return {
        "criterion": on.name,
        "annotator": annotator,
        "reasons": list(one.warnings),
        "n": one.answers,
        "exact": one.exact._asdict(),
        "qwk": one.qwk._asdict(),
        "least": one.least,
        "others": others,
        "sentence": joined(" ", [said(_SENTENCES[why].template, **values) for why in one.warnings]),
    }


def _together(on: Ground, answers: int) -> list[dict]:
    """The warning that all annotators together do not agree above chance, where it is so."""
    whole = on.ceiling(np.ones(len(on.panel.items), bool)).figures
    low = whole["qwk"].low
    if answers < ANSWERS_FLOOR or low is None or low > 0:
        return []
    qwk = whole["qwk"]._asdict()
    criterion = heading(on.panel.rubric, on.name)
    return [
        {
            "criterion": on.name,
            "annotator": None,
            "reasons": [CHANCE],
            "n": answers,
            "exact": whole["exact"]._asdict(),
            "qwk": qwk,
            "least": None,
            "others": None,
            "sentence": said(TOGETHER.template, criterion=criterion, qwk=number(qwk), n=answers),
        }
    ]
