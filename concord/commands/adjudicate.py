"""The command `adjudicate`."""

import click

from concord.commands import options
from concord.commands.frame import panel_of, say_documents, verb
from concord.messages import Problem

CAUSES = ("overlooked", "rubric_unclear", "bad_question", "both_defensible")


@verb
@options.rubric
@options.text("--draw", options.COUNT, "List a random sample of N answers instead.")
@options.text("--seed", int, "Random seed.", default=0)
@options.text("--at", int, "Show one answer of the list with its grades.")
@options.by
@options.many(
    "--score", "given", "CRITERION SCORE", "A score, or `none` to withdraw it.", type=(str, str)
)
@options.text("--cause", click.Choice(CAUSES), "Cause.")
@options.note
@options.annotators
def adjudicate(store, sheet_name, rubric, annotators, draw, seed, at, by, given, cause, note):
    """Adjudicate answers on which annotators differ.

    Without options, list these answers. Judges' grades are not shown. No grade changes; what is
    adjudicated blind enters the consensus.
    """
    from concord.grading import adjudications
    from concord.reports import adjudicate as report
    from concord.store import graders, permissions

    if given and not (at and by):
        raise Problem("Give --at N and --by NAME.")
    who = graders.ensure_annotator(store, by).id if given else None
    permissions.blind(store)
    panel = panel_of(store, sheet_name, rubric, annotators, of_answers=True)
    cases = report.drawn(panel, draw, seed) if draw else report.differing(panel)
    if given:
        case = next((case for case in cases if case.at == at), None)
        if case is None:
            raise Problem("{at} is not in this list. Give the --draw and --seed of it.", at=at)
        trigger = adjudications.DRAW if draw else adjudications.ANNOTATORS
        given = {name: (_score(score), cause or "", note) for name, score in given}
        report.record(store, panel, at, report.heard(store, panel, at), trigger, who, given)
    if at:
        found = report.case_of(store, panel, at, seed)
        say_documents(found, report.case_document(found))
        return
    found = report.listing(panel, cases, bool(draw))
    say_documents(found, report.document(found))


def _score(said: str) -> float | None:
    if said == "none":
        return None
    try:
        return float(said)
    except ValueError:
        raise Problem("“{said}” is not a score or `none`.", said=said) from None
