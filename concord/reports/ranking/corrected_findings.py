"""Corrected scores in words and as a table for a terminal."""

from itertools import pairwise

from concord.language.plurals import counted
from concord.messages import Said, joined, said
from concord.reports.panel.simulated import named, people_sentence
from concord.reports.panel.terminal_tables import number, share, table
from concord.reports.ranking.corrected import (
    BASELINE_KNOWS,
    DRAW,
    MATRIX,
    PASSED_OVER,
    RATES,
    WAYS,
    apart,
)
from concord.reports.ranking.order_findings import SPELT_OUT
from concord.stats.comparison.equal_rates import EqualRates

REMEDY = {
    DRAW: said("Draw a grading set and grade at least 30 answers of each answering model in it."),
    RATES: said("It takes at least 30 answers that people pass and 30 that they fail."),
    MATRIX: said(
        "It takes at least 10 answers of every score, and a judge that tells the scores apart."
    ),
}
TAKES = {
    DRAW: said("Holds whatever the judge does, since people graded a random draw."),
    RATES: said("Assumes that the judge errs as often on every answering model."),
    MATRIX: said("Takes the judge to mistake scores alike on every answering model."),
}


def title(found: dict, one: dict) -> Said:
    """The order of the answering models by one judge without its bias, in one sentence."""
    judge = named(one["judge"], one["simulated"])
    names = [m["answer_model"] for m in one["models"] if m["corrected"]["value"] is not None]
    if len(names) < 2:
        return said("Nothing is corrected for {judge}", judge=judge)
    chain = joined(" above ", names)
    if len(names) > SPELT_OUT:
        chain = said("{first} first and {last} last", first=names[0], last=names[-1])
    order = said("Without its bias {judge} puts {chain}", judge=judge, chain=chain)
    return _doubted(order, one, names)


def detail(found: dict, one: dict, people: list[bool]) -> Said:
    """What must stand beside it: what it rests on, what it takes for granted, who is simulated.

    Args:
        found: The report.
        one: One of its judges.
        people: For everyone who counts as a person, whether they are simulated.
    """
    answers, graded = (sum(model[key] for model in one["models"]) for key in ("n", "graded"))
    rests = said(
        "The {what}, {way}: people graded {graded:,} of the {answers} that the judge scored",
        what=found["what"],
        way=WAYS[found["how"]],
        graded=graded,
        answers=counted(answers, "answer"),
    )
    if found["how"] == DRAW:
        rests = said("{rests}, drawn in {sets}", rests=rests, sets=_sets(found["sets"]))
    parts = [
        said("{sentence}.", sentence=rests),
        _passed(found["passed_over"]),
        *found["aside"],
        TAKES[found["how"]],
        _tested(one["equal_rates"]),
        _first(found),
        said("Each 95% interval stands for itself."),
        people_sentence(sum(people), len(people)),
    ]
    return joined(" ", parts)


def why_not(found: dict, one: dict | None = None) -> str:
    """Why nothing is corrected, for a judge or for all, and what to do; '' where something is."""
    reason = found["why_none"] or (one["why_none"] if one else None)
    if not reason and one and _nothing_corrected(one):
        reason = next((m["corrected"]["why_none"] for m in one["models"]), None)
    if not reason:
        return ""
    first = said("Not corrected {way}: {why}.", way=WAYS[found["how"]], why=reason)
    if reason == BASELINE_KNOWS:
        return first
    parts = [first, *found["aside"]]
    if reason.startswith(PASSED_OVER):
        parts.append(said("Import more questions, and draw a grading set of them."))
    else:
        how = DRAW if _differ(one) else found["how"]
        parts += [_passed(found["passed_over"]), _first(found) or REMEDY[how]]
    return joined(" ", parts)


def notes(one: dict) -> list[Said]:
    """Which corrected figures are held at an end, as a figure beyond it cannot be."""
    return [
        said("{model}: {held}.", model=model["answer_model"], held=said(held))
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
    told = "\n\n".join(_judge(found, one) for one in found["judges"])
    return "\n\n".join([told, *(one for one in found["aside"] if one not in told)])


def _doubted(order: Said, one: dict, names: list[str]) -> Said:
    """The order, and which of its steps are not beyond the error."""
    steps = set(pairwise(names))
    unsure = [p for p in one["pairs"] if not p["certain"] and (p["above"], p["below"]) in steps]
    if not unsure:
        return order
    if len(unsure) > 1:
        return said(
            "{order}, but {n} of these steps cannot be told yet", order=order, n=len(unsure)
        )
    return said(
        "{order}, but {above} cannot be told from {below} yet",
        order=order,
        above=unsure[0]["above"],
        below=unsure[0]["below"],
    )


def _tested(rates: dict | None) -> str:
    """What the graded answers say of equal error rates."""
    if rates is None:
        return ""
    if rates["p_value"] is None:
        return said("That could not be tested: {why}.", why=rates["why_none"])
    return said(
        "The graded answers do not contradict that (p = {p_value:.2f}), which does not prove it; "
        "what the rates vary by between models is in the intervals.",
        p_value=rates["p_value"],
    )


def _differ(one: dict | None) -> bool:
    """Whether the judge's error rates surely differ, which more grades would not mend."""
    rates = one["equal_rates"] if one else None
    return bool(rates) and EqualRates(**rates).differ


def _first(found: dict) -> str:
    """The way to take first, where Concord drew the sample itself."""
    if not found["better"]:
        return ""
    return said(
        "Concord drew the sample that annotators graded, so use the correction by the draw (PPI++) "
        "first: it needs no such assumption."
    )


def _passed(answers: int) -> str:
    if not answers:
        return ""
    return said(
        "Raw and corrected leave out {answers} that was graded before the draw, which it may have "
        "passed over."
        if answers == 1
        else "Raw and corrected leave out {answers} that were graded before the draw, which it may "
        "have passed over.",
        answers=counted(answers, "answer"),
    )


def _nothing_corrected(one: dict) -> bool:
    return all(model["corrected"]["value"] is None for model in one["models"])


def _judge(found: dict, one: dict) -> str:
    reason, how = why_not(found, one), found["how"]
    if reason and not has_own(one):
        return f"{one['judge']}: {reason}"
    heads = (f"{one['judge']}, {found['what']}", "raw", f"corrected {WAYS[how]}", "answers")
    heads += ("graded", "annotators' own") if how == RATES else ("graded",)
    models = table(heads, (_cells(model, how) for model in one["models"]))
    pairs = [f"{pair['sentence']} (raw {apart(pair['raw'], how)})" for pair in one["pairs"]]
    if reason:
        return f"{one['judge']}: {reason}\n{models}"
    tested = said("{takes} {tested}", takes=TAKES[how], tested=_tested(one["equal_rates"]))
    taken = [tested if one["equal_rates"] else "", _first(found)]
    return "\n".join([models, *notes(one), *pairs, *filter(None, taken)])


def has_own(one: dict) -> bool:
    """Whether annotators' own figures of the models stand beside a judge's."""
    return any(model["own"] and model["own"]["value"] is not None for model in one["models"])


def _cells(model: dict, how: str) -> tuple:
    own = (figure(model["own"], how),) if model["own"] else ()
    shown = (figure(model[name], how) for name in ("raw", "corrected"))
    return model["answer_model"], *shown, model["n"], model["graded"], *own


def _sets(names: list[str]) -> str:
    quoted = joined(", ", [f"“{name}”" for name in names])
    return said("the set {sets}" if len(names) == 1 else "the sets {sets}", sets=quoted)
