"""Sentence: the finding of one row of the agreement report in words.

No figure stands alone: exact agreement has the ceiling and the constant grade beside it, within
one also says how often the judge is off by two or more. Whatever is simulated says so.
"""

from reports.panel import COMPOSITE
from reports.reference import CONSENSUS
from reports.simulated import named, people_sentence
from reports.text import number, percent, share
from reports.unit_words import how_many, score


def of_row(row: dict) -> str:
    """The whole finding of a row, one or several sentences."""
    return " ".join(filter(None, (title(row), detail(row))))


def title(row: dict) -> str:
    """The main figure with its interval, the ceiling and the constant grade, in one sentence."""
    judge = _judge(row)
    if row["n"] == 0:
        what = "composite" if row["criterion"] == COMPOSITE else _score_of(row)
        same = row["units"]["unit"] if row.get("units") else "answer"
        return f"{judge} and people have no {what} for the same {same}, so nothing can be compared."
    if row["criterion"] == COMPOSITE:
        parts = [f"{judge} {_composite(row)}", _composite_ceiling(row)]
    else:
        parts = [f"{judge} {_exact(row)}", _ceiling(row), _constant(row)]
    return "; ".join(part for part in parts if part) + "."


def detail(row: dict) -> str:
    """What must stand beside the title: within one, answers left out, who is simulated."""
    said = [
        _within_one(row),
        _worst_case(row),
        _no_consensus(row),
        _no_interval(row),
        _simulated(row),
        row["note"],
    ]
    return " ".join(part for part in said if part)


def _judge(row: dict) -> str:
    if row["floor"]:
        return f"The floor, {row['judge']},"
    return named(row["judge"], row["simulated"])


def _answers(row: dict) -> str:
    by = f" by {row['answer_model']}" if row["answer_model"] else ""
    of = " of answers" if by and row.get("units") else ""
    return f"{how_many(row, row['n'])}{of}{by}"


def _score_of(row: dict) -> str:
    """What is given: a score of a criterion, or a label of units."""
    units = row.get("units")
    return f"label of “{units['title']}”" if units else f"{row['criterion']} score"


def _exact(row: dict) -> str:
    what, on = _score_of(row), f"on {share(row['exact'])} of {_answers(row)}"
    if row["reference"] == CONSENSUS:
        return f"gives the exact {what} of people's consensus {on}"
    whose = "the person's" if row["people"] == 1 else "a person's"
    return f"gives {whose} exact {what} {on}"


def _ceiling(row: dict) -> str:
    ceiling = row["ceiling"]
    if ceiling["exact"]["value"] is None:
        return "how well people agree with one another is unknown"
    whose = "the others' consensus" if row["reference"] == CONSENSUS else "one another's"
    fewer = ceiling["n"] < row["n"]
    of = f" of the {how_many(row, ceiling['n'])} that two or more graded" if fewer else ""
    return f"people give {whose} on {percent(ceiling['exact']['value'])}%{of}"


def _constant(row: dict) -> str:
    level = row["constant_baseline"]
    return f"always answering {score(row, level['score'])} would give {percent(level['exact'])}%"


def _within_one(row: dict) -> str:
    level = row["constant_baseline"]
    if row["criterion"] == COMPOSITE or not row["n"] or row["within_one"]["value"] is None:
        return ""
    return (
        f"Within one point on {share(row['within_one'])}, off by two or more on "
        f"{percent(row['off_by_two']['value'])}%; always answering "
        f"{score(row, level['best_within_one_score'])} would be within one on "
        f"{percent(level['best_within_one'])}%."
    )


def _worst_case(row: dict) -> str:
    """What failures counted as disagreements would leave; nothing where there are none."""
    worst = row["worst_case"]
    if not worst["failed"] or worst["exact"]["value"] is None:
        return ""
    as_what = "a disagreement" if worst["failed"] == 1 else "disagreements"
    return (
        f"With the {how_many(row, worst['failed'])} it left unscored as {as_what}: exact on "
        f"{share(worst['exact'])}."
    )


def _composite(row: dict) -> str:
    whose = "the person's" if row["people"] == 1 else "a person's"
    if row["reference"] == CONSENSUS:
        whose = "the consensus'"
    return (
        f"is {number(row['mae'])} points away from {whose} weighted mean on {_answers(row)} on "
        f"average, with a bias of {number(row['bias'], '+')}"
    )


def _composite_ceiling(row: dict) -> str:
    apart = row["ceiling"]["mae"]
    if apart["value"] is None:
        return "how far people are apart is unknown"
    shared = row["ceiling"]["n"]
    of = f" on the {how_many(row, shared)} that two or more graded" if shared < row["n"] else ""
    others = "from the others' consensus" if row["reference"] == CONSENSUS else "apart"
    return f"people are {apart['value']:.2f} points {others}{of}"


def _no_consensus(row: dict) -> str:
    lost = row["without_consensus"]
    if not lost or not lost["n"]:
        return ""
    are = "is" if lost["n"] == 1 else "are"
    return (
        f"{how_many(row, lost['n'])} ({percent(lost['share'])}% of those people scored) "
        f"without a consensus {are} left out."
    )


def _no_interval(row: dict) -> str:
    figure = row["mae"] if row["criterion"] == COMPOSITE else row["exact"]
    if row["n"] == 0 or figure["low"] is not None:
        return ""
    why = figure["why_none"]
    return f"{why[0].upper()}{why[1:]}."


def _simulated(row: dict) -> str:
    if row["n"] == 0:
        return ""
    return people_sentence(len(row["simulated_people"]), row["people"])
