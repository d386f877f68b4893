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
    "--score",
    "given",
    "CRITERION SCORE",
    "A score, or `none` to withdraw it; repeatable.",
    type=(str, str),
)
@options.text("--cause", click.Choice(CAUSES), "Why the annotators differed.")
@options.note
@options.annotators
def adjudicate(store, sheet_name, rubric, annotators, draw, seed, at, by, given, **said):
    """Adjudicate answers on which annotators differ.

    Without options, list these answers. Judges' grades are not shown. No grade changes; what is
    adjudicated blind enters the consensus.
    """
    from concord.reports.disagreements import adjudicate as report
    from concord.store import graders, permissions

    if given and not (at and by):
        raise Problem("Give --at N and --by NAME.")
    with store.write():
        who = graders.ensure_annotator(store, by).id if given else _known(store, by)
    permissions.blind(store)
    panel = panel_of(store, sheet_name, rubric, annotators, of_answers=True)
    if given:
        _adjudicate(store, panel, at, who, given, (draw, seed), **said)
        panel = panel_of(store, sheet_name, rubric, annotators)
    if at:
        found = report.case_of(store, panel, at, seed)
        say_documents(found, report.case_document(found))
        return
    cases = report.drawn(panel, draw, seed, who) if draw else report.differing(panel, who)
    found = report.listing(panel, cases, bool(draw))
    say_documents(found, report.document(found))


def _known(store, name) -> int | None:
    from concord.store import graders

    found = graders.find(store, "person", name) if name else None
    return found.id if found else None


def _adjudicate(store, panel, at, who, given, drawing, cause, note) -> None:
    from concord.grading import adjudications
    from concord.reports.disagreements import adjudicate as report

    voices = report.heard(store, panel, at)
    _check_listed(panel, at, drawing, who)
    given = {criterion: (_score(score), cause or "", note) for criterion, score in given}
    trigger = adjudications.DRAW if drawing[0] else adjudications.ANNOTATORS
    report.record(store, panel, at, voices, trigger, who, given)


def _check_listed(panel, at, drawing, who) -> None:
    """Raise a Problem for an answer outside of the list, whose recorded trigger would be wrong."""
    from concord.reports.disagreements import adjudicate as report

    draw, seed = drawing
    # with or without what the annotator graded, whichever list was read
    lists = (
        [report.drawn(panel, draw, seed, own) for own in (None, who)]
        if draw
        else [report.differing(panel)]
    )
    if all(case.at != at for cases in lists for case in cases):
        raise Problem(
            "{at} is not in this list. Give the --draw and --seed of the sample that it is in.",
            at=at,
        )


def _score(said: str) -> float | None:
    if said == "none":
        return None
    try:
        return float(said)
    except ValueError:
        raise Problem("“{said}” is not a score or `none`.", said=said) from None
