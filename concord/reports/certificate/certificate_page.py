"""A certificate as one HTML page that prints on paper; it loads nothing from anywhere."""

from collections.abc import Iterable, Mapping
from html import escape

from concord.messages import said
from concord.reports.cells import figure, plain_share, share
from concord.reports.decision.verdict import GOOD_ENOUGH, VERDICTS
from concord.resources import COMMAND
from concord.stats.statistics import Statistic
from concord.stats.statistics import shown as in_place
from concord.store.json_names import renamed

LOOK = """
.certificate { font: 12px/1.45 system-ui, 'Noto Sans', 'Noto Sans CJK SC', sans-serif;
  color: #1b1b1b; background: #fff; max-width: 200mm; margin: 0 auto; padding: 1.5em }
.certificate h1 { font-size: 21px; margin: 0 0 .2em; padding: 0; color: inherit }
.certificate h2 { font-size: 14px; margin: 1.3em 0 .3em; padding: 0; color: inherit }
.certificate .verdict { border-left: 6px solid #767676; padding: .3em .9em; margin: .8em 0;
  font-size: 15px }
.certificate .good_enough { border-color: #00785a }
.certificate .not { border-color: #b34700 }
.certificate .wide { overflow-x: auto }
.certificate table { border-collapse: collapse; width: 100%; margin: 0 }
.certificate td, .certificate th { padding: .2em .6em .2em 0; text-align: left;
  vertical-align: top; border: 0; border-bottom: 1px solid #d5d5d5; color: inherit }
.certificate th { font-weight: 600 } .certificate .facts th { width: 9.5em }
.certificate td.figure { white-space: nowrap }
.certificate ul { margin: .2em 0; padding-left: 1.2em }
.certificate ul li, .certificate p { font-size: 12px; line-height: 1.45; margin: .15em 0 }
.certificate .small { font-size: 11px; color: #4a4a4a }
"""
_FALLEN = ("void", "expired")
_VOID = (
    "Void as soon as any part of the judge's identity changes: prompt, criteria, examples, model "
    "(also what the server calls it), settings or endpoint."
)


def page(body: Mapping, state: str = "", reasons: Iterable[str] = ()) -> str:
    """The certificate as an HTML document; arguments as for `article`."""
    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{escape(title(body))}"
        f"</title><style>@page {{ size: A4; margin: 10mm }} {LOOK}</style></head>"
        f"<body>{article(body, state, reasons)}</body></html>"
    )


def article(body: Mapping, state: str = "", reasons: Iterable[str] = ()) -> str:
    """The certificate as the content of an HTML page; `LOOK` is how it looks.

    Args:
        body: The certificate.
        state: Where it no longer holds: `void` or `expired`.
        reasons: Why, in sentences.
    """
    body = renamed(body)
    parts = [
        f"<h1>{escape(title(body))}</h1>",
        _verdict(body, state, reasons),
        _section("Decisions about this judge on this sheet", _decisions(body)),
        _section("Judge", _facts(_judge(body))),
        _section("What it was held against", _facts(_ground(body))),
        _section("Agreement with annotators", _figures(body["rows"])),
        _section("By answering model", _models(body)),
        _section("What was fixed before", _facts(_fixed(body))),
        _section("To be known", _list(body["remarks"])) if body["remarks"] else "",
        _section("What it does not show", _list(body["does_not_show"])),
        _foot(body),
    ]
    return f"<article class='certificate' lang='en'>{''.join(parts)}</article>"


def title(body: Mapping) -> str:
    """What the page is called: only what certifies something is a certificate, of its criteria."""
    return said(
        "Certificate of {judge}: {criteria}"
        if body["certified"]
        else "Calibration record of {judge}: {criteria}"
        if criteria(body)
        else "Calibration record of {judge}",
        judge=body["judge"]["name"],
        criteria=", ".join(criteria(body)),
    )


def criteria(body: Mapping) -> list[str]:
    """The criteria that a certificate is about; before they were kept it was that of its look."""
    decision = body["decision"]
    return body.get("criteria") or ([decision["criterion"]] if decision else [])


def _verdict(body: Mapping, state: str, reasons: Iterable[str]) -> str:
    """The verdict; it is said, and coloured, as good enough only while that is certified."""
    over = f"<strong>{state.upper()}.</strong> {_list(reasons)}" if state in _FALLEN else ""
    shown = body["verdict"] or ""
    if shown == GOOD_ENOUGH and (over or not body["certified"]):
        shown = ""
    head = f"<strong>{VERDICTS[shown].capitalize()}.</strong>" if shown else ""
    why = f" Nothing is certified: {escape(body['why_not'])}." if body["why_not"] else ""
    found = escape(body["sentence"])
    return f"<div class='verdict {shown}'>{over}{head}{why} {found}</div>"


def _decisions(body: Mapping) -> str:
    """Every decision about the judge, whether or not it is certified."""
    if "decisions" not in body:
        return "<p>Not listed: the certificate was written before decisions were.</p>"
    if not body["decisions"]:
        return "<p>None.</p>"
    heads = ("criterion", "verdict", "figure", "estimate [simultaneous CI]", "compared with")
    return _table(
        (*heads, "margin", "date"),
        [
            (
                row["criterion"],
                VERDICTS[row["verdict"]],
                row["figure"],
                share(row["estimate"]),
                row["against"],
                f"{100 * row['margin']:g} points",
                row["looked_at"][:10],
            )
            for row in body["decisions"]
        ],
    )


def _judge(body: Mapping) -> dict[str, str]:
    judge = body["judge"]
    reported = "; ".join(
        f"{row['model'] or 'not said'}"
        + (f" ({row['system_fingerprint']})" if row["system_fingerprint"] else "")
        + f", {row['replies']} replies, {row['since'][:10]} to {row['until'][:10]}"
        for row in judge["reported"]
    )
    return {
        "Fingerprint": judge["fingerprint"] or "unknown: its grades came from a file",
        "Model asked for": judge["model"] or "unknown",
        "Model as the server reported it": reported or "not reported",
        "Judges tried": ", ".join(_tried(one) for one in body["tried"]),
        **_anchors(body.get("anchors")),
    }


def _anchors(kept: Mapping | None) -> dict[str, str]:
    """What it carries to be asked again; nothing where it carries none."""
    if not kept:
        return {}
    small = kept["noticeable"]
    sharp = f"a change of {small:.0%} of the scores" if small else "hardly any change"
    again = (
        f"{len(kept['items'])} answers with {kept['repeats']} replies each; asked again, {sharp}"
    )
    return {"Anchors": f"{again} would be noticed 4 times in 5"}


def _tried(one: Mapping) -> str:
    return one["name"] + (f" ({one['fingerprint'][:8]})" if one["fingerprint"] else "")


def _ground(body: Mapping) -> dict[str, str]:
    rubric, annotators, sheet = body["rubric"], body["annotators"], body["sheet"]
    criteria = "; ".join(
        f"{one['name']} (weight {one['weight']}, version {one['version'][:8]})"
        for one in rubric["criteria"]
    )
    row = body["rows"][0]
    names = ", ".join(f"{one['name']} ({one['grades']} scores)" for one in annotators["named"])
    left = "; ".join(f"{count} {reason}" for reason, count in row["left_out"].items())
    return {
        "Rubric": f"{rubric['name']}, scale {rubric['scale'][0]} to {rubric['scale'][-1]}: "
        + criteria,
        "Sheet": f"{sheet['name']} ({sheet['file']}, sha256 {sheet['sha256'][:12]}), "
        f"{sheet['answers']} answers",
        "Annotators": names,
        "Graded blind": f"{plain_share(annotators['blind_share'])} of their scores; unknown for "
        + plain_share(annotators["unknown_share"]),
        "Answers": f"{row['n']} answers to {row['questions']} questions ({row['clusters']} "
        "independent ones)",
        "Left out": left or "nothing",
    }


def _figures(rows: list[dict]) -> str:
    """Every figure with its interval, a column per criterion and one for the composite."""
    lines = [("answers", *(row["n"] for row in rows))]
    lines += [
        (one.title, *(counted_figure(row, one) for row in rows)) for one in in_place("certificate")
    ]
    lines += [
        ("failures as disagreements, exact", *(share(r["worst_case"]["exact"]) for r in rows)),
        ("annotators with one another, exact", *(share(row["ceiling"]["exact"]) for row in rows)),
        ("majority-class baseline, exact", *(_constant(row) for row in rows)),
    ]
    signatures = "".join(f"<div>{escape(row['signature'])}</div>" for row in rows)
    table = _table(("figure", *(row["criterion"] for row in rows)), lines)
    return f"{table}<div class='small'>{signatures}</div>"


def counted_figure(row: Mapping, one: Statistic) -> str:
    """Return a statistic of a row; of failing answers with their number, as `83% of 12`."""
    found = figure(row[one.key], one.kind)
    if not one.of_failing or row[one.key]["value"] is None or row["failing"] is None:
        return found
    return f"{found} of {row['failing']}"


def _constant(row: Mapping) -> str:
    return plain_share(row["majority_baseline"]["exact"])


def _models(body: Mapping) -> str:
    worst = body["worst_answer_model"]
    if worst is None:
        return "<p>The sheet does not name the answering models.</p>"
    least = (
        f"<p>Worst: {escape(worst['answer_model'])}, exact {escape(share(worst['exact']))} of "
        f"{worst['n']} answers ({escape(worst['criterion'])}).</p>"
    )
    rows = [row for row in body["by_answer_model"] if row["criterion"] == worst["criterion"]]
    return least + _table(
        ("answering model", "n", *(one.head for one in in_place("table"))),
        [
            (
                row["answer_model"],
                row["n"],
                *(counted_figure(row, one) for one in in_place("table")),
            )
            for row in rows
        ],
    )


def _fixed(body: Mapping) -> dict[str, str]:
    questions, decision = body["questions"], body["decision"]
    split = questions.get("split", questions.get("role"))  # its name in earlier versions
    found = {"Questions": f"{split}, fixed on {questions['fixed_at'][:10]}"}
    if decision is None:
        return found | {"Margin": "none was fixed"}
    quoted = [decision, *body.get("further_decisions", ())]
    return found | {f"Decision on {one['criterion']}": _terms(one) for one in quoted}


def _terms(decision: Mapping) -> str:
    """The terms of one decision, and which look at it counts."""
    minimum, recall = decision["minimum"], decision["failure_recall"]
    least = plain_share(minimum) if minimum is not None else "none"
    failing = plain_share(recall) if recall is not None else "none"
    figure = decision.get("figure", decision.get("metric"))  # its name in earlier versions
    return (
        f"{figure} agreement against {decision['against']}, margin "
        f"{100 * decision['margin']:g} points, minimum {least}, minimum recall of failing answers "
        f"{failing}; fixed on {decision['fixed_at'][:10]}, look {decision['looks']} of at most 4"
    )


def _foot(body: Mapping) -> str:
    return (
        f"<p>Made on {body['made_at'][:10]}; expires on {body['expires_at']}. {escape(_VOID)}</p>"
        f"<p class='small'>Digest <code>{body['digest']}</code>. Every figure can be made again: "
        f"<code>{COMMAND} verify CERTIFICATE.json --from EXPORT</code>.</p>"
    )


def commands(body: dict, file: str) -> str:
    """Return the commands that verify a certificate in a file and hold a build by it."""
    lines = [
        f"{COMMAND} export EXPORT",
        f"{COMMAND} verify {file} --from EXPORT",
        f"{COMMAND} gate --certificate {file}",
    ]
    if body.get("anchors"):
        lines.append(f"{COMMAND} recheck {file} --yes")
    return "\n".join(lines)


def _section(head: str, content: str) -> str:
    return f"<h2>{escape(head)}</h2>{content}"


def _facts(facts: Mapping[str, str]) -> str:
    rows = (
        f"<tr><th>{escape(name)}</th><td>{escape(fact)}</td></tr>" for name, fact in facts.items()
    )
    return f"<table class='facts'>{''.join(rows)}</table>"


def _table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    lines = (
        "<tr>" + "".join(f"<td class='figure'>{escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f"<div class='wide'><table><tr>{head}</tr>{''.join(lines)}</table></div>"


def _list(sentences: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(one)}</li>" for one in sentences) + "</ul>"
