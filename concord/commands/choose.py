"""The command `choose`."""

from concord.commands import options
from concord.commands.frame import (
    UNCHANGED,
    at_a_terminal,
    confirm,
    panel_of,
    say,
    say_documents,
    tell_document,
    verb,
)


@verb
@options.text("--against", "JUDGE", "The reference judge (required).")
@options.text("--figure", "FIGURE", options.FIGURES)
@options.text("--margin", float, options.MARGIN)
@options.minimum
@options.text("--failure-recall", options.SHARE, options.RECALL)
@options.failure_precision
@options.text("--planned-questions", int, "Planned questions; default: all.")
@options.criterion
@options.many("--recode", "recoded", "JUDGE", "Also compare a recode of this judge.")
@options.flag("--fix", "only_fix", "Fix the terms now, without an interim look.")
@options.flag("--holds", "replay", "Add a sensitivity analysis of the verdict.")
@options.flag("--details", "details", "Add conditions and all notes.")
@options.rubric
@options.annotators
@options.yes
def choose(
    store,
    sheet_name,
    against,
    criterion,
    recoded,
    only_fix,
    replay,
    details,
    rubric,
    annotators,
    yes,
    **terms,
):
    """Find the cheapest judge that is good enough.

    Good enough means non-inferior to a reference judge at the margin, and not below the minimums.
    The terms are stored before the result is shown. Those not named are the first ones fixed for
    the sheet and criterion, else proposed; only looks under the first terms, or stricter ones, are
    confirmatory and can be certified. Every analysis of new questions counts as an
    interim look and spends type I error by its share of the planned questions; there are at most
    four.
    """
    from concord.exporting.reason_codes import with_reasons
    from concord.reports.decision import choose as report
    from concord.reports.decision.document import document
    from concord.reports.document import as_json as plain
    from concord.reports.panel.choice import judge_of, unnamed
    from concord.store import decisions
    from concord.store.rubrics import rubric_versions

    panel = panel_of(store, sheet_name, rubric, annotators, of_answers=True)
    if against is None:
        raise unnamed(panel)
    if recoded:
        from concord.judges.combined import recode

        of = rubric_versions.named(store, panel.rubric.name)
        for name in recoded:
            recode(store, panel.sheet, *of, judge_of(store, panel, name))
        panel = panel_of(store, sheet_name, rubric, annotators, of_answers=True)
    reference = judge_of(store, panel, against)
    terms = report.default_terms(store, panel, reference, criterion, **terms)
    decision = report.proposed(store, panel, reference, terms, criterion)
    if not (yes or decisions.find(store, decision) or _confirmed(store, panel, decision)):
        return say({"decision": None}, UNCHANGED)
    decision = decisions.fix(store, decision)
    if only_fix:
        return say({"decision": decision._asdict()}, decision.created_at)
    found = report.look(store, panel, decision)
    parts, values = [document(found, details)], with_reasons(plain(found))
    if replay and found.about:
        judge = judge_of(store, panel, found.about)
        replayed = report.replayed(store, panel, decision, reference, judge, found)
        robust = report.robustness_document(replayed)
        values["holds"] = plain(replayed) | {"sentence": robust.headline}
        parts.append(robust)
    say_documents(values, *parts)


def _confirmed(store, panel, decision) -> bool:
    """Ask a person at a terminal whether new terms are to be final; a script has named them."""
    from concord.reports.decision.choose import changed_now
    from concord.reports.decision.document import terms_table
    from concord.reports.document import Document

    if not at_a_terminal():
        return True
    terms = terms_table(panel, decision, changed_now(store, panel, decision))
    tell_document(Document("", tables=(terms,)))
    return confirm("This cannot be undone.")
