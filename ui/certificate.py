"""The certificates of a sheet: writing one, and reading one with whether it still holds."""

import json

import streamlit as st

from data import seals
from data.clock import today
from data.store import Store
from judges.baseline_run import BASELINE
from problems import Problem
from reports import anchors, certificate, certification, recheck
from reports.certificate_page import LOOK, article, page, title
from reports.standing import Standing, standing
from reports.verdict import VERDICTS
from ui.frame import recall, remember
from ui.markdown import plain
from ui.report import Report
from ui.terms import sentence
from ui.widgets import finding

STATES = {
    "holds": "holds until {until}",
    "not_certified": "certifies nothing",
    "expired": "expired on {until}",
    "void": "is void",
}


def headline(store: Store, kept: list[tuple[int, dict]]) -> None:
    """What is certified of the sheet today, in words."""
    standings = [(body, standing(store, body, today())) for _, body in kept]
    holding = [body for body, found in standings if found.state == "holds"]
    if holding:
        body = holding[0]
        finding(
            f"{body['judge']['name']} is certified until {body['expires_at']}",
            body["sentence"],
        )
    elif kept:
        finding("No certificate holds", "The newest one says below why.")
    else:
        finding(
            "Nothing is certified yet",
            "A certificate is one page for a review: who graded what, how far the judge agrees, "
            "what was fixed before, and what the figures do not show.",
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
        st.info("Only the baseline has graded this sheet, and the floor is never certified.")
        return
    invented += [one.name for one in report.panel.people.values() if one.simulated]
    if invented:
        st.info(f"Nothing simulated is certified: {plain(', '.join(invented))}.")
    if not judges:
        st.write("Run a judge of your own, and choose it; then it can be certified here.")
        st.page_link("pages/judges.py", label="To the judges", icon=":material/arrow_forward:")
        return
    with st.expander("Write a certificate", expanded=first), st.form("certificate.write"):
        judge = st.selectbox("Judge", list(judges))
        days = st.number_input("Days until it expires", 1, 3650, certificate.DAYS)
        wanted = st.checkbox(
            f"Carry {anchors.COUNT} anchors, so that the judge can be asked again later",
            help=sentence("anchor"),
        )
        why = _ask_sealed(store, report)
        pressed = st.form_submit_button("Write the certificate", type="primary")
    if not pressed:
        return
    try:
        kept = anchors.carried(store, report.panel, judges[judge]) if wanted else None
        body = certification.certify(
            store, report.panel, judges[judge], int(days), why, anchors=kept
        )
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    remember(certificate=str(body["id"]))
    st.rerun()


def _ask_sealed(store: Store, report: Report) -> str | None:
    """What the sealed questions are opened for; None where they stay closed or are none."""
    before = len(seals.openings(store, report.sheet))
    if not certification.has_sealed(store, report.sheet):
        return None
    said = st.text_input(
        "Open the sealed questions for it: what for?",
        help="Left empty, they stay closed and the certificate rests on the evaluation questions. "
        f"Opening them is recorded and cannot be undone; they were opened {before} times.",
    )
    return said or None


def read(store: Store, kept: list[tuple[int, dict]]) -> None:
    """One certificate as it prints, whether it holds, and its files."""
    bodies = dict(kept)
    wanted = recall("certificate") or ""
    index = list(bodies).index(int(wanted)) if wanted.isdigit() and int(wanted) in bodies else 0
    number = st.selectbox(
        "Certificate", list(bodies), index=index, format_func=lambda one: _line(bodies[one])
    )
    remember(certificate=str(number))
    body = bodies[number]
    found = standing(store, body, today())
    _say(body, found)
    _heartbeat(recheck.newest(store, body))
    _files(number, body, found)
    st.html(f"<style>{LOOK}</style>{article(body, found.state, found.reasons)}")


def _line(body: dict) -> str:
    return f"{body['judge']['name']}, {body['made_at'][:10]}: {VERDICTS[body['verdict']]}"


def _say(body: dict, found: Standing) -> None:
    said = f"{title(body)} {STATES[found.state].format(until=body['expires_at'])}."
    text = plain("\n\n".join([said, *found.reasons]))
    if found.state == "holds":
        st.success(text, icon=":material/verified:")
    else:
        st.warning(text, icon=":material/gpp_maybe:")


def _heartbeat(newest: dict | None) -> None:
    """What the newest recheck found; nothing where there was none."""
    if newest:
        said = f"Asked again on {newest['asked_at'][:10]}. {newest['sentence']}"
        st.caption(plain(said), help=sentence("heartbeat"))


def _files(number: int, body: dict, found: Standing) -> None:
    """The page and the JSON to take along, and what one does with them."""
    name = f"certificate-{number}-{body['judge']['name'].replace('/', '-')}"
    with st.container(horizontal=True):
        st.download_button(
            "Download the page",
            page(body, found.state, found.reasons).encode(),
            f"{name}.html",
            "text/html",
            icon=":material/print:",
        )
        st.download_button(
            "Download as JSON",
            json.dumps(body, ensure_ascii=False, indent=2).encode(),
            f"{name}.json",
            "application/json",
            icon=":material/download:",
        )
    with st.expander("Hold it against the data, and use it in a build"):
        st.code(
            "python cli.py export EXPORT\n"
            f"python cli.py verify {name}.json --from EXPORT\n"
            f"python cli.py gate --certificate {name}.json"
            + (f"\npython cli.py recheck {name}.json --yes" if body.get("anchors") else ""),
            language="sh",
        )
