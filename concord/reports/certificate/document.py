"""The document of a certificate, and its page in HTML, which prints on paper and loads nothing."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, Template

from concord.clock import day_of
from concord.language.languages import with_minus
from concord.messages import Numeral, Said, capital, counted, day, joined, said
from concord.reports.cells import plain_share, shown, written
from concord.reports.certificate.certificate import (
    Annotators,
    Certificate,
    DecisionAbout,
    Named,
    QuotedDecision,
)
from concord.reports.decision.document import (
    condition_title,
    conditions,
    is_asked,
    kinds,
    p_values,
    price,
    verdict,
)
from concord.reports.decision.results import GOOD_ENOUGH, VERDICTS, Choice, JudgeFound
from concord.reports.decision.terms import limit_text, margin_text, minimum_text
from concord.reports.decision.terms import rows as terms
from concord.reports.document import Column, Document, Kind, Part, Table, table_of
from concord.reports.panel.provenance import short_label
from concord.reports.panel.unit_words import out_of
from concord.resources import COMMAND
from concord.stats.core.estimate import Estimate
from concord.stats.core.minimums import CLASS_FLOOR, FAILING_FLOOR, OVERLAP_FLOOR
from concord.stats.decision.conditions import ACCURACY
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.statistics import Statistic
from concord.stats.statistics import shown as in_place


def summary(one: Certificate) -> Table:
    """Return figure, baseline, ceiling, looks, annotators, judges tried and what was not tested."""
    rows = [(first_title(one, name), first_text(of)) for name, of in one.first_terms.items()]
    rows += [line for each in _quoted(one) for line in _decided(one, each)]
    tried = joined(", ", _told_apart(one.tried))
    rows += [
        *_annotators(one.annotators),
        *(("Open alert", text) for text in _alerts(one)),
        ("Excluded", joined("; ", _excluded(one)) or "nothing"),
        ("Judges tried", said("{n}: {names}", n=len(one.tried), names=tried)),
        ("Not tested", joined("; ", _not_tested(one))),
    ]
    return Table("summary", (Column("what"), Column("finding")), tuple(rows))


def evidence(one: Certificate) -> Iterator[Document]:
    """Yield for each decision its conditions, cost against agreement, and robustness."""
    told: set[str] = set()
    for each in _quoted(one):
        found, row = each.look, _row(one, each.look)
        if row:
            tables = replace(conditions(found, row.judge), title=_tested_on(found)), _costs(found)
            note = {p_values(found)} - told
            told |= note
            yield Document("", tables=tables, notes=(*note, *_other_verdicts(each)))


def first_title(one: Certificate, criterion: str) -> Said:
    """Return the title of the first terms; it names their criterion where there are several."""
    title = "first terms"
    several = len(one.first_terms) > 1
    return (
        said("{criterion}: {name}", criterion=criterion, name=title) if several else capital(title)
    )


def first_text(first: Mapping[str, Any]) -> str:
    """Return the first terms and their verdict in one line."""
    figure, who = FIGURES[first["figure"]], first["annotators"]
    parts = (
        figure.title,
        f"margin {margin_text(figure.key, first['margin'])}",
        first["minimum"] and minimum_text(figure, first["minimum"]),
        f"against {short_label(first['against'])}",
        f"annotators: {who if isinstance(who, str) else ', '.join(who)}",
        f"{first['planned']} planned",
        f"fixed {day_of(first['when'])}",
    )
    return f"{'; '.join(filter(None, parts))}: {VERDICTS[first['verdict']]}"


def _told_apart(judges: Sequence[Named]) -> list[str]:
    """Return the names of judges, with the beginning of the fingerprint where several share one."""
    named = Counter(one.name for one in judges)
    return [
        short_label(f"{one.name}@{one.fingerprint}") if named[one.name] > 1 else one.name
        for one in judges
    ]


def _quoted(one: Certificate) -> list[QuotedDecision]:
    return [each for each in (one.decision, *one.further_decisions) if each]


def _row(one: Certificate, found: Choice) -> JudgeFound | None:
    """The judge in a look; None where it was not compared."""
    every = (row for row in found.judges if row.conditions)
    return next((row for row in every if one.judge.has(row.judge, row.fingerprint)), None)


def _decided(one: Certificate, each: QuotedDecision) -> Iterator[tuple[str, str]]:
    """The lines of one decision; each names its criterion where there are several."""
    found, row = each.look, _row(one, each.look)
    several = len(_quoted(one)) > 1
    lines = [
        *(_levels(found, row) if row else ()),
        *terms(found, found.against),
        *_looks(found),
        *_robustness(each, row),
    ]
    for name, text in lines:
        line = said("{criterion}: {name}", criterion=found.criterion, name=name)
        yield line if several else capital(name), text


def _levels(found: Choice, row: JudgeFound) -> Iterator[tuple[str, str]]:
    figure, kind = FIGURES[found.figure], kinds(found)[0]
    yield (
        capital(figure.title),
        said(
            "{value} (95% CI) on {criterion}: {answers} to {questions}",
            value=written(row.value, kind),
            criterion=found.criterion,
            answers=counted(found.answers, "answer"),
            questions=counted(found.questions, "question"),
        ),
    )
    baseline = said("{value} for always giving one score", value=written(found.baseline, kind))
    yield "Majority-class baseline", baseline
    ceiling = said(
        "unknown: two annotators graded answers to fewer than {n} questions", n=OVERLAP_FLOOR
    )
    if found.ceiling is not None:
        ceiling = said(
            "{value} on {answers}",
            value=written(found.ceiling, kind),
            answers=out_of(None, found.overlap, found.answers),
        )
    distance = figure.sign < 0
    yield "Between annotators" if distance else "Inter-annotator agreement", ceiling
    yield from _of_failing(row)


def _of_failing(row: JudgeFound) -> Iterator[tuple[str, str]]:
    """Recall and precision of failing answers, each with the number it is a share of."""
    failed = row.statistics.counts["failure_recall"]["failing"] or 0
    called = row.statistics.counts["failure_precision"]["judge_failing"] or 0
    few = said("too few failing answers ({n})", n=failed) if failed < FAILING_FLOOR else ""
    none = "" if called else "the judge failed no answer"
    if 0 < called < FAILING_FLOOR:
        none = said("too few failing verdicts ({n})", n=called)
    recall, precision = (row.statistics[key] for key in ("failure_recall", "failure_precision"))
    yield "Recall of failing answers", few or _share_of(recall, failed)
    yield "Precision of failing verdicts", few or none or _share_of(precision, called)


def _share_of(share: Estimate, n: int) -> str:
    return said(
        "{share} of {n}" if share.low is not None else "{share} of {n}, no CI: too few questions",
        share=written(share, "share"),
        n=n,
    )


def _alerts(one: Certificate) -> list[str]:
    """The alerts on annotators that were open at the looks that are quoted.

    They are stored as plain text; as numerals they are shown with minus signs.
    """
    looks = (each.look for each in _quoted(one))
    sentences = (each["sentence"] for look in looks for each in look.alerts)
    return [*map(Numeral, dict.fromkeys(sentences))]


def _looks(one: Choice) -> Iterator[tuple[str, str]]:
    yield "terms fixed", said("{day}", day=day_of(one.fixed_at))
    seen = "yes" if one.fixed_after_sight else "no"
    yield "fixed after agreement could be seen", seen
    yield "interim look", said("{n} of at most {most}", n=one.looks, most=one.looks_at_most)
    documents = one.clusters != one.questions
    planned = "planned documents" if documents else "planned questions"
    yield planned, said("{n} of {planned} graded", n=one.clusters, planned=one.planned_questions)


def _annotators(found: Annotators) -> Iterator[tuple[str, str]]:
    """Who graded how much, and whether before seeing judges' grades."""
    named = (said("{name} ({n} scores)", name=one.name, n=one.grades) for one in found.named)
    yield "Annotators", joined(", ", named)
    blind = "unknown" if found.unknown_share == 1 else plain_share(found.blind_share)
    yield "Scores blind to judges' grades", blind
    if found.unknown_share not in (0, 1):
        yield "Unknown whether blind", plain_share(found.unknown_share)
    if found.uncounted:
        others = (
            said("{name}: {why}", name=name, why=said(why)) for name, why in found.uncounted.items()
        )
        yield "Annotators not counted", joined("; ", others)


def _excluded(one: Certificate) -> Iterator[str]:
    """Answers of the sheet that the agreement on the certified criteria does not rest on."""
    for row in one.compared:
        for why, n in row.left_out.items():
            yield said(
                "{criterion}: {answers}, {why}",
                criterion=row.criterion,
                answers=counted(n, "answer"),
                why=said(why),
            )


def _not_tested(one: Certificate) -> list[str]:
    """Conditions without a test, other criteria, and unseen questions."""
    quoted = _quoted(one)
    rest = [each.name for each in one.rubric.criteria if each.name not in one.of]
    found = [line for each in quoted for line in _untested(one, each)]
    if rest:
        found.append(said("other criteria ({names})", names=joined(", ", rest)))
    if one.questions.split != "held-out":
        found.append("held-out questions")
    return list(dict.fromkeys(found)) or ["none: everything planned was tested"]


def _untested(one: Certificate, each: QuotedDecision) -> Iterator[str]:
    look, row = each.look, _row(one, each.look)
    for name in look.uncompared:
        yield said(
            "agreement of {name} with other annotators (fewer than {n} shared questions)",
            name=name,
            n=OVERLAP_FLOOR,
        )
    if not row:
        return
    for name, tested in row.conditions.items():
        if tested.state == "none" and tested.estimate.why_none and is_asked(look, name):
            yield condition_title(look, name)
    if ACCURACY not in row.conditions:
        yield said(
            "telling passing from failing answers (fewer than {n} of one kind)", n=CLASS_FLOOR
        )
    if not look.minimum:
        yield "a minimum (none was named)"


def _tested_on(found: Choice) -> str:
    if not found.kept_from:
        return said("Conditions on {criterion}", criterion=found.criterion)
    looked = day_of(found.kept_from["looked_at"])
    return said("Conditions on {criterion}, {day}", criterion=found.criterion, day=looked)


def _costs(found: Choice) -> Table:
    """Cost against the deciding figure, a row per judge that was compared."""
    kind, apart = kinds(found)
    parts: Sequence[Part] = (
        (Column("judge"), "judge"),
        (Column("verdict"), verdict),
        (
            Column(said("{figure}, 95% CI", figure=FIGURES[found.figure].title), kind),
            "value",
        ),
        (
            Column("difference, 95% CI", apart),
            lambda row: None if row.is_reference else row.difference,
        ),
        (Column("USD per 1,000 answers"), price),
    )
    return table_of("costs", found.judges, parts, "Cost against agreement")


def _robustness(each: QuotedDecision, row: JudgeFound | None) -> Iterator[tuple[str, str]]:
    """Return how many replays of the verdict agree, placed before any table."""
    held = each.robustness
    if held and row:  # of a judge that was not compared nothing is replayed
        named = row.confirmed  # else the present grades give another verdict
        yield (
            "robustness",
            said(
                "“{verdict}” in {same} of {of} sensitivity analyses"
                if named
                else "same verdict in {same} of {of} sensitivity analyses",
                verdict=VERDICTS[row.verdict] if named else "",
                same=held["same"],
                of=held["of"],
            ),
        )


def _other_verdicts(each: QuotedDecision) -> Iterator[str]:
    """Which single change turns the verdict."""
    for one in each.robustness["falls"] if each.robustness else ():
        verdict = VERDICTS.get(one["verdict"]) or "cannot be compared"
        yield said(
            "Other verdict on {criterion}: {change} ({verdict})",
            criterion=each.look.criterion,
            change=one["changed"],
            verdict=verdict,
        )


_FALLEN = ("void", "expired")
_IN_ONE_LINE = re.compile(r"(\[\S+,|<) (?=\S)")  # a CI; a p value below a bound


def title(one: Certificate) -> str:
    """Return the title: only what certifies something is a certificate, of its criteria."""
    return said(
        "Certificate of {judge}: {criteria}"
        if one.certified
        else "Calibration record of {judge}: {criteria}"
        if one.of
        else "Calibration record of {judge}",
        judge=one.judge_label,
        criteria=joined(", ", one.of),
    )


def document(one: Certificate) -> Document:
    """Return what a terminal shows of a certificate; `page` has the whole."""
    why = said("Nothing is certified: {why}.", why=one.why_not) if one.why_not else ""
    until = said("Certified until {day}.", day=day_of(one.expires_at)) if one.certified else ""
    return Document(
        title(one),
        tuple(filter(None, (why, until, one.sentence))),
        (
            summary(one),
            *(table for each in evidence(one) for table in each.tables),
            decisions_table(one.decisions or (), one.judge.name),
        ),
        (
            *(note for each in evidence(one) for note in each.notes),
            *one.remarks,
            said("It does not show: {those}", those=joined(" ", one.does_not_show)),
        ),
    )


def decisions_table(rows: Iterable[DecisionAbout], judge: str) -> Table:
    """Return every decision about a judge of this name, good or not."""
    columns = (
        Column("criterion"),
        Column("verdict"),
        Column("figure"),
        Column("estimate, CI"),
        Column("answers", "count"),
        Column("compared with"),
        Column("margin"),
        Column("minimum"),
        Column("date"),
    )
    cells = (
        (
            row.criterion,
            said("{verdict}, exploratory", verdict=VERDICTS[row.verdict])
            if not row.confirmatory
            else VERDICTS[row.verdict],
            FIGURES[row.figure].title,
            _estimate(row),
            row.answers,
            "none: it is the reference judge"
            if row.against.partition("@")[0] == judge
            else row.against,
            margin_text(row.figure, row.margin),
            limit_text(row.figure, row.minimum),
            day(row.looked_at),
        )
        for row in rows
    )
    return Table("decisions", columns, tuple(cells), "Decisions about this judge on this sheet")


def _estimate(row: DecisionAbout) -> str:
    return written(
        Estimate(**row.estimate), "share" if FIGURES[row.figure].kind == "share" else "number"
    )


def page(one: Certificate, state: str = "", reasons: Iterable[str] = ()) -> str:
    """Return the certificate as an HTML document; arguments as for `article`."""
    return article(one, state, reasons, whole=True)


def article(
    one: Certificate, state: str = "", reasons: Iterable[str] = (), whole: bool = False
) -> str:
    """Return the certificate as the content of an HTML page, with its style.

    Args:
        one: The certificate.
        state: The state where it no longer holds: `void` or `expired`.
        reasons: Why, in sentences.
        whole: Return a document of its own, not a part of one.
    """
    fallen = state in _FALLEN
    # It is called, and coloured, good enough only while that is certified.
    hidden = one.verdict == GOOD_ENOUGH and (fallen or not one.certified)
    return _template().render(
        one=one,
        whole=whole,
        title=title(one),
        state=state.upper() if fallen else "",
        reasons=list(reasons),
        verdict="" if hidden else one.verdict or "",
        verdicts=VERDICTS,
        decisions=_cells(decisions_table(one.decisions or (), one.judge.name)),
        agreement=_agreement(one.rows),
        by_model=_by_model(one),
        facts=summary(one).rows,
        evidence=[(each, [(t.title, _cells(t)) for t in each.tables]) for each in evidence(one)],
        estimate=lambda value: written(value, "share"),
        command=COMMAND,
    )


@cache
def _template() -> Template:
    folder = FileSystemLoader(Path(__file__).parent)
    return Environment(
        loader=folder, autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_as_read
    ).get_template("certificate.jinja")


def _as_read(value: Any) -> Any:
    """Return a value of the page, with the minus signs of screens and no line break in a figure."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return _IN_ONE_LINE.sub("\\1\N{NO-BREAK SPACE}", with_minus(value, value))


def _cells(table: Table) -> tuple[list[str], list[list[str | int]]]:
    return shown(table) if table.rows else ([], [])


def _agreement(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Heads and lines: a statistic per line, a column per criterion and one for the composite."""
    rows = [row for row in rows if row["n"]]
    lines = [["answers", *(row["n"] for row in rows)]]
    lines += [
        [one.title, *(counted_figure(row, one) for row in rows)]
        for one in in_place("certificate")
        if all(one.key in row for row in rows)
    ]
    lines += [
        [
            "failures as disagreements, exact",
            *(_figure(row["worst_case"]["exact"], "share") for row in rows),
        ],
        [
            "inter-annotator agreement, exact",
            *(_figure(row["ceiling"]["exact"], "share") for row in rows),
        ],
        [
            "majority-class baseline, exact",
            *(plain_share(row["majority_baseline"]["exact"]) for row in rows),
        ],
    ]
    return ["figure", *(row["criterion"] for row in rows)], lines


def _by_model(one: Certificate) -> tuple[list[str], list[list[str]]]:
    """Heads and lines: the criterion of the worst answering model, for each of them."""
    # A certificate written before a figure existed does not hold it.
    columns = [
        each for each in in_place("table") if all(each.key in row for row in one.by_answer_model)
    ]
    lines = [
        [row["answer_model"], row["n"], *(counted_figure(row, each) for each in columns)]
        for row in one.by_answer_model
        if one.worst_answer_model and row["criterion"] == one.worst_answer_model.criterion
    ]
    return ["answering model", "n", *(each.head for each in columns)], lines


def counted_figure(row: Mapping[str, Any], one: Statistic) -> str:
    """Return a statistic of a row; of failing answers with their number, as `83% of 12`.

    Withheld where they are too few for a share, as in the summary.
    """
    found = _figure(row[one.key], one.kind)
    counts = [row[one.key].get(name) for name in one.counts]
    if not counts or None in counts or row[one.key]["value"] is None:
        return found
    if min(counts) < FAILING_FLOOR:
        return said("too few ({n})", n=min(counts))
    return f"{found} of {' and '.join(map(str, counts))}"


def _figure(estimate: Mapping[str, Any], kind: Kind) -> str:
    """An estimate of a row, which is JSON, with its interval."""
    return written(Estimate(*(estimate[end] for end in ("value", "low", "high"))), kind)


def commands(one: Certificate, file: str) -> str:
    """Return the commands that verify a certificate in a file and use it in a build."""
    lines = [
        f"{COMMAND} export EXPORT",
        f"{COMMAND} verify {file} --from EXPORT",
        f"{COMMAND} gate --certificate {file}",
    ]
    if one.judge.definition and "members" not in one.judge.definition:
        lines.append(f"{COMMAND} recheck {file} --yes")
    return "\n".join(lines)
