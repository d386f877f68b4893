"""Writing a certificate: whom it is about, what it carries, and what it opens."""

from typing import NamedTuple

import streamlit as st

from concord.messages import joined, said
from concord.model import BASELINE
from concord.reports.certificate import certification
from concord.reports.certificate.certificate import DAYS
from concord.sampling import holdout, splits
from concord.store.database import Store
from concord.ui.actions import refusals
from concord.ui.cached_reports import Report
from concord.ui.frame import remember
from concord.ui.language import plain, say, word
from concord.ui.widgets import TO_JUDGES, TO_SETS, next_screen_link

_REMEDIES = {  # where what the sheet lacks is supplied
    "annotators": TO_SETS,
    "everything": ("pages/data.py", said("Go to Data")),
    "judge": TO_JUDGES,
}


def write(store: Store, report: Report, first: bool) -> None:
    """Ask whom to certify, and write the certificate; folded where it is not the first."""
    judges = {
        report.panel.labels[i]: judge
        for i, judge in report.panel.judges.items()
        if judge.name != BASELINE and not judge.simulated
    }
    simulated = [one.name for one in report.panel.judges.values() if one.simulated]
    if not judges and not simulated:
        st.info(say("Only the baseline has graded this sheet, and it cannot be certified."))
        return
    if found := certification.impossible(report.panel):
        st.info(plain(found.why))
        next_screen_link(*_REMEDIES[found.lacks])
        return
    if simulated:
        names = joined(", ", simulated)
        st.info(plain(said("Simulated judges cannot be certified: {names}.", names=names)))
    if not certification.is_decided(store, report.panel):
        st.info(
            say(
                "There is no verdict under Decide yet. What you write now is a record that "
                "certifies nothing."
            )
        )
        next_screen_link("pages/decide.py", said("Choose a judge"))
    asked = _asked(store, report, list(judges), first)
    if asked is None:
        return
    with refusals(), st.spinner(say("Writing the certificate…"), show_time=True):
        written = certification.certify(
            store,
            report.panel,
            judges[asked.judge],
            asked.days,
            asked.why,
            criteria=asked.criteria,
        )
        remember(certificate=str(written.id))
        st.rerun()


class _Asked(NamedTuple):
    """Input of the form; `why` is the reason to open the held-out test, None to keep it closed."""

    judge: str
    criteria: list[str]
    days: int
    why: str | None


def _asked(store: Store, report: Report, judges: list[str], first: bool) -> _Asked | None:
    """The form of a certificate, and what it says once its button is pressed."""
    # Enter must not open held-out questions, which cannot be undone.
    with (
        st.expander(say("Write a certificate"), expanded=first),
        st.form("certificate.write", enter_to_submit=False),
    ):
        judge = st.selectbox(say("Judge"), judges, format_func=word, key="certificate.judge")
        headings = report.rubric.headings()
        criteria = st.multiselect(
            say("Criteria to certify"),
            list(headings),
            format_func=headings.get,
            placeholder=say("Every criterion on which it is good enough"),
            help=say(
                "The title names the certified criteria. If the judge is not good enough on some "
                "criteria of the rubric, select those to certify."
            ),
            key="certificate.criteria",
        )
        days = st.number_input(say("Days until it expires"), 1, 3650, DAYS, key="certificate.days")
        why = _ask_held_out(store, report)
        pressed = st.form_submit_button(say("Write the certificate"), type="primary")
    return _Asked(judge, criteria, int(days), why) if pressed else None


def _ask_held_out(store: Store, report: Report) -> str | None:
    """Return the reason to open the held-out test; None where it stays closed or is empty."""
    before = len(holdout.openings(store, report.sheet))
    if not splits.held_out(store, report.sheet.id):
        return None
    purpose = st.text_input(
        say("Reason for opening the held-out questions"),
        help=say(
            "If you leave this empty, they stay closed and the certificate uses the evaluation "
            "questions. Opening them is recorded and cannot be undone. Openings so far: {n}.",
            n=before,
        ),
        key="certificate.purpose",
    )
    return purpose or None
