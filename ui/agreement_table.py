"""Tables of the agreement report: what is shown, in words, and what is downloaded, in numbers."""

from collections.abc import Iterable

import pandas as pd

from reports.further import FIGURES as FURTHER
from reports.ground import FIGURES
from reports.panel import COMPOSITE
from reports.text import UNDEFINED, number, plain_share, share
from reports.unit_words import said
from reports.worst_case import FIGURES as WORST
from rubrics.model import Rubric

_HELD = ("value", "low", "high", "method", "why_none")
_AMONG = {
    "alpha": "alpha, ordinal",
    "alpha_nominal": "nominal",
    "alpha_interval": "interval",
    "ac1": "AC1",
    "ac2": "AC2",
    "icc": "ICC, one person",
    "icc_mean": "ICC, their mean",
}
_SHOWN = {
    "exact": "exact",
    "within_one": "within one",
    "off_by_two": "off by two",
    "caught": "failing caught",
    "bias": "bias",
    "qwk": "QWK",
}


def row_of(rows: Iterable[dict], judge: str, criterion: str) -> dict:
    """The row of one judge and criterion."""
    return next(row for row in rows if (row["judge"], row["criterion"]) == (judge, criterion))


def of_criteria(rows: Iterable[dict]) -> list[dict]:
    """The rows of the criteria, without the composite."""
    return [row for row in rows if row["criterion"] != COMPOSITE]


def of_criterion(rows: Iterable[dict], criterion: str) -> list[dict]:
    """The rows of one criterion, or of the composite."""
    return [row for row in rows if row["criterion"] == criterion]


def titled(rubric: Rubric, criterion: str) -> str:
    """A criterion as the screen calls it; `composite` and what is over several as it is."""
    return rubric.headings().get(criterion, criterion)


def shown(rows: Iterable[dict]) -> pd.DataFrame:
    """The figures that decide, with their intervals, one line per judge and answering model."""
    lines = pd.DataFrame([_line(row) for row in rows])
    return lines if lines["left out"].any() else lines.drop(columns="left out")


def frame(lines: list[dict]) -> pd.DataFrame:
    """Lines that are in words already."""
    return pd.DataFrame(lines)


def undefined(rows: Iterable[dict]) -> list[str]:
    """Why figures or intervals of `shown` are missing, one sentence for each reason."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        for name, words in _SHOWN.items():
            if row[name]["why_none"]:
                by_reason.setdefault(row[name]["why_none"], []).append(words)
    return [f"{', '.join(dict.fromkeys(names))}: {why}" for why, names in by_reason.items()]


def reasons_of(found: Iterable[dict]) -> list[str]:
    """Why figures or intervals of `among_people` are missing, each reason once."""
    whys = (row[name]["why_none"] for row in found for name in _AMONG)
    return [why for why in dict.fromkeys(whys) if why]


def worst_case(rows: Iterable[dict], rubric: Rubric) -> pd.DataFrame:
    """How many answers were matched, failed on and skipped, and the figures with failures in."""
    return pd.DataFrame([_worst(row, rubric) for row in rows])


def alt_tests(rows: Iterable[dict], rubric: Rubric) -> pd.DataFrame:
    """The alternative annotator test for each advantage that people are given."""
    return pd.DataFrame(
        [
            {
                "judge": row["judge"],
                "criterion": titled(rubric, row["criterion"]),
                "epsilon": test["epsilon"],
                "omega": plain_share(test["omega"]),
                "rho": plain_share(test["rho"]),
                "people": test["annotators"],
                said(rubric, "answers"): test["items"],
                said(rubric, "per answer"): test["why_none"] or _passes(test["omega"]),
                "by question": test["why_none"] or _passes(test["omega_by_question"]),
            }
            for row in rows
            for test in row["alt_test"]
        ]
    )


def among_people(found: Iterable[dict], rubric: Rubric) -> pd.DataFrame:
    """The people together, one line per criterion."""
    return pd.DataFrame(
        [
            {
                "criterion": titled(rubric, row["criterion"]),
                "people": row["people"],
                said(rubric, "answers two graded"): row["n"],
                **{words: number(row[name]) for name, words in _AMONG.items()},
                said(rubric, "answers all graded"): row["complete"],
            }
            for row in found
        ]
    )


def repeats(found: Iterable[dict], rubric: Rubric) -> pd.DataFrame:
    """Each person beside themselves."""
    return pd.DataFrame(
        [
            {
                "person": row["person"],
                "criterion": titled(rubric, row["criterion"]),
                said(rubric, "answers"): row["n"],
                "exact": share(row["exact"]),
                "within one": share(row["within_one"]),
                "QWK": number(row["qwk"]),
                "drift": number(row["drift"], "+"),
            }
            for row in found
        ]
    )


def left_out(rows: Iterable[dict], rubric: Rubric) -> pd.DataFrame:
    """Why answers are not in the figures."""
    return pd.DataFrame(
        [
            {
                "judge": row["judge"],
                "criterion": titled(rubric, row["criterion"]),
                "why": why,
                said(rubric, "answers"): count,
            }
            for row in rows
            for why, count in row["left_out"].items()
        ]
    )


def numbers(rows: Iterable[dict]) -> pd.DataFrame:
    """Every figure of every row as a number, with limits, method and reason, for a download."""
    return pd.DataFrame([_flat(row) for row in rows])


def _line(row: dict) -> dict:
    return {
        "judge": f"{row['judge']} (the floor)" if row["floor"] else row["judge"],
        **({"answers by": row["answer_model"]} if row["answer_model"] else {}),
        "exact": share(row["exact"]),
        "within one": share(row["within_one"]),
        "off by two": share(row["off_by_two"]),
        "failing caught": _caught(row),
        "bias": number(row["bias"], "+"),
        "QWK": number(row["qwk"]),
        "n": row["n"],
        "left out": sum(row["left_out"].values()),
    }


def _worst(row: dict, rubric: Rubric) -> dict:
    worst = row["worst_case"]
    return {
        "judge": row["judge"],
        "criterion": titled(rubric, row["criterion"]),
        "matched": worst["matched"],
        "failed": worst["failed"],
        "skipped": worst["skipped"],
        "exact": share(row["exact"]),
        "exact, worst case": share(worst["exact"]),
        "within one, worst case": share(worst["within_one"]),
        "caught": share(row["caught"]),
        "caught, worst case": share(worst["caught"]),
    }


def _passes(omega: float | None) -> str:
    if omega is None:
        return "undefined: a person has answers to one question only"
    return "passes" if omega >= 0.5 else "does not pass"


def _caught(row: dict) -> str:
    if row["caught"]["value"] is None:
        return UNDEFINED
    return f"{share(row['caught'])} of {row['failing']}"


def _flat(row: dict) -> dict:
    """One row; the further figures are in it where the row has them."""
    flat = {key: value for key, value in row.items() if not isinstance(value, dict | list)}
    for prefix, figures in (("", row), ("people ", row["ceiling"])):
        for name in (name for name in (*FIGURES, *FURTHER) if name in figures):
            flat |= _parts(prefix + name, figures[name])
        for one in figures.get("within_points", ()):
            flat |= _parts(f"{prefix}within_{one['points']}", one)
    worst = row["worst_case"]
    flat |= {name: worst[name] for name in ("matched", "failed", "skipped")}
    for name in WORST:
        flat |= _parts(f"worst case {name}", worst[name])
    flat |= {f"constant {name}": value for name, value in row["constant_baseline"].items()}
    return flat | {"left_out": sum(row["left_out"].values())}


def _parts(name: str, found: dict) -> dict:
    return {f"{name} {part}": found[part] for part in _HELD}
