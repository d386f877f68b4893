"""The certificates of a sheet: writing one, and reading one with whether it still holds."""

import json
from typing import NamedTuple

import streamlit as st

from concord.clock import today
from concord.messages import joined, said
from concord.problems import Problem
from concord.reports.certificate import anchor_run, certification, recheck
from concord.reports.certificate.certificate import DAYS, Certificate
from concord.reports.certificate.certificate_status import CertificateStatus, status
from concord.reports.certificate.document import article, commands, page, title
from concord.reports.certificate.recheck import Recheck
from concord.sampling import holdout
from concord.store.database import Store
from concord.store.graders import BASELINE
from concord.ui.cached_reports import Report
from concord.ui.frame import recall, remember
from concord.ui.glossary import sentence
from concord.ui.language import say
from concord.ui.localized_table import word
from concord.ui.markdown import plain
from concord.ui.widgets import finding


def headline(store: Store, kept: list[Certificate]) -> None:
    """What is certified of the sheet today, in words."""
    holding = [one for one in kept if status(store, one, today()).state == "holds"]
    if holding:
        newest = holding[0]
        finding(
            say(
                "{judge} is certified on {criteria} until {day}",
                judge=newest.judge.name,
                criteria=", ".join(newest.of),
                day=newest.expires_at,
            ),
            newest.sentence,
        )
    elif kept:
        finding(say("No certificate holds"), say("The newest one says below why."))
    else:
        finding(
            say("Nothing is certified yet"),
            say(
                "A certificate is one page for a review: who graded what, how far the judge "
                "agrees, what was fixed before, and what the figures do not show."
            ),
        )


def write(store: Store, report: Report, first: bool) -> None:
    """Ask whom to certify, and write the certificate; folded where it is not the first."""
    judges = {
        report.panel.labels[i]: judge
        for i, judge in report.panel.judges.items()
        if judge.name != BASELINE and not judge.simulated
    }
    invented = [one.name for one in report.panel.judges.values() if one.simulated]
    if not judges and not invented:
        st.info(say("Only the baseline has graded this sheet, and the floor is never certified."))
        return
    invented += [one.name for one in report.panel.annotators.values() if one.simulated]
    if invented:
        st.info(
            plain(said("Nothing simulated is certified: {names}.", names=joined(", ", invented)))
        )
    if not judges:
        st.write(say("Run a judge of your own, and choose it; then it can be certified here."))
        st.page_link("pages/judges.py", label=say("To the judges"), icon=":material/arrow_forward:")
        return
    asked = _asked(store, report, list(judges), first)
    if asked is None:
        return
    try:
        kept = (
            anchor_run.carried(store, report.panel, judges[asked.judge]) if asked.anchors else None
        )
        written = certification.certify(
            store,
            report.panel,
            judges[asked.judge],
            asked.days,
            asked.why,
            anchors=kept,
            criteria=asked.criteria,
        )
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    remember(certificate=str(written.id))
    st.rerun()


class _Asked(NamedTuple):
    """What the form says; `why` sealed questions are opened, None where they stay closed."""

    judge: str
    criteria: list[str]
    days: int
    anchors: bool
    why: str | None


def _asked(store: Store, report: Report, judges: list[str], first: bool) -> _Asked | None:
    """The form of a certificate, and what it says once its button is pressed."""
    with st.expander(say("Write a certificate"), expanded=first), st.form("certificate.write"):
        judge = st.selectbox(say("Judge"), judges, key="certificate.judge")
        headings = report.rubric.headings()
        criteria = st.multiselect(
            say("Criteria to certify"),
            list(headings),
            format_func=headings.get,
            placeholder=say("Every criterion on which it is good enough"),
            help=say(
                "The criteria stand in the title. Where the judge is not good enough on one of the "
                "rubric's criteria, name those to certify."
            ),
            key="certificate.criteria",
        )
        days = st.number_input(say("Days until it expires"), 1, 3650, DAYS, key="certificate.days")
        wanted = st.checkbox(
            say(
                "Carry {n} anchors, so that the judge can be asked again later",
                n=anchor_run.COUNT,
            ),
            help=sentence("anchor"),
            key="certificate.anchors",
        )
        why = _ask_sealed(store, report)
        pressed = st.form_submit_button(say("Write the certificate"), type="primary")
    return _Asked(judge, criteria, int(days), wanted, why) if pressed else None


def _ask_sealed(store: Store, report: Report) -> str | None:
    """What the sealed questions are opened for; None where they stay closed or are none."""
    before = len(holdout.openings(store, report.sheet))
    if not certification.has_held_out(store, report.sheet):
        return None
    purpose = st.text_input(
        say("Open the sealed questions for it: what for?"),
        help=say(
            "Left empty, they stay closed and the certificate rests on the evaluation questions. "
            "Opening them is recorded and cannot be undone; they were opened {n} times.",
            n=before,
        ),
        key="certificate.purpose",
    )
    return purpose or None


def read(store: Store, kept: list[Certificate]) -> None:
    """One certificate as it prints, whether it holds, and its files."""
    by_id = {one.id: one for one in kept}
    wanted = recall("certificate") or ""
    index = list(by_id).index(int(wanted)) if wanted.isdigit() and int(wanted) in by_id else 0
    number = st.selectbox(
        say("Certificate"), list(by_id), index=index, format_func=lambda one: _line(by_id[one])
    )
    remember(certificate=str(number))
    shown = by_id[number]
    found = status(store, shown, today())
    _say(shown, found)
    _recheck(recheck.newest(store, shown))
    _files(shown, found)
    st.html(article(shown, found.state, found.reasons))


def _line(one: Certificate) -> str:
    return say("{certificate}, {day}", certificate=title(one), day=one.made_at[:10])


def _say(one: Certificate, found: CertificateStatus) -> None:
    text = plain("\n\n".join(map(word, [_state(one, found.state), *found.reasons])))
    if found.state == "holds":
        st.success(text, icon=":material/verified:")
    else:
        st.warning(text, icon=":material/gpp_maybe:")


def _state(one: Certificate, state: str) -> str:
    """Whether it holds, and until when."""
    called, until = title(one), one.expires_at
    if state == "holds":
        return said("{certificate} holds until {day}.", certificate=called, day=until)
    if state == "not_certified":
        return said("{certificate} certifies nothing.", certificate=called)
    if state == "expired":
        return said("{certificate} expired on {day}.", certificate=called, day=until)
    return said("{certificate} is void.", certificate=called)


def _recheck(newest: Recheck | None) -> None:
    """What the newest recheck found; nothing where there was none."""
    if newest:
        asked = said("Asked again on {day}.", day=newest.asked_at[:10])
        st.caption(plain(joined(" ", [asked, newest.sentence])), help=sentence("heartbeat"))


def _files(one: Certificate, found: CertificateStatus) -> None:
    """The page and the JSON to download, and the commands that use them."""
    name = f"certificate-{one.id}-{one.judge.name.replace('/', '-')}"
    with st.container(horizontal=True):
        st.download_button(
            say("Download the page"),
            page(one, found.state, found.reasons).encode(),
            f"{name}.html",
            "text/html",
            icon=":material/print:",
        )
        st.download_button(
            say("Download as JSON"),
            json.dumps(one.document, ensure_ascii=False, indent=2).encode(),
            f"{name}.json",
            "application/json",
            icon=":material/download:",
        )
    with st.expander(say("Hold it against the data, and use it in a build")):
        st.code(commands(one, f"{name}.json"), language="sh")
