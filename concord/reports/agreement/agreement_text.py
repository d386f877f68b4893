"""Agreement text: everything `agreement --all` prints after the figures that decide."""

from collections.abc import Sequence

from concord.language.plurals import counted
from concord.reports.agreement import skipped_analyses, unit_agreement
from concord.reports.agreement.figure_table import figure_table
from concord.reports.panel.terminal_tables import UNDEFINED, figure, number, plain_share, table
from concord.reports.panel.unit_words import heading, said
from concord.rubrics.model import Rubric
from concord.stats.statistics import shown


def everything(found: dict, rubric: Rubric) -> str:
    """Every statistic, failures as disagreements, annotator tests, probes, and what did not run.

    Args:
        found: From `agreement.whole`.
        rubric: The rubric, which says what its criteria and what is graded are called.
    """
    parts = [
        *_statistics(found["rows"], rubric),
        _worst_cases(found["rows"], rubric),
        _among_people(found["people_agreement"], rubric),
        _alt_tests(found["rows"], rubric),
        _probes(found["probes"]),
        _not_run(found["not_run"], rubric),
        unit_agreement.text(found["units"], rubric) if found["units"] else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _statistics(rows: Sequence[dict], rubric: Rubric) -> list[str]:
    """A table for each answering model (none for all answers) and criterion."""
    places = dict.fromkeys((row["answer_model"], row["criterion"]) for row in rows)
    found = []
    for model, criterion in places:
        mine = [
            row for row in rows if (row["answer_model"], row["criterion"]) == (model, criterion)
        ]
        lines, undefined = figure_table(mine)
        by = f", answers by {model}" if model else ""
        head = f"Every statistic, {heading(rubric, criterion)}{by}"
        body = [table(list(lines[0]), [line.values() for line in lines])] if lines else []
        found.append("\n".join([head, *body, *(f"{UNDEFINED} {why}" for why in undefined)]))
    return found


def _worst_cases(rows: Sequence[dict], rubric: Rubric) -> str:
    """Only where a judge left an answer unscored."""
    failed = [row for row in rows if row["worst_case"]["failed"] and not row["answer_model"]]
    if not failed:
        return ""
    heads = ("judge", "criterion", "matched", "failed", "skipped")
    heads += tuple(one.head for one in shown("failures"))
    lines = [
        (
            row["judge"],
            heading(rubric, row["criterion"]),
            *(row["worst_case"][name] for name in ("matched", "failed", "skipped")),
            *(figure(row["worst_case"][one.key], one.kind) for one in shown("failures")),
        )
        for row in failed
    ]
    return "Failures counted as disagreements\n" + table(heads, lines)


def _among_people(rows: Sequence[dict], rubric: Rubric) -> str:
    """Only where two people graded enough of the same answers."""
    given = [row for row in rows if row["alpha"]["value"] is not None]
    if not given:
        return ""
    heads = ("criterion", "people", said(rubric, "answers"))
    heads += ("alpha", "AC2", "ICC, one person", "ICC, their mean")
    lines = [
        (
            heading(rubric, row["criterion"]),
            row["people"],
            row["n"],
            *(number(row[name]) for name in ("alpha", "ac2", "icc", "icc_mean")),
        )
        for row in given
    ]
    return "People together\n" + table(heads, lines)


def _alt_tests(rows: Sequence[dict], rubric: Rubric) -> str:
    """Only where one of the tests was given."""
    tests = [(row, test) for row in rows if not row["answer_model"] for test in row["alt_test"]]
    given = [(row, test) for row, test in tests if test["why_none"] is None]
    if not given:
        return ""
    heads = ("judge", "criterion", "epsilon", "omega", "omega by question", "rho", "people")
    lines = [
        (
            row["judge"],
            heading(rubric, row["criterion"]),
            test["epsilon"],
            *(plain_share(test[name]) for name in ("omega", "omega_by_question", "rho")),
            test["annotators"],
        )
        for row, test in given
    ]
    return "Alternative annotator test: passes from an omega of 50%\n" + table(heads, lines)


def _probes(probes: Sequence[dict]) -> str:
    """Every probe that ran, in words; those that stand out first."""
    ran = [row for row in probes if row["p"] is not None]
    if not ran:
        return ""
    ran.sort(key=lambda row: not row["stands_out"])
    head = f"Probes, exploratory, {counted(len(ran), 'test')} adjusted together"
    return "\n".join([head, *(row["sentence"] for row in ran)])


def _not_run(rows: Sequence[dict], rubric: Rubric) -> str:
    if not rows:
        return ""
    lines = [skipped_analyses.sentence(row, rubric) for row in rows]
    return "\n".join(["What could not be checked", *lines])
