"""The plan in words: its title, its tables, and the text for a terminal."""

from concord.language.plurals import counted
from concord.messages import Said, joined, said
from concord.reports.panel.minimum_sizes import VERDICT_FLOOR
from concord.reports.terminal import table

NEVER = said("no number up to 100,000")
BY = {"formula": said("by formula"), "pilot": said("from the grades so far")}


def title(found: dict) -> Said:
    """What it takes to know each judge's agreement as closely as wanted, and what there is."""
    needed = found["needed"]["half_width"]
    graded = found["pilot"]["questions"]
    there = said("annotators have graded {n:,}", n=graded) if graded else said("none is graded yet")
    return said(
        "±{points} on each judge's exact agreement takes {questions}; {there}",
        points=points(found["half_width"]),
        questions=span(needed["questions"], "question"),
        there=there,
    )


def detail(found: dict) -> Said:
    """What it takes to show one judge about as good as another, and where the ranges come from."""
    needed = found["needed"]["margin"]
    values = {
        "points": points(found["margin"]),
        "questions": span(needed["questions"], "question"),
    }
    parts = [
        said(
            "To show that a judge is not worse than another by {points}: {questions}, planned with "
            "no true difference; a verdict takes no fewer.",
            **values,
        )
        if needed["clusters"][2] == VERDICT_FLOOR
        else said(
            "To show that a judge is not worse than another by {points}: {questions}, planned with "
            "no true difference.",
            **values,
        ),
        said(
            "The ranges come from drawing the questions graded so far again."
            if found["needed"]["half_width"]["by"] == "pilot"
            else "The ranges come from formulas: grade 20 to 30 questions and they narrow."
        ),
    ]
    missing = found["needed"]["half_width"]["questions"][2]
    if missing is None or missing > found["questions"]:
        there = counted(found["questions"], "question")
        parts.append(said("The sheet has {questions} that may be graded.", questions=there))
    return joined(" ", parts)


def needed_rows(found: dict) -> list[dict]:
    """What each aim takes, by formula and, where annotators have graded, from their grades."""
    aims = {
        "half_width": said("Exact agreement to ±{points}", points=points(found["half_width"])),
        "margin": said("Not worse than another judge by {points}", points=points(found["margin"])),
    }
    rows = []
    for target, aim in aims.items():
        needed = found["needed"][target]
        rows.append(_needed_row(aim, BY["formula"], found["formula"][target]))
        if needed["by"] == "pilot":
            rows.append(_needed_row(aim, BY["pilot"], needed))
    return rows


def floor_rows(found: dict) -> list[dict]:
    """Each floor, how far it is reached, and about how many answers it takes."""
    return [
        {
            said("for"): floor["what"],
            said("takes"): said("{n} {of}", n=floor["needs"], of=floor["of"]),
            said("there are"): floor["has"],
            said("reached"): said("yes") if floor["holds"] else said("not yet"),
            said("about"): _about(floor),
        }
        for floor in found["floors"]
    ]


def pilot_rows(found: dict) -> list[dict]:
    """How wide the interval of exact agreement would be with the questions of a usual pilot."""
    at = [one for one in found["pilot"]["at"] if not one["why_none"]]
    several = len(found["pilot"]["half_width"]) > 1
    source = said("from the grades so far, over all judges") if several else BY["pilot"]
    if not at:
        at, source = found["formula"]["at"], BY["formula"]
    each = found["questions"] / found["clusters"]
    return [
        {
            said("with"): counted(round(one["clusters"] * each), "question"),
            said("interval"): _range_of_points(one),
            said("by"): source,
        }
        for one in at
    ]


def annotators_rows() -> list[dict]:
    """What one, two and three annotators who grade the same answers give."""
    gives = (
        said("every figure of the judges; how well annotators agree stays unknown"),
        said("also how well annotators agree with one another, which no judge can beat"),
        said("also whether a judge could stand in for one of them (alternative annotator test)"),
    )
    return [
        {said("graded by"): counted(n, "annotator", "annotators"), said("gives"): given}
        for n, given in enumerate(gives, start=1)
    ]


def hours(found: dict) -> Said:
    """How long it takes each annotator, and where that comes from."""
    low, high = found["hours"]["half_width"]
    slow = found["hours"]["seconds_per_answer"]
    paces = [f"{seconds:.0f}" for seconds in slow]
    pace = _span(*paces) if round(slow[0]) != round(slow[1]) else paces[0]
    at = (
        said("the pace annotators had, {pace} seconds an answer", pace=pace)
        if found["hours"]["measured"]
        else said("{pace} seconds an answer, a guess", pace=pace)
    )
    if low is None:
        return said("Hours cannot be said; annotators would need {at}.", at=at)
    most = said("far more") if high is None else f"{high:g}"
    span_of_hours = f"{low:g}" if low == high else _span(f"{low:g}", most)
    return said(
        "About {span} hours for each annotator, with a tenth shown twice, at {at}.",
        span=span_of_hours,
        at=at,
    )


def text(found: dict) -> str:
    """The plan for a terminal."""
    parts = [
        f"{title(found)}.\n{detail(found)}",
        _table(needed_rows(found)),
        _table(pilot_rows(found)),
        _table(annotators_rows()),
        hours(found),
        _table(floor_rows(found)),
    ]
    return "\n\n".join(part for part in parts if part)


def span(numbers: list[int | None], noun: str) -> Said:
    """A range of questions or of answers: `50 to 88 questions`."""
    low, _, high = numbers
    if low is None:
        return said(
            "more questions than can be said ({never} would do)"
            if noun == "question"
            else "more answers than can be said ({never} would do)",
            never=NEVER,
        )
    if high is None:
        return said("{low} or far more", low=counted(low, noun))
    if low == high:
        return counted(low, noun)
    return said(
        "{low:,} to {high:,} questions" if noun == "question" else "{low:,} to {high:,} answers",
        low=low,
        high=high,
    )


def points(share: float) -> Said:
    """A share in points: `5 points`."""
    number = f"{100 * share:g}"
    return said("{n} point", n=number) if number == "1" else said("{n} points", n=number)


def _span(low: str, high: str) -> Said:
    return said("{low} to {high}", low=low, high=high)


def _needed_row(aim: str, by: str, sizes: dict) -> dict:
    low, likely, high = sizes["questions"]
    shown = {said("questions from"): low, said("likely"): likely, said("up to"): high}
    return {
        said("aim"): aim,
        said("estimated"): by,
        **{name: NEVER if count is None else f"{count:,}" for name, count in shown.items()},
        said("answers"): span(sizes["answers"], "answer"),
    }


def _about(floor: dict) -> Said:
    if floor["answers"] is None:
        return said("unknown until one is graded")
    answers = counted(floor["answers"], "answer")
    if floor["of"].startswith("annotators"):
        return said("{answers} by each", answers=answers)
    return answers


def _range_of_points(one: dict) -> Said:
    low, high = (f"{100 * one[end]:.1f}" for end in ("low", "high"))
    return said("± {low} to {high} points", low=low, high=high)


def _table(rows: list[dict]) -> str:
    return table(tuple(rows[0]), (tuple(row.values()) for row in rows)) if rows else ""
