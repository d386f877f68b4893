"""Certificate: written, read and checked."""

import json
import re
from typing import NamedTuple

import streamlit as st

from concord.clock import day_of, today
from concord.messages import Said, joined, said
from concord.model import BASELINE
from concord.reports.certificate import certificate_status, certification
from concord.reports.certificate.certificate import DAYS, Certificate
from concord.reports.certificate.certificate_status import (
    CertificateStatus,
    holding,
    status,
)
from concord.reports.certificate.document import article, commands, page, title
from concord.sampling import holdout, splits
from concord.store.database import Store
from concord.ui.actions import refusals
from concord.ui.cached_reports import Report
from concord.ui.frame import offer_download, recall, remember
from concord.ui.language import plain, say, word
from concord.ui.widgets import TO_JUDGES, TO_SETS, explanation, finding, next_screen_link

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


_OTHER = re.compile(r"[^\w.]+")  # what a name of a file has no place for


def headline(store: Store, kept: list[Certificate]) -> None:
    """Show the sheet's current certificates in a sentence."""
    current = holding(store, kept, today())
    if current:
        newest = current[0]
        finding(
            say(
                "{judge} is certified on {criteria} until {day}",
                judge=newest.judge_label,
                criteria=joined(", ", newest.criteria),
                day=day_of(newest.expires_at),
            ),
            newest.sentence,
        )
    elif kept:
        finding(say("No valid certificate"))
    else:
        finding(say("Nothing is certified yet"))


def read(store: Store, kept: list[Certificate]) -> None:
    """One certificate as it prints, whether it holds, and its files.

    None is shown in place of one that the URL names and the sheet has not.
    """
    by_id = {one.id: one for one in kept}
    numbers, wanted = [str(number) for number in by_id], recall("certificate")
    number = kept and st.selectbox(
        say("Certificate"),
        list(by_id),
        index=numbers.index(wanted) if wanted in numbers else None if wanted else 0,
        format_func=lambda one: _line(by_id[one]),
        placeholder=wanted,
    )
    if not number:
        if wanted:
            text = said("The certificate in this link is not of “{sheet}”.", sheet=recall("sheet"))
            st.caption(plain(text))
        return
    remember(certificate=str(number))
    shown = by_id[number]
    found = status(store, shown, today())
    _say(shown, found)
    newest = certificate_status.newest_recheck(store, shown)
    if newest and not any(newest.sentence in reason for reason in found.reasons):
        # Show the result of the newest recheck.
        result = said(
            "Rechecked on {day}. {result}", day=day_of(newest.asked_at), result=newest.sentence
        )
        st.caption(plain(result), help=explanation("recheck"))
    _files(shown, found)
    st.html(article(shown, found.state, found.reasons))


def _line(one: Certificate) -> str:
    return say("{certificate}, {day}", certificate=title(one), day=day_of(one.made_at))


def _say(one: Certificate, found: CertificateStatus) -> None:
    text = plain("\n\n".join(map(word, [*_state(one, found.state), *found.reasons])))
    if found.state == "holds":
        st.success(text, icon=":material/verified:")
    else:
        st.warning(text, icon=":material/gpp_maybe:")


def _state(one: Certificate, state: str) -> list[Said]:
    """Return a certificate's validity in words, where its reasons do not say it all."""
    called, until = title(one), day_of(one.expires_at)
    if state == "holds":
        return [said("{certificate} is valid until {day}.", certificate=called, day=until)]
    return [said("{certificate} is void.", certificate=called)] if state == "void" else []


def file_name(number: int, judge: str) -> str:
    """Return the name of a certificate's files, which a shell takes as it stands."""
    return f"certificate-{number}-{_OTHER.sub('-', judge).strip('-')}"


def _files(one: Certificate, found: CertificateStatus) -> None:
    """The page and the JSON to download, and the commands that use them."""
    name = file_name(one.id, one.judge.name)
    offer_download(
        lambda: page(one, found.state, found.reasons).encode(), f"{name}.html", "text/html"
    )
    offer_download(
        lambda: json.dumps(one.document, ensure_ascii=False, indent=2).encode(),
        f"{name}.json",
        "application/json",
    )
    with st.expander(say("Verify it against the data, and use it in CI")):
        st.code(commands(one, f"{name}.json"), language="sh", wrap_lines=True)
