"""The texts of a certificate as messages again: what is stored is English, screens translate it."""

from dataclasses import replace

from concord.messages import Problem
from concord.model import Grader
from concord.reports.certificate.certificate import Certificate, QuotedDecision
from concord.reports.certificate.contents import findings, why_not
from concord.reports.certificate.figures import of_judge
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def restored(store: Store, one: Certificate) -> Certificate:
    """Return a certificate that a screen can show in any language; its document is as it was.

    Criteria have the translations of their rubric, and the texts that its figures give to the
    letter are messages. Any other text stays as it was written.
    """
    try:
        rubric = rubric_versions.named(store, one.rubric.name)[1]
    except Problem:  # the rubric is not here
        return one
    quoted = [_named(each, rubric) for each in (one.decision, *one.further_decisions) if each]
    judge = Grader(0, one.judge.kind, one.judge.name, one.judge.fingerprint, {}, False, "")
    rows = [of_judge(each.look.judges, judge) for each in quoted]
    texts = {"why_not": why_not(quoted, rows), "sentence": findings(quoted, rows)}
    return replace(
        one,
        criteria=tuple(map(rubric.named, one.criteria)),
        decision=quoted[0] if quoted else None,
        further_decisions=tuple(quoted[1:]),
        **{name: text for name, text in texts.items() if text == getattr(one, name)},
    )


def _named(quoted: QuotedDecision, rubric: Rubric) -> QuotedDecision:
    look = quoted.look
    return replace(quoted, look=replace(look, criterion=rubric.named(look.criterion)))
