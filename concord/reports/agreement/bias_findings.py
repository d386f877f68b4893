"""The finding of a bias test as a sentence."""

from concord.messages import Said, said
from concord.reports.agreement.results import BiasTest
from concord.reports.panel.simulated import named
from concord.reports.panel.terminal_tables import number
from concord.reports.panel.unit_words import heading, one
from concord.reports.panel.unit_words import said as of_units
from concord.rubrics.model import Rubric


def of(row: BiasTest, rubric: Rubric) -> Said:
    """Return the finding of one bias test."""
    who = named(row.judge, row.simulated)
    if row.criterion is not None:
        on = heading(rubric, row.criterion)
        who = said("{judge} on {criterion}", judge=who, criterion=on)
    if row.effect.value is None:
        return said("{who}: not run, {why}.", who=who, why=row.effect.why_none)
    if row.p is None:
        found = {"who": who, "effect": _effect(row), "why": row.effect.why_none}
        return said("{who}: {effect}, no interval: {why}.", **found)
    if not row.stands_out:
        sign = of_units(rubric, _NAMES[row.probe])
        found = {"who": who, "sign": sign, "effect": _effect(row)}
        return said("{who}: no clear sign of {sign} ({effect}).", **found)
    return said("{who}: {finding}.", who=who, finding=_FOUND[row.probe](row, rubric))


def _effect(row: BiasTest) -> Said:
    size = number(row.effect._asdict(), "" if row.probe == "spread" else "+")
    return said("{size} {unit}", size=size, unit=_UNITS[row.probe])


def _leniency(row: BiasTest, rubric: Rubric) -> Said:
    return said(
        "more lenient than people by {size} points"
        if row.effect.value > 0
        else "stricter than people by {size} points",
        size=_size(row),
    )


def _spread(row: BiasTest, rubric: Rubric) -> Said:
    return said(
        "keeps to the middle of the scale: its scores spread {size} times as far as a person's"
        if row.effect.value < 1
        else "goes to the ends of the scale: its scores spread {size} times as far as a person's",
        size=number(row.effect._asdict()),
    )


def _length(row: BiasTest, rubric: Rubric) -> Said:
    return said(
        "for each doubling of the length of {unit} it gives {size} points more than people do (the "
        "judge {judge:+.2f}, people {people:+.2f})"
        if row.effect.value > 0
        else "for each doubling of the length of {unit} it gives {size} points less than people do "
        "(the judge {judge:+.2f}, people {people:+.2f})",
        unit=one(rubric),
        size=_size(row),
        judge=row.details["judge_slope"],
        people=row.details["people_slope"],
    )


def _halo(row: BiasTest, rubric: Rubric) -> Said:
    return said(
        "its scores of different criteria keep closer together than a person's: their correlation "
        "differs by {size}"
        if row.effect.value > 0
        else "its scores of different criteria keep further apart than a person's: their "
        "correlation differs by {size}",
        size=number(row.effect._asdict(), "+"),
    )


def _preference(row: BiasTest, rubric: Rubric) -> Said:
    found = said(
        "it gives {family} answers, its own family, {size} points more than judges of other "
        "families do, compared with how they treat the other answers"
        if row.effect.value > 0
        else "it gives {family} answers, its own family, {size} points less than judges of other "
        "families do, compared with how they treat the other answers",
        family=row.details["family"],
        size=_size(row),
    )
    return of_units(rubric, found)


def _size(row: BiasTest) -> str:
    """The effect without its sign, which the words say."""
    if row.effect.value > 0:
        return number(row.effect._asdict())
    return number({"value": -row.effect.value, "low": -row.effect.high, "high": -row.effect.low})


_FOUND = {
    "leniency": _leniency,
    "spread": _spread,
    "length": _length,
    "halo": _halo,
    "self_preference": _preference,
}
_NAMES = {
    "leniency": said("leniency or strictness"),
    "spread": said("keeping to the middle or the ends of the scale"),
    "length": said("favouring long or short answers"),
    "halo": said("a halo from one criterion to the next"),
    "self_preference": said("favouring its own family"),
}
_UNITS = {
    "leniency": said("points"),
    "spread": said("times people's spread"),
    "length": said("points per doubling"),
    "halo": said("in correlation"),
    "self_preference": said("points"),
}
