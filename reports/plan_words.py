"""The plan in words: its title, its tables, and the text for a terminal."""

from data.counted import counted
from reports.floors import VERDICT_FLOOR
from reports.text import table

FLOOR = "; a verdict takes no fewer"
NEVER = "no number up to 100,000"
BY = {"formula": "by formula", "pilot": "from the grades so far"}


def title(found: dict) -> str:
    """What it takes to know each judge's agreement as closely as wanted, and what there is."""
    needed = found["needed"]["half_width"]
    graded = found["pilot"]["questions"]
    there = f"people have graded {graded:,}" if graded else "none is graded yet"
    return (
        f"±{points(found['half_width'])} on each judge's exact agreement takes "
        f"{span(needed['questions'], 'question')}; {there}"
    )


def detail(found: dict) -> str:
    """What it takes to show one judge about as good as another, and where the ranges come from."""
    needed = found["needed"]["margin"]
    said = (
        f"To show that a judge is not worse than another by {points(found['margin'])}: "
        f"{span(needed['questions'], 'question')}, planned with no true difference"
        f"{FLOOR if needed['clusters'][2] == VERDICT_FLOOR else ''}. "
    )
    if found["needed"]["half_width"]["by"] == "pilot":
        said += "The ranges come from drawing the questions graded so far again."
    else:
        said += "The ranges come from formulas: grade 20 to 30 questions and they narrow."
    missing = found["needed"]["half_width"]["questions"][2]
    if missing is None or missing > found["questions"]:
        said += f" The sheet has {counted(found['questions'], 'question')} that may be graded."
    return said


def needed_rows(found: dict) -> list[dict]:
    """What it takes for each aim, by formula and, where people have graded, from their grades."""
    aims = {
        "half_width": f"Exact agreement to ±{points(found['half_width'])}",
        "margin": f"Not worse than another judge by {points(found['margin'])}",
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
            "for": floor["what"],
            "takes": f"{floor['needs']} {floor['of']}",
            "there are": floor["has"],
            "reached": "yes" if floor["holds"] else "not yet",
            "about": _about(floor),
        }
        for floor in found["floors"]
    ]


def pilot_rows(found: dict) -> list[dict]:
    """How wide the interval of exact agreement would be with the questions of a usual pilot."""
    at = [one for one in found["pilot"]["at"] if not one["why_none"]]
    several = len(found["pilot"]["half_width"]) > 1
    source = f"{BY['pilot']}, over all judges" if several else BY["pilot"]
    if not at:
        at, source = found["formula"]["at"], BY["formula"]
    each = found["questions"] / found["clusters"]
    return [
        {
            "with": counted(round(one["clusters"] * each), "question"),
            "interval": f"± {_range_of_points(one)}",
            "by": source,
        }
        for one in at
    ]


def people_rows() -> list[dict]:
    """What one, two and three people who grade the same answers give."""
    gives = (
        "every figure of the judges; how well people agree stays unknown",
        "also how well people agree with one another, which no judge can beat",
        "also whether a judge could stand in for one of them (alternative annotator test)",
    )
    return [
        {"graded by": counted(n, "person", "people"), "gives": given}
        for n, given in enumerate(gives, start=1)
    ]


def hours(found: dict) -> str:
    """How long it takes each person, and where that comes from."""
    low, high = found["hours"]["half_width"]
    slow = found["hours"]["seconds_per_answer"]
    pace = (
        f"{slow[0]:.0f}" if round(slow[0]) == round(slow[1]) else f"{slow[0]:.0f} to {slow[1]:.0f}"
    )
    measured = f"the pace people had, {pace} seconds an answer"
    at = measured if found["hours"]["measured"] else f"{pace} seconds an answer, a guess"
    if low is None:
        return f"Hours cannot be said; people would need {at}."
    most = "far more" if high is None else f"{high:g}"
    span = f"{low:g}" if low == high else f"{low:g} to {most}"
    return f"About {span} hours for each person, with a tenth shown twice, at {at}."


def text(found: dict) -> str:
    """The plan for a terminal."""
    parts = [
        f"{title(found)}.\n{detail(found)}",
        _table(needed_rows(found)),
        _table(pilot_rows(found)),
        _table(people_rows()),
        hours(found),
        _table(floor_rows(found)),
    ]
    return "\n\n".join(part for part in parts if part)


def span(numbers: list[int | None], noun: str) -> str:
    """A range with its noun: `50 to 88 questions`."""
    low, _, high = numbers
    if low is None:
        return f"more {noun}s than can be said ({NEVER} would do)"
    if high is None:
        return f"{counted(low, noun)} or far more"
    return counted(low, noun) if low == high else f"{low:,} to {counted(high, noun)}"


def points(share: float) -> str:
    """A share in points: `5 points`."""
    number = f"{100 * share:g}"
    return f"{number} point{'' if number == '1' else 's'}"


def _needed_row(aim: str, by: str, sizes: dict) -> dict:
    low, likely, high = sizes["questions"]
    shown = {"questions from": low, "likely": likely, "to": high}
    return {
        "aim": aim,
        "estimated": by,
        **{name: NEVER if count is None else f"{count:,}" for name, count in shown.items()},
        "answers": span(sizes["answers"], "answer"),
    }


def _about(floor: dict) -> str:
    if floor["answers"] is None:
        return "unknown until one is graded"
    return (
        f"{counted(floor['answers'], 'answer')} by each"
        if "people" in floor["of"][:6]
        else (counted(floor["answers"], "answer"))
    )


def _range_of_points(one: dict) -> str:
    low, high = (f"{100 * one[end]:.1f}" for end in ("low", "high"))
    return f"{low} to {high} points"


def _table(rows: list[dict]) -> str:
    return table(tuple(rows[0]), (tuple(row.values()) for row in rows)) if rows else ""
