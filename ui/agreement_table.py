"""Tables of the agreement report: what is shown, in words, and what is downloaded, in numbers."""

from collections.abc import Iterable, Sequence

import pandas as pd

from reports.ground import FIGURES
from reports.panel import COMPOSITE
from reports.text import UNDEFINED, number, plain_share, share

_HELD = ("value", "low", "high", "method", "why_none")
_CHANCE = ("kappa", "linear_kappa", "qwk", "ac2", "alpha", "tau_b", "ccc", "mae")


def row_of(rows: Iterable[dict], judge: str, criterion: str) -> dict:
    """The row of one judge and criterion."""
    return next(row for row in rows if (row["judge"], row["criterion"]) == (judge, criterion))


def of_criteria(rows: Iterable[dict]) -> list[dict]:
    """The rows of the criteria, without the composite."""
    return [row for row in rows if row["criterion"] != COMPOSITE]


def of_judge(rows: Iterable[dict], judge: str) -> list[dict]:
    """The rows of one judge."""
    return [row for row in rows if row["judge"] == judge]


def shown(rows: Iterable[dict]) -> pd.DataFrame:
    """The figures that decide, with their intervals, one line per judge and criterion."""
    return pd.DataFrame([_line(row) for row in rows])


def chance_corrected(rows: Iterable[dict]) -> pd.DataFrame:
    """The figures corrected for chance, and the distances."""
    return pd.DataFrame(
        [
            {"judge": row["judge"], "criterion": row["criterion"]}
            | {name.replace("_", " "): number(row[name]) for name in _CHANCE}
            for row in rows
        ]
    )


def alt_tests(rows: Iterable[dict]) -> pd.DataFrame:
    """The alternative annotator test for each advantage that people are given."""
    return pd.DataFrame(
        [
            {
                "judge": row["judge"],
                "criterion": row["criterion"],
                "epsilon": test["epsilon"],
                "omega": plain_share(test["omega"]),
                "rho": plain_share(test["rho"]),
                "people": test["annotators"],
                "answers": test["items"],
                "": test["why_none"] or ("passes" if test["omega"] >= 0.5 else "does not pass"),
            }
            for row in rows
            for test in row["alt_test"]
        ]
    )


def repeats(found: Iterable[dict]) -> pd.DataFrame:
    """Each person beside themselves."""
    return pd.DataFrame(
        [
            {
                "person": row["person"],
                "criterion": row["criterion"],
                "answers": row["n"],
                "exact": share(row["exact"]),
                "within one": share(row["within_one"]),
                "QWK": number(row["qwk"]),
                "drift": number(row["drift"], "+"),
            }
            for row in found
        ]
    )


def left_out(rows: Iterable[dict]) -> pd.DataFrame:
    """Why answers are not in the figures."""
    return pd.DataFrame(
        [
            {
                "judge": row["judge"],
                "criterion": row["criterion"],
                "why": why,
                "answers": count,
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
        "criterion": row["criterion"],
        "exact": share(row["exact"]),
        "within one": share(row["within_one"]),
        "off by two": share(row["off_by_two"]),
        "failing caught": _caught(row),
        "bias": number(row["bias"], "+"),
        "QWK": number(row["qwk"]),
        "n": row["n"],
        "left out": sum(row["left_out"].values()),
    }


def _caught(row: dict) -> str:
    if row["caught"]["value"] is None:
        return UNDEFINED
    return f"{share(row['caught'])} of {row['failing']}"


def _flat(row: dict) -> dict:
    flat = {key: value for key, value in row.items() if not isinstance(value, dict | list)}
    parts: Sequence[tuple[str, dict]] = (("", row), ("people ", row["ceiling"]))
    for prefix, figures in parts:
        for name in FIGURES:
            flat |= {f"{prefix}{name} {part}": figures[name][part] for part in _HELD}
    flat |= {f"constant {name}": value for name, value in row["constant_baseline"].items()}
    return flat | {"left_out": sum(row["left_out"].values())}
