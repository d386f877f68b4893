"""The certificates of a sheet: what holds today, and one as it prints."""

import json
import re

import streamlit as st

from concord.clock import day_of, today
from concord.messages import Said, joined, said
from concord.reports.certificate import certificate_status
from concord.reports.certificate.certificate import Certificate
from concord.reports.certificate.certificate_status import (
    CertificateStatus,
    Recheck,
    holding,
    status,
)
from concord.reports.certificate.document import article, commands, page, title
from concord.store.database import Store
from concord.ui.frame import offer_download, recall, remember
from concord.ui.language import plain, say, word
from concord.ui.widgets import explanation, finding

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
                criteria=joined(", ", newest.of),
                day=day_of(newest.expires_at),
            ),
            newest.sentence,
        )
    elif kept:
        finding(say("No valid certificate"))
    else:
        finding(
            say("Nothing is certified yet"),
            say(
                "A certificate is a one-page record for a review: who graded what, the agreement "
                "of the judge, the terms fixed beforehand, and the limitations."
            ),
        )


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
        _recheck(newest)
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


def _recheck(newest: Recheck) -> None:
    """Show the result of the newest recheck."""
    result = said(
        "Rechecked on {day}. {result}", day=day_of(newest.asked_at), result=newest.sentence
    )
    st.caption(plain(result), help=explanation("recheck"))


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
