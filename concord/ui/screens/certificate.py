"""Certificate: written, read and checked."""

import json
import re

import streamlit as st

from concord.clock import day_of, today
from concord.model import BASELINE
from concord.reports.certificate import certificate_status, certification
from concord.reports.certificate.certificate import DAYS, Certificate, page, title
from concord.sampling import holdout, splits
from concord.store.database import Store
from concord.ui.actions import refusals
from concord.ui.frame import offer_download, recall, remember
from concord.ui.language import plain
from concord.ui.reports import Report
from concord.ui.widgets import TO_JUDGES, finding, next_screen_link

_OTHER = re.compile(r"[^\w.]+")  # what a name of a file has no place for


def write(store: Store, report: Report, first: bool) -> None:
    """Ask whom to certify, and write the certificate; folded where it is not the first."""
    judges = {
        report.panel.labels[i]: judge
        for i, judge in report.panel.judges.items()
        if judge.name != BASELINE and not judge.simulated
    }
    if not judges:
        st.info("No judge of your own has graded this sheet; nothing simulated is certified.")
        next_screen_link(*TO_JUDGES)
        return
    # Enter must not open held-out questions, which cannot be undone.
    with (
        st.expander("Write a certificate", expanded=first),
        st.form("certificate.write", enter_to_submit=False),
    ):
        judge = st.selectbox("Judge", list(judges), key="certificate.judge")
        headings = report.rubric.headings()
        criteria = st.multiselect(
            "Criteria to certify",
            list(headings),
            format_func=headings.get,
            placeholder="Every criterion on which it is good enough",
            key="certificate.criteria",
        )
        days = st.number_input("Days until it expires", 1, 3650, DAYS, key="certificate.days")
        why = None
        if splits.held_out(store, report.sheet.id):
            why = st.text_input(
                "Reason for opening the held-out questions",
                help="Left empty, they stay closed. Opening them is recorded and cannot be undone. "
                f"Openings so far: {len(holdout.openings(store, report.sheet))}.",
                key="certificate.purpose",
            )
        pressed = st.form_submit_button("Write the certificate", type="primary")
    if pressed:
        with refusals(), st.spinner("Writing the certificate…", show_time=True):
            who, panel = judges[judge], report.panel
            written = certification.certify(
                store, panel, who, int(days), why or None, criteria=criteria
            )
            remember(certificate=str(written.id))
            st.rerun()


def headline(store: Store, kept: list[Certificate]) -> None:
    """Show the sheet's newest certificate that holds in a sentence."""
    current = certificate_status.holding(store, kept, today())
    if current:
        newest = current[0]
        until, on = day_of(newest.expires_at), ", ".join(newest.criteria)
        finding(plain(f"{newest.judge_label} is certified on {on} until {until}"))
    else:
        finding("No valid certificate" if kept else "Nothing is certified yet")


def read(store: Store, kept: list[Certificate]) -> None:
    """One certificate as it prints, whether it holds, and its files.

    None is shown in place of one that the URL names and the sheet has not.
    """
    by_id, wanted = {str(one.id): one for one in kept}, recall("certificate") or None
    number = kept and st.selectbox(
        "Certificate",
        list(by_id),
        index=list(by_id).index(wanted) if wanted in by_id else None if wanted else 0,
        format_func=lambda one: f"{title(by_id[one])}, {day_of(by_id[one].made_at)}",
        placeholder=wanted,
    )
    if not number:
        if wanted:
            st.caption("The certificate in this link is not of this sheet.")
        return
    remember(certificate=number)
    one = by_id[number]
    found = certificate_status.status(store, one, today())
    if found.state == "holds":
        st.success(f"Valid until {day_of(one.expires_at)}.", icon=":material/verified:")
    elif one.certified:  # else its first line says why nothing is
        void = ["The certificate is void."] if found.state == "void" else []
        text = plain("\n\n".join([*void, *found.reasons]))
        st.warning(text, icon=":material/gpp_maybe:")
    newest = certificate_status.newest_recheck(store, one)
    if newest and not any(newest.sentence in reason for reason in found.reasons):
        st.caption(plain(f"Rechecked on {day_of(newest.asked_at)}. {newest.sentence}"))
    name, body = file_name(one.id, one.judge.name), one.document
    offer_download(
        lambda: page(one, found.state, found.reasons).encode(), f"{name}.html", "text/html"
    )
    offer_download(
        lambda: json.dumps(body, ensure_ascii=False, indent=2).encode(),
        f"{name}.json",
        "application/json",
    )
    st.html(page(one, found.state, found.reasons, whole=False))


def file_name(number: int, judge: str) -> str:
    """Return the name of a certificate's files, which a shell takes as it stands."""
    return f"certificate-{number}-{_OTHER.sub('-', judge).strip('-')}"
