"""Sentence: the finding of one row of the agreement report in words.

No figure stands alone: exact agreement has the ceiling and the constant grade beside it, within
one also says how often the judge is off by two or more. Whatever is simulated says so.
"""

from concord.messages import Said, capital, joined, said
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.reference_standard import CONSENSUS
from concord.reports.panel.simulated import named, people_sentence
from concord.reports.panel.terminal_tables import number, percent, share
from concord.reports.panel.unit_words import ANSWER, how_many, score


def of_row(row: dict) -> Said:
    """The whole finding of a row, one or several sentences."""
    return joined(" ", (title(row), detail(row)))


def title(row: dict) -> Said:
    """The main figure with its interval, the ceiling and the constant grade, in one sentence."""
    judge = _judge(row)
    if row["n"] == 0:
        return said(
            "{judge} and people have no {what} for the same {unit}, so nothing can be compared.",
            judge=judge,
            what=said("composite") if row["criterion"] == COMPOSITE else _score_of(row),
            unit=(row.get("units") or ANSWER)["unit"],
        )
    if row["criterion"] == COMPOSITE:
        away, ceiling = _composite(row, judge), _composite_ceiling(row)
        return said("{finding}; {people}.", finding=away, people=ceiling)
    return said(
        "{finding}; {people}; {constant}.",
        finding=_exact(row, judge),
        people=_ceiling(row),
        constant=_constant(row),
    )


def detail(row: dict) -> Said:
    """What must stand beside the title: within one, answers left out, who is simulated."""
    parts = [
        _within_one(row),
        _worst_case(row),
        _no_consensus(row),
        _no_interval(row),
        _simulated(row),
        row["note"],
    ]
    return joined(" ", [part for part in parts if part])


def _judge(row: dict) -> str:
    if row["floor"]:
        return said("The floor, {judge},", judge=row["judge"])
    return named(row["judge"], row["simulated"])


def _answers(row: dict) -> str:
    found, model = how_many(row, row["n"]), row["answer_model"]
    if not model:
        return found
    if row.get("units"):
        return said("{units} of answers by {model}", units=found, model=model)
    return said("{answers} by {model}", answers=found, model=model)


def _score_of(row: dict) -> str:
    """What is given: a score of a criterion, or a label of units."""
    units = row.get("units")
    if units:
        return said("label of “{title}”", title=units["title"])
    return said("{criterion} score", criterion=row["criterion"])


def _exact(row: dict, judge: str) -> Said:
    found = {
        "judge": judge,
        "what": _score_of(row),
        "share": share(row["exact"]),
        "answers": _answers(row),
    }
    if row["reference"] == CONSENSUS:
        return said(
            "{judge} gives the exact {what} of people's consensus on {share} of {answers}", **found
        )
    return said(
        "{judge} gives the person's exact {what} on {share} of {answers}"
        if row["people"] == 1
        else "{judge} gives a person's exact {what} on {share} of {answers}",
        **found,
    )


def _ceiling(row: dict) -> Said:
    ceiling = row["ceiling"]
    if ceiling["exact"]["value"] is None:
        return said("how well people agree with one another is unknown")
    found = percent(ceiling["exact"]["value"])
    of_all = said(
        "people give the others' consensus on {share}%"
        if row["reference"] == CONSENSUS
        else "people give one another's on {share}%",
        share=found,
    )
    if ceiling["n"] >= row["n"]:
        return of_all
    overlap = how_many(row, ceiling["n"])
    return said("{clause} of the {answers} that two or more graded", clause=of_all, answers=overlap)


def _constant(row: dict) -> Said:
    level = row["majority_baseline"]
    return said(
        "always answering {score} would give {share}%",
        score=score(row, level["score"]),
        share=percent(level["exact"]),
    )


def _within_one(row: dict) -> str:
    level = row["majority_baseline"]
    if row["criterion"] == COMPOSITE or not row["n"] or row["within_one"]["value"] is None:
        return ""
    return said(
        "Within one point on {near}, off by two or more on {far}%; always answering {score} would "
        "be within one on {constant}%.",
        near=share(row["within_one"]),
        far=percent(row["off_by_two"]["value"]),
        score=score(row, level["best_within_one_score"]),
        constant=percent(level["best_within_one"]),
    )


def _worst_case(row: dict) -> str:
    """What failures counted as disagreements would leave; nothing where there are none."""
    worst = row["worst_case"]
    if not worst["failed"] or worst["exact"]["value"] is None:
        return ""
    return said(
        "With the {answers} it left unscored as a disagreement: exact on {share}."
        if worst["failed"] == 1
        else "With the {answers} it left unscored as disagreements: exact on {share}.",
        answers=how_many(row, worst["failed"]),
        share=share(worst["exact"]),
    )


def _composite(row: dict, judge: str) -> Said:
    whose = said("the person's" if row["people"] == 1 else "a person's")
    if row["reference"] == CONSENSUS:
        whose = said("the consensus'")
    return said(
        "{judge} is {mae} points away from {whose} weighted mean on {answers} on average, with a "
        "bias of {bias}",
        judge=judge,
        mae=number(row["mae"]),
        whose=whose,
        answers=_answers(row),
        bias=number(row["bias"], "+"),
    )


def _composite_ceiling(row: dict) -> Said:
    apart = row["ceiling"]["mae"]
    if apart["value"] is None:
        return said("how far people are apart is unknown")
    shared = row["ceiling"]["n"]
    on_all = said(
        "people are {points:.2f} points from the others' consensus"
        if row["reference"] == CONSENSUS
        else "people are {points:.2f} points apart",
        points=apart["value"],
    )
    if shared >= row["n"]:
        return on_all
    overlap = how_many(row, shared)
    return said("{clause} on the {answers} that two or more graded", clause=on_all, answers=overlap)


def _no_consensus(row: dict) -> str:
    lost = row["without_consensus"]
    if not lost or not lost["n"]:
        return ""
    return said(
        "{answers} ({share}% of those people scored) without a consensus is left out."
        if lost["n"] == 1
        else "{answers} ({share}% of those people scored) without a consensus are left out.",
        answers=how_many(row, lost["n"]),
        share=percent(lost["share"]),
    )


def _no_interval(row: dict) -> str:
    figure = row["mae"] if row["criterion"] == COMPOSITE else row["exact"]
    if row["n"] == 0 or figure["low"] is not None:
        return ""
    return said("{why}.", why=capital(figure["why_none"]))


def _simulated(row: dict) -> str:
    if row["n"] == 0:
        return ""
    return people_sentence(len(row["simulated_people"]), row["people"])
