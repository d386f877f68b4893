"""Probe sentence: what a probe found, in plain words."""

from reports.simulated import named
from reports.text import number
from reports.unit_words import heading, one, said
from rubrics.model import Rubric


def of(row: dict, rubric: Rubric) -> str:
    """The finding of one row of `reports.probes.probes`."""
    judge = named(row["judge"], row["simulated"])
    on = "" if row["criterion"] is None else f" on {heading(rubric, row['criterion'])}"
    if row["value"] is None:
        return f"{judge}{on}: not run, {row['why_none']}."
    if row["p"] is None:
        return f"{judge}{on}: {_effect(row)}, no interval: {row['why_none']}."
    if not row["stands_out"]:
        sign = said(rubric, _NAMES[row["probe"]])
        return f"{judge}{on}: no clear sign of {sign} ({_effect(row)})."
    return f"{judge}{on}: {_FOUND[row['probe']](row, rubric)}."


def _effect(row: dict) -> str:
    return f"{number(row, '' if row['probe'] == 'spread' else '+')} {_UNITS[row['probe']]}"


def _leniency(row: dict, rubric: Rubric) -> str:
    lean = "more lenient" if row["value"] > 0 else "stricter"
    return f"{lean} than people by {_size(row)} points"


def _spread(row: dict, rubric: Rubric) -> str:
    where = "keeps to the middle of" if row["value"] < 1 else "goes to the ends of"
    return f"{where} the scale: its scores spread {number(row)} times as far as a person's"


def _length(row: dict, rubric: Rubric) -> str:
    judge, people = row["details"]["judge_slope"], row["details"]["people_slope"]
    more = "more" if row["value"] > 0 else "less"
    return (
        f"for each doubling of the length of {one(rubric)} it gives {_size(row)} points {more} "
        f"than people do (the judge {judge:+.2f}, people {people:+.2f})"
    )


def _halo(row: dict, rubric: Rubric) -> str:
    closer = "closer together" if row["value"] > 0 else "further apart"
    return (
        f"its scores of different criteria keep {closer} than a person's: their correlation "
        f"differs by {number(row, '+')}"
    )


def _preference(row: dict, rubric: Rubric) -> str:
    more = "more" if row["value"] > 0 else "less"
    return (
        said(rubric, f"it gives {row['details']['family']} answers, its own family, ")
        + f"{_size(row)} points {more} than judges of other families do, "
        + said(rubric, "compared with how they treat the other answers")
    )


def _size(row: dict) -> str:
    """The effect without its sign, which the words say."""
    if row["value"] > 0:
        return number(row)
    return number({"value": -row["value"], "low": -row["high"], "high": -row["low"]})


_FOUND = {
    "leniency": _leniency,
    "spread": _spread,
    "length": _length,
    "halo": _halo,
    "self_preference": _preference,
}
_NAMES = {
    "leniency": "leniency or strictness",
    "spread": "keeping to the middle or the ends of the scale",
    "length": "favouring long or short answers",
    "halo": "a halo from one criterion to the next",
    "self_preference": "favouring its own family",
}
_UNITS = {
    "leniency": "points",
    "spread": "times people's spread",
    "length": "points per doubling",
    "halo": "in correlation",
    "self_preference": "points",
}
