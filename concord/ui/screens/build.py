"""Build a sheet from documents: what it is made from, the drafts, and the answers of models."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path

import streamlit as st

from concord.building import drafts, open_questions
from concord.building.drafts import APPROVED, REJECTED, STATES, WAITING, Draft, Words
from concord.definitions import digest
from concord.importing.readers import documents
from concord.judges.building import answering
from concord.judges.building.drafting import prepare as prepare_drafts
from concord.judges.building.requests import RequestJob
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.run.job import Options
from concord.messages import Problem, counted
from concord.reports.document import Document
from concord.reports.workflow import building
from concord.resources import ASSETS
from concord.store import sheets
from concord.store.database import Store
from concord.text.quotations import find
from concord.ui import render, run_progress, upload
from concord.ui.actions import refusals, show_done
from concord.ui.frame import filters, may_act, recall, remember
from concord.ui.language import plain
from concord.ui.widgets import action_button, finding, number_field

LOOK = ASSETS / "build.css"
NEW = "\0new"
LACKING = "a usable reply"
AROUND = 20_000  # characters of a document that are shown before and after the quote
KINDS = {
    "files": "Documents",
    "questions": "A sheet of questions",
}
SUFFIXES = sorted(suffix[1:] for suffix in documents.PLAIN | documents.HTML | documents.PDF)


def show(store: Store) -> None:
    """Show the screen: what to build from, else the next step of the sheet being built."""
    name = _pick(store)
    if name is None:
        _taken()
        finding(
            "Build a sheet from documents or questions",
            "A model drafts questions from documents, each with a verbatim quote, and you accept "
            "or reject each. Or import your own questions. Then any models answer them.",
        )
        if may_act(store):
            _begin(store, None)
        return
    render.show(building.document(store, name), f"{name}-build")
    _taken()
    show_done("build.said")
    if may_act(store):
        if drafts.document_ids(store, name):
            _drafting(store, name)
        if draft := _draft(store, name):
            _read_and_decide(store, draft)
        _answering(store, name)
    if every := drafts.of_sheet(store, name):
        _list(name, every)
    if may_act(store):
        with st.expander("More documents or questions", key=f"build.more.{name}"):
            _begin(store, name)


def _pick(store: Store) -> str | None:
    """Return the sheet being built, or an imported one to answer again; None for a new one."""
    builds = sheets.being_built(store)
    imported = [sheet.name for sheet in sheets.all_sheets(store) if sheet.name not in builds]
    if not builds and not imported:
        return None
    options, wanted = [*builds, NEW, *imported], recall("sheet")
    if recall("imported") in imported:  # only where it was chosen on this screen
        first = recall("imported")
    elif recall("start") == "new" or not builds:
        first = NEW
    else:
        first = wanted if wanted in builds else builds[-1]
    names = {NEW: "A new sheet"} | {one: f"{one} (imported)" for one in imported}
    name = filters().selectbox(
        "Sheet",
        options,
        index=options.index(first),
        format_func=lambda option: names.get(option, option),
        key=f"pick.build.{digest(options)}",
    )
    if name != NEW:  # the sheet that other screens are at stays where a new one is begun
        remember(sheet=name)
    remember(start="new" if name == NEW else None, imported=name if name in imported else None)
    return None if name == NEW else name


def _begin(store: Store, name: str | None) -> None:
    """Take in documents or questions, for a new sheet or for the one that is being built."""
    place = name or ""
    kind = st.segmented_control(
        "From",
        list(KINDS),
        default="files",
        format_func=KINDS.get,
        required=True,
        key=f"build.kind.{place}",
    )
    with refusals():
        (_of_questions if kind == "questions" else _of_documents)(store, name, place)


def _taken() -> None:
    """Show the last import, and every file that gave nothing, with the reason."""
    if done := st.session_state.pop("build.taken", None):
        st.info(plain(done.headline), icon=":material/description:")
        st.toast(plain(done.headline), duration="long")
        render.body(done, "import")


def _of_documents(store: Store, name: str | None, place: str) -> None:
    files = st.file_uploader(
        "Markdown, text, HTML or PDF files",
        type=SUFFIXES,
        accept_multiple_files=True,
        max_upload_size=documents.MAX_BYTES // 1_000_000,
        key=f"build.files.{place}",
    )
    sheet = _sheet_name(name, Path(files[0].name).stem if files else "", place)
    if _imports(store, "documents", bool(files), sheet, place):
        read = documents.of_files([(file.name, file.getvalue()) for file in files])
        new = drafts.add_documents(store, sheet, read.documents)
        st.session_state["build.taken"] = building.intake_summary(read, new)
        if read.documents:
            remember(sheet=sheet, draft=None, start=None)
        st.rerun()


def _of_questions(store: Store, name: str | None, place: str) -> None:
    """Questions with their contexts, which models answer; no draft, no approval."""
    key = f"build.questions.{place}"
    file = upload.uploaded(key, "build --judge JUDGE --questions")
    if file is None:
        return
    table = upload.opened(file, key)
    mapped = st.text_input(
        "Columns, if their names are ambiguous",
        placeholder="question=Frage, context=Text",
        key=f"{key}.map",
    )
    words = [word.strip() for word in mapped.split(",") if word.strip()]
    found = open_questions.of_table(table, file.name, words)
    st.caption(counted(len(found), "question"))
    sheet = _sheet_name(name, Path(file.name).stem, place)
    if _imports(store, "questions", True, sheet, place):
        new = open_questions.add(store, sheet, found, file.name)
        st.session_state["build.taken"] = Document(building.imported("question", new, len(found)))
        remember(sheet=sheet, draft=None, start=None)
        st.rerun()


def _sheet_name(name: str | None, suggested: str, place: str) -> str:
    """The sheet that is being built; a new one is named after its file or folder."""
    if name:
        return name
    key, hint = f"build.name.{place}", suggested or "manuals"
    chosen = st.text_input("Name of the sheet", placeholder=hint, key=key)
    return " ".join((chosen or suggested).split())


def _imports(store: Store, what: str, given: bool, sheet: str, place: str) -> bool:
    """The button that imports; True where it was pressed."""
    why = None if sheet else "Name the sheet first."
    return action_button(
        f"Import {what}",
        store.why_no_lead() or (why if given else "Choose the documents first."),
        icon=":material/note_add:",
        type="primary",
        key=f"build.take.{place}",
    )


def _draft(store: Store, name: str) -> Draft | None:
    """The draft that the URL names, else the first that waits; None where none is left."""
    wanted = recall("draft")
    named = (draft for draft in drafts.of_sheet(store, name) if str(draft.id) == wanted)
    return next(named, None) or next(iter(drafts.of_sheet(store, name, WAITING)), None)


def _read_and_decide(store: Store, draft: Draft) -> None:
    """The document with the quote marked, beside the draft, which may be changed, and decided."""
    document, form = st.columns([3, 2])
    with document:
        st.html(LOOK)
        st.subheader(plain(draft.document), anchor=False)
        text = drafts.document(store, draft.document_id).text
        begin, end = find(draft.words.quote, text) or (0, 0)
        first, last = max(0, begin - AROUND), min(len(text), end + AROUND)
        before, after = (
            f"<i>({n:,} characters {where} this)</i>" if n else ""
            for n, where in ((first, "before"), (len(text) - last, "after"))
        )
        mark = f"<mark>{escape(text[begin:end])}</mark>" if end else ""
        shown = f"{escape(text[first:begin])}{mark}{escape(text[end:last])}"
        st.html(f'<div class="concord-document">{before}\n{shown}\n{after}</div>')
    with form:
        state = draft.state + (f" by {draft.who}" if draft.who else "")
        state += (", edited" if draft.edited else "") + (f": {draft.why}" if draft.why else "")
        st.subheader(f"Draft {draft.id}", anchor=False)
        st.caption(plain(f"Written by {draft.model}; {state}"))
        labels = {
            "question": "Question",
            "reference": "Reference answer",
            "quote": "Quote, word for word from the document",
        }
        key = f"build.{draft.id}"
        with st.form(f"{key}.form", border=False):
            words = Words(
                **{
                    name: st.text_area(
                        label, getattr(draft.words, name), key=f"{key}.{name}", height=110
                    ).strip()
                    for name, label in labels.items()
                }
            )
            last_by = st.session_state.get("build.by") or recall("grader") or ""
            who = st.text_input("Your name", last_by, key=f"{key}.who").strip()
            why = st.text_input("Why, if you reject it", key=f"{key}.why").strip()
            with st.container(horizontal=True):
                approve = st.form_submit_button("Approve", type="primary", key=f"{key}.{APPROVED}")
                reject = st.form_submit_button("Reject", key=f"{key}.{REJECTED}")
        if approve or reject:
            with refusals():
                if approve:
                    drafts.approve(store, draft.id, who, words)
                else:
                    drafts.reject(store, draft.id, who, why)
                state = APPROVED if approve else REJECTED
                st.session_state["build.by"] = who
                st.session_state["build.said"] = f"Draft {draft.id} is {state}."
                remember(draft=None)
                st.rerun()


def _list(name: str, found: list[Draft]) -> None:
    """Every draft with its state; selecting a row reopens it."""
    with st.expander("All drafts", key="build.all"):
        found = sorted(found, key=lambda draft: STATES.index(draft.state))
        states = digest([(draft.id, draft.state) for draft in found])
        row = render.pick_row(building.draft_table(found), name, f"build.open.{states}")
        before = st.session_state.get("build.opened")
        st.session_state["build.opened"] = (states, row)
        if row is not None and before != (states, row):
            remember(draft=found[row].id)
            st.rerun()


def _drafting(store: Store, name: str) -> None:
    """Have a model draft questions from documents; folded as soon as there are drafts to review."""
    states = [one.state for one in building.request_states(store, name, "drafts")]
    is_open = any(one.is_live() for one in states) or not any(drafts.counts(store, name).values())
    documents = counted(len(drafts.document_ids(store, name)), "document")
    with st.expander(f"Draft questions from {documents}", expanded=is_open, key="build.draft"):
        count = number_field(
            "Questions per document, at most",
            min_value=1,
            max_value=20,
            key=f"build.count.{name}",
            width=260,
        )
        _runs(store, name, "drafts", lambda judge: prepare_drafts(store, name, judge, count))


def _answering(store: Store, name: str) -> None:
    """Have models answer the questions; open once no draft waits, or where a run is not done."""
    try:
        questions = open_questions.answerable_questions(store, name)
    except Problem as problem:
        st.warning(plain(str(problem)), icon=":material/error:")
        return
    if not questions:
        return
    states = [one.state for one in building.request_states(store, name, "answers")]
    is_open = any(s.phase != "done" for s in states) or not drafts.counts(store, name)[WAITING]
    head = f"Have models answer {counted(len(questions), 'question')}"
    with st.expander(head, expanded=is_open, key="build.answer"):
        if sheet := sheets.find(store, name):
            models, answers = ", ".join(sheet.answer_models), counted(sheet.items, "answer")
            st.write(plain(f"“{name}” has {answers} by {models}."))
            st.page_link("pages/grade.py", label="Grade them", icon=":material/arrow_forward:")
        prepare = partial(answering.prepare, store, name, questions=questions)
        _runs(store, name, "answers", prepare)


def _models(store: Store, name: str, purpose: str) -> tuple[str, list[Judge]]:
    """Return the judge whose endpoint is used by its verb, and it with each model."""
    names, by, place = building.available_judges(store), f"{purpose}_by", f"{purpose}.{name}"
    wanted = recall(by)
    left, right = st.columns(2)
    argument = left.selectbox(
        "Endpoint and settings of",
        names,
        index=names.index(wanted) if wanted in names else 0,
        key=f"build.judge.{place}",
    )
    remember(**{by: argument})
    model = registry.named(store, argument).model
    models = right.multiselect(
        "Models" if purpose == "answers" else "Model",
        [model],
        default=[model],
        accept_new_options=True,
        max_selections=None if purpose == "answers" else 1,
        key=f"build.models.{place}.{argument}",
        placeholder="Choose",
    )
    return argument, registry.with_models(store, [argument], models, None) if models else []


def _runs(store: Store, name: str, purpose: str, prepare: Callable[[Judge], RequestJob]) -> None:
    """Show the runs in progress, the rest, and the button that starts one per model."""
    going = st.container()
    argument, judges = _models(store, name, purpose)
    jobs = [prepare(judge) for judge in judges]
    found = building.request_states(store, name, purpose, jobs)
    with going:
        for stand in found:
            # A model at work, or how its newest run for the sheet ended.
            st.markdown(f"**{plain(stand.model)}**")
            if stand.state.is_live():
                run_progress.live(stand.look, f"build.{stand.place.log}", LACKING)
            else:
                run_progress.outcome(stand.state, LACKING)
    at_work = {stand.place.log for stand in found if stand.state.is_live()}
    idle = [job for job in jobs if job.place().log not in at_work]
    if not idle:
        return
    top, place = st.container(), f"{purpose}.{name}"
    with st.expander("Speed and retries"):
        concurrency = run_progress.concurrency(f"build.concurrency.{place}")
        label = "Retry requests without a usable reply"
        again = st.checkbox(label, key=f"build.again.{place}")
    options = Options(concurrency=concurrency, retry_unscored=again)
    if again:
        idle = [replace(job, retry_unscored=True).renewed(store) for job in idle]
    expected = [job.estimate(store) for job in idle]
    with top:
        for job, one in zip(idle, expected, strict=True):
            run_progress.retirement(job.judge)
            if purpose == "answers" and not job.keys:
                st.markdown(f"**{plain(job.judge.model)}**: Every question has its answer.")
            else:
                run_progress.expected(one, job.judge.model)
        no_key = run_progress.why_no_key(judges[0], f"build.{purpose}")
        left, label = building.remaining(store, purpose, idle, expected)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if any(one.cost and not one.is_free() for one in expected):
                budget = run_progress.budget(f"build.budget.{place}")
                options = replace(options, budget=budget)
            why_not = store.why_no_lead() or no_key or (None if left else "Nothing is left to ask.")
            icon, key = ":material/play_arrow:", f"build.run.{purpose}"
            if action_button(label, why_not, type="primary", icon=icon, key=key):
                run_progress.start(store, argument, left, options, expected)
