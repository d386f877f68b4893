"""Tables of the agreement report in words: rows whose heads and words are said in any language."""

from collections.abc import Iterable

from concord.messages import Said, joined, said
from concord.reports.panel.exclusions import reason
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.terminal_tables import (
    counted_figure,
    figure,
    number,
    plain_share,
    share,
)
from concord.reports.panel.unit_words import said as of_units
from concord.rubrics.model import Rubric
from concord.stats.statistics import STATISTICS, Statistic
from concord.stats.statistics import shown as in_place

# Headings of docs/figures.md that explain the statistics.
TERMS = tuple(one.heading for one in in_place("table"))
ALL_TERMS = tuple(dict.fromkeys(one.heading for one in STATISTICS))
_AMONG = {
    "alpha": said("alpha, ordinal"),
    "alpha_nominal": said("alpha, nominal"),
    "alpha_interval": said("alpha, interval"),
    "ac1": "AC1",
    "ac2": "AC2",
    "icc": said("ICC, one person"),
    "icc_mean": said("ICC, their mean"),
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
    """A criterion as the screen calls it; `composite` in the reader's words."""
    return (
        said("composite") if criterion == COMPOSITE else rubric.headings().get(criterion, criterion)
    )


def shown(rows: Iterable[dict]) -> list[dict]:
    """The figures that decide, with their intervals, one line per judge and answering model."""
    lines = [_line(row) for row in rows]
    if not any(line["left out"] for line in lines):
        for line in lines:
            del line["left out"]
    return lines


def undefined(rows: Iterable[dict]) -> list[Said]:
    """Why figures or intervals of `shown` are missing, one sentence for each reason."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        for one in in_place("table"):
            if row[one.key]["why_none"]:
                by_reason.setdefault(row[one.key]["why_none"], []).append(one.head)
    return [
        said("{figures}: {why}", figures=joined(", ", dict.fromkeys(names)), why=why)
        for why, names in by_reason.items()
    ]


def reasons_of(found: Iterable[dict]) -> list[str]:
    """Why figures or intervals of `among_people` are missing, each reason once."""
    whys = (row[name]["why_none"] for row in found for name in _AMONG)
    return [why for why in dict.fromkeys(whys) if why]


def worst_case(rows: Iterable[dict], rubric: Rubric) -> list[dict]:
    """How many answers were matched, failed on and skipped, and the figures with failures in."""
    return [_worst(row, rubric) for row in rows]


def alt_tests(rows: Iterable[dict], rubric: Rubric) -> list[dict]:
    """The alternative annotator test for each advantage that people are given."""
    return [
        {
            said("judge"): row["judge"],
            said("criterion"): titled(rubric, row["criterion"]),
            "epsilon": test["epsilon"],
            "omega": plain_share(test["omega"]),
            "rho": plain_share(test["rho"]),
            said("people"): test["annotators"],
            of_units(rubric, said("answers")): test["items"],
            of_units(rubric, said("per answer")): test["why_none"] or _passes(test["omega"]),
            said("by question"): test["why_none"] or _passes(test["omega_by_question"]),
        }
        for row in rows
        for test in row["alt_test"]
    ]


def among_people(found: Iterable[dict], rubric: Rubric) -> list[dict]:
    """The people together, one line per criterion."""
    return [
        {
            said("criterion"): titled(rubric, row["criterion"]),
            said("people"): row["people"],
            of_units(rubric, said("answers two graded")): row["n"],
            **{words: number(row[name]) for name, words in _AMONG.items()},
            of_units(rubric, said("answers all graded")): row["complete"],
        }
        for row in found
    ]


def repeats(found: Iterable[dict], rubric: Rubric) -> list[dict]:
    """Each person beside themselves."""
    return [
        {
            said("person"): row["person"],
            said("criterion"): titled(rubric, row["criterion"]),
            of_units(rubric, said("answers")): row["n"],
            said("exact"): share(row["exact"]),
            said("within one"): share(row["within_one"]),
            "QWK": number(row["qwk"]),
            said("drift"): number(row["drift"], "+"),
        }
        for row in found
    ]


def left_out(rows: Iterable[dict], rubric: Rubric) -> list[dict]:
    """Why answers are not in the figures."""
    return [
        {
            said("judge"): row["judge"],
            said("criterion"): titled(rubric, row["criterion"]),
            said("why"): reason(why),
            of_units(rubric, said("answers")): count,
        }
        for row in rows
        for why, count in row["left_out"].items()
    ]


def _line(row: dict) -> dict:
    name = row["judge"]
    return {
        said("judge"): said("{judge} (the floor)", judge=name) if row["floor"] else name,
        **({said("answers by"): row["answer_model"]} if row["answer_model"] else {}),
        **{one.head: counted_figure(row, one) for one in in_place("table")},
        "n": row["n"],
        said("left out"): sum(row["left_out"].values()),
    }


def _worst(row: dict, rubric: Rubric) -> dict:
    worst = row["worst_case"]
    return {
        said("judge"): row["judge"],
        said("criterion"): titled(rubric, row["criterion"]),
        said("matched"): worst["matched"],
        said("failed"): worst["failed"],
        said("skipped"): worst["skipped"],
        **dict(part for one in in_place("failures") for part in _both(row, worst, one)),
    }


def _passes(omega: float | None) -> str:
    if omega is None:
        return said("undefined: a person has answers to one question only")
    return said("passes" if omega >= 0.5 else "does not pass")


def _both(row: dict, worst: dict, one: Statistic) -> list[tuple[str, str]]:
    """A statistic, and the same with failures as errors."""
    return [
        (one.head, figure(row[one.key], one.kind)),
        (said("{figure}, worst case", figure=one.head), figure(worst[one.key], one.kind)),
    ]
