"""The document of a certificate, and its page in HTML, which prints on paper and loads nothing.

It is read in a minute: a table of what was found, and what it does not show. Every other figure
stands in its JSON.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, Template

from concord.clock import day_of
from concord.messages import capital, counted, message_of
from concord.model import HELD_OUT
from concord.reports.cells import plain_share, written
from concord.reports.certificate.certificate import Certificate
from concord.reports.decision.document import RESULTS, condition_title, counted_of, kinds
from concord.reports.decision.results import GOOD_ENOUGH, VERDICTS, Row
from concord.reports.decision.robustness import NOT_COMPARED
from concord.reports.decision.terms import changed_text, limit_text, margin_text
from concord.reports.document import Column, Document, Table
from concord.reports.panel.provenance import short_label
from concord.stats.core.estimate import Estimate
from concord.stats.core.minimums import FAILING_FLOOR
from concord.stats.decision.deciding_figure import FIGURES
from concord.stats.intervals.group_sequential import LOOKS_AT_MOST


def title(one: Certificate) -> str:
    """Return the title: only what certifies something is a certificate, of its criteria."""
    kind = "Certificate" if one.certified else "Calibration record"
    criteria = f": {', '.join(one.criteria)}" if one.criteria else ""
    return f"{kind} of {one.judge_label}{criteria}"


def summary(one: Certificate) -> Table:
    """Return first terms, figures, annotators, judges tried, looks and what was not tested."""
    several = len(one.quoted) > 1
    rows = [
        (f"{name}: first terms" if several else "First terms", first_text(of))
        for name, of in one.first_terms.items()
    ]
    for each in one.quoted:
        of = _decided(one, each)
        rows += [(f"{each.look.criterion}: {k}" if several else capital(k), v) for k, v in of]
    scored = [f"{each.name} ({each.grades} scores)" for each in one.annotators.named]
    uncounted = [f"{name}: {message_of(why)}" for name, why in one.annotators.uncounted.items()]
    names = [each.name for each in one.tried]
    tried = [
        short_label(f"{each.name}@{each.fingerprint}") if names.count(each.name) > 1 else each.name
        for each in one.tried
    ]
    blind, unknown = one.annotators.blind_share, one.annotators.unknown_share
    every = [
        ("Annotators", ", ".join(scored)),
        ("Blind to judges", blind != 1 and ("unknown" if unknown == 1 else plain_share(blind))),
        ("Annotators not counted", "; ".join(uncounted)),
        ("Judges tried", f"{len(tried)}: {', '.join(tried)}"),
        ("Not tested", "; ".join(_not_tested(one)) or "none"),
        ("Fingerprint", one.judge.fingerprint),
        ("Model", one.judge.model),
        ("Rubric, sheet", f"{one.rubric.name}, {one.sheet.name} ({one.sheet.answers} answers)"),
    ]
    rows += [(name, text) for name, text in every if text]
    return Table("summary", (Column("what"), Column("finding")), tuple(rows))


def first_text(first: Mapping[str, Any]) -> str:
    """Return the first terms and their verdict in one line."""
    key, who = first["figure"], first["annotators"]
    parts = (
        FIGURES[key].title,
        f"margin {margin_text(key, first['margin'])}",
        first["minimum"] and f"minimum {limit_text(key, first['minimum'])}",
        f"against {short_label(first['against'])}",
        f"annotators: {who if isinstance(who, str) else ', '.join(who)}",
        f"{first['planned']} planned",
        f"fixed {day_of(first['when'])}",
    )
    return f"{'; '.join(filter(None, parts))}: {VERDICTS[first['verdict']]}"


def _decided(one: Certificate, each: Row) -> Iterator[tuple[str, str]]:
    """Yield what was found in a decision: figures and what they are read against, and its look."""
    look, row = each.look, next(filter(one.is_of, each.look.judges), None)
    if row and row.conditions:
        kind = kinds(look)[0]
        size = f"{counted(look.answers, 'answer')} to {counted(look.questions, 'question')}"
        value = written(row.value, kind)
        yield FIGURES[look.figure].title, f"{value} (95% CI) on {look.criterion}: {size}"
        yield "majority-class baseline", written(look.baseline, kind)
        ceiling = "unknown: too few shared questions"
        if look.ceiling is not None:
            ceiling = f"{written(look.ceiling, kind)} on {look.overlap} of {look.answers} answers"
        yield "inter-annotator agreement", ceiling
        for key, name in (
            ("failure_recall", "recall of failing answers"),
            ("failure_precision", "precision of failing verdicts"),
        ):
            share, n = Estimate(*map(row[key].get, Estimate._fields)), counted_of(row, key) or 0
            minimum = f" (minimum {plain_share(look[key])})" if look[key] else ""
            few = n < FAILING_FLOOR
            found = f"too few ({n})" if few else f"{written(share, 'share')} of {n}"
            yield name, f"{found}{minimum}"
    graded = f"{look.clusters} of {look.planned_questions} planned questions"
    yield "interim look", f"{look.looks} of at most {LOOKS_AT_MOST}; {graded}"
    if look.changed_terms:
        yield "first terms not kept", changed_text(look.changed_terms)
    if row and row.conditions:
        states = {name: one.state for name, one in row.conditions.items() if one.state != "none"}
        other = [
            f"{condition_title(look, name)}: {RESULTS[state]}"
            for name, state in states.items()
            if state != "clear"
        ]
        yield "conditions met", "; ".join([f"{len(states) - len(other)}", *other])
        held = each.robustness
        falls = [
            fall["changed"]
            for fall in held.analyses
            if fall["verdict"] not in (held.verdict, NOT_COMPARED)
        ]
        other = f"; not {', '.join(falls)}" if falls else ""
        yield "robustness", f"{held.same} of {held.of} sensitivity analyses{other}"


def _not_tested(one: Certificate) -> dict[str, None]:
    """Return conditions without a test, other criteria, and unseen questions, each once."""
    found = []
    for each in one.quoted:
        row = next(filter(one.is_of, each.look.judges), None)
        for name, tested in row.conditions.items() if row else ():
            if tested.state == "none" and tested.estimate.why_none:
                found.append(condition_title(each.look, name))
        if row and not each.look.minimum:
            found.append("a minimum (none was named)")
    rest = [each.name for each in one.rubric.criteria if each.name not in one.criteria]
    if rest:
        found.append(f"other criteria ({', '.join(rest)})")
    if one.questions.split != HELD_OUT:
        found.append("held-out questions")
    return dict.fromkeys(found)


def document(one: Certificate) -> Document:
    """Return what a terminal shows of a certificate."""
    state = f"Certified until {day_of(one.expires_at)}."
    if one.why_not:
        state = f"Nothing is certified: {message_of(one.why_not)}."
    notes = (*one.remarks, f"It does not show: {' '.join(one.does_not_show)}")
    return Document(title(one), (state, *filter(None, [one.sentence])), (summary(one),), notes)


def page(one: Certificate, state: str = "", reasons: Iterable[str] = (), whole: bool = True) -> str:
    """Return the certificate as an HTML document, with its style.

    Args:
        one: The certificate.
        state: The state where it no longer holds: `void` or `expired`.
        reasons: Why, in sentences.
        whole: Return a document of its own, not a part of one.
    """
    fallen = state in ("void", "expired")
    # It is called, and coloured, good enough only while that is certified.
    hidden = one.verdict == GOOD_ENOUGH and (fallen or not one.certified)
    return _template().render(
        one=one,
        whole=whole,
        title=title(one),
        state=state.upper() if fallen else "",
        reasons=list(reasons),
        verdict="" if hidden else one.verdict or "",
        facts=summary(one).rows,
    )


@cache
def _template() -> Template:
    folder = FileSystemLoader(Path(__file__).parent)
    return Environment(
        loader=folder, autoescape=True, trim_blocks=True, lstrip_blocks=True
    ).get_template("certificate.jinja")
