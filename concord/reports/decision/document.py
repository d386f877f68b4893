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
from concord.stats.decision.conditions import ACCURACY
from concord.stats.decision.deciding_figure import FIGURES, DecidingFigure
from concord.store.decisions import Decision

_CONDITIONS: dict[str, str] = {
    DIFFERENCE: said("difference to the reference judge{unit}"),
    MINIMUM: said("{figure}: minimum"),
    KAPPA: said("better than chance (QWK)"),
    CEILING: said("difference to inter-annotator agreement{unit}"),
    ACCURACY: said("better than chance (balanced accuracy)"),
    MAJORITY: said("{figure}: majority-class baseline"),
    REFERENCE: said("reference judge: {figure}"),
}
_OWN_KIND: dict[str, Kind] = {KAPPA: "number", ACCURACY: "share"}
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
        if found.level is not None
        else said(
            "Interim look {n}: the earlier ones have spent the type I error, so this one gives no "
            "verdict.",
            n=found.looks,
        ),
        _spent(found),
        said("Decision {n} on these answers.", n=number) if number > 1 else "",
    )


def _spent(found: Choice) -> str:
    """What the look rests on: planned questions, an earlier look, or an earlier procedure."""
    if found.earlier_procedure:
        return said(
            "It was taken under the procedure of an earlier version: simultaneous limits over all "
            "judges and conditions, at most four looks of equal error. Fix the terms again for a "
            "look under the present one."
        )
    if found.kept_verdict:
        return said("No question is new, so the verdicts are those of the look before.")
    if not found.planned_questions:
        return ""
    documents = found.clusters != found.questions
    return said(
        "Graded: {n} of {planned} planned documents."
        if documents
        else "Graded: {n} of {planned} planned questions.",
        n=found.clusters,
        planned=found.planned_questions,
    )


def kinds(found: Choice) -> tuple[Kind, Kind]:
    """How the deciding figure and its differences are written."""
    return _KINDS[FIGURES[found.figure].kind]


_KINDS: dict[str, tuple[Kind, Kind]] = {
    "share": ("share", "points"),
    "number": ("number", "difference"),
    "points": ("number", "difference"),
}


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
    kind, apart = kinds(found)
    unit = ", points" if apart == "points" else ""
    columns = (
        Column(said("judge")),
        Column(said("verdict")),
        *(() if found.figure == "exact" else (Column(FIGURES[found.figure].title, kind),)),
        Column(said("exact"), "share"),
        Column(said("difference{unit}", unit=unit), apart),
        Column(said("$ per 1,000")),
        Column(said("seconds (p95)")),
        Column(said("recall of failing answers"), "share"),
        Column(said("failing answers"), "count"),
        Column(said("QWK"), "number"),
        Column(said("judge - annotators{unit}", unit=unit), apart),
        Column(said("adjusted p"), "p"),
    )
    rows = (
        (
            named(row.judge, row.simulated),
            verdict(row),
            *(() if found.figure == "exact" else (row.value,)),
            row.exact,
            None if row.is_reference else row.difference,
            price(row),
            seconds(row),
            row.failure_recall.estimate,
            row.failure_recall.failing,
            row.qwk,
            row.judge_minus_ceiling,
            row.p,
        )
        for row in found.judges
    )
    return Table("choose", columns, tuple(rows))


def conditions(found: Choice) -> Table:
    """Return a row per judge and condition: the estimate, its limit and the result."""
    columns = (
        Column(said("judge")),
        Column(said("condition")),
        Column(said("estimate")),
        Column(said("limit")),
        Column(said("adjusted p"), "p"),
        Column(said("result")),
        Column(said("undefined because")),
    )
    rows = (
        (
            named(row.judge, row.simulated),
            _condition_title(found, name),
            written(one.estimate, _condition_kind(found, name)),
            None if one.above is None else written(one.above, _condition_kind(found, name)),
            one.p_not if one.state == "fails" else one.p,
            _RESULTS[one.state],
            said(one.estimate.why_none or ""),
        )
        for row in found.judges
        for name, one in row.conditions.items()
    )
    vetoes = (
        _veto(found, row, name) for row in found.judges if row.conditions for name in _VETO_TITLES
    )
    shown = tuple(filter(None, vetoes))
    return Table("conditions", columns, (*rows, *shown), said("Conditions"))


def _condition_title(found: Choice, name: str) -> str:
    unit = ", points" if kinds(found)[1] == "points" else ""
    return said(_CONDITIONS[name], figure=FIGURES[found.figure].title, unit=unit)


def _condition_kind(found: Choice, name: str) -> Kind:
    kind, apart = kinds(found)
    return _OWN_KIND.get(name, apart if name in (DIFFERENCE, CEILING) else kind)


_VETO_TITLES = {
    "failure_recall": said("recall of failing answers: minimum"),
    "failure_precision": said("precision of failing verdicts: minimum"),
}


def _veto(found: Choice, row: JudgeFound, name: str) -> tuple | None:
    """The condition on recall or precision, which only one that is surely too low fails."""
    least, share = getattr(found, name), getattr(row, name).estimate
    if least is None and name == "failure_precision":
        return None
    reached = least is not None and share.low is not None and share.low >= least
    failed = name in row.vetoes or (row.vetoed and name == "failure_recall")
    state = "none" if least is None else "fails" if failed else "clear" if reached else "open"
    return (
        named(row.judge, row.simulated),
        _VETO_TITLES[name],
        written(share, "share"),
        None if least is None else written(least, "share"),
        None,
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


def margin_text(figure: str, margin: float) -> str:
    """Return a margin in the figure's unit, as `10 points` or `0.15 in quadratic kappa`."""
    if FIGURES[figure].kind == "share":
        return points_text(margin)
    return said("{n:g} in {figure}", n=margin, figure=FIGURES[figure].title)


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
            margin=margin_text(found.figure, found.margin),
            difference=written(row.difference, kinds(found)[1]),
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
        *(
            said("{annotator} is not counted in this decision: {why}.", annotator=name, why=why)
            for name, why in found.uncounted.items()
        ),
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
            "Estimates have a 95% CI. Pass and fail follow the p-values, which are adjusted for "
            "{judges} and for the interim looks.",
            judges=counted(sum(row.n > 0 for row in found.judges), "judge"),
        )
        if not found.earlier_procedure
        else "",
        said(
            "Exploratory: the first figure fixed for this criterion and reference judge is "
            "another one, so this result is never certified."
        )
        if not found.confirmatory
        else "",
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
    """The level of the intervals: 95, and `96.4` of a look by an earlier version."""
    return f"{100 * (1 - 2 * found.level):g}" if found.earlier_procedure and found.level else "95"


def _range(ends: Sequence[int], noun: str) -> str:
    low, high = ends
    if low == high:
        return counted(low, noun)
    return said("{low} to {high}", low=f"{low:,}", high=counted(high, noun))


def in_words(decision: Decision) -> str:
    """The terms of a decision in one sentence."""
    least = (
        (said("recall of failing answers at least {share}"), decision.caught_minimum),
        (said("precision of failing verdicts at least {share}"), decision.failure_precision),
    )
    figure = FIGURES[decision.metric]
    minimum = [minimum_text(figure, decision.minimum)] if decision.minimum else []
    margin = said(
        "non-inferior to {judge} at a margin of {points}",
        judge=short(decision.against),
        points=margin_text(decision.metric, decision.margin),
    )
    terms = [said(one, share=plain_share(share)) for one, share in least if share]
    return said(
        "Terms for {criterion}, fixed on {day}: {terms}.",
        criterion=decision.criterion,
        day=day_of(decision.created_at),
        terms=joined("; ", [margin, *minimum, *terms]),
    )


def terms_text(figure: str, margin: float, minimum: float | None) -> str:
    """Return figure, margin and limit in words."""
    own = FIGURES[figure]
    return said(
        "{figure}, margin {margin}, {minimum}",
        figure=own.title,
        margin=margin_text(figure, margin),
        minimum=minimum_text(own, minimum) if minimum else said("no minimum"),
    )


def minimum_text(figure: DecidingFigure, minimum: float) -> str:
    """Return the limit of a deciding figure in words, as `exact agreement at least 60%`."""
    number = plain_share(minimum) if figure.kind == "share" else f"{minimum:g}"
    if not figure.higher_is_better:
        return said("{figure} at most {number}", figure=figure.title, number=number)
    return said("{figure} at least {number}", figure=figure.title, number=number)


def short(label: str) -> str:
    """A judge's name with the beginning of its fingerprint."""
    name, at, identity = label.rpartition("@")
    return f"{name}@{identity[:6]}" if at else label
