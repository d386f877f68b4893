"""Annotators in words: the finding, and the tables of a terminal."""

from collections.abc import Callable, Iterable
from typing import Any

from concord.language.plurals import counted
from concord.messages import joined, said
from concord.reports.cells import UNDEFINED, number, share
from concord.reports.panel.simulated import annotators_sentence, named
from concord.reports.panel.unit_words import heading
from concord.reports.reliability import annotator_warnings, second_annotator
from concord.reports.terminal import table
from concord.rubrics.model import Rubric

QUESTION = said("How far do annotators agree with one another?")
ONE = said("No answer was graded by two annotators, so how far annotators agree is unknown")
WHAT_TO_DO = said(
    "Let somebody else grade some of the same answers: send a second annotator the link of a "
    "grading "
    "set. Thirty answers or more to ten questions show how far annotators agree."
)
NOT_SHOWN = "Who grades how well is for whoever leads the grading: add --graders to print it."
_BESIDE = ("n", "exact", "within one", "alpha", "QWK")


def title(found: dict, rubric: Rubric) -> str:
    """The finding on one criterion."""
    whole = found["overall"]
    if not whole["n"]:
        return ONE
    criterion, near = heading(rubric, found["criterion"]), whole["within_one"]
    return said(
        "Two annotators give the same score for {criterion} {exact} of the time"
        if near["value"] is None
        else "Two annotators give the same score for {criterion} {exact} of the time, within one "
        "point "
        "{within_one}",
        criterion=criterion,
        exact=share(whole["exact"]),
        within_one=share(near),
    )


def detail(found: dict, simulated: int) -> str:
    """What the finding rests on, and what is missing of it."""
    whole = found["overall"]
    if not whole["n"]:
        return ""
    alpha = whole["alpha"]
    parts = [
        said(
            "On {answers} to {questions} that two or more of {annotators} annotators graded; alpha "
            "{alpha}, quadratic kappa {qwk}.",
            answers=counted(whole["n"], "answer"),
            questions=counted(whole["questions"], "question"),
            annotators=whole["annotators"],
            alpha=number(alpha),
            qwk=number(whole["qwk"]),
        ),
        said("No alpha: {why}.", why=alpha["why_none"]) if alpha["value"] is None else "",
        annotators_sentence(simulated, whole["annotators"]),
    ]
    return joined(" ", parts)


def apart(found: dict) -> str:
    """How many pairs of annotators share no answer; '' where every two do."""
    none = sum(not row["n"] for row in found["pairs"])
    pairs = counted(none, "pair of annotators", "pairs of annotators")
    return said("Not listed, since they share no answer: {pairs}.", pairs=pairs) if none else ""


def text(document: dict, rubric: Rubric, graders: bool) -> str:
    """The tables for a terminal; those of each annotator's quality where they are asked for."""
    simulated = sum(person["simulated"] for person in document["annotators"])
    parts = [
        "\n\n".join(filter(None, _of_criterion(found, rubric, simulated)))
        for found in document["criteria"]
    ]
    parts += [document["weighting"]] if document["weighting"] else []
    parts.append(quality_text(document["quality"], rubric) if graders else NOT_SHOWN)
    return "\n\n".join(parts)


def quality_text(found: dict, rubric: Rubric) -> str:
    """Each person: throughout the grading, by hour, on repeats, and what came too fast."""
    heads = (
        "criterion",
        "annotator",
        "timed grades",
        "n, first",
        "last",
        "first third",
        "last third",
        "change",
    )
    heads += ("exact, first", "last", "repeats", "exact again")
    rows = [_quality_row(row, rubric) for row in found["rows"]]
    hours = [
        (
            heading(rubric, row["criterion"]),
            row["annotator"],
            part["hours"],
            part["n"],
            number(part["bias"], "+"),
            share(part["exact"]),
        )
        for row in found["rows"]
        for part in row["by_hour"]
    ]
    whys = sorted({row["why_none"] for row in found["rows"]} - {None})
    return "\n\n".join(
        filter(
            None,
            [
                "Points above (+) or below (-) the others on the same answers.",
                table(heads, rows),
                "\n".join(f"{UNDEFINED} {why}" for why in whys),
                _titled(
                    f"By hour of the day ({found['zone']})",
                    ("criterion", "annotator", "hours", "n", "bias", "exact"),
                    hours,
                ),
                pace_text(found),
            ],
        )
    )


def pace_text(found: dict) -> str:
    """How fast annotators read, and the grades that came too fast."""
    paces = [
        (
            named(row["annotator"], row["simulated"]),
            row["n"],
            _rounded(row["seconds"]),
            _rounded(row["letters_per_second"]),
            row["flagged"],
            row["untimed"],
        )
        for row in found["pace"]
    ]
    flagged = [
        (
            row["annotator"],
            row["item"],
            row["letters"],
            _rounded(row["seconds"]),
            _rounded(row["letters_per_second"]),
            row["why"],
        )
        for row in found["flagged"]
    ]
    heads = ("annotator", "answers", "seconds", "letters a second", "too fast", "without a time")
    listed = ("annotator", "answer", "letters", "seconds", "letters a second", "why")
    kept = "None of them is left out of any figure." if flagged else ""
    return "\n\n".join(
        filter(
            None,
            [
                _titled("Pace, medians", heads, paces),
                _titled("Graded too fast", listed, flagged),
                kept,
            ],
        )
    )


def _of_criterion(found: dict, rubric: Rubric, simulated: int) -> list[str]:
    told = [f"{title(found, rubric)}.", detail(found, simulated)]
    if not found["overall"]["n"]:
        return [*told, WHAT_TO_DO]
    over_time, split = found["over_time"], found["split"]
    return [
        *told,
        annotator_warnings.text(found["annotator_warnings"]),
        _titled(
            "Each two annotators", ("annotators", *_BESIDE, "first minus second"), _pairs(found)
        ),
        apart(found),
        _titled(
            "Points above (+) or below (-) the others on the same answers, by name",
            ("annotator", "n", "bias", "exact"),
            _strictness(found),
        ),
        _titled("Over time", ("answers", "since", "until", *_BESIDE), _periods(over_time)),
        f"Over time: {over_time['why_none']}." if over_time["why_none"] else "",
        _titled(
            f"Annotators differ on {split['differ']:,} of {counted(split['n'], 'answer')}, most on",
            ("answer", "question", "scores", "points apart"),
            [
                (row["item"], row["question"], " ".join(map(str, row["scores"])), row["apart"])
                for row in split["items"]
            ],
        ),
        second_annotator.text(found["second_grader"]),
    ]


def _pairs(found: dict) -> list[tuple]:
    return [
        (f"{row['one']}, {row['other']}", *_figures(row), number(row["bias"], "+"))
        for row in found["pairs"]
        if row["n"]
    ]


def _strictness(found: dict) -> list[tuple]:
    return [
        (
            named(row["annotator"], row["simulated"]),
            row["n"],
            number(row["bias"], "+"),
            share(row["exact"]),
        )
        for row in found["strictness"]
    ]


def _periods(found: dict) -> list[tuple]:
    return [(row["period"], row["since"], row["until"], *_figures(row)) for row in found["thirds"]]


def _figures(row: dict) -> tuple:
    return (
        row["n"],
        share(row["exact"]),
        share(row["within_one"]),
        number(row["alpha"]),
        number(row["qwk"]),
    )


def _quality_row(row: dict, rubric: Rubric) -> tuple:
    first, last = row["first"], row["last"]

    def of_part(part: dict | None, name: str, words: Callable[[Any], str]) -> str:
        return words(part[name]) if part else UNDEFINED

    def signed(one: dict) -> str:
        return number(one, "+")

    return (
        heading(rubric, row["criterion"]),
        named(row["annotator"], row["simulated"]),
        row["graded"],
        of_part(first, "n", str),
        of_part(last, "n", str),
        of_part(first, "bias", signed),
        of_part(last, "bias", signed),
        signed(row["bias_change"]),
        of_part(first, "exact", share),
        of_part(last, "exact", share),
        row["repeats"]["n"],
        share(row["repeats"]["exact"]),
    )


def _titled(title: str, heads: tuple, rows: Iterable[tuple]) -> str:
    """A table under a line that says what it shows; nothing without rows."""
    rows = list(rows)
    return f"{title}:\n{table(heads, rows)}" if rows else ""


def _rounded(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.1f}"
