"""The command `annotators`."""

from concord.commands import options
from concord.commands.frame import BY, panel_of, read_panel, say_documents, verb


@verb
@options.criteria
@options.flag("--graders", "Also print each annotator's card.")
@options.text("--exclude", "NAME", "Leave an annotator's grades out; takes --why.")
@options.text("--include", "NAME", "Count an excluded or pending annotator's grades.")
@options.text("--accept", "NAME", "Accept the open alert on one; takes --why.")
@options.why
@options.rubric
@options.annotators
def annotators(store, sheet_name, criteria, graders, rubric, annotators, why, **actions):
    """Report inter-annotator agreement, strictness and alerts; with --graders, each one's card.

    --exclude, --include and --accept decide whose grades of the sheet count, in every figure.
    --json always contains everything.
    """
    from concord.messages import Problem
    from concord.reports.document import Document
    from concord.reports.reliability import annotator_alerts, reliability

    if decided := {action: name for action, name in actions.items() if name}:
        _decide(store, sheet_name, rubric, decided, why)
    panel = panel_of(store, sheet_name, rubric, annotators, of_answers=True)
    known = [criterion.name for criterion in panel.rubric.criteria]
    for name in criteria:
        if name not in known:
            raise Problem(
                "Criterion {name}: take one of {known}.", name=name, known=", ".join(known)
            )
    found = reliability.report(panel, criteria)
    signs = annotator_alerts.measured_signs(store, panel.choosing())
    cards = annotator_alerts.cards(store, panel, signs)
    found["cards"] = cards
    told = tuple(sentence for card in cards for sentence in annotator_alerts.sentences(card))
    look = Document(annotator_alerts.headline(cards), told, notes=(found["weighting"] or "",))
    simulated = sum(one["simulated"] for one in found["annotators"])
    agreed = (reliability.document(one, panel.rubric, simulated) for one in found["criteria"])
    shown = map(annotator_alerts.document, cards) if graders else ()
    say_documents(found, look, *agreed, *shown)


def _decide(store, sheet_name, rubric, decided, why):
    """Exclude, include or accept the annotators named, by action."""
    from concord.reports.reliability import annotator_alerts
    from concord.store import graders

    store.must_lead()
    for action, name in decided.items():
        panel = read_panel(store, sheet_name, rubric, (), of_answers=True)
        person = graders.named(store, "person", name).id
        annotator_alerts.decide(store, panel, person, action, BY, why)
