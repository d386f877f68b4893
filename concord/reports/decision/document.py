"""The document of a look at a decision: the verdict, its conditions and every judge."""

from collections.abc import Sequence

from concord.clock import day_of
from concord.messages import counted, joined, said
from concord.reports.cells import UNDEFINED, percent, plain_share, written
from concord.reports.decision.cost import dollars
from concord.reports.decision.more_labels import in_questions
from concord.reports.decision.results import (
    CANNOT_TELL,
    CEILING,
    DIFFERENCE,
    FAILING_FLOOR,
    GOOD_ENOUGH,
    KAPPA,
    MAJORITY,
    MINIMUM,
    NOT,
    REFERENCE,
    VERDICTS,
    Choice,
    JudgeFound,
)
from concord.reports.document import Column, Document, Kind, Table
from concord.reports.panel.simulated import annotators_sentence, named
from concord.stats.intervals.alpha_spending import LEVEL
from concord.store.decisions import Decision

_CONDITIONS: dict[str, tuple[str, Kind]] = {
    DIFFERENCE: (said("difference to the reference judge, points"), "points"),
    MINIMUM: (said("exact agreement: minimum"), "share"),
    KAPPA: (said("better than chance (QWK)"), "number"),
    CEILING: (said("difference to inter-annotator agreement, points"), "points"),
    MAJORITY: (said("exact agreement: majority-class baseline"), "share"),
    REFERENCE: (said("reference judge: exact agreement"), "share"),
}
_RESULTS = {
    "clear": said("pass"),
    "fails": said("fail"),
    "open": said("inconclusive"),
    "none": said("not tested"),
}
_REFERENCE = {
    GOOD_ENOUGH: said("reference judge"),
    NOT: said("reference judge: not good enough"),
    CANNOT_TELL: said("reference judge: cannot tell yet"),
}


def document(found: Choice) -> Document:
    """Return what is shown of a look."""
    return Document(
        _headline(found),
        tuple(filter(None, (_levels(found), _recall(found), _advice(found), *look(found)))),
        (judges(found), conditions(found), more_labels(found), _without(found)),
        tuple(filter(None, _notes(found))),
        found.signature,
    )


def look(found: Choice) -> tuple[str, ...]:
    """Return which interim look it was, whether it is new, and which decision it belongs to."""
    number = found.decision.number
    return (
        said("Interim look {n} of {most}.", n=found.looks, most=found.looks_at_most)
        if found.looks <= found.looks_at_most
        else said(
            "Interim look {n}: the type I error is split over {most} looks, so this one gives no "
            "verdict.",
            n=found.looks,
            most=found.looks_at_most,
        ),
        "" if found.new_look else said("No grade is new since this look was first taken."),
        said("Decision {n} on these answers.", n=number) if number > 1 else "",
    )


def verdict(row: JudgeFound) -> str:
    """Return the verdict on a judge; of the reference judge only where it is not good enough."""
    return _REFERENCE[row.verdict] if row.is_reference else VERDICTS[row.verdict]


def price(row: JudgeFound) -> str:
    """Return the price of 1,000 answers, as `$0.90`; `free` and `unknown` where it is so."""
    if row.cost_per_1000 is None:
        return said("unknown")
    known = dollars(row.cost_per_1000) if row.cost_per_1000 else said("free")
    if row.cost and row.cost.cost.stated_on:
        return said("{price} (stated)", price=known)
    return known


def seconds(row: JudgeFound) -> str:
    """Return median and 95th percentile of the seconds per answer, as `6.4 (14.2)`."""
    if row.seconds is None:
        return UNDEFINED
    late = "" if row.seconds_p95 is None else f" ({row.seconds_p95:.1f})"
    return f"{row.seconds:.1f}{late}"


def more(found: Choice, row: JudgeFound | Choice) -> str:
    """Return how many more labels would settle it, as `20 to 600 questions (40 to 1,200 ...)`."""
    if not row.more_labels:
        return ""
    questions = _range(  # a look of an earlier version knows the answers alone
        row.more_questions or in_questions(row.more_labels, found),
        "document" if found.clusters != found.questions else "question",
    )
    answers = _range(row.more_labels, "graded answer")
    return said("{questions} ({answers})", questions=questions, answers=answers)


def judges(found: Choice) -> Table:
    """Return a row per judge, the reference judge first."""
    columns = (
        Column(said("judge")),
        Column(said("verdict")),
        Column(said("exact"), "share", "simultaneous"),
        Column(said("difference, points"), "points", "simultaneous"),
        Column(said("$ per 1,000")),
        Column(said("seconds (p95)")),
        Column(said("recall of failing answers"), "share"),
        Column(said("failing answers"), "count"),
        Column(said("QWK"), "number", "simultaneous"),
        Column(said("judge - annotators, points"), "points", "simultaneous"),
    )
    rows = (
        (
            named(row.judge, row.simulated),
            verdict(row),
            row.exact,
            None if row.is_reference else row.difference,
            price(row),
            seconds(row),
            row.failure_recall.estimate,
            row.failure_recall.failing,
            row.qwk,
            row.judge_minus_ceiling,
        )
        for row in found.judges
    )
    return Table("choose", columns, tuple(rows))


def conditions(found: Choice) -> Table:
    """Return a row per judge and condition: the estimate, its limit and the result."""
    columns = (
        Column(said("judge")),
        Column(said("condition")),
        Column(said("estimate"), help="simultaneous"),
        Column(said("limit")),
        Column(said("result")),
        Column(said("undefined because")),
    )
    rows = (
        (
            named(row.judge, row.simulated),
            _CONDITIONS[name][0],
            written(one.estimate, _CONDITIONS[name][1]),
            None if one.above is None else written(one.above, _CONDITIONS[name][1]),
            _RESULTS[one.state],
            said(one.estimate.why_none or ""),
        )
        for row in found.judges
        for name, one in row.conditions.items()
    )
    vetoes = (_recall_condition(found, row) for row in found.judges if row.conditions)
    return Table("conditions", columns, (*rows, *vetoes), said("Conditions"))


def _recall_condition(found: Choice, row: JudgeFound) -> tuple[str | None, ...]:
    """The condition on recall, which only a recall that is surely too low fails."""
    least, share = found.failure_recall, row.failure_recall.estimate
    reached = least is not None and share.low is not None and share.low >= least
    state = "none" if least is None else "fails" if row.vetoed else "clear" if reached else "open"
    return (
        named(row.judge, row.simulated),
        said("recall of failing answers: minimum"),
        written(share, "share"),
        None if least is None else written(least, "share"),
        _RESULTS[state],
        said(share.why_none or ""),
    )


def more_labels(found: Choice) -> Table:
    """Return how many more labels would settle each verdict, or why none would."""
    columns = (Column(said("judge")), Column(said("more labels")), Column(said("none because")))
    rows = (
        (
            named(row.judge, row.simulated),
            more(found, row) or None,
            said(row.more_labels_why_none or ""),
        )
        for row in found.judges
    )
    return Table("labels", columns, tuple(rows), said("Labels needed for a verdict"))


def points_text(share: float) -> str:
    """Return a share in points, as `10 points`."""
    value = round(100 * share, 9)
    return said("1 point") if value == 1 else said("{n:g} points", n=value)


def _headline(found: Choice) -> str:
    row = found.focus
    if row is None:
        return _no_candidate(found)
    judge, against = named(row.judge, row.simulated), named(found.against, found.simulated)
    if row.verdict == GOOD_ENOUGH:
        return said(
            "{judge} is good enough: non-inferior to {against} at a margin of {margin} "
            "(difference {difference}, {level}% CI).",
            judge=judge,
            against=against,
            margin=points_text(found.margin),
            difference=written(row.difference, "points"),
            level=_confidence(found),
        )
    why = joined("; ", map(said, row.why))
    if row.verdict == NOT:
        return said(
            "No judge is good enough; {judge}, which agrees most, is not: {why}."
            if len(found.candidates) > 1
            else "{judge} is not good enough: {why}.",
            judge=judge,
            why=why,
        )
    needed = more(found, found)
    return said(
        "Cannot tell yet whether {judge} is good enough: {why}. More labels needed: {more}."
        if needed
        else "Cannot tell yet whether {judge} is good enough: {why}.",
        judge=judge,
        why=why,
        more=needed,
    )


def _no_candidate(found: Choice) -> str:
    if not found.candidates:
        return said(
            "There is no judge to choose yet: no other than {judge} can be compared.",
            judge=named(found.against, found.simulated),
        )
    row = found.candidates[0]
    return said(
        "Cannot tell yet: {judge} cannot be compared, {why}.",
        judge=named(row.judge, row.simulated),
        why=said(row.why[0]),
    )


def _levels(found: Choice) -> str:
    """The judge's estimate, the majority-class baseline and inter-annotator agreement."""
    row, level = found.focus, found.majority_baseline
    if row is None or row.exact.value is None or level is None:
        return ""
    exact = written(row.exact, "share")
    return said(
        "Exact agreement {exact}; majority-class baseline {level}% (always {score}); {annotators}.",
        exact=exact
        if row.exact.low is None
        else said("{figure}, {level}% CI", figure=exact, level=_confidence(found)),
        level=percent(level.exact),
        score=level.score,
        annotators=_between(found),
    )


def _between(found: Choice) -> str:
    if found.ceiling is None:
        return said("inter-annotator agreement unknown")
    value = percent(found.ceiling)
    if found.overlap == found.answers:
        return said("inter-annotator agreement {share}%", share=value)
    answers = counted(found.overlap, "answer")
    return said("inter-annotator agreement {share}% on {answers}", share=value, answers=answers)


def _recall(found: Choice) -> str:
    row = found.focus
    if row is None or row.n == 0:
        return ""
    if row.failure_recall.failing < FAILING_FLOOR:
        return said(
            "Too few failing answers ({n}) to say anything about their recall.",
            n=row.failure_recall.failing,
        )
    return said(
        "Recall of failing answers: {share} of {n} (95% CI).",
        share=written(row.failure_recall.estimate, "share"),
        n=row.failure_recall.failing,
    )


def _advice(found: Choice) -> str:
    """Return what to use, or to do, while no candidate is good enough."""
    if not found.candidates or any(row.verdict == GOOD_ENOUGH for row in found.candidates):
        return ""
    if found.reference.verdict == GOOD_ENOUGH:
        return said(
            "{judge}, the reference judge, is good enough and can be used.",
            judge=named(found.against, found.simulated),
        )
    if any(
        row.conditions[REFERENCE].state == "open"
        for row in found.candidates
        if REFERENCE in row.conditions
    ):
        return said(
            "Non-inferiority to this reference judge shows nothing: name a minimum agreement, or "
            "another reference judge."
        )
    if found.reference.verdict == NOT and found.verdict == NOT:
        return said("No judge is good enough: try another model or another prompt.")
    return said(
        "No judge is known to be good enough: grade more answers, or try another model or another "
        "prompt."
    )


def _stated_prices(found: Choice) -> str:
    """Return which prices a person stated, each with its day; '' where none was."""
    costs = [(row.judge, row.cost.cost) for row in found.judges if row.cost]
    stated = [
        said("{judge} ({day}, by {by})", judge=judge, day=cost.stated_on, by=cost.stated_by)
        for judge, cost in costs
        if cost.stated_on
    ]
    if not stated:
        return ""
    return said("Prices stated by a person, not measured: {judges}.", judges=joined(", ", stated))


def _notes(found: Choice) -> list[str]:
    simulated = sum(one.simulated for one in found.annotators)
    documents = counted(found.clusters, "document")
    unknown = found.reference.judge_minus_ceiling.why_none
    return [
        said(
            "Compared on {answers} to {questions} that annotators and all judges scored for "
            "{criterion}.",
            answers=counted(found.answers, "answer"),
            questions=counted(found.questions, "question")
            if found.clusters == found.questions
            else said(
                "{questions} of {documents}",
                questions=counted(found.questions, "question"),
                documents=documents,
            ),
            criterion=found.criterion,
        ),
        annotators_sentence(simulated, len(found.annotators)),
        said("Prices are simulated.") if found.simulated else "",
        _stated_prices(found),
        said("The terms were fixed after agreement on these answers could be seen.")
        if found.fixed_after_sight
        else "",
        said("The human ceiling is undefined: {why}.", why=said(unknown)) if unknown else "",
        *(
            said(
                "{judge} gave no score to {answers}, which are left out.",
                judge=named(row.judge, row.simulated),
                answers=counted(row.failed, "answer"),
            )
            for row in found.judges
            if row.failed
        ),
        said("No judge that is good enough has a known price; the one that agrees most is named.")
        if found.winner_by == "agreement"
        else "",
        said(
            "Estimates have a {level}% CI, simultaneous over {judges} and all conditions, so wider "
            "than the 95% CI on Agreement; recall of failing answers has a 95% CI.",
            level=_confidence(found),
            judges=counted(sum(row.n > 0 for row in found.judges), "judge"),
        ),
        *(
            said("{judge} is left out: {why}.", judge=judge, why=said(why))
            for judge, why in found.left_out.items()
        ),
    ]


def _without(found: Choice) -> Table:
    columns = (
        Column(said("without annotator")),
        Column(said("judge")),
        Column(said("verdict")),
        Column(said("verdict without")),
    )
    rows = (
        (row.annotator, one.judge, VERDICTS[one.verdict], VERDICTS[one.without])
        for row in found.without_annotators
        for one in row.judges
    )
    return Table(
        "without", columns, tuple(rows), said("Verdicts that depend on a single annotator")
    )


def _confidence(found: Choice) -> str:
    """The two-sided level of the limits, as `96.4`: each side has the error of the look."""
    return f"{100 * (1 - 2 * (found.level or LEVEL)):g}"


def _range(ends: Sequence[int], noun: str) -> str:
    low, high = ends
    if low == high:
        return counted(low, noun)
    return said("{low} to {high}", low=f"{low:,}", high=counted(high, noun))


def in_words(decision: Decision) -> str:
    """The terms of a decision in one sentence."""
    least = (
        (said("exact agreement at least {share}"), decision.minimum),
        (said("recall of failing answers at least {share}"), decision.caught_minimum),
    )
    margin = said(
        "non-inferior to {judge} at a margin of {points}",
        judge=_short(decision.against),
        points=points_text(decision.margin),
    )
    terms = [said(one, share=plain_share(share)) for one, share in least if share is not None]
    return said(
        "Terms for {criterion}, fixed on {day}: {terms}.",
        criterion=decision.criterion,
        day=day_of(decision.created_at),
        terms=joined("; ", [margin, *terms]),
    )


def _short(label: str) -> str:
    """A judge's name with the beginning of its fingerprint."""
    name, at, identity = label.rpartition("@")
    return f"{name}@{identity[:6]}" if at else label
