"""What is shown of a look: the action, a row per judge, conditions, caveats, and the chart.

The headline is what to do, and true when read alone. What a verdict does not show is a table of
caveats, gravest first, which also says which of them bar a certificate.
"""

from collections.abc import Iterable, Iterator, Sequence

from concord.clock import day_of
from concord.messages import capital, counted, joined, message_of, minute, said, spoken
from concord.reports.cells import plain_share, written
from concord.reports.charts import Line, Point, Points
from concord.reports.decision.cost import dollars
from concord.reports.decision.verdict import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    VERDICTS,
    Choice,
    Row,
    asked_of_reference,
    doubted,
    read,
    told,
)
from concord.reports.document import Column, Document, Kind, Table, table_of
from concord.reports.panel.choice import BY_KEY, MET, NOT_MET, SPARSE
from concord.reports.panel.panel import Panel
from concord.reports.panel.wording import named, short_label
from concord.reports.plan import extent_of
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
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST
from concord.stats.statistics import BY_KEY as STATISTICS
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


def document(found: Choice, details: bool = True) -> Document:
    """Return what is shown of a look; without `details` what fits a small terminal."""
    every = [*caveats(found)]
    rest = (*every[_FACTS:], *notes(found))
    tables = (judges(found), without(found), *((conditions(found),) if details else ()))
    shown = rest if details else rest[:_FACTS]
    return Document(headline(found), tuple(every[:_FACTS]), tables, shown)


# What to do, or the worst fact that stands in the way, by what a look found.
HEADLINES = {
    "alert": "Settle the alert on {alerts} first: no verdict on {criterion} counts until then",
    "not_comparable": "Cannot tell yet which judge is good enough on {criterion}",
    "alone": "Run a second judge: no judge other than {dear} can be compared on {criterion}",
    "dearer": "Keep {dear} on {criterion}: {judge} is good enough too, but costs more",
    "use": "Use {judge} on {criterion}: at most {margin} worse than {dear}{figure}{price}",
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
    told_of, reference = told(found), found.reference
    key, about = _finding(found, told_of)
    row = told_of or reference
    cheaper = any(_costs_less(one, reference) for one in found.candidates)
    words = {
        "dear": named(found.against, found.simulated),
        "criterion": found.criterion,
        "alerts": ", ".join(doubted(found)),
        "margin": margin_text(found.figure, found.margin),
        "figure": "" if found.figure == EXACT else f" in {FIGURES[found.figure].title}",
        "judge": _name(row),
        "why": message_of(row.why[0]) if row.why else "its verdict is inconclusive",
        "kind": "cheaper" if cheaper else "other",
        "more": more(found, row, "more "),
        "price": "",
    }
    if _costs_less(row, reference):
        share = 100 * row.cost_per_1000 / reference.cost_per_1000
        words["price"] = said(", at {share:.2g}% of the price", share=share)
    limits = {
        "Not confirmed": about and not about.confirmed,
        "Exploratory": about and not found.confirmatory,
        "With caveats": about and about.verdict == GOOD_ENOUGH and any(caveats(found, about)),
    }
    limit = next((f"{limit}: " for limit, holds in limits.items() if holds), "")
    return limit + HEADLINES[key].format(**words)


def _finding(found: Choice, row: Row | None) -> tuple[str, Row | None]:
    """Return which of the headlines applies, and the judge whose verdict it gives, if it does."""
    reference = found.reference
    if found.alerts:
        return "alert", None
    if row is None:
        sparse = any(why.code == SPARSE for why in found.left_out.values())
        return "not_comparable" if found.candidates or sparse else "alone", None
    if found.verdict == GOOD_ENOUGH and not row.is_reference:
        dearer = _costs_less(reference, row) and reference.verdict == GOOD_ENOUGH
        return "dearer" if dearer else "use", row
    if reference.verdict == GOOD_ENOUGH and asked_of_reference(found):
        return "keep", reference
    if found.baseline is not None and abs(FIGURES[found.figure].best - found.baseline) < NEGLIGIBLE:
        return "flat", None
    if row.verdict == NOT:
        return "none" if len(found.candidates) > 1 and found.verdict == NOT else "not", row
    if row.more_labels:
        return "label", None
    if found.too_few:
        return "too_few", None
    for name in (ANNOTATORS, ASSAY, REFERENCE):
        if name in row.conditions and row.conditions[name].state == "open":
            return name, None
    return "ended" if found.clusters >= found.planned_questions else "open", None


def _costs_less(one: Row, other: Row) -> bool:
    """True where both prices are known and the one is lower."""
    ours, theirs = one.cost_per_1000, other.cost_per_1000
    return None not in (ours, theirs) and ours < theirs


def caveats(found: Choice, row: Row | None = None) -> Iterator[str]:
    """Yield what limits the verdict on a judge, or on the one in focus; the gravest first."""
    row = row or told(found)
    if row is None:
        return
    good, left = row.verdict == GOOD_ENOUGH, row.failed + row.not_graded
    if not row.confirmed:
        yield "The present grades do not confirm the verdict."
    if not found.confirmatory:
        changed = changed_text(found.changed_terms)
        yield said("Never certified: not under the first terms ({terms}).", terms=changed)
    if found.alerts:
        yield said("Never certified with an open alert: {on}.", on=", ".join(doubted(found)))
    if good and found.reference.verdict == NOT:
        yield "The reference judge is not good enough, so the other conditions decide."
    between = row.conditions.get(ANNOTATORS)
    if good and between and between.state == "none":
        why = message_of(between.estimate.why_none) or "too few answers"
        yield said("Inter-annotator agreement was not tested: {why}.", why=why)
    if good and left and left >= _MANY * (left + found.answers):
        answers = counted(left, "answer")
        yield said("It gave no score to {n} that annotators scored.", n=answers)
    for name in VETOES if good else ():
        one, n = row.conditions.get(name), counted_of(row, name) or 0
        if one and n >= FAILING_FLOOR and one.estimate.value < one.above:
            yield said(
                "Its {name} is {share}, not significantly below the minimum of {least}.",
                name=STATISTICS[name].title,
                share=written(one.estimate, "share"),
                least=plain_share(one.above),
            )
    if row.verdict == CANNOT_TELL and row.more_labels:
        yield said("Labels needed for a verdict: {n}.", n=more(found, row))


def sentence(found: Choice, row: Row) -> str:
    """Return the verdict on one judge with its reason and caveats, as a certificate says it."""
    about, title = joined("; ", row.why), FIGURES[found.figure].title
    if row.verdict == GOOD_ENOUGH:
        kind, apart = kinds(found)
        about = f"{title} {written(row.value, kind)} (95% CI)"
        if not row.is_reference:
            about = said(
                "non-inferior to {against}: difference {less} (95% CI), margin {margin}",
                against=found.against,
                less=written(row.difference, apart),
                margin=margin_text(found.figure, found.margin),
            )
    text = f"{_name(row)} is {VERDICTS[row.verdict]} on {found.criterion}: {about}."
    return " ".join([text, *caveats(found, row)])


def counted_of(row: Row, name: str) -> int | None:
    """Return how many answers a veto is a share of; None of other conditions, or where unknown."""
    counts = [row[name].get(key) for key in STATISTICS[name].counts] if name in VETOES else []
    return min((n for n in counts if n is not None), default=None)


def certifiable(found: Choice, row: Row) -> bool:
    """Return whether the verdict on a judge may be certified, as far as the look knows."""
    barred = not (row.confirmed and found.confirmatory) or found.alerts
    return row.verdict != GOOD_ENOUGH or not barred


def more(found: Choice, row: Row, adjective: str = "") -> str:
    """Return how many more questions would settle it, as `20 to 600 questions`."""
    if not row.more_labels:
        return ""
    low, high = row.more_questions
    unit = "question" if found.clusters == found.questions else "document"
    most = counted(high, adjective + unit)
    return most if low == high else f"{low:,} to {most}"


def kinds(found: Choice) -> tuple[Kind, Kind]:
    """Return how the deciding figure and its differences are formatted."""
    share = FIGURES[found.figure].kind == "share"
    return ("share", "points") if share else ("number", "difference")


def verdict(row: Row) -> str:
    """Return the verdict on a judge; of the reference judge only where it is not good enough."""
    if not row.confirmed:
        return "good enough, not confirmed by the present grades"
    text = VERDICTS[row.verdict]
    if row.is_reference:
        text = joined(": ", ("reference judge", "" if row.verdict == GOOD_ENOUGH else text))
    return text


def price(row: Row) -> str:
    """Return the price of 1,000 answers, as `$0.90`; `free` and `unknown` where it is so."""
    if row.cost_per_1000 is None:
        return "unknown"
    known = dollars(row.cost_per_1000) if row.cost_per_1000 else "free"
    return f"{known} (stated)" if row.stated_on else known


def _name(row: Row) -> str:
    return named(row.judge, row.simulated)


def judges(found: Choice) -> Table:
    """Return a row per judge, the reference judge first, with what decided its verdict."""
    kind, apart = kinds(found)

    def decided(row: Row) -> str:
        if row.decided_by:
            return condition_title(found, row.decided_by).removesuffix(_unit(found))
        return message_of(row.why[0]) if row.why else ""

    parts = (
        ("judge", _name),
        ("verdict", verdict),
        (Column(f"{FIGURES[found.figure].title}, 95% CI", kind), "value"),
        (
            Column(f"difference{_unit(found)}", apart),
            lambda row: None if row.is_reference else row.difference,
        ),
        ("USD per 1,000", price),
        ("decided by", decided),
    )
    return table_of("choose", found.judges, parts, sparse=True)


def _unit(found: Choice) -> str:
    return ", points" if FIGURES[found.figure].kind == "share" else ""


def without(found: Choice) -> Table:
    """Return the verdicts with and without each annotator on whom an alert is open."""
    parts = (
        ("annotator", "annotator"),
        ("judge", "judge"),
        ("verdict with", lambda one: VERDICTS[one["verdict"]]),
        ("verdict without", lambda one: VERDICTS[one["without"]]),
    )
    return table_of("without", found.without_annotators, parts, "Open alerts")


def conditions(found: Choice) -> Table:
    """Return the conditions of all judges: estimate, interval of its test, limit, result.

    The interval is at the level of the test, so that it agrees with the result.
    """
    rows = [
        (row, name, one)
        for row in found.judges
        for name, one in row.conditions.items()
        if one.state != "none" or one.estimate.why_none
    ]
    own = dict(zip(("figure", "apart"), kinds(found), strict=True))

    def kind(name: str) -> Kind:
        return own.get(BY_KEY[name].kind, BY_KEY[name].kind)

    def estimate(of: tuple[Row, str, Row]) -> str | int:
        (row, name, one), (low, high) = of, of[2].interval
        n = counted_of(row, name)
        if n is not None and n < FAILING_FLOOR:
            return f"too few ({n})"
        if one.estimate.value is None:
            return message_of(one.estimate.why_none)
        shown = one.estimate if low is None else one.estimate._replace(low=low, high=high)
        return written(shown, kind(name))

    def result(of: tuple[Row, str, Row]) -> str:
        # That of the reference judge, or of the baseline, is not tested.
        plain = of[2].state == "open" and of[1] in (MAJORITY, REFERENCE)
        return "not met" if plain else RESULTS[of[2].state]

    parts = (
        ("judge", lambda of: _name(of[0])),
        ("condition", lambda of: condition_title(found, of[1])),
        ("estimate", estimate),
        ("limit", lambda of: written(of[2].above, kind(of[1]))),
        ("result", result),
    )
    then = f" on {day_of(found.kept_from['looked_at'])}" if found.kept_from else ""
    return table_of("conditions", rows, parts, f"Conditions{then}")


def condition_title(found: Choice, name: str) -> str:
    """Return the name of a condition in words."""
    figure = FIGURES[found.figure]
    maximum = name == MINIMUM and not figure.higher_is_better
    title = "{figure}: maximum" if maximum else BY_KEY[name].title
    return title.format(figure=figure.title, unit=_unit(found))


def notes(found: Choice) -> Iterator[str]:
    """Yield on what the look rests, and what limits it."""
    kind, kept = kinds(found)[0], found.kept_from
    yield said(
        "Interim look {look} of {most}: {answers}, {n} of {planned} planned {unit}s. "
        "Majority-class baseline {baseline}, inter-annotator agreement {ceiling}.",
        look=found.looks,
        most=LOOKS_AT_MOST,
        answers=counted(found.answers, "answer"),
        unit="question" if found.clusters == found.questions else "document",
        n=found.clusters,
        planned=found.planned_questions,
        baseline=written(found.baseline, kind),
        ceiling=written(found.ceiling, kind),
    )
    if kept:
        yield said("The verdicts are those of {day}.", day=day_of(kept["looked_at"]))
    for title, of in (("Left out", found.left_out), ("Not counted", found.uncounted)):
        if of:
            each = (f"{name} ({message_of(why)})" for name, why in of.items())
            yield f"{title}: {'; '.join(each)}."
    if found.fixed_after_sight:
        yield "The terms were fixed after agreement could be seen."


def against(found: Choice) -> Points:
    """Return the deciding figure with its CI against the price, a point per priced judge."""
    figure, kind = FIGURES[found.figure], kinds(found)[0]

    def point(row: Row) -> Point:
        certified = certifiable(found, row)
        return Point(
            name=_name(row),
            found=row.value,
            x=row.cost_per_1000,
            result=row.verdict if certified else CANNOT_TELL,
            verdict=verdict(row) + ("" if certified else ", cannot be certified"),
            told=(written(row.value, kind), price(row)),
            reference=row.is_reference,
        )

    limit = "minimum" if figure.higher_is_better else "maximum"
    lines = (
        (found.ceiling, "annotators", "annotators"),
        (found.baseline, "always one score", "constant"),
        (found.minimum or None, limit, "constant"),
    )
    priced = (row for row in found.judges if None not in (row.value.value, row.cost_per_1000))
    return Points(
        name="choose-cost",
        title="",
        alt=f"{capital(figure.title)} by price",
        across="USD per 1,000 answers",
        up=figure.title,
        kind=figure.kind,
        points=tuple(map(point, priced)),
        lines=tuple(
            Line(Estimate(value), f"{name}: {written(value, kind)}", of)
            for value, name, of in lines
            if value is not None
        ),
    )


def history(store: Store, every: Sequence[Decision]) -> Table:
    """Return every look at decisions in the order given, the newest first of each."""
    rows = [
        (label(one), minute(kept.created_at), read(kept.result))
        for one in every
        for kept in decisions.looks(store, one)[::-1]
    ]

    def verdict(row: tuple) -> str:
        text = VERDICTS[(told(row[2]) or row[2]).verdict]
        return text if row[2].confirmatory else f"{text}, exploratory"

    parts = (
        ("terms", lambda row: row[0]),
        ("looked at", lambda row: row[1]),
        (Column("answers", "count"), lambda row: row[2].answers),
        ("verdict", verdict),
    )
    return table_of("looks", rows, parts, "Decisions and looks")


def label(decision: Decision) -> str:
    """Return what a decision is about; its minimums are in `terms_table`."""
    return (
        f"{decision.criterion}, {day_of(decision.created_at)}: "
        f"{margin_text(decision.figure, decision.margin)} in {FIGURES[decision.figure].title}, "
        f"against {short_label(decision.against)}"
    )


def limit_text(figure: str, limit: float) -> str:
    """Return the limit of a deciding figure in its unit, as `60%` or `0.5`."""
    return plain_share(limit) if FIGURES[figure].kind == "share" else f"{limit:g}"


def margin_text(figure: str, margin: float) -> str:
    """Return a margin in the unit of its figure, as `10 points` or `0.15`."""
    if FIGURES[figure].kind != "share":
        return f"{margin:g}"
    points = round(100 * margin, 9)
    return "1 point" if points == 1 else f"{points:g} points"


def changed_text(changed: Iterable[str]) -> str:
    """Return the first terms that are not kept, in words."""
    return ", ".join({"against": "reference judge"}.get(one, spoken(one)) for one in changed)


def terms_table(panel: Panel, decision: Decision, changed: Sequence[str] | None = None) -> Table:
    """Return the terms that hold for every look, a row each, with the plan and who counts.

    For confirmation, `changed` are the first terms that it does not keep.
    """
    names = [one.name for i, one in panel.persons.items() if i in (decision.annotators or ())]
    figure = FIGURES[decision.figure]
    lines = {
        "criterion": decision.criterion,
        "deciding figure": figure.title,
        "reference judge": short_label(decision.against),
        "margin": margin_text(figure.key, decision.margin),
        "minimum" if figure.higher_is_better else "maximum": decision.minimum
        and limit_text(figure.key, decision.minimum),
        **{
            f"minimum {STATISTICS[name].title}": getattr(decision, name)
            and plain_share(getattr(decision, name))
            for name in VETOES
        },
        planned_unit(panel): f"{decision.planned_questions:,}",
        "annotators": ", ".join(names) or "all who are included",
        "first terms not kept": changed_text(changed or ()) or (changed is not None and "none"),
        "after agreement could be seen": decision.fixed_after_sight and "yes",
    }
    kept = tuple(line for line in lines.items() if line[1])
    return Table("terms", (Column("term"), Column("value")), kept, "Terms")


def planned_unit(panel: Panel) -> str:
    """Return the name of the planned number: of documents where several questions share one."""
    extent = extent_of(panel)
    return f"planned {'questions' if extent.clusters == extent.questions else 'documents'}"
