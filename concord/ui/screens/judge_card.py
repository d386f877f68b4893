"""Judges: the choice of one, and its card."""

from dataclasses import replace
from functools import partial

import streamlit as st

from concord.definitions import digest
from concord.importing.fields import ITEM_FIELDS
from concord.judges.checks import canary, endpoint_check
from concord.judges.checks.endpoint_check import setup
from concord.judges.checks.request_preview import preview
from concord.judges.combined.run import freeze
from concord.judges.definition import prices as known_prices
from concord.judges.definition import registry, stated_price
from concord.judges.definition.model import Judge, as_toml
from concord.judges.definition.stated_price import WITHDRAWN
from concord.judges.exporting import targets
from concord.judges.exporting.carried import carried, refused
from concord.judges.exporting.targets import Target
from concord.judges.run import judging
from concord.judges.run.estimate import Estimate
from concord.judges.run.job import Options
from concord.judges.run.metric import MetricJob
from concord.judges.run.rubric import RubricJob
from concord.messages import Problem, joined, quoted, said
from concord.metrics import title
from concord.metrics.framework.metric import NEEDS
from concord.model import BASELINE, FEW_SHOT, HELD_OUT, Grader, Sheet
from concord.reports.agreement.confusion import answer_grades
from concord.reports.certificate.exported_judge import document, exported
from concord.reports.decision import combined_judge
from concord.reports.decision import cost as prices
from concord.reports.document import Table
from concord.reports.metrics import metric_records, metrics
from concord.reports.work_list import Listed
from concord.reports.workflow import canaries, judge_check, judges, runs
from concord.reports.workflow.judges import IN_SIGHT, Entry
from concord.reports.workflow.runs import State
from concord.sampling import splits
from concord.store import grades
from concord.store.database import Store
from concord.store.items import Stored
from concord.store.rubrics import rubric_versions
from concord.ui import render, run_progress
from concord.ui.actions import refusals
from concord.ui.cached_reports import Report
from concord.ui.caching import kept, once
from concord.ui.frame import may_act, offer_download_choice, pick_tool, recall, remember
from concord.ui.language import plain, say, word
from concord.ui.looker import agreed, looker
from concord.ui.markup import LOOK
from concord.ui.render import show, show_table
from concord.ui.screens import agreement
from concord.ui.screens.judge_form import judge_form
from concord.ui.screens.judge_runs import (
    ChosenJudge,
    Ready,
    Trials,
    limits,
    one_of_views,
    replies,
    requests_view,
    run_box,
    runs_view,
    shown_item,
    start_row,
)
from concord.ui.widgets import action_button, next_screen_link, pick_rubric, terms

# In the session: the table and row selected last, and how often a judge was named from elsewhere.
_SELECTED, _RENAMED = "judges.selected", "judges.renamed"


def judges_of(store: Store, sheet: Sheet) -> Listed[Entry]:
    """Return the baseline, the user's own judges, those run on a sheet, and the URL's.

    Their agreement is computed once.
    """
    agreed = _agreements(store, sheet)
    every, wanted = judges.entries(store, sheet, agreed), recall("judge")
    mine = [one for one in every if one.is_mine() or one.argument in (BASELINE, wanted)]
    return every.list.of(mine, ordered=False)


@kept(said("Comparing judges with annotators…"))
def _agreements(store: Store, sheet: Sheet) -> judges.Agreements:
    return judges.agreements(store, sheet)


def pick_judge(found: Listed[Entry], shown: Table, name: str) -> str | None:
    """Show the table; return what names the chosen judge on the command line, None for none.

    It is the judge that the URL names, which a selected row changes, else one that is running. The
    URL may also name a judge without a row: a file.

    Args:
        found: The judges, each a row of the table.
        shown: The table.
        name: Of the sheet, for the download.
    """
    live = (key for key, one in zip(found.keys, found, strict=True) if one.state.is_live())
    wanted = recall("judge") or next(live, None)
    remember(judge=wanted)
    place = found.place(wanted) if wanted in found.keys else None
    # The rows of another table, or a judge named from elsewhere, begin with another selection.
    key = f"judges.{digest([name, *found.keys])}.{st.session_state.get(_RENAMED, 0)}"
    row = render.pick_row(shown, name, key, place, IN_SIGHT)
    before = st.session_state.get(_SELECTED)
    st.session_state[_SELECTED] = key, row
    chosen = None if row is None else found.keys[row]
    if chosen != wanted and before and before[0] == key and before[1] != row:
        remember(judge=chosen, add=None, item=None)
        wanted = chosen
    return wanted


def open_judge(argument: str) -> None:
    """Name a judge in the URL, whose row is then selected."""
    remember(judge=argument, item=None)
    st.session_state[_RENAMED] = st.session_state.get(_RENAMED, 0) + 1
    st.rerun()


def begin_card(store: Store, sheet: Sheet, argument: str, entry: Entry | None) -> Judge | None:
    """Begin the card of a judge; `entry`: None for a judge from a file.

    Returns:
        The judge that the rest of the card is about; None where the card is complete: of the
        baseline, of a combined judge, and of a judge of which only the grades are known.
    """
    if entry is not None and entry.judge is None:
        # A judge of which only the grades are known.
        st.subheader(plain(entry.argument), anchor=False)
        st.info(
            say(
                "The grades of this judge were imported. Its prompt is unknown, so it cannot be "
                "run. Agreement is computed as for any other judge."
            )
        )
        if entry.grader.simulated:
            st.warning(
                say("Simulated: no model gave these grades. They only demonstrate the screens.")
            )
        if may_act(store) and stated_price.may_state(store, entry.grader):
            with st.container(border=True, key="judge-price"):
                found = stated_price.stated(entry.grader)
                show(prices.document(found), entry.grader.name, folded=True)
                way = st.segmented_control(
                    say("State it as"),
                    list(_WAYS),
                    default=_USD,
                    format_func=lambda one: say(_WAYS[one]),
                    required=True,
                    key="price.way",
                )
                _fields(store, entry.grader, way)
                with st.container(horizontal=True):
                    if found and found.usd is not None:
                        label, icon = say("Withdraw price"), ":material/undo:"
                        if action_button(
                            label, store.why_no_lead(), icon=icon, key="price.withdraw"
                        ):
                            _state(store, entry.grader, WITHDRAWN)
                    terms(said("stated price"))
        return None
    judge = registry.named(store, argument)
    st.subheader(plain(judge.name), anchor=False)
    if judge.about:
        st.write(say(judge.about) if judge.is_preset() else plain(judge.about))
    if judge.trained:
        baseline_card(store, sheet, judge, entry)
        return None
    if judge.computed:
        combined_card(store, sheet, argument, judge, entry and entry.grader)
        return None
    run_progress.retirement(judge)
    return judge


def baseline_card(store: Store, sheet: Sheet, judge: Judge, entry: Entry) -> None:
    """Show the card.

    The baseline runs under the rubric that annotators use; where they use several, one is chosen.
    """
    used = rubric_versions.annotators_used(store, sheet.id)
    _, rubric = pick_rubric(store, used or [entry.judge.rubric])
    with st.container(border=True, key="judge-run"):
        st.markdown(
            say(
                "It uses surface features only: overlap of the answer with question and contexts, "
                "length, repetition and symbols. It is trained on annotators' grades and "
                "cross-validated: each question is graded by a model that has not seen it. A judge "
                "that does not beat it adds nothing over counting words. It needs "
                "30 graded answers to 10 questions, and is retrained when there are more grades."
            )
        )
        done = entry.state.phase == "done" and entry.judge.rubric == rubric.name
        text = st.session_state.pop("judge.baseline.said", "")
        if text or done:
            n = entry.state.counts.done
            answers = said("It has graded {n:,} answers of this sheet.", n=n)
            st.success(say(text or answers), icon=":material/check:")
        if not may_act(store) or not action_button(
            say("Retrain it on the current grades, free" if done else "Run the baseline now, free"),
            store.why_no_lead(),
            type="primary",
            icon=":material/play_arrow:",
            key="judge.baseline",
        ):
            return
        with st.spinner(say("Training on the annotators' grades…")):
            options = Options(sheet_name=sheet.name, rubric=rubric.name)
            outcome = judging.judge(store, judge.name, options, lambda _: True)
        st.session_state["judge.baseline.said"] = outcome.said
        st.rerun()


_SAID = "judge.combined.said"


def combined_card(
    store: Store, sheet: Sheet, argument: str, judge: Judge, grader: Grader | None
) -> None:
    """Show the card; `grader` is None where the judge has not run."""
    with st.container(border=True, key="judge-run"):
        st.markdown(
            say(
                "It sends no request: it combines the stored grades of its members. A fitted rule "
                "scores each question by a fit to other questions, and questions without "
                "annotators' grades by one fit to all. New grades of annotators make a new judge."
            )
        )
        if text := st.session_state.pop(_SAID, ""):
            st.success(plain(text), icon=":material/check:")
        pressed = may_act(store) and action_button(
            say("Combine the stored grades, free"),
            store.why_no_lead(),
            type="primary",
            icon=":material/play_arrow:",
            key="judge.combined",
        )
        if pressed:
            with refusals():
                options = Options(sheet_name=sheet.name)
                outcome = judging.judge(store, argument, options, lambda _: True)
                st.session_state[_SAID] = outcome.said
                st.rerun()
    with refusals():
        render.body(
            combined_judge.document(store, sheet, judge, grader), "combined-judge", in_full=True
        )
    if grader is not None:
        with st.expander("Edit a copy", key="judge.edit"):
            if made := judge_form(store, sheet, judge):
                open_judge(made)
        with st.expander(say("Frozen judge file"), key="judge.frozen"), refusals():
            st.code(as_toml(freeze(grader)), language="toml", wrap_lines=True)


_BY = "app"
_USD, _TOKENS = "usd", "tokens"
_WAYS = {_USD: said("USD per 1,000 answers"), _TOKENS: said("Tokens per answer and model")}


def _fields(store: Store, judge: Grader, way: str) -> None:
    """The fields of one way to state a price, and the button that records it."""
    with st.form("price.form", border=False):
        if way == _USD:
            text = st.text_input(
                say("USD per 1,000 answers"),
                placeholder="2.50",
                key="price.usd",
                label_visibility="collapsed",
            )
        else:
            models = sorted({one.model for one in known_prices.load() if one.host is None})
            model = st.selectbox(say("Model (prices.toml)"), models, key="price.model")
            left, right = st.columns(2)
            given = left.text_input(
                say("Input tokens per answer"), placeholder="1200", key="price.input"
            )
            written = right.text_input(
                say("Output tokens per answer"), placeholder="80", key="price.output"
            )
            text = f"{model}:{given}/{written}"
        label, refused = say("Record price"), store.why_no_lead()
        why = plain(refused) if refused else None
        icon, is_off = ":material/sell:", refused is not None
        if st.form_submit_button(label, icon=icon, disabled=is_off, help=why):
            _state(store, judge, text)
        if why:
            st.caption(why)


def _state(store: Store, judge: Grader, text: str) -> None:
    with refusals():
        stated_price.state(store, judge.label(), text, _BY)
        st.rerun()


_TOOL = "judge.export"


def offer_export(store: Store, sheet_name: str, judge: Judge) -> None:
    """Offer a judge as a file for each tool; or say why it is not exported, and what to do."""
    if why := refused(judge):
        offer_download_choice(lambda: st.caption(plain(why)))
        return
    known, tool = targets.TARGETS, st.session_state.get(_TOOL)
    made = _made(store, sheet_name, judge, known[tool]) if tool in known else None
    offer_download_choice(partial(_choice, known, made))


def _made(store: Store, sheet_name: str, judge: Judge, target: Target) -> dict | str:
    """Return the file of a tool; as text why the tool cannot run this judge."""
    try:
        found = carried(store, *setup(store, judge, None, sheet_name))
        return exported(store, target, found, target.write(found))
    except Problem as problem:
        return problem.on_screen


def _choice(known: dict[str, Target], made: dict | str | None) -> None:
    titles = {name: target.title for name, target in known.items()}
    pick_tool(say("Export the judge for another tool"), titles, _TOOL)
    if isinstance(made, dict):
        _file(known[made["tool"]], made)
    elif made:
        st.caption(plain(made))


def _file(target: Target, made: dict) -> None:
    about = document(made)
    st.download_button(
        say("Download {file}", file=target.file),
        made["text"],
        target.file,
        "text/plain",
        key="judge.exported",
        icon=":material/download:",
    )
    st.caption("\n\n".join(plain(text) for text in (about.headline, *about.facts)))
    st.markdown(f"**{say(said('What differs from this judge in Concord'))}**")
    st.caption("\n".join(f"- {plain(text)}" for text in about.notes))


def rubric_card(store: Store, sheet_name: str, judge: Judge, argument: str) -> Judge:
    """Show the card of a judge by a rubric; return the judge."""
    job = judging.prepare(store, argument, Options(sheet_name=sheet_name))
    grader = job.grader(store)
    run_box(ChosenJudge(store, argument, job, grader), said("a score"), _start)
    of_answer = {
        said("Prompt"): lambda stored: _prompt(store, job, stored),
        said("Replies"): lambda stored: replies(store, stored, grader, job.rubric.versions()),
    }
    edit = partial(_edit, store, job, grader, argument)
    one_of_views(store, job, grader, "judge.show", of_answer, edit)
    return job.judge


def _edit(store: Store, job: RubricJob, grader: Grader | None, argument: str) -> None:
    """Show the definition as a form, and beside it an answer with what was said of it."""
    left, right = st.columns(2, gap="medium")
    with right:
        examples = _beside(store, job, grader, argument)
    with left:
        if made := judge_form(store, job.sheet, job.judge, examples):
            open_judge(made)


def _beside(store: Store, job: RubricJob, grader: Grader | None, argument: str) -> tuple[str, ...]:
    """Show an answer and its grades; return the content hashes of the examples chosen so far.

    Whoever reads them has seen what the judge said: the question counts as looked at.
    """
    stored, key = shown_item(store, job), f"judge.examples.{argument}"
    chosen = st.session_state.setdefault(key, ())
    questions = splits.of_sheet(store, job.sheet.id)
    split = next(row["split"] for row in questions if row["id"] == stored.question_id)
    if split == HELD_OUT:
        st.info("This answer's question is held out, so it is not shown with a judge's grades.")
        return chosen
    person = looker(store)
    if not agreed(store, person):
        return chosen
    grades.open_item(store, stored.id, person.id if person else None)
    panel = Report(store, job.sheet, job.rubric).panel
    for one in answer_grades(store, panel, grader.id if grader else 0, [stored.id]):
        st.html(LOOK)
        agreement.answer(one, job.rubric.heaviest().name)
    is_example = stored.content_hash in chosen
    why = None if split == FEW_SHOT else "Its question is not in the few-shot pool (Data)."
    label = "No longer an example" if is_example else "Make it an example"
    if action_button(label, why, key="judge.example"):
        without = tuple(one for one in chosen if one != stored.content_hash)
        st.session_state[key] = without if is_example else (*chosen, stored.content_hash)
        st.rerun()
    return chosen


def _prompt(store: Store, job: RubricJob, stored: Stored) -> None:
    """Show every message and the rest of the request, to read and to copy."""
    names = list(job.judge.parts(job.rubric))
    part = names[0]
    if len(names) > 1:
        part = st.segmented_control(
            say("Criterion of the request"), names, default=part, required=True, key="judge.part"
        )
    sent = preview(job.judge, job.rubric, stored.item, part, job.shots)
    st.caption(plain(sent.sentence()))
    if stored.question_id in job.closed_questions(store):
        st.info(say("This answer is excluded: judges may have seen its question as an example."))
    for message in sent.messages:
        st.markdown(f"**{message['role']}**")
        st.code(message["content"], language=None, wrap_lines=True)
    st.markdown(f"**{say('Rest of the request')}**")
    st.code(sent.rest, language="json", wrap_lines=True)


_FETCH = said("Results received so far are stored; the rest can then be requested again.")
_CANCEL = said(
    "Answers received until then are paid for and stored; the rest can be requested again."
)


def _start(chosen: ChosenJudge, found: State) -> None:
    """Show open batches, estimate, limits and the button.

    The limits come last on screen although the rest depends on them, hence the container.
    """
    _waiting(chosen, found)
    store, job = chosen.store, chosen.job
    place = f"{job.sheet.id}.{job.fingerprint}"
    top = st.container()
    options = limits(job, place)
    job = judging.prepare(store, job.judge, options)
    expected = job.estimate(store)
    with top:
        if runs.is_all_done(expected) and expected.in_batch:
            return
        if runs.is_all_done(expected) and found.phase == "done":
            next_screen_link("pages/agreement.py", said("Agreement with annotators"))
            if job.judge.edited_from:
                query = {"view": "flips", "first": job.judge.edited_from[-1]}
                label = f"Before and after: {job.judge.edited_from[-1]} and {job.judge.name}"
                next_screen_link("pages/compare.py", label, **query, second=job.judge.name)
            return
        if elsewhere := rubric_versions.without_annotators(store, job.sheet, job.rubric.name):
            st.warning(plain(elsewhere), icon=":material/warning:")
        run_progress.expected(expected, closed=job.closed)
        no_key = run_progress.why_no_key(job.judge)
        if job.judge.batches:
            options = _with_way(options, expected, found, place)
        of_judge = job.judge, job.rubric, job.shots
        ready = Ready(
            job,
            options,
            expected,
            runs.run_label(expected, bool(job.settled), options.batch),
            no_key,
            Trials(partial(endpoint_check.prepare, *of_judge), canary.of_rubric(*of_judge)),
        )
        start_row(chosen, ready, place, found.budget)


def _with_way(options: Options, expected: Estimate, found: State, place: str) -> Options:
    """Live or as a batch, where it makes a difference and no batch is open already."""
    if not expected.calls or expected.is_free() or found.waiting:
        return options
    batch = st.radio(
        say("Request mode"),
        [False, True],
        format_func=lambda batch: say(runs.mode_and_price(expected, batch)),
        key=f"judge.way.{place}",
    )
    return replace(options, batch=batch)


def _waiting(chosen: ChosenJudge, found: State) -> None:
    """The open batches of a judge over the sheet, where there are any."""
    job = chosen.job
    if not found.waiting:
        return
    lines = [runs.batch_line(batch) for batch in found.waiting]
    st.info(plain(joined("\n\n", lines)), icon=":material/schedule:")
    why_not = chosen.store.why_no_lead() or run_progress.why_no_key(job.judge, "batch")
    with st.container(horizontal=True):
        ask = st.button(
            say("Fetch results"),
            icon=":material/download:",
            key="judge.collect",
            help=say(why_not or _FETCH),
            disabled=why_not is not None,
        )
        end = st.button(
            say("Cancel batch"),
            icon=":material/cancel:",
            key="judge.cancel_batch",
            help=say(why_not or _CANCEL),
            disabled=why_not is not None,
        )
    if why_not:
        st.caption(say(why_not))
    if ask or end:
        options = Options(job.sheet.name, batch=ask, cancel_batch=end)
        run_progress.start(chosen.store, chosen.argument, [job], options)


def metric_card(store: Store, sheet_name: str, judge: Judge, argument: str) -> Judge:
    """Show the card of a judge for metrics; return the judge."""
    job = judging.prepare(store, judge, Options(sheet_name=sheet_name))
    grader = job.grader(store)
    run_box(ChosenJudge(store, argument, job, grader), said("a number"), start)
    if job.judge.model is not None:
        # One of the views of a judge for metrics, as the URL says.
        of_answer = {
            said("Requests"): lambda stored: requests_view(job, stored),
            said("Replies"): lambda stored: replies(store, stored, grader),
        }

        def edit() -> None:
            if made := judge_form(store, job.sheet, job.judge):
                open_judge(made)

        one_of_views(store, job, grader, "judge.metric.show", of_answer, edit)
    else:
        runs_view(store, job, grader)
    return job.judge


def start(chosen: ChosenJudge, found: State) -> None:
    """Show the values so far, the choice of metrics, the estimate, limits and the button."""
    store, job = chosen.store, chosen.job
    numbers(store, job, chosen.grader)
    place = f"{job.sheet.id}.{job.judge.name}.{job.fingerprint}"
    names = [metric.name for metric in job.metrics]
    wanted = st.multiselect(
        say("Metrics"),
        names,
        default=names,
        format_func=lambda name: word(title(name)),
        key=f"judge.metrics.{place}",
        placeholder=say("Choose"),
    )
    top = st.container()
    options = limits(job, place)
    if not wanted:
        top.info(say("Choose a metric."))
        return
    options = replace(options, metrics=tuple(wanted) if wanted != names else ())
    job = replace(judging.prepare(store, job.judge, options), left_out=job.left_out)
    expected = expected_of(store, job, found)
    with top:
        # The estimate in words, what answers lack, and what is left out.
        run_progress.expected(expected, closed=job.closed)
        lacking = job.remarks(title)
        if lacking and job.pending:
            st.warning("\n".join(f"- {plain(line)}" for line in [*lacking, *_columns(job)]))
        if runs.is_all_done(expected):
            return
        asks_model = job.judge.model is not None
        names = tuple(metric.name for metric in job.metrics)
        prepare = partial(canaries.of_judge, job.judge, names)
        known = once("judge.metrics.canaries", (job.fingerprint, names), prepare)
        check = partial(judge_check.named, store, chosen.argument)
        ready = Ready(
            job,
            options,
            expected,
            runs.run_label(expected, bool(job.settled))
            if expected.calls
            else said("Compute metrics, free"),
            run_progress.why_no_key(job.judge) if asks_model else None,
            Trials(check if asks_model else None, known),
        )
        start_row(chosen, ready, place, found.budget)


def expected_of(store: Store, job: MetricJob, found: State) -> Estimate:
    """The estimate; rehearsing takes a second or two, so it is kept while nothing changes."""
    versions = tuple(one.version for one in job.criteria.values())
    left = len(job.pending), job.settled, job.failed, job.retried, job.repeats
    wanted = job.sheet.id, job.fingerprint, versions, left, found.run_id, found.counts.calls
    compute = partial(job.estimate, store)
    return once("judge.metrics.expected", wanted, compute, said("Planning the requests…"))


def _columns(job: MetricJob) -> list[str]:
    """Return the columns of a file that supply the missing inputs."""
    needed = [need for need, words in NEEDS.items() if words in job.lacks and need in ITEM_FIELDS]
    if not needed:
        return []
    names = quoted(needed)
    return [
        said("Import them in the columns {names}.", names=names)
        if len(needed) > 1
        else said("Import it in the column {names}.", names=names)
    ]


def numbers(store: Store, job: MetricJob, grader: Grader | None) -> None:
    """Show the values found so far: number of answers, and the mean."""
    values = metrics.rows(metric_records.read(store, job.sheet)) if grader else []
    mine = [row for row in values if row.judge == job.label]
    if mine:
        shown = sorted(mine, key=lambda row: not row.n)  # those without any value last
        show_table(metrics.table(shown), job.judge.name, height="content")
