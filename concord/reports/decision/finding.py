"""The finding of a look in sentences: what may be read alone, and what that takes with it."""

from collections.abc import Iterator
from typing import NamedTuple

from concord.clock import day_of
from concord.messages import Said, capital, counted, joined, said
from concord.reports.cells import plain_share, written
from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    Choice,
    JudgeFound,
    asked_of_reference,
    doubted,
    told,
)
from concord.reports.decision.terms import TITLES, margin_text
from concord.reports.document import Kind
from concord.reports.panel.provenance import named
from concord.reports.panel.unit_words import out_of
from concord.stats.core.minimums import FAILING_FLOOR
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.decision.conditions import (
    ANNOTATORS,
    ASSAY,
    DIFFERENCE,
    REFERENCE,
    VETOES,
)
from concord.stats.decision.deciding_figure import EXACT, FIGURES
from concord.stats.statistics import BY_KEY as STATISTICS

_REASONS = 2
_MANY = 0.05  # of the answers that annotators scored, or of the questions


class Finding(NamedTuple):
    """What a look found about a judge.

    Attributes:
        verdict: The title: true when read alone, as many read nothing else.
        reason: In sentences, why, and what the verdict does not show.
    """

    verdict: str
    reason: str

    def sentence(self) -> str:
        """Return both as a terminal and a certificate say them."""
        return said("{verdict}. {reason}", verdict=self.verdict, reason=self.reason)


def finding(found: Choice, judge: JudgeFound | None = None) -> Finding:
    """Return the finding about a judge, or about the one in focus."""
    row = judge or told(found)
    if row is None:
        return Finding(
            "Cannot tell yet which judge is good enough"
            if found.candidates
            else "There is no judge to choose yet",
            not_comparable(found),
        )
    if row.is_reference and row.verdict == GOOD_ENOUGH and not asked_of_reference(found):
        return _of_reference(found, row)
    text = _marked(found, row, _FINDINGS[row.verdict](found, row))
    if row.is_reference and row is told(found):
        return text._replace(reason=joined(" ", (text.reason, not_comparable(found))))
    return text


def _marked(found: Choice, row: JudgeFound, text: Finding) -> Finding:
    """Mark the verdict by the gravest that limits it; one that claims nothing needs no mark."""
    if row.verdict == CANNOT_TELL:
        return text
    kept = found.kept_from
    if kept:
        day = (
            said("The verdict is that of {day}.", day=day_of(kept.looked_at))
            if row.confirmed
            else said(
                "The verdict of {day} is not confirmed by the present grades.",
                day=day_of(kept.looked_at),
            )
        )
        text = text._replace(reason=joined(" ", (text.reason, day)))
    limited = row.verdict == GOOD_ENOUGH and any(_shows_little(found, row))
    marks = (
        (not row.confirmed, said("Not confirmed: {finding}", finding=text.verdict)),
        (not found.confirmatory, said("Exploratory: {finding}", finding=text.verdict)),
        (
            limited and bool(not_certified(found)),
            said("Not certifiable: {finding}", finding=text.verdict),
        ),
        (limited, said("With caveats: {finding}", finding=text.verdict)),
    )
    return text._replace(verdict=next((mark for holds, mark in marks if holds), text.verdict))


def _good_enough(found: Choice, row: JudgeFound) -> Finding:
    verdict = said(
        "{judge} is good enough on {criterion}",
        judge=named(row.judge, row.simulated),
        criterion=found.criterion,
    )
    if row.is_reference:  # it has no difference to itself
        return _of_reference(found, row)._replace(verdict=verdict)
    good = said(
        "Non-inferior to {against} at a margin of {margin} in {figure} (difference {difference}, "
        "95% CI).",
        against=named(found.against, found.simulated),
        margin=margin_text(found.figure, found.margin),
        figure=FIGURES[found.figure].title,
        difference=written(
            row.conditions[DIFFERENCE].estimate if DIFFERENCE in row.conditions else row.difference,
            kinds(found)[1],
        ),
    )
    return Finding(verdict, joined(" ", (good, *_shows_little(found, row))))


def _not_good_enough(found: Choice, row: JudgeFound) -> Finding:
    about = {"judge": named(row.judge, row.simulated), "criterion": found.criterion}
    why = _reasons(row)
    if len(found.candidates) > 1 and found.verdict == NOT and row is found.focus:
        return Finding(
            said("No judge is good enough on {criterion}", **about),
            said("The one that agrees most, {judge}, is not: {why}.", **about, why=why),
        )
    verdict = said("{judge} is not good enough on {criterion}", **about)
    return Finding(verdict, capital(said("{why}.", why=why)))


def _inconclusive(found: Choice, row: JudgeFound) -> Finding:
    verdict = said(
        "Cannot tell if {judge} is good enough on {criterion}",
        judge=named(row.judge, row.simulated),
        criterion=found.criterion,
    )
    needed = more(found, found if row is found.focus else row)
    reason = said(
        "{why}. More labels needed: {more}." if needed else "{why}.",
        why=_reasons(row),
        more=needed,
    )
    return Finding(verdict, capital(reason))


def _reasons(row: JudgeFound) -> str:
    """Up to two reasons, or the first and the number of others: the conditions list them all."""
    if len(row.why) <= _REASONS:
        return joined("; ", row.why)
    first, *others = row.why
    return said(
        "{why}; {conditions} did not pass",
        why=first,
        conditions=counted(len(others), "further condition"),
    )


def _shows_little(found: Choice, row: JudgeFound) -> Iterator[str]:
    """Yield what a verdict of good enough does not show.

    Its annotators may be unreliable; a minimum can pass a judge compared with a reference that
    failed.
    """
    yield from not_certified(found)
    between = row.conditions.get(ANNOTATORS)
    if between and between.state == "none":
        yield said(
            "Neither inter-annotator agreement nor assay sensitivity was tested: {why}."
            if ASSAY in row.conditions
            else "Inter-annotator agreement was not tested: {why}.",
            why=between.estimate.why_none,
        )
    yield from not_compared(found)
    yield from _unscored(found, row)
    if found.repeated_questions and found.repeated_questions >= _MANY * found.questions:
        yield repeated(found)
    yield from _under_minimum(row)
    if found.reference.verdict == NOT and not row.is_reference:
        yield (
            "The reference judge itself is not good enough, so the verdict rests on the other "
            "conditions."
        )


def _unscored(found: Choice, row: JudgeFound) -> Iterator[str]:
    """Yield how many of the annotators' answers the judge left without a score, where it is many.

    A judge that skips the hard answers looks good on the rest.
    """
    left = row.failed + row.not_graded
    if left and left >= _MANY * (left + found.answers):
        yield said(
            "It gave no score to {answers} that annotators scored. The verdict does not cover "
            "these.",
            answers=counted(left, "answer"),
        )


def repeated(found: Choice) -> str:
    """Return how many questions probably are the same one under two ids."""
    return said(
        "{n} of {questions} have the text and contexts of another one and count as independent, so "
        "the CIs may be too narrow; import them under one question id.",
        n=found.repeated_questions,
        questions=counted(found.questions, "question"),
    )


def _under_minimum(row: JudgeFound) -> Iterator[str]:
    """Yield where failing answers or verdicts stay under their minimum without a veto."""
    for name in VETOES:
        one = row.conditions.get(name)
        value, least = (one.estimate.value, one.above) if one else (None, None)
        enough = (counted_of(row, name) or 0) >= FAILING_FLOOR
        if None not in (value, least) and value < least and enough:
            yield said(
                "Its {figure} is {value}, below the minimum of {least}, but not significantly so "
                "after adjustment.",
                figure=STATISTICS[name].title,
                value=written(one.estimate, "share"),
                least=plain_share(least),
            )


def counted_of(row: JudgeFound, name: str) -> int | None:
    """Return how many answers a veto is a share of; None of other conditions, or where unknown."""
    counts = row.statistics.counts.get(name) if name in VETOES else None
    return min((n for n in (counts or {}).values() if n is not None), default=None)


def not_compared(found: Choice) -> Iterator[str]:
    """Yield whose grades the agreement of annotators says nothing about."""
    if found.uncompared:
        yield said(
            "Not compared with other annotators, as they share fewer than 10 questions: {names}.",
            names=joined(", ", found.uncompared),
        )


def certifiable(found: Choice, row: JudgeFound) -> bool:
    """Return whether the verdict on a judge may be certified, as far as the look knows."""
    if row.verdict != GOOD_ENOUGH:
        return True
    return found.confirmatory and row.confirmed and not doubted(found)


def not_certified(found: Choice) -> tuple[str, ...]:
    """Return that a verdict cannot be certified while an alert on an annotator is open."""
    names = joined(", ", doubted(found))
    text = said("It cannot be certified while an alert is open: {annotators}.", annotators=names)
    return (text,) if doubted(found) else ()


def _of_reference(found: Choice, row: JudgeFound) -> Finding:
    """What the reference judge reaches: it has no difference to itself."""
    verdict = said(
        "{judge} is the reference judge on {criterion}",
        judge=named(row.judge, row.simulated),
        criterion=found.criterion,
    )
    reached = said(
        "It reaches {figure} {value} (95% CI) on {answers}.",
        figure=FIGURES[found.figure].title,
        value=written(row.exact if found.figure == EXACT else row.value, kinds(found)[0]),
        answers=counted(found.answers, "answer"),
    )
    doubts = _shows_little(found, row) if row.verdict == GOOD_ENOUGH else ()
    return Finding(verdict, joined(" ", (reached, *doubts)))


def not_comparable(found: Choice) -> str:
    """Say why no candidate is compared."""
    row = next((one for one in found.candidates if one.why), None)
    if row is None:
        return no_other_judge(named(found.against, found.simulated))
    return said(
        "The judge {judge} cannot be compared: {why}.",
        judge=named(row.judge, row.simulated),
        why=row.why[0],
    )


def no_other_judge(judge: str) -> Said:
    """Say that the reference judge, by its name as shown, is compared with none."""
    return said("No judge other than {judge} can be compared.", judge=judge)


_FINDINGS = {GOOD_ENOUGH: _good_enough, NOT: _not_good_enough, CANNOT_TELL: _inconclusive}


def findings(found: Choice) -> tuple[str, ...]:
    """Return what the finding needs: levels, what to do, whether exploratory."""
    every = (_levels(found), _advice(found), "" if found.confirmatory else exploratory(found))
    return tuple(filter(None, every))


def exploratory(found: Choice) -> Said:
    """Say which of the first terms a look does not keep."""
    return said(
        "Exploratory, so never certified: not under the first terms ({changed}).",
        changed=joined(", ", [TITLES[one] for one in found.changed_terms]),
    )


def _levels(found: Choice) -> str:
    """The majority-class baseline and the agreement of annotators, to read the judges beside."""
    if told(found) is None or found.majority_baseline is None:
        return ""
    kind = kinds(found)[0]
    between = said(
        "{value} on {answers}",
        value=written(found.ceiling, kind),
        answers=out_of(None, found.overlap, found.answers),
    )
    return said(
        "{figure}: majority-class baseline {baseline}, annotators with one another {between}.",
        figure=capital(FIGURES[found.figure].title),
        baseline=written(found.baseline, kind),
        between="unknown" if found.ceiling is None else between,
    )


# In this order: no minimum and no reference judge makes up for annotators who do not agree.
_ADVICE = {
    ANNOTATORS: (
        "Compare the annotators' grades, grade more answers twice, or let a third annotator grade "
        "the same answers."
    ),
    ASSAY: "Decide on QWK or balanced accuracy.",
    REFERENCE: (
        "Non-inferiority to this reference judge shows nothing: name a minimum agreement, or "
        "another reference judge."
    ),
}


def _advice(found: Choice) -> str:
    """Return what to use, or to do, while no candidate is good enough."""
    if any(row.verdict == GOOD_ENOUGH for row in found.candidates):
        return ""
    if found.reference.verdict == GOOD_ENOUGH:
        if not found.focus and told(found):
            return ""  # the title says so
        return said(
            "{judge}, the reference judge, is good enough and can be used."
            if asked_of_reference(found)
            else "{judge}, the reference judge, had neither a minimum nor inter-annotator "
            "agreement to reach, so nothing shows that it is good enough.",
            judge=named(found.against, found.simulated),
        )
    if found.majority_baseline and found.majority_baseline.exact > 1 - NEGLIGIBLE:
        return (
            "Annotators gave every answer the same score, so these answers cannot show which judge "
            "is good: add answers of different quality."
        )
    asked = {
        name
        for row in found.judges
        for name, one in row.conditions.items()
        if one.state == "open" and (name != REFERENCE or found.verdict != NOT)
    }
    if advice := next((text for name, text in _ADVICE.items() if name in asked), None):
        return advice
    return said(
        "No judge is known to be good enough: grade more answers, or try another model or another "
        "prompt."
        if found.verdict == CANNOT_TELL and not _ended(found)
        else "No judge is known to be good enough: try another model or another prompt."
    )


def look(found: Choice) -> tuple[str, ...]:
    """Return which interim look it was, whether it is new, and which decision it belongs to."""
    number = found.decision.number
    this = said("Interim look {n} of {most}.", n=found.looks, most=found.looks_at_most)
    return (
        (this if found.confirmatory else "")  # an exploratory look is none of them
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
    """What the look rests on: planned questions, or an earlier look."""
    kept, unit = found.kept_from, independent(found.clusters != found.questions)
    this = (
        said(
            "The verdicts and conditions are those of {day}, on {n} {unit}; later grades only "
            "update the other figures.",
            day=day_of(kept.looked_at),
            n=kept.clusters,
            unit=unit,
        )
        if kept
        else said(
            "Graded: {n} of {planned} planned {unit}.",
            n=found.clusters,
            planned=found.planned_questions,
            unit=unit,
        )
    )
    return joined(" ", filter(None, (this, _ended(found))))


def independent(documents: bool) -> Said:
    """Return what is independent: questions, or the documents that several of them share."""
    return "documents" if documents else "questions"


def final_look(documents: bool) -> Said:
    """Say what follows where the planned questions, or documents, are all graded."""
    return said(
        "All planned {unit} are graded, so the verdicts are final. A further confirmatory verdict "
        "requires a sheet of new {unit}.",
        unit=independent(documents),
    )


def _ended(found: Choice) -> str:
    """Say of an inconclusive verdict that the plan ends, or that the rest of it hardly suffices."""
    open_still = any(row.verdict == CANNOT_TELL for row in found.judges)
    settled = not open_still or found.verdict == GOOD_ENOUGH
    if settled or found.too_few or not found.planned_questions:
        return ""
    documents, left = found.clusters != found.questions, found.planned_questions - found.clusters
    if left <= 0:
        return final_look(documents)
    if found.more_questions and found.more_questions[0] > left:
        return said(
            "Fewer planned {unit} are left than a verdict probably requires.",
            unit=independent(documents),
        )
    return ""


def more(found: Choice, row: JudgeFound | Choice) -> str:
    """Return how many more labels would settle it, as `20 to 600 questions (40 to 1,200 ...)`."""
    if not row.more_labels:
        return ""
    documents = found.clusters != found.questions
    return said(
        "{questions} ({answers})",
        questions=_range(row.more_questions, "document" if documents else "question"),
        answers=_range(row.more_labels, "answer to grade", "answers to grade"),
    )


def _range(ends: tuple[int, int], noun: str, plural: str = "") -> Said:
    low, high = ends
    most = counted(high, noun, plural)
    return most if low == high else said("{low:,} to {most}", low=low, most=most)


def kinds(found: Choice) -> tuple[Kind, Kind]:
    """Return how the deciding figure and its differences are formatted."""
    return _KINDS[FIGURES[found.figure].kind]


_KINDS: dict[str, tuple[Kind, Kind]] = {
    "share": ("share", "points"),
    "number": ("number", "difference"),
    "points": ("number", "difference"),
}
