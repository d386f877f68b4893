"""Judges: the choice of one, and its card: how it is run, edited, and what it replied."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from concord.definitions import digest
from concord.judges.checks import endpoint_check
from concord.judges.checks.endpoint_check import Report, SentRequest
from concord.judges.checks.request_preview import previews
from concord.judges.combined import freeze
from concord.judges.definition import registry, stated_price
from concord.judges.definition.model import Judge, as_toml
from concord.judges.definition.stated_price import WITHDRAWN
from concord.judges.run import judging
from concord.judges.run.job import Options
from concord.judges.run.metric import MetricJob
from concord.judges.run.progress import tokens, usd
from concord.judges.run.rubric import RubricJob
from concord.messages import joined, minute
from concord.metrics import title
from concord.model import BASELINE, FEW_SHOT, HELD_OUT, Grader, Sheet, status_words
from concord.reports.agreement.document import answer_grades
from concord.reports.decision import cost as prices
from concord.reports.document import Table
from concord.reports.workflow import canaries, judges, runs
from concord.reports.workflow.judges import IN_SIGHT, Entry
from concord.reports.workflow.runs import State
from concord.sampling import splits
from concord.store import grades, items
from concord.store import runs as store_runs
from concord.store.database import Store
from concord.store.items import Stored
from concord.store.rubrics import rubric_versions
from concord.ui import render, run_progress
from concord.ui.actions import refusals
from concord.ui.caching import kept, once
from concord.ui.frame import (
    may_act,
    offer_download,
    recall,
    remember,
)
from concord.ui.language import plain, word
from concord.ui.looker import agreed, looker
from concord.ui.markup import LOOK
from concord.ui.render import show, show_table
from concord.ui.reports import Report as AgreementReport
from concord.ui.screens import agreement
from concord.ui.screens.judge_form import judge_form
from concord.ui.widgets import (
    action_button,
    next_screen_link,
    number_field,
    pick_rubric,
    switch,
    terms,
    url_number,
)

Job = RubricJob | MetricJob
HELD = "This answer's question is held out, so it is not shown with a judge's grades."
# In the session: the table and row selected last, and how often a judge was named from elsewhere.
_SELECTED, _RENAMED = "judges.selected", "judges.renamed"


def judges_of(store: Store, sheet: Sheet) -> list[Entry]:
    """Return the baseline, the user's own judges, those run on a sheet, and the URL's.

    Their agreement is computed once.
    """
    agreed = _agreements(store, sheet)
    every, wanted = judges.entries(store, sheet, agreed), recall("judge")
    return [one for one in every if one.is_mine() or one.argument in (BASELINE, wanted)]


@kept("Comparing judges with annotators…")
def _agreements(store: Store, sheet: Sheet) -> judges.Agreements:
    return judges.agreements(store, sheet)


def pick_judge(found: Sequence[Entry], shown: Table, name: str) -> str | None:
    """Show the table; return what names the chosen judge on the command line, None for none.

    It is the judge that the URL names, which a selected row changes, else one that is running. The
    URL may also name a judge without a row: a file.

    Args:
        found: The judges, each a row of the table.
        shown: The table.
        name: Of the sheet, for the download.
    """
    keys = [one.argument for one in found]
    live = (one.argument for one in found if one.state.is_live())
    wanted = recall("judge") or next(live, None)
    remember(judge=wanted)
    place = keys.index(wanted) if wanted in keys else None
    # The rows of another table, or a judge named from elsewhere, begin with another selection.
    key = f"judges.{digest([name, *keys])}.{st.session_state.get(_RENAMED, 0)}"
    row = render.pick_row(shown, name, key, place, IN_SIGHT)
    before = st.session_state.get(_SELECTED)
    st.session_state[_SELECTED] = key, row
    chosen = None if row is None else keys[row]
    if chosen != wanted and before and before[0] == key and before[1] != row:
        remember(judge=chosen, add=None, item=None)
        wanted = chosen
    return wanted


def open_judge(argument: str) -> None:
    """Name a judge in the URL, whose row is then selected."""
    remember(judge=argument, item=None)
    st.session_state[_RENAMED] = st.session_state.get(_RENAMED, 0) + 1
    st.rerun()


def card(store: Store, sheet: Sheet, argument: str, entry: Entry | None) -> Judge | None:
    """Show the card of a judge; `entry` is None for a judge from a file.

    Returns:
        The judge; None where only its grades are known.
    """
    if entry is not None and entry.judge is None:
        _imported(store, entry.grader, entry.argument)
        return None
    judge = registry.named(store, argument)
    st.subheader(plain(judge.name), anchor=False)
    if judge.about:
        st.write(plain(judge.about))
    if judge.computed:
        _computed(store, sheet, argument, judge, entry)
        return judge
    run_progress.retirement(judge)
    job = judging.prepare(store, argument, Options(sheet_name=sheet.name))
    grader = job.grader(store)
    found = judges.state(store, sheet.id, grader)
    lacking = "a number" if judge.of_metrics else "a score"
    with st.container(border=True, key="judge-run"):
        if grader and found.is_live():
            look = partial(judges.state, sheet_id=sheet.id, grader=grader)
            run_progress.live(look, "judge", lacking)
        else:
            run_progress.outcome(found, lacking)
            if may_act(store):
                _start(store, argument, job, found)
    _views(store, job, grader, argument)
    return job.judge


def _imported(store: Store, grader: Grader, name: str) -> None:
    """Show a judge of which only the grades are known, and take the price that a person states."""
    st.subheader(plain(name), anchor=False)
    st.info(
        "The grades of this judge were imported. Its prompt is unknown, so it cannot be run. "
        "Agreement is computed as for any other judge."
    )
    if grader.simulated:
        st.warning("Simulated: no model gave these grades. They only demonstrate the screens.")
    if not (may_act(store) and stated_price.may_state(store, grader)):
        return
    found = stated_price.stated(grader)
    with st.container(border=True, key="judge-price"), refusals():
        show(prices.document(found), grader.name, folded=True)
        text = st.text_input("USD per 1,000 answers", placeholder="2.50", key="price.text")
        with st.container(horizontal=True):
            why, icon = store.why_no_lead(), ":material/sell:"
            record = action_button("Record price", why, icon=icon, key="price.record")
            withdraw = found and st.button(
                "Withdraw price", key="price.withdraw", disabled=why is not None
            )
            terms("stated price")
        if record or withdraw:
            stated_price.state(store, grader.label(), WITHDRAWN if withdraw else text, "app")
            st.rerun()


_COMPUTED = {
    True: ("It scores surface features, learnt from annotators' grades.", "Train, free"),
    False: ("It combines the stored grades of its members.", "Combine, free"),
}
_SAID = "judge.computed.said"


def _computed(store: Store, sheet: Sheet, argument: str, judge: Judge, entry: Entry | None) -> None:
    """Show a judge that sends no request: the baseline, or a combination of others."""
    options = Options(sheet_name=sheet.name)
    if judge.trained:
        used = rubric_versions.annotators_used(store, sheet.id)
        options = replace(options, rubric=pick_rubric(store, used or [entry.judge.rubric])[1].name)
    about, label = _COMPUTED[judge.trained]
    with st.container(border=True, key="judge-run"):
        st.markdown(about)
        if text := st.session_state.pop(_SAID, ""):
            st.success(plain(text), icon=":material/check:")
        pressed = may_act(store) and action_button(
            label,
            store.why_no_lead(),
            type="primary",
            icon=":material/play_arrow:",
            key="judge.baseline" if judge.trained else "judge.combined",
        )
        if pressed:
            with refusals(), st.spinner("Computing the grades…"):
                st.session_state[_SAID] = judging.judge(
                    store, argument, options, lambda _: True
                ).said
                st.rerun()
    if judge.trained:
        return
    grader = entry and entry.grader
    with refusals():
        shown = judges.combined_document(store, sheet, judge, grader)
        render.body(shown, "combined-judge")
    if grader is not None:
        with st.expander("Edit a copy", key="judge.edit"):
            if made := judge_form(store, sheet, judge):
                open_judge(made)
        with st.expander("Frozen judge file", key="judge.frozen"), refusals():
            st.code(as_toml(freeze(grader)), language="toml", wrap_lines=True)


def _start(store: Store, argument: str, job: Job, found: State) -> None:
    """Show open batches, the estimate, the limits, and what starts or tries the judge.

    The limits come last on screen although the rest depends on them, hence the container.
    """
    judge, names = job.judge, ()
    place = f"{job.sheet.id}.{judge.name}.{job.fingerprint}"
    if found.waiting:
        _waiting(store, argument, job, found)
    if judge.of_metrics:
        every = [metric.name for metric in job.metrics]
        chosen = st.multiselect(
            "Metrics",
            every,
            default=every,
            format_func=lambda name: word(title(name)),
            key=f"judge.metrics.{place}",
            placeholder="Choose",
        )
        if not chosen:
            st.info("Choose a metric.")
            return
        names = tuple(chosen) if chosen != every else ()
    top = st.container()
    options = replace(_limits(job, place), metrics=names)
    limited = judging.prepare(store, judge, options)
    job = replace(limited, left_out=job.left_out) if judge.of_metrics else limited
    left = len(job.pending), job.settled, job.failed, found.run_id, found.counts.calls
    known = job.sheet.id, job.fingerprint, *map(str, (options, left))
    # Rehearsing the requests of metrics takes a second or two.
    compute = partial(job.estimate, store)
    expected = once("judge.expected", known, compute, "Planning the requests…")
    all_done = runs.is_all_done(expected)
    with top:
        if all_done and expected.in_batch:
            return
        if all_done and found.phase == "done" and not judge.of_metrics:
            next_screen_link("pages/agreement.py", "Agreement with annotators")
            for before in judge.edited_from[-1:]:
                query = {"view": "flips", "first": before, "second": judge.name}
                next_screen_link("pages/compare.py", "Before and after", **query)
            return
        run_progress.expected(expected, closed=job.closed)
        if judge.of_metrics:
            warnings = job.remarks(title) if job.pending else []
        else:
            warnings = [rubric_versions.without_annotators(store, job.sheet, job.rubric.name)]
        if text := "\n".join(f"- {plain(line)}" for line in warnings if line):
            st.warning(text)
        if all_done and judge.of_metrics:
            return
        no_key = run_progress.why_no_key(judge) if judge.model else None
        if judge.batches and expected.calls and not (expected.is_free() or found.waiting):
            batch = st.radio(
                "Request mode",
                [False, True],
                format_func=lambda batch: runs.mode_and_price(expected, batch),
                key=f"judge.way.{place}",
            )
            options = replace(options, batch=batch)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if not expected.is_free() and expected.cost is not None:
                budget = run_progress.budget(f"judge.budget.{place}", found.budget)
                options = replace(options, budget=budget)
            off = store.why_no_lead() or no_key
            why = off or (runs.ALL_SCORED if all_done else None)
            label = runs.run_label(expected, bool(job.settled), options.batch)
            pressed = st.button(
                "Compute metrics, free" if judge.of_metrics and not expected.calls else label,
                type="primary",
                icon=":material/play_arrow:",
                key="judge.run",
                disabled=why is not None,
            )
            check = judge.model is not None and st.button(
                "Check with one request",
                icon=":material/troubleshoot:",
                key="judge.check",
                help=plain(off or ""),
                disabled=off is not None,
            )
        if why:
            st.caption(plain(why))
        if check:
            checked(store, canaries.request_of(store, argument, sheet_name=job.sheet.name))
        if pressed:
            run_progress.start(store, argument, [job], options, [expected])


def checked(store: Store, sent: SentRequest | Report) -> None:
    """Show the findings of a test call: what works, ignored options, and what to change."""
    store.must_lead()  # it costs money, and the key goes to the address
    with st.spinner("Sending one request…"):
        report = endpoint_check.send(sent)
    (st.success if report.holds else st.error)(
        "\n".join(f"- {plain(one)}" for one in canaries.of_check(report).facts)
    )


def _limits(job: Job, place: str) -> Options:
    """Return the limits the user sets: number of answers, repeats, retries."""
    with st.expander("Subset, repeats, speed, retries"):
        limit = number_field(
            "First answers only",
            min_value=1,
            max_value=max(1, job.sheet.items),
            value=None,
            placeholder=f"all {job.sheet.items:,}",
            key=f"judge.limit.{place}",
        )
        repeats = 1
        if job.judge.model is not None:
            key = f"judge.repeats.{place}"
            repeats = number_field("Replies per answer", min_value=1, max_value=20, key=key)
        concurrency = run_progress.concurrency(f"judge.concurrency.{place}")
        retry = st.checkbox("Retry where a reply gave no score", key=f"judge.retry.{place}")
    return Options(
        job.sheet.name, limit=limit, repeats=repeats, concurrency=concurrency, retry_unscored=retry
    )


def _waiting(store: Store, argument: str, job: Job, found: State) -> None:
    """Show the open batches of a judge over the sheet; fetch or cancel them."""
    lines = [runs.batch_line(batch) for batch in found.waiting]
    st.info(plain(joined("\n\n", lines)), icon=":material/schedule:")
    why = store.why_no_lead() or run_progress.why_no_key(job.judge, "batch")
    with st.container(horizontal=True):
        collect, cancel = (
            st.button(label, key=f"judge.{key}", disabled=bool(why))
            for key, label in (("collect", "Fetch results"), ("cancel_batch", "Cancel batch"))
        )
    if why:
        st.caption(plain(why))
    if collect or cancel:
        options = Options(job.sheet.name, batch=collect, cancel_batch=cancel)
        run_progress.start(store, argument, [job], options)


def _views(store: Store, job: Job, grader: Grader | None, argument: str) -> None:
    """Show what defines the judge, to edit; its runs; or its prompt and replies of one answer."""
    asks = job.judge.model is not None
    views = {name: name for name in (("Edit", "Prompt", "Replies", "Runs") if asks else ("Runs",))}
    chosen = switch("Show", "show", views, label_visibility="collapsed")
    if chosen == "Edit":
        _edit(store, job, grader, argument)
        offer_download(partial(as_toml, job.judge), f"{job.judge.name}.toml", "application/toml")
        st.caption(f"Fingerprint {job.fingerprint}")
        return
    if chosen == "Runs":
        show_table(judges.history(store, job.sheet, grader), job.judge.name)
        return
    stored = _answer(store, job)
    if stored.question_id in splits.held_out(store, job.sheet.id):
        st.info(HELD)
    elif chosen == "Prompt":
        _prompt(store, job, stored)
    else:
        _replies(store, job, stored, grader)


def _answer(store: Store, job: Job) -> Stored:
    """The answer that is shown, its number in the sheet kept in the URL."""
    most, key = job.sheet.items, f"judge.item.{job.sheet.id}.{job.label}"
    label = f"Answer, 1 to {most:,}"
    place = url_number(label, "item", 1, most, 1, unsaid=1, key=key, width=280)
    return items.page(store, job.sheet.id, place, 1)[0]


def _edit(store: Store, job: Job, grader: Grader | None, argument: str) -> None:
    """Show the definition as a form, and beside it an answer with what was said of it."""
    left, right = st.columns(2, gap="medium") if job.judge.asks_rubric else (st.container(), None)
    examples = ()
    if right:
        with right:
            examples = _beside(store, job, grader, argument)
    with left:
        if made := judge_form(store, job.sheet, job.judge, examples):
            open_judge(made)


def _beside(store: Store, job: RubricJob, grader: Grader | None, argument: str) -> tuple[str, ...]:
    """Show an answer and its grades; return the content hashes of the examples chosen so far.

    Whoever reads them has seen what the judge said: the question counts as looked at.
    """
    stored, key = _answer(store, job), f"judge.examples.{argument}"
    chosen = st.session_state.setdefault(key, ())
    questions = splits.of_sheet(store, job.sheet.id)
    split = next(row["split"] for row in questions if row["id"] == stored.question_id)
    if split == HELD_OUT:
        st.info(HELD)
        return chosen
    person = looker(store)
    if not agreed(store, person):
        return chosen
    grades.open_item(store, stored.id, person.id if person else None)
    panel = AgreementReport(store, job.sheet, job.rubric).panel
    for one in answer_grades(store, panel, grader.id if grader else 0, [stored.id]):
        st.html(LOOK)
        agreement.answer(one, job.rubric.heaviest().name)
    is_example = stored.content_hash in chosen
    why = None if split == FEW_SHOT else "Its question is not in the few-shot pool."
    label = "No longer an example" if is_example else "Make it an example"
    if why:
        next_screen_link("pages/splits.py", "Few-shot pool")
    if action_button(label, why, key="judge.example"):
        without = tuple(one for one in chosen if one != stored.content_hash)
        st.session_state[key] = without if is_example else (*chosen, stored.content_hash)
        st.rerun()
    return chosen


def _prompt(store: Store, job: Job, stored: Stored) -> None:
    """Show every request about an answer, one at a time, to read and to copy."""
    sent = previews(job, stored.item)
    if not sent:
        st.info("No request is sent for this answer.")
        return
    one = sent[0]
    if len(sent) > 1:
        numbered = {f"{place}. {one.name}": one for place, one in enumerate(sent, 1)}
        one = numbered[st.selectbox("Request", numbered, key="judge.part")]
    st.caption(one.about)
    if job.judge.asks_rubric and stored.question_id in job.closed_questions(store):
        st.info("This answer is excluded: judges may have seen its question as an example.")
    for message in one.messages:
        st.markdown(f"**{message['role']}**")
        st.code(message["content"], language=None, wrap_lines=True)
    st.markdown("**Rest of the request**")
    st.code(one.rest, language="json", wrap_lines=True)


def _replies(store: Store, job: Job, stored: Stored, grader: Grader | None) -> None:
    """Show every reply to an answer; who looks has seen what judges said of it."""
    found = store_runs.of_item(store, stored.id, grader.id) if grader else []
    if not found:
        st.info("This judge has not replied to this answer yet. Run it, or choose another answer.")
        return
    person = looker(store)
    if not agreed(store, person):
        return
    grades.open_item(store, stored.id, person.id if person else None)
    for reply in found:
        about = [
            f"**{status_words(reply['status'])}**",
            *([f"for {plain(reply['part'])}"] if reply["part"] else []),
            f"repeat {reply['repeat']}, attempt {reply['attempt']}",
            tokens(reply["tokens_in"] or 0, reply["tokens_out"] or 0),
            "cost unknown" if reply["cost"] is None else usd(reply["cost"]),
            f"{reply['latency'] or 0:.1f} s",
        ]
        with st.container(border=True):
            st.markdown(" · ".join(about).replace("$", r"\$"))
            st.caption(f"{minute(reply['created_at'])} UTC")
            st.code(_laid_out(reply["raw"]), language="json", wrap_lines=True)
            with st.expander("The request as it was sent"):
                st.code(_laid_out(reply["request"]), language="json", wrap_lines=True)


def _laid_out(text: str) -> str:
    """JSON with indents; anything else as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text
