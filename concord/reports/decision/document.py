"""What is shown of a look: the action, a row per judge, conditions, caveats, and the chart.

The headline is what to do, and true when read alone. What a verdict does not show is a table of
caveats, gravest first, which also says which of them bar a certificate.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from concord.clock import day_of
from concord.messages import Numeral, Said, capital, counted, joined, minute, said
from concord.reports.cells import UNDEFINED, plain_share, undefined, written
from concord.reports.charts import Line, Point, Points
from concord.reports.decision.cost import dollars
from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    VERDICTS,
    Choice,
    Condition,
    JudgeFound,
    asked_of_reference,
    doubted,
    read,
    told,
)
from concord.reports.decision.terms import (
    changed_text,
    final_look,
    label,
    margin_text,
)
from concord.reports.document import Column, Document, Kind, Part, Table, table_of
from concord.reports.panel.decision_conditions import (
    BY_KEY,
    MET,
    NOT_MET,
    counted_as_both,
    failing_parts,
)
from concord.reports.panel.provenance import annotators_sentence, named
from concord.reports.reliability.annotator_alerts import COPIED
from concord.stats.core.estimate import Estimate
from concord.stats.core.minimums import FAILING_FLOOR
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.decision.conditions import (
    ANNOTATORS,
    ASSAY,
    MAJORITY,
    MINIMUM,
    REFERENCE,
    VETOES,
)
from concord.stats.decision.deciding_figure import EXACT, FIGURES
from concord.stats.statistics import BY_KEY as STATISTICS
from concord.stats.statistics import OF_FAILING
from concord.store import decisions
from concord.store.database import Store
from concord.store.decisions import Decision

_MANY = 0.05  # of the answers that annotators scored, or of the questions
_FACTS = 3
RESULTS = {
    "clear": MET,
    "fails": NOT_MET,
    "open": "inconclusive",
    "no_veto": "not significantly below",
    "untested": "no verdict",
    "none": "not tested",
}
_KINDS: dict[str, tuple[Kind, Kind]] = {
    "share": ("share", "points"),
    "number": ("number", "difference"),
    "points": ("number", "difference"),
}


def document(found: Choice, details: bool = True) -> Document:
    """Return what is shown of a look; without `details` what fits a small terminal."""
    every = [one.text for one in caveats(found)]
    rest = [*every[_FACTS:], *notes(found)]
    tables = [judges(found), without(found)]
    if details:
        tables += [conditions(found), failing(found)]
    return Document(
        headline(found),
        tuple(every[:_FACTS]),
        tuple(tables),
        tuple(rest if details else rest[:_FACTS]),
        found.signature if details else "",
    )


# What to do, or the worst fact that stands in the way, by what a look found.
HEADLINES = {
    "lone_copy": "Have a second annotator grade: {annotator}'s grades equal those of {copied} on "
    "{same} of {n} answers",
    "copy": "Settle the alert on a copy first: {annotator}'s grades equal those of {copied} on "
    "{same} of {n} answers",
    "alert": "Settle the alert on {alerts} first: no verdict on {criterion} counts until then",
    "not_comparable": "Cannot tell yet which judge is good enough on {criterion}",
    "alone": "Run a second judge: no judge other than {dear} can be compared on {criterion}",
    "dearer": "Keep {dear} on {criterion}: {judge} is good enough too, but costs more",
    "use": "Use {judge} on {criterion}: at most {margin} worse than {dear}{figure}{price}",
    "keep_alone": "Keep {dear} on {criterion}: good enough, and no other was compared",
    "keep": "Keep {dear} on {criterion}: no {kind} judge is shown to be good enough",
    "flat": "Add answers of different quality: annotators gave every answer the same score",
    "none": "Try another model or prompt: no judge is good enough on {criterion}",
    "not": "{judge} is not good enough on {criterion}: {why}",
    "label": "Label {more}: cannot tell yet if {judge} is good enough on {criterion}",
    "too_few": "Label more answers first: {why}",
    ANNOTATORS: "Check the annotators first: {why}",
    ASSAY: "Decide on QWK or balanced accuracy: {why}",
    REFERENCE: "Name a minimum, or another reference judge: {why}",
    "ended": "Grade a sheet of new questions: cannot tell if {judge} is good enough on {criterion}",
    "open": "Cannot tell if {judge} is good enough on {criterion}: {why}",
}


def headline(found: Choice) -> str:
    """Return what to do after a look, or the worst fact that stands in the way."""
    row, reference = told(found), found.reference
    words = {
        "dear": named(found.against, found.simulated),
        "criterion": found.criterion,
        "alerts": ", ".join(doubted(found)),
        "margin": margin_text(found.figure, found.margin),
        "figure": "" if found.figure == EXACT else f" in {FIGURES[found.figure].title}",
    }
    key, about = _finding(found, row)
    for one in found.alerts:
        if key in ("copy", "lone_copy") and one["code"] == COPIED:
            words |= {"copied": one["judge"], "n": one["n"]}
            words |= {name: one[name] for name in ("annotator", "same")}
    if row:
        prices = [one.cost_per_1000 for one in found.candidates if one.cost_per_1000 is not None]
        cheaper = any(one < (reference.cost_per_1000 or 0) for one in prices)
        words |= {
            "judge": named(row.judge, row.simulated),
            "why": said("{why}", why=row.why[0]) if row.why else "its verdict is inconclusive",
            "kind": "cheaper" if cheaper else "other",
            "more": more(found, found if row is found.focus else row, "more "),
            "price": _price_of(row, reference),
        }
    text = HEADLINES[key].format(**words)
    if about is None:
        return text
    marks = {
        "Not confirmed": not about.confirmed,
        "Exploratory": not found.confirmatory,
        "With caveats": about.verdict == GOOD_ENOUGH and caveats(found, about),
    }
    mark = next((one for one, holds in marks.items() if holds), None)
    return f"{mark}: {text}" if mark else text


def _finding(found: Choice, row: JudgeFound | None) -> tuple[str, JudgeFound | None]:
    """Return which of the headlines applies, and the judge whose verdict it gives, if it does."""
    reference = found.reference
    if any(one["code"] == COPIED for one in found.alerts):
        return "lone_copy" if len(found.annotators) == 1 else "copy", None
    if found.alerts:
        return "alert", None
    if row is None:
        return "not_comparable" if found.candidates else "alone", None
    if found.verdict == GOOD_ENOUGH and not row.is_reference:
        ours, theirs = row.cost_per_1000, reference.cost_per_1000
        dearer = None not in (ours, theirs) and ours > theirs
        return "dearer" if dearer and reference.verdict == GOOD_ENOUGH else "use", row
    if reference.verdict == GOOD_ENOUGH and asked_of_reference(found):
        return "keep" if found.candidates else "keep_alone", reference
    if found.majority_baseline and found.majority_baseline.exact > 1 - NEGLIGIBLE:
        return "flat", None
    if row.verdict == NOT:
        return "none" if len(found.candidates) > 1 and found.verdict == NOT else "not", row
    if (found if row is found.focus else row).more_labels:
        return "label", None
    if found.too_few:
        return "too_few", None
    open_ones = [name for name, one in row.conditions.items() if one.state == "open"]
    for name in (ANNOTATORS, ASSAY, REFERENCE):
        if name in open_ones:
            return name, None
    ended = found.planned_questions and found.clusters >= found.planned_questions
    return "ended" if ended else "open", None


def _price_of(row: JudgeFound, reference: JudgeFound) -> str:
    """Return a judge's price as a part of that of the reference judge; '' where unknown."""
    ours, theirs = row.cost_per_1000, reference.cost_per_1000
    if ours is None or not theirs:
        return ""
    if ours == 0:
        return ", for free"
    times, whole = theirs / ours, round(theirs / ours)
    if whole > 1 and abs(times - whole) < 0.05 * whole:
        return f", at 1/{whole} of the price"
    return f", at {100 * ours / theirs:.2g}% of the price" if times > 1 else ""


class Caveat(NamedTuple):
    """What a verdict does not show, and whether nothing is certified on account of it."""

    text: str
    bars_certificate: bool = False


def caveats(found: Choice, row: JudgeFound | None = None) -> list[Caveat]:
    """Return what limits the verdict on a judge, or on the one in focus; the gravest first."""
    row = row or told(found)
    if row is None:
        candidate = next((one for one in found.candidates if one.why), None)
        why = candidate and said(
            "The judge {judge} cannot be compared: {why}.",
            judge=named(candidate.judge, candidate.simulated),
            why=candidate.why[0],
        )
        return [Caveat(why)] if why else []
    kept, good = found.kept_from, row.verdict == GOOD_ENOUGH
    day = kept and day_of(kept["looked_at"])
    between = row.conditions.get(ANNOTATORS)
    left = row.failed + row.not_graded
    below = [one for name in VETOES if (one := _below_minimum(row, name))]
    labels = more(found, row) if row.verdict == CANNOT_TELL else ""
    rows: list[tuple[object, str, bool]] = [
        (not row.confirmed, f"The verdict of {day} is not confirmed by the present grades.", True),
        (
            not found.confirmatory,
            f"Exploratory, so never certified: not under the first terms "
            f"({changed_text(found.changed_terms)}).",
            True,
        ),
        (
            doubted(found),
            f"Nothing is certified while an alert is open: {joined(', ', doubted(found))}.",
            True,
        ),
        (
            good and found.reference.verdict == NOT and not row.is_reference,
            "The reference judge itself is not good enough, so the verdict rests on the other "
            "conditions.",
            False,
        ),
        (
            good and between and between.state == "none",
            between
            and said(
                "Inter-annotator agreement was not tested: {why}.",
                why=between.estimate.why_none or "too few answers",
            ),
            False,
        ),
        (
            found.uncompared,
            "Not compared with other annotators, as they share fewer than 10 questions: "
            f"{joined(', ', found.uncompared)}.",
            False,
        ),
        (
            good and left >= _MANY * (left + found.answers) and left,
            f"It gave no score to {counted(left, 'answer')} that annotators scored. The verdict "
            "does not cover these.",
            False,
        ),
        *((good, text, False) for text in below),
        (
            found.repeated_questions
            and (not good or found.repeated_questions >= _MANY * found.questions),
            f"{found.repeated_questions} of {counted(found.questions, 'question')} have the text "
            "and contexts of another one and count as independent, so the CIs may be too narrow.",
            False,
        ),
        (labels, f"Labels needed for a verdict on {row.judge}: {labels}.", False),
        (_ended(found), _ended(found), False),
    ]
    return [Caveat(text, bars) for holds, text, bars in rows if holds]


def sentence(found: Choice, row: JudgeFound) -> str:
    """Return the verdict on one judge with its reason and caveats, as a certificate says it."""
    judge, criterion = named(row.judge, row.simulated), found.criterion
    verdict = f"{judge} is {VERDICTS[row.verdict]} on {criterion}"
    if row.verdict == CANNOT_TELL:
        verdict = f"Cannot tell if {judge} is good enough on {criterion}"
    about = joined("; ", row.why)
    if row.verdict == GOOD_ENOUGH:
        kind, apart = kinds(found)
        of = row.value if row.is_reference else row.difference
        about = f"{FIGURES[found.figure].title} {written(of, kind)} (95% CI)"
        if not row.is_reference:
            about = (
                f"non-inferior to {found.against} at a margin of "
                f"{margin_text(found.figure, found.margin)} in {FIGURES[found.figure].title} "
                f"(difference {written(of, apart)}, 95% CI)"
            )
    limits = [one.text for one in caveats(found, row)]
    return joined(" ", [said("{verdict}: {about}.", verdict=verdict, about=about), *limits])


def _below_minimum(row: JudgeFound, name: str) -> str:
    """Return that a share of failing answers or verdicts stays under its minimum without a veto."""
    one = row.conditions.get(name)
    value, least = (one.estimate.value, one.above) if one else (None, None)
    enough = (counted_of(row, name) or 0) >= FAILING_FLOOR
    if None in (value, least) or value >= least or not enough:
        return ""
    return (
        f"Its {STATISTICS[name].title} is {written(one.estimate, 'share')}, below the minimum of "
        f"{plain_share(least)}, but not significantly so after adjustment."
    )


def counted_of(row: JudgeFound, name: str) -> int | None:
    """Return how many answers a veto is a share of; None of other conditions, or where unknown."""
    counts = row.statistics.counts.get(name) if name in VETOES else None
    return min((n for n in (counts or {}).values() if n is not None), default=None)


def certifiable(found: Choice, row: JudgeFound) -> bool:
    """Return whether the verdict on a judge may be certified, as far as the look knows."""
    barred = any(one.bars_certificate for one in caveats(found, row))
    return row.verdict != GOOD_ENOUGH or not barred


def _ended(found: Choice) -> str:
    """Say of an inconclusive verdict that the plan ends, or that the rest of it hardly suffices."""
    open_still = any(row.verdict == CANNOT_TELL for row in found.judges)
    if not open_still or found.verdict == GOOD_ENOUGH or found.too_few:
        return ""
    documents = found.clusters != found.questions
    left = (found.planned_questions or 0) - found.clusters
    if found.planned_questions and left <= 0:
        return final_look(documents)
    if found.more_questions and found.more_questions[0] > left > 0:
        unit = "documents" if documents else "questions"
        return f"Fewer planned {unit} are left than a verdict probably requires."
    return ""


def look(found: Choice) -> str:
    """Return which interim look it was, and how much of the plan it rests on."""
    kept = found.kept_from
    unit = "documents" if found.clusters != found.questions else "questions"
    if found.level is None:
        this = f"Interim look {found.looks}: the type I error is spent, so it gives no verdict."
    else:
        this = f"Interim look {found.looks} of {found.looks_at_most}."
    rests = f"Graded: {found.clusters} of {found.planned_questions} planned {unit}."
    if kept:
        rests = f"Verdicts and conditions are those of {day_of(kept['looked_at'])}."
    return f"{this} {rests}" if found.confirmatory or found.level is None else rests


def more(found: Choice, row: JudgeFound | Choice, adjective: str = "") -> str:
    """Return how many more labels would settle it, as `20 to 600 questions (40 to 1,200 ...)`."""
    if not row.more_labels:
        return ""

    def ends(span: tuple[int, int], noun: str) -> str:
        low, high = span
        return counted(high, noun) if low == high else f"{low:,} to {counted(high, noun)}"

    documents = found.clusters != found.questions
    questions = ends(row.more_questions, f"{adjective}{'document' if documents else 'question'}")
    answers = ends(row.more_labels, "answer")
    return questions if found.answers == found.clusters else f"{questions} ({answers})"


def kinds(found: Choice) -> tuple[Kind, Kind]:
    """Return how the deciding figure and its differences are formatted."""
    return _KINDS[FIGURES[found.figure].kind]


def verdict(row: JudgeFound) -> str:
    """Return the verdict on a judge; of the reference judge only where it is not good enough."""
    if not row.confirmed:
        return "good enough, not confirmed by the present grades"
    if not row.is_reference:
        return VERDICTS[row.verdict]
    rest = "" if row.verdict == GOOD_ENOUGH else f": {VERDICTS[row.verdict]}"
    return f"reference judge{rest}"


def price(row: JudgeFound) -> str:
    """Return the price of 1,000 answers, as `$0.90`; `free` and `unknown` where it is so."""
    if row.cost_per_1000 is None:
        return "unknown"
    known = dollars(row.cost_per_1000) if row.cost_per_1000 else "free"
    return f"{known} (stated)" if row.cost and row.cost.stated_on else known


def seconds(row: JudgeFound) -> str:
    """Return median and 95th percentile of the seconds per answer, as `6.4 (14.2)`."""
    if row.seconds is None:
        return UNDEFINED
    late = "" if row.seconds_p95 is None else f" ({row.seconds_p95:.1f})"
    return Numeral(f"{row.seconds:.1f}{late}")


def _name(row: JudgeFound) -> str:
    return named(row.judge, row.simulated)


def judges(found: Choice) -> Table:
    """Return a row per judge, the reference judge first, with what decided its verdict."""
    kind, apart = kinds(found)
    unit = ", points" if apart == "points" else ""
    parts: list[Part] = [
        (Column("judge"), _name),
        (Column("verdict"), verdict),
        (Column(f"{FIGURES[found.figure].title}, 95% CI", kind), "value"),
        (
            Column(f"difference{unit}", apart),
            lambda row: None if row.is_reference else row.difference,
        ),
        (Column("USD per 1,000"), price),
        (
            Column("decided by"),
            lambda row: (
                condition_title(found, row.decided_by)
                if row.decided_by
                else said("{why}", why=row.why[0])
                if row.why
                else ""
            ),
        ),
    ]
    return table_of("choose", found.judges, parts, sparse=True)


def without(found: Choice) -> Table:
    """Return the verdicts with and without each annotator on whom an alert is open."""
    parts = [
        (Column("annotator"), lambda one: one["annotator"]),
        (Column("judge"), lambda one: one["judge"]),
        (Column("verdict with"), lambda one: VERDICTS[one["verdict"]]),
        (Column("verdict without"), lambda one: VERDICTS[one["without"]]),
    ]
    return table_of("without", found.without_annotators, parts, "Open alerts")


def failing(found: Choice) -> Table:
    """Return the figures of failing verdicts with their counts, a row per judge."""
    every = {one.key for one in OF_FAILING}
    rows = [row for row in found.judges if row.statistics.by_key.keys() >= every]
    parts = [(Column("judge"), _name), *failing_parts()]
    scores = " or ".join(map(str, found.failing_scores))
    table = table_of("failing", rows, parts, f"Failing verdicts: score {scores}")
    return Table(table.name, table.columns, table.rows, table.title, across=len(rows) <= 4)


def conditions(found: Choice, judge: str | None = None) -> Table:
    """Return the conditions of a judge, or of all: estimate, interval of its test, limit, result.

    The interval is at the level of the test, so that it agrees with the result.
    """
    rows = [
        (row, name, one)
        for row in found.judges
        for name, one in row.conditions.items()
        if judge in (None, row.judge)
        and (one.state != "none" or (one.estimate.why_none and is_asked(found, name)))
    ]

    def kind(name: str) -> Kind:
        figure, apart = kinds(found)
        return {"figure": figure, "apart": apart}.get(BY_KEY[name].kind, BY_KEY[name].kind)

    def estimate(of: tuple[JudgeFound, str, Condition]) -> str | int | Said:
        row, name, one = of
        n = counted_of(row, name)
        if n is not None and n < FAILING_FLOOR:
            return f"too few ({n})"
        if one.estimate.value is None:
            return one.estimate.why_none
        low, high = one.interval
        shown = one.estimate._replace(low=low, high=high) if low is not None else one.estimate
        return written(shown, kind(name))

    def result(of: tuple[JudgeFound, str, Condition]) -> str:
        # That of the reference judge, or of the baseline, is not tested.
        plain = of[2].state == "open" and of[1] in (MAJORITY, REFERENCE)
        return "not met" if plain else RESULTS[of[2].state]

    parts: list[Part] = [
        (Column("judge"), lambda of: _name(of[0])),
        (Column("condition"), lambda of: condition_title(found, of[1])),
        (Column("estimate"), estimate),
        (Column("limit"), lambda of: written(of[2].above, kind(of[1]))),
        (Column("result"), result),
    ]
    kept = found.kept_from
    title = f"Conditions on {day_of(kept['looked_at'])}" if kept else "Conditions"
    return table_of("conditions", rows, parts[judge is not None :], title)


def conditions_met(found: Choice) -> str:
    """Return how many of the conditions of all judges are met."""
    rows = conditions(found).rows
    return f"Conditions met: {sum(row[-1] == MET for row in rows)} of {len(rows)}"


def is_asked(found: Choice, name: str) -> bool:
    """Return whether the terms ask a condition: a minimum only where named."""
    return name != MINIMUM or found.minimum is not None


def condition_title(found: Choice, name: str) -> str:
    """Return the name of a condition in words."""
    unit = ", points" if kinds(found)[1] == "points" else ""
    figure = FIGURES[found.figure]
    maximum = name == MINIMUM and not figure.higher_is_better
    title = "{figure}: maximum" if maximum else BY_KEY[name].title
    return title.format(figure=figure.title, unit=unit)


def notes(found: Choice) -> tuple[str, ...]:
    """Return on what the look rests, and what limits it."""
    questions = counted(found.questions, "question")
    if found.clusters != found.questions:
        questions = f"{questions} of {counted(found.clusters, 'document')}"
    left_out = [said("{one} ({why})", one=one, why=why) for one, why in found.left_out.items()]
    uncounted = [said("{one} ({why})", one=one, why=why) for one, why in found.uncounted.items()]
    rows = (row for row in found.judges if row.statistics.counts and row.n)
    every = [
        f"Compared on {counted(found.answers, 'answer')} to {questions} that annotators and all "
        f"judges scored. {look(found)}",
        levels(found),
        left_out and said("Judges left out: {those}.", those=joined("; ", left_out)),
        uncounted and said("Annotators not counted: {those}.", those=joined("; ", uncounted)),
        found.fixed_after_sight
        and "The terms were fixed after agreement on these answers could be seen.",
        p_values(found),
        annotators_sentence(sum(one.simulated for one in found.annotators), len(found.annotators)),
        FIGURES[found.figure].sign < 0
        and "A positive difference is a smaller distance than that of the reference judge.",
        found.winner_by == "agreement"
        and "No judge that is good enough has a known price; the one that agrees most is named.",
        *(
            f"The scores of {one} are cross-fitted: each question by a fit to other questions. "
            f"What is exported is one full refit, frozen ({fit})."
            for one, fit in found.refits.items()
        ),
        *counted_as_both([(row.statistics, row.n) for row in rows], "answers"),
        *undefined(failing(found)),
    ]
    return tuple(one for one in every if one)


def levels(found: Choice) -> str:
    """Return the majority-class baseline and inter-annotator agreement, in the deciding figure."""
    kind = kinds(found)[0]
    if found.baseline is None:
        return ""
    between = "unknown" if found.ceiling is None else written(found.ceiling, kind)
    return (
        f"{capital(FIGURES[found.figure].title)}: majority-class baseline "
        f"{written(found.baseline, kind)}, inter-annotator agreement {between}."
    )


def p_values(found: Choice) -> str:
    """Return what the intervals of conditions are."""
    n = sum(row.n > 0 and not (found.kept_from and row.p is None) for row in found.judges)
    return (
        "Figures have a 95% CI; conditions have the interval of their one-sided tests, adjusted "
        f"for {counted(n, 'judge')} and the interim looks."
    )


def against(found: Choice) -> Points:
    """Return the deciding figure with its CI against the price, a point per judge."""
    figure, kind, axis = FIGURES[found.figure], kinds(found)[0], "USD per 1,000 answers"
    title = figure.title if figure.higher_is_better else f"{figure.title}, lower is better"

    def words(row: JudgeFound) -> str:
        good = row.verdict == GOOD_ENOUGH and row.confirmed and not certifiable(found, row)
        return f"{verdict(row)}, cannot be certified" if good else verdict(row)

    points = tuple(
        Point(
            name=_name(row),
            found=row.value,
            x=row.cost_per_1000,
            result=row.verdict if certifiable(found, row) else CANNOT_TELL,
            verdict=words(row),
            told=(
                f"{figure.title} {written(row.value, kind)}, {counted(row.n, 'answer')}",
                f"{price(row)} per 1,000 answers",
                f"{seconds(row)} s per answer",
            ),
            reference=row.is_reference,
            on_front=row.on_front,
        )
        for row in found.judges
        if row.value.value is not None
    )
    limit = None
    if found.minimum:
        end = "minimum" if figure.higher_is_better else "maximum"
        level = Estimate(found.minimum)
        limit = Line(level, f"{end} {written(level, kind)}", "constant")
    return Points(
        name="choose-cost",
        title="",
        alt=f"{capital(title)} by price",
        across=f"{axis}, simulated" if found.simulated else axis,
        unit="usd",
        up=title,
        kind=figure.kind,
        points=points,
        lines=tuple(_lines(found)),
        limit=limit,
    )


def _lines(found: Choice) -> Iterator[Line]:
    """Yield the human ceiling and the majority-class baseline where known."""
    kind = kinds(found)[0]
    if found.ceiling is not None:
        level = Estimate(found.ceiling)
        yield Line(level, f"annotators: {written(level, kind)}", "annotators")
    exact = found.majority_baseline if found.figure == EXACT else None
    value = exact.exact if exact else found.baseline
    if value is not None:
        level, score = Estimate(value), exact.score if exact else "one score"
        yield Line(level, f"always {score}: {written(level, kind)}", "constant")


def history(store: Store, every: Sequence[Decision]) -> Table:
    """Return every look at decisions in the order given, the newest first of each."""
    rows = []
    for one in every:
        looks = reversed(decisions.looks(store, one))
        rows += [(one, kept, read(kept.result)) for kept in looks] or [(one, None, None)]

    def about(row: tuple) -> str:
        focus = told(row[2])
        text = VERDICTS[focus.verdict if focus else row[2].verdict]
        return text if row[2].confirmatory else f"{text}, exploratory"

    parts = [
        (Column("decision", "count"), lambda row: row[0].id),
        (Column("terms"), lambda row: label(row[0])),
        (Column("looked at"), lambda row: row[1] and minute(row[1].created_at)),
        (Column("look", "count"), lambda row: row[2] and row[2].looks),
        (Column("verdict"), lambda row: row[2] and about(row)),
        (Column("winner"), lambda row: row[2] and row[2].winner),
        (Column("answers", "count"), lambda row: row[2] and row[2].answers),
    ]
    return table_of("looks", rows, parts, "Decisions and looks")
