"""Corrected scores in words and as a table for a terminal."""

from itertools import pairwise

from data.counted import counted
from reports.corrected import (
    BASELINE_KNOWS,
    DRAW,
    MATRIX,
    PASSED_OVER,
    RATES,
    WAYS,
    apart,
)
from reports.order import SPELT_OUT
from reports.simulated import named, people_sentence
from reports.text import number, share, table

REMEDY = {
    DRAW: "Draw a grading set and grade at least 30 answers of each answering model in it.",
    RATES: "It takes at least 30 answers that people pass and 30 that they fail.",
    MATRIX: "It takes at least 10 answers of every score, and a judge that tells the scores apart.",
}
TAKES = {
    DRAW: "Holds whatever the judge does, since people graded a random draw.",
    RATES: "Takes the judge to err as often on every answering model.",
    MATRIX: "Takes the judge to mistake scores alike on every answering model.",
}


def title(found: dict, one: dict) -> str:
    """The order of the answering models by one judge without its bias, in one sentence."""
    judge = named(one["judge"], one["simulated"])
    names = [m["answer_model"] for m in one["models"] if m["corrected"]["value"] is not None]
    if len(names) < 2:
        return f"Nothing is corrected for {judge}"
    few = len(names) <= SPELT_OUT
    chain = " above ".join(names) if few else f"{names[0]} first and {names[-1]} last"
    return f"Without its bias {judge} puts {chain}{_doubt(one, names)}"


def detail(found: dict, one: dict, people: list[bool]) -> str:
    """What must stand beside it: what it rests on, what it takes for granted, who is simulated.

    Args:
        found: The report.
        one: One of its judges.
        people: For everyone who counts as a person, whether they are simulated.
    """
    answers, graded = (sum(model[key] for model in one["models"]) for key in ("n", "graded"))
    which = f", drawn in {_sets(found['sets'])}" if found["how"] == DRAW else ""
    said = [
        f"The {found['what']}, {WAYS[found['how']]}: people graded {graded:,} of the "
        f"{counted(answers, 'answer')} that the judge scored{which}.",
        _passed(found["passed_over"]),
        *found["aside"],
        TAKES[found["how"]],
        "Each 95% interval stands for itself.",
        people_sentence(sum(people), len(people)),
    ]
    return " ".join(part for part in said if part)


def why_not(found: dict, one: dict | None = None) -> str:
    """Why nothing is corrected, for a judge or for all, and what to do; '' where something is."""
    reason = found["why_none"] or (one["why_none"] if one else None)
    if not reason and one and _nothing_corrected(one):
        reason = next((m["corrected"]["why_none"] for m in one["models"]), None)
    if not reason:
        return ""
    said = [f"Not corrected {WAYS[found['how']]}: {reason}.", *found["aside"]]
    if reason == BASELINE_KNOWS:
        return said[0]
    if reason.startswith(PASSED_OVER):
        said.append("Import more questions, and draw a grading set of them.")
    else:
        said += [_passed(found["passed_over"]), REMEDY[found["how"]]]
    return " ".join(part for part in said if part)


def notes(one: dict) -> list[str]:
    """Which corrected figures are held at an end, as a figure beyond it cannot be."""
    return [
        f"{model['answer_model']}: {held}."
        for model in one["models"]
        if (held := model["corrected"]["method"].partition("; ")[2]).startswith("held")
    ]


def figure(estimate: dict, how: str) -> str:
    """A model's figure with its interval, as a share where shares are corrected."""
    return share(estimate) if how == RATES else number(estimate)


def text(found: dict) -> str:
    """The report as tables for a terminal."""
    if found["why_none"]:
        return why_not(found)
    said = "\n\n".join(_judge(found, one) for one in found["judges"])
    return "\n\n".join([said, *(one for one in found["aside"] if one not in said)])


def _doubt(one: dict, names: list[str]) -> str:
    """Which steps of the order are not beyond the error."""
    steps = set(pairwise(names))
    unsure = [p for p in one["pairs"] if not p["certain"] and (p["above"], p["below"]) in steps]
    if not unsure:
        return ""
    if len(unsure) > 1:
        return f", but {len(unsure)} of these steps cannot be told yet"
    return f", but {unsure[0]['above']} cannot be told from {unsure[0]['below']} yet"


def _passed(answers: int) -> str:
    if not answers:
        return ""
    were = "was" if answers == 1 else "were"
    return (
        f"Raw and corrected leave out {counted(answers, 'answer')} that {were} graded before the "
        "draw, which it may have passed over."
    )


def _nothing_corrected(one: dict) -> bool:
    return all(model["corrected"]["value"] is None for model in one["models"])


def _judge(found: dict, one: dict) -> str:
    reason = why_not(found, one)
    if reason:
        return f"{one['judge']}: {reason}"
    how = found["how"]
    models = table(
        (f"{one['judge']}, {found['what']}", "raw", f"corrected {WAYS[how]}", "answers", "graded"),
        (
            (
                model["answer_model"],
                figure(model["raw"], how),
                figure(model["corrected"], how),
                model["n"],
                model["graded"],
            )
            for model in one["models"]
        ),
    )
    pairs = [f"{pair['sentence']} (raw {apart(pair['raw'], how)})" for pair in one["pairs"]]
    return "\n".join([models, *notes(one), *pairs])


def _sets(names: list[str]) -> str:
    quoted = [f"“{name}”" for name in names]
    return f"the set {quoted[0]}" if len(quoted) == 1 else f"the sets {', '.join(quoted)}"
