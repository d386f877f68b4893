"""The document of a certificate, and its page in HTML, which prints on paper and loads nothing.

It is read in a minute: a table of what was found, and what it does not show. Every other figure
stands in its JSON.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, Template

from concord.clock import day_of
from concord.language.languages import with_minus
from concord.messages import capital, counted, said
from concord.reports.cells import plain_share, written
from concord.reports.certificate.certificate import Certificate, QuotedDecision
from concord.reports.decision.document import RESULTS, condition_title, is_asked, kinds
from concord.reports.decision.results import GOOD_ENOUGH, VERDICTS, Choice, JudgeFound
from concord.reports.decision.terms import margin_text, minimum_text
from concord.reports.document import Column, Document, Table
from concord.reports.panel.provenance import short_label
from concord.resources import COMMAND
from concord.stats.core.estimate import Estimate
from concord.stats.core.minimums import FAILING_FLOOR
from concord.stats.decision.conditions import ACCURACY
from concord.stats.decision.deciding_figure import FIGURES

_FALLEN = ("void", "expired")
_IN_ONE_LINE = re.compile(r"(\[\S+,|<) (?=\S)")  # a CI; a p value below a bound


def title(one: Certificate) -> str:
    """Return the title: only what certifies something is a certificate, of its criteria."""
    kind = "Certificate" if one.certified else "Calibration record"
    criteria = f": {', '.join(one.criteria)}" if one.criteria else ""
    return f"{kind} of {one.judge_label}{criteria}"


def summary(one: Certificate) -> Table:
    """Return first terms, figures, annotators, judges tried, looks and what was not tested."""
    several = len(one.first_terms) > 1
    rows = [
        (f"{name}: first terms" if several else "First terms", first_text(of))
        for name, of in one.first_terms.items()
    ]
    for each in one.quoted:
        found, row = each.look, _row(one, each.look)
        graded = f"{found.clusters} of {found.planned_questions} planned questions"
        lines = [
            *(_figures(found, row) if row else ()),
            ("interim look", f"{found.looks} of at most {found.looks_at_most}; {graded}"),
        ]
        if found.changed_terms or found.first_terms["when"] != found.fixed_at:
            who = "others" if "annotators" in found.changed_terms else "as first"
            now = {key: getattr(found, key, None) for key in found.first_terms}
            now |= {"planned": found.planned_questions, "when": found.fixed_at}
            now |= {"verdict": found.verdict, "annotators": who}
            lines.append(("terms", first_text(now)))
        if row:
            met = [name for name, one in row.conditions.items() if one.state == "clear"]
            rest = {name: one.state for name, one in row.conditions.items() if name not in met}
            other = [
                f"{condition_title(found, name)}: {RESULTS[state]}"
                for name, state in rest.items()
                if state != "none"
            ]
            lines.append(("conditions met", "; ".join([f"{len(met)}", *other])))
        if row and each.robustness:
            held = each.robustness
            falls = [said("{changed}", changed=fall["changed"]) for fall in held["falls"]]
            other = f"; not {', '.join(falls)}" if falls else ""
            lines.append(
                ("robustness", f"{held['same']} of {held['of']} sensitivity analyses{other}")
            )
        several = len(one.quoted) > 1
        rows += [(f"{found.criterion}: {k}" if several else capital(k), v) for k, v in lines]
    scored = [f"{each['name']} ({each['grades']} scores)" for each in one.annotators.named]
    uncounted = [said("{name}: {why}", name=k, why=v) for k, v in one.annotators.uncounted.items()]
    names = Counter(each["name"] for each in one.tried)
    tried = [
        short_label(f"{each['name']}@{each['fingerprint']}")
        if names[each["name"]] > 1
        else each["name"]
        for each in one.tried
    ]
    left_out = [
        f"{row['criterion']}: {counted(n, 'answer')}, {why}"
        for row in one.compared
        for why, n in row["left_out"].items()
    ]
    blind, unknown = one.annotators.blind_share, one.annotators.unknown_share
    alerts = {each["sentence"]: "Open alert" for of in one.quoted for each in of.look.alerts}
    worst = min(_by_model(one), key=lambda row: row["exact"]["value"], default=None)
    every = [
        ("Annotators", ", ".join(scored)),
        ("Blind to judges", blind != 1 and ("unknown" if unknown == 1 else plain_share(blind))),
        ("Annotators not counted", "; ".join(uncounted)),
        *((name, text) for text, name in alerts.items()),
        ("Answers left out", "; ".join(left_out)),
        ("Worst answering model", worst and f"{worst['answer_model']}, exact {_exact(worst)}"),
        ("Judges tried", f"{len(tried)}: {', '.join(tried)}"),
        ("Not tested", "; ".join(_not_tested(one))),
        ("Fingerprint", one.judge.fingerprint),
        ("Model", one.judge.model),
        ("Rubric, sheet", f"{one.rubric.name}, {one.sheet.name} ({one.sheet.answers} answers)"),
    ]
    rows += [(name, text) for name, text in every if text]
    return Table("summary", (Column("what"), Column("finding")), tuple(rows))


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


def _row(one: Certificate, found: Choice) -> JudgeFound | None:
    """The judge in a look; None where it was not compared."""
    every = (row for row in found.judges if row.conditions)
    return next((row for row in every if one.judge.has(row.judge, row.fingerprint)), None)


def _figures(found: Choice, row: JudgeFound) -> Iterator[tuple[str, str]]:
    """Yield the deciding figure, what it is read against, and the failing figures."""
    figure, kind = FIGURES[found.figure], kinds(found)[0]
    size = f"{counted(found.answers, 'answer')} to {counted(found.questions, 'question')}"
    yield figure.title, f"{written(row.value, kind)} (95% CI) on {found.criterion}: {size}"
    yield "majority-class baseline", written(found.baseline, kind)
    ceiling = "unknown: too few shared questions"
    if found.ceiling is not None:
        ceiling = f"{written(found.ceiling, kind)} on {found.overlap} of {found.answers} answers"
    yield "inter-annotator agreement", ceiling
    for key, count, name in (
        ("failure_recall", "failing", "recall of failing answers"),
        ("failure_precision", "judge_failing", "precision of failing verdicts"),
    ):
        share, n = row.statistics[key], row.statistics.counts[key][count] or 0
        least = found.failure_recall if key == "failure_recall" else found.failure_precision
        minimum = f" (minimum {plain_share(least)})" if least else ""
        told = f"too few ({n})" if n < FAILING_FLOOR else f"{written(share, 'share')} of {n}"
        yield name, f"{told}{minimum}"


def _by_model(one: Certificate) -> list[Mapping[str, Any]]:
    """The rows of answering models on the first certified criterion, where exact is known."""
    criterion = one.compared[0]["criterion"] if one.compared else ""
    rows = [row for row in one.by_answer_model if row["criterion"] == criterion]
    return [row for row in rows if row["exact"]["value"] is not None]


def _exact(row: Mapping[str, Any]) -> str:
    estimate = Estimate(*(row["exact"][end] for end in ("value", "low", "high")))
    return f"{written(estimate, 'share')} of {row['n']}"


def _not_tested(one: Certificate) -> list[str]:
    """Conditions without a test, other criteria, and unseen questions."""
    found = [line for each in one.quoted for line in _untested(one, each)]
    rest = [each["name"] for each in one.rubric.criteria if each["name"] not in one.criteria]
    if rest:
        found.append(f"other criteria ({', '.join(rest)})")
    if one.questions.split != "held-out":
        found.append("held-out questions")
    return list(dict.fromkeys(found)) or ["none"]


def _untested(one: Certificate, each: QuotedDecision) -> Iterator[str]:
    look, row = each.look, _row(one, each.look)
    for name in look.uncompared:
        yield f"agreement of {name} with other annotators"
    for name, tested in row.conditions.items() if row else ():
        if tested.state == "none" and tested.estimate.why_none and is_asked(look, name):
            yield condition_title(look, name)
    if row and ACCURACY not in row.conditions:
        yield "telling passing from failing answers"
    if row and not look.minimum:
        yield "a minimum (none was named)"


def document(one: Certificate) -> Document:
    """Return what a terminal shows of a certificate."""
    why = said("Nothing is certified: {why}.", why=one.why_not) if one.why_not else ""
    until = f"Certified until {day_of(one.expires_at)}." if one.certified else ""
    facts = tuple(filter(None, (why, until, one.sentence)))
    notes = (*one.remarks, f"It does not show: {' '.join(one.does_not_show)}")
    return Document(title(one), facts, (summary(one),), notes)


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
        facts=summary(one).rows,
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
