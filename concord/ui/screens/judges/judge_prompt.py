"""What goes to and fro: the prompt exactly as sent, the settings, the stored replies, the runs."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from concord.judges.checks.request_preview import preview, settings
from concord.judges.definition.toml import as_toml
from concord.judges.prompting.prompt import parts
from concord.judges.running import job as jobs
from concord.judges.running.job import Job
from concord.judges.running.progress import tokens, usd
from concord.messages import joined, said
from concord.reports.reliability.test_retest import by_reply
from concord.reports.workflow import judge_list
from concord.sampling import splits
from concord.store import browse, grades, runs
from concord.store.database import Row, Store
from concord.store.graders import Grader
from concord.store.items import Stored
from concord.ui.frame import recall, remember
from concord.ui.language import say
from concord.ui.localized_table import spoken, table_of
from concord.ui.markdown import plain
from concord.ui.screens.agreement.cell_answers import looker
from concord.ui.widgets import number_field

LONG = 2000  # characters; a longer message scrolls in its own box
# How a reply stands, as it is stored.
STATUS = {
    "scored": said("scored"),
    "good": said("good"),
    "refused": said("refused"),
    "unparsable": said("unparsable"),
    "truncated": said("truncated"),
    "too_long": said("too_long"),
    "missing_input": said("missing_input"),
    "not_applicable": said("not_applicable"),
    "failed": said("failed"),
}


def views(store: Store, job: Job, grader: Grader | None) -> None:
    """One of the views of a judge by a rubric, as the URL says."""
    of_answer = {
        said("Prompt"): lambda stored: _prompt(store, job, stored),
        said("Replies"): lambda stored: _replies(store, job, stored, grader),
    }
    one_of_views(store, job, grader, "judge.show", of_answer)


def one_of_views(
    store: Store,
    job: Any,
    grader: Grader | None,
    key: str,
    of_answer: Mapping[str, Callable[[Stored], None]],
) -> None:
    """The settings, the runs, or what is shown of one answer, which is closed while sealed.

    Args:
        store: The open store.
        job: Of whatever kind of judge.
        grader: The judge as a grader; None where it never ran.
        key: Of the switch between the views.
        of_answer: What each view of an answer shows, by its name.
    """
    chosen = _view((*of_answer, said("Settings"), said("Runs")), key)
    if chosen == "Settings":
        settings_view(job)
    elif chosen == "Runs":
        runs_view(store, job, grader)
    else:
        stored = shown_item(store, job)
        if stored.question_id in splits.sealed(store, job.sheet.id):
            st.info(
                say("This answer's question is sealed: nobody reads it beside a judge's words.")
            )
        else:
            of_answer[chosen](stored)


def _view(views: tuple[str, ...], key: str) -> str:
    """Which view is shown: the one in the URL, or clicked."""
    wanted = recall("show")
    chosen = st.segmented_control(
        say("Show"),
        views,
        format_func=say,
        default=wanted if wanted in views else views[0],
        required=True,
        key=key,
        label_visibility="collapsed",
    )
    remember(show=None if chosen == views[0] else chosen)
    return chosen


def shown_item(store: Store, job: Job) -> Stored:
    """The answer whose prompt and replies are shown: its number in the sheet, kept in the URL."""
    said = recall("item") or ""
    number = int(said) if said.isdecimal() and 1 <= int(said) <= job.sheet.items else 1
    number = number_field(
        say("Answer, 1 to {n:,}", n=job.sheet.items),
        min_value=1,
        max_value=job.sheet.items,
        value=number,
        key=f"judge.item.{job.sheet.id}",
        width=220,
    )
    remember(item=None if number == 1 else number)
    return browse.page(store, job.sheet.id, number, 1)[0]


def _prompt(store: Store, job: Job, stored: Stored) -> None:
    """Every message and the rest of the request, to read and to copy."""
    names = list(parts(job.judge, job.rubric))
    part = names[0]
    if len(names) > 1:
        part = st.segmented_control(
            say("Criterion asked for"), names, default=part, required=True, key="judge.part"
        )
    sent = preview(job, stored.item, part)
    st.caption(plain(sent.sentence()))
    if stored.question_id in jobs.closed(store, job.judge, job.rubric, job.sheet, job.shots):
        st.info(say("This answer is never asked: judges may have seen its question as an example."))
    for message in sent.messages:
        st.markdown(f"**{message['role']}**")
        long = len(message["content"]) > LONG
        height = 460 if long else "content"
        st.code(message["content"], language=None, wrap_lines=True, height=height)
    st.markdown(say("**the rest of the request**"))
    st.code(sent.rest, language="json", wrap_lines=True, height=260)


def _replies(store: Store, job: Job, stored: Stored, grader: Grader | None) -> None:
    """Every reply to what the item holds, each with the request it answers."""
    found = runs.of_item(store, stored.id, grader.id) if grader else []
    if not found:
        st.info(
            say("This judge has not replied to this answer yet. Run it, or choose another answer.")
        )
        return
    note_opening(store, stored)
    names = {version: name for name, version in job.rubric.versions().items()}
    again = by_reply(grades.of_grader(store, grader.id, [stored.id], list(names)), names)
    if again:
        st.markdown(f"**{plain(again)}**")
    for reply in found:
        with st.container(border=True):
            reply_view(reply)


def reply_view(reply: Row) -> None:
    """One reply with what it took and the request it answers."""
    about = [
        said("**{status}**", status=STATUS.get(reply["status"], reply["status"])),
        *([said("for {part}", part=reply["part"])] if reply["part"] else []),
        said("repeat {n}, attempt {tries}", n=reply["repeat"], tries=reply["attempt"]),
        plain(reply["model"] or said("the server named no model")),
        tokens(reply["tokens_in"] or 0, reply["tokens_out"] or 0),
        said("cost unknown") if reply["cost"] is None else usd(reply["cost"]),
        f"{reply['latency'] or 0:.1f} s",
    ]
    st.markdown(say(joined(" · ", about)).replace("$", r"\$"))
    st.caption(reply["created_at"])
    st.code(_laid_out(reply["raw"]), language="json", wrap_lines=True, height=280)
    with st.expander(say("The request as it was sent")):
        st.code(_laid_out(reply["request"]), language="json", wrap_lines=True, height=420)


def note_opening(store: Store, stored: Stored) -> None:
    """A person who has seen what judges said of an answer no longer grades it blind."""
    person = looker(store)
    grades.open_item(store, stored.id, person.id if person else None)


def _laid_out(text: str) -> str:
    """JSON with indents; anything else as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text


def settings_view(job: Job) -> None:
    """What the judge file says, to read and to download."""
    rows = [
        {said("setting"): key, said("value"): value, said("what it is"): about}
        for key, value, about in settings(job.judge)
    ]
    st.table(spoken(rows).set_index(say("setting")))
    st.download_button(
        say("Download as TOML"),
        as_toml(job.judge),
        f"{job.judge.name}.toml",
        "application/toml",
        icon=":material/download:",
        key="judge.download",
    )
    st.caption(
        say(
            "Fingerprint {fingerprint}. Change any of this and it is a new judge.",
            fingerprint=job.fingerprint,
        )
    )


def runs_view(store: Store, job: Job, grader: Grader | None) -> None:
    """The judge's runs over the sheet."""
    rows = judge_list.history(store, job.sheet, grader)
    if not rows:
        st.info(say("This judge has not been run over this sheet yet."))
        return
    wide = st.column_config.TextColumn(width="large")
    table_of(rows, f"{job.judge.name}-runs", column_config={said("message"): wide})
