"""Build a sheet from documents: begin, drafts, and the run."""

from dataclasses import replace
from html import escape
from pathlib import Path
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from concord.building import drafts, open_questions
from concord.building.drafts import APPROVED, REJECTED, STATES, WAITING, Draft, Words
from concord.definitions import digest
from concord.importing.readers import documents
from concord.importing.readers.encoding import LABELS
from concord.judges.building import answering as answers
from concord.judges.building.drafting import prepare as prepare_drafts
from concord.judges.building.requests import RequestJob
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.run.job import Options
from concord.messages import Problem, counted, joined, said, short
from concord.model import Question
from concord.reports.workflow import building
from concord.reports.workflow.runs import State
from concord.resources import ASSETS
from concord.store import sheets
from concord.store.database import Store
from concord.text.quotations import find
from concord.ui import render, run_progress, upload
from concord.ui.actions import refusals, show_done
from concord.ui.frame import filters, recall, remember
from concord.ui.language import plain, say
from concord.ui.widgets import action_button, number_field

KINDS = {
    "files": said("Documents"),
    "folder": said("A folder on this machine"),
    "questions": said("A sheet of questions"),
}
SUFFIXES = sorted(suffix[1:] for suffix in documents.PLAIN | documents.HTML | documents.PDF)


def begin(store: Store, name: str | None) -> None:
    """Take in documents or questions, for a new sheet or for the one that is being built."""
    place = name or ""
    kind = st.segmented_control(
        say(short("From", said("What to build from"))),
        list(KINDS),
        default="files",
        format_func=lambda kind: say(KINDS[kind]),
        required=True,
        key=f"build.kind.{place}",
    )
    with refusals():
        if kind == "questions":
            _of_questions(store, name, place)
        else:
            _of_documents(store, name, kind, place)


def taken() -> None:
    """Show the last import, and every file that gave nothing, with the reason."""
    done = st.session_state.pop("build.taken", None)
    if done:
        st.info(plain(done.headline), icon=":material/description:")
        st.toast(plain(done.headline), duration="long")
        render.body(done, "import")


def _of_documents(store: Store, name: str | None, kind: str, place: str) -> None:
    if kind == "files":
        files = st.file_uploader(
            say("Markdown, text, HTML or PDF files"),
            type=SUFFIXES,
            accept_multiple_files=True,
            max_upload_size=documents.MAX_BYTES // 1_000_000,
            key=f"build.files.{place}",
        )
        given, suggested = bool(files), Path(files[0].name).stem if files else ""
    else:
        files = st.text_input(
            say("Folder"), placeholder="manuals", key=f"build.folder.{place}"
        ).strip()
        given, suggested = bool(files), Path(files).name
        st.caption(say("Includes subfolders. Hidden files are skipped."))
    sheet = _sheet_name(name, suggested, place)
    minimum, encoding = _how_to_read(place)
    if action_button(
        say("Import documents"),
        store.why_no_lead() or _why_not(given, sheet),
        icon=":material/note_add:",
        type="primary",
        key=f"build.take.{place}",
    ):
        if kind == "files":
            named = [(file.name, file.getvalue()) for file in files]
            read = documents.of_files(named, minimum, encoding)
        else:
            read = documents.read(files, minimum, encoding)
        new = drafts.add_documents(store, sheet, read.documents)
        st.session_state["build.taken"] = building.intake_summary(read, new)
        if read.documents:
            remember(sheet=sheet, draft=None, start=None)
        st.rerun()


def _why_not(given: bool, sheet: str) -> str | None:
    """Return why the import is disabled."""
    if not given:
        return say("Choose the documents first.")
    return None if sheet else say("Name the sheet first.")


def _of_questions(store: Store, name: str | None, place: str) -> None:
    """Questions with their contexts, which models answer; no draft, no approval."""
    key = f"build.questions.{place}"
    file = upload.uploaded(key, "build --judge JUDGE --questions")
    if file is None:
        return
    table = upload.opened(file, key)
    mapped = st.text_input(
        say("Columns, if their names are ambiguous"),
        placeholder=say("question=Frage, context=Text"),
        key=f"{key}.map",
    )
    found = open_questions.of_table(
        table, file.name, [s.strip() for s in mapped.split(",") if s.strip()]
    )
    render.show(building.file_questions(found), file.name, folded=True)
    sheet = _sheet_name(name, Path(file.name).stem, place)
    if action_button(
        say("Import questions"),
        store.why_no_lead() or _why_not(True, sheet),
        icon=":material/playlist_add:",
        type="primary",
        key=f"build.take.{place}",
    ):
        new = open_questions.add(store, sheet, found, file.name)
        st.session_state["build.taken"] = building.imported_questions(found, new)
        remember(sheet=sheet, draft=None, start=None)
        st.rerun()


def _sheet_name(name: str | None, suggested: str, place: str) -> str:
    """The sheet that is being built; a new one is named after its file or folder."""
    if name:
        return name
    chosen = st.text_input(
        say("Name of the sheet"), placeholder=suggested or "manuals", key=f"build.name.{place}"
    )
    return " ".join((chosen or suggested).split())


def _how_to_read(place: str) -> tuple[int, str | None]:
    """The least length of a document, and the encoding where the guess is wrong."""
    with st.expander(say("Length and encoding")):
        minimum = number_field(
            say("Minimum length of a document, in letters and digits"),
            min_value=1,
            value=documents.MINIMUM,
            key=f"build.minimum.{place}",
        )
        encoding = st.selectbox(
            say("Encoding of text files"),
            ["", *LABELS],
            format_func=lambda codec: LABELS.get(codec, say("Detected automatically")),
            key=f"build.encoding.{place}",
        )
    return minimum, encoding or None


LOOK = ASSETS / "build.css"
# How much of a document is shown before and after the quote, in characters.
AROUND = 20_000
_FIELDS = {
    "question": said("Question"),
    "reference": said("Reference answer"),
    "quote": said("Quote, word for word from the document"),
}


def chosen(store: Store, name: str) -> Draft | None:
    """The draft that the URL names, else the first that waits; None where none is left."""
    wanted = recall("draft")
    if wanted and wanted.isdecimal():
        named = next((d for d in drafts.of_sheet(store, name) if d.id == int(wanted)), None)
        if named:
            return named
    return next(iter(drafts.of_sheet(store, name, WAITING)), None)


def read_and_decide(store: Store, draft: Draft) -> None:
    """Show the document next to the draft, and the form of the decision."""
    document, form = st.columns([3, 2])
    with document:
        # Show the document with the quote marked; for a long one the surroundings of the quote.
        st.html(LOOK)
        st.subheader(plain(draft.document), anchor=False)
        text = drafts.document(store, draft.document_id).text
        begin, end = find(draft.words.quote, text) or (0, 0)
        first, last = max(0, begin - AROUND), min(len(text), end + AROUND)
        left = len(text) - last
        before = say("({n:,} characters before this)", n=first)
        before = f"<i>{before}</i>\n" if first else ""
        after = say("({n:,} characters after this)", n=left)
        after = f"\n<i>{after}</i>" if left else ""
        mark = f"<mark>{escape(text[begin:end])}</mark>" if end else ""
        st.html(
            f'<div class="concord-document">{before}{escape(text[first:begin])}{mark}'
            f"{escape(text[end:last])}{after}</div>"
        )
    with form:
        _decide(store, draft)


def _decide(store: Store, draft: Draft) -> None:
    """The draft's words, which may be changed, and the decision on them."""
    st.subheader(say("Draft {number}", number=draft.id), anchor=False)
    st.caption(plain(_state(draft)))
    key = f"build.{draft.id}"
    texts = ("question", 100), ("reference", 120), ("quote", 120)
    with st.form(f"{key}.form", border=False):
        words = Words(
            **{
                name: st.text_area(
                    say(_FIELDS[name]), getattr(draft.words, name), key=f"{key}.{name}", height=high
                ).strip()
                for name, high in texts
            }
        )
        who = st.text_input(say("Your name"), _who(), key=f"{key}.who").strip()
        why = st.text_input(say("Why, if you reject it"), key=f"{key}.why").strip()
        with st.container(horizontal=True):
            approved = st.form_submit_button(
                say("Approve"), type="primary", key=f"{key}.{APPROVED}"
            )
            rejected = st.form_submit_button(say("Reject"), key=f"{key}.{REJECTED}")
    with refusals():
        if approved:
            drafts.approve(store, draft.id, who, words)
        elif rejected:
            drafts.reject(store, draft.id, who, why)
        if approved or rejected:
            _decided(draft.id, APPROVED if approved else REJECTED, who)


def overview(store: Store, name: str) -> None:
    """Show every draft with its state; selecting a row reopens it."""
    if not any(drafts.counts(store, name).values()):
        return
    with st.expander(say("All drafts"), key="build.all"):
        found = sorted(drafts.of_sheet(store, name), key=lambda draft: STATES.index(draft.state))
        wanted = st.selectbox(
            say("Reopen"),
            [draft.id for draft in found],
            index=None,
            format_func=lambda number: say("Draft {number}", number=number),
            placeholder=say("Choose"),
            key=f"build.open.{name}",
        )
        if wanted and str(wanted) != recall("draft"):
            st.session_state.pop(f"build.open.{name}")
            remember(draft=wanted)
            st.rerun()
        render.show_table(building.draft_table(found), name)


def _decided(draft_id: int, decision: str, who: str) -> None:
    """Go on to the next draft, which says what was decided."""
    st.session_state["build.by"] = who
    st.session_state["build.said"] = said(
        "Draft {number} is {state}.", number=draft_id, state=decision
    )
    remember(draft=None)
    st.rerun()


def _who() -> str:
    """Return the last reviewer of this session, else the grader in the URL."""
    return st.session_state.get("build.by") or recall("grader") or ""


def _state(draft: Draft) -> str:
    state = draft.state
    if draft.who:
        state = said("{state} by {who}", state=state, who=draft.who)
    if draft.edited:
        state = joined(", ", [state, said("edited")])
    if draft.why:
        state = said("{state}: {why}", state=state, why=draft.why)
    return said("Written by {model}; {state}", model=draft.model, state=state)


LACKING = said("a usable reply")


class _Chosen(NamedTuple):
    """The selected models: a judge by its verb, with these models."""

    argument: str
    judges: list[Judge]
    base_url: str | None


def drafting(store: Store, name: str) -> None:
    """Have a model draft questions about the documents of a sheet."""
    going = st.container()
    picked = _pick(store, name, "drafts")
    before = building.last_choice(store, name, "drafts")
    count = number_field(
        say("Questions per document, at most"),
        min_value=1,
        max_value=20,
        value=before.get("questions") or 1,
        key=f"build.count.{name}",
        width=260,
    )
    jobs = [prepare_drafts(store, name, judge, count) for judge in picked.judges]
    _box(store, name, "drafts", picked, jobs, going)


def answering(store: Store, name: str, questions: list[Question]) -> None:
    """Have models answer the questions of a sheet."""
    going = st.container()
    picked = _pick(store, name, "answers")
    jobs = [answers.prepare(store, name, judge, questions) for judge in picked.judges]
    _box(store, name, "answers", picked, jobs, going)


def _pick(store: Store, name: str, purpose: str) -> _Chosen:
    """The judge whose endpoint and settings are used, and its model or others in its place."""
    before, words = building.last_choice(store, name, purpose), building.available_judges(store)
    names = list(words)
    by, at = f"{purpose}_by", f"{purpose}_at"  # in the URL
    wanted = recall(by) or before.get("judge")
    alike = (n for n, one in enumerate(names) if wanted in (one, one.partition("@")[0]))
    place = f"{purpose}.{name}"
    left, right = st.columns(2)
    argument = left.selectbox(
        say("Endpoint and settings of"),
        names,
        index=next(alike, 0),
        format_func=words.get,
        key=f"build.judge.{place}",
    )
    judge = registry.named(store, argument)
    models_before, base_url = [judge.model], ""
    if before.get("judge") == judge.name:
        models_before, base_url = before["models"], before["base_url"]
    models = st.multiselect(
        say("Models" if purpose == "answers" else "Model"),
        sorted({judge.model, *models_before}),
        default=models_before,
        accept_new_options=True,
        max_selections=None if purpose == "answers" else 1,
        key=f"build.models.{place}.{argument}",
        placeholder=say("Choose"),
    )
    before_url = recall(at) or (base_url if base_url != judge.url() else "")
    url = right.text_input(
        say("Base URL"), before_url, placeholder=judge.url(), key=f"build.url.{place}.{argument}"
    ).strip()
    judges = registry.with_models(store, [argument], models, url or None) if models else []
    remember(**{by: argument, at: url or None})
    return _Chosen(argument, judges, url or None)


def _box(
    store: Store,
    name: str,
    purpose: str,
    picked: _Chosen,
    jobs: list[RequestJob],
    going: DeltaGenerator,
) -> None:
    """Show the runs in progress, the rest, and the button that starts one run per model."""
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
    top = st.container()
    options = _how(picked, f"{purpose}.{name}")
    if options.retry_unscored:
        idle = [replace(job, retry_unscored=True).renewed(store) for job in idle]
    expected = [job.estimate(store) for job in idle]
    with top:
        for job, one in zip(idle, expected, strict=True):
            run_progress.retirement(job.judge)
            if purpose == "answers" and not job.keys:
                done = say("Every question has its answer.")
                model = f"**{plain(job.judge.model)}**"
                st.markdown(say("{title}: {text}", title=model, text=done))
            else:
                run_progress.expected(one, job.judge.model, purpose=purpose)
        no_key = run_progress.why_no_key(picked.judges[0], f"build.{purpose}")
        left, label = building.remaining(store, purpose, idle, expected)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if any(one.cost and not one.is_free() for one in expected):
                each = said("Budget for each model, USD" if len(idle) > 1 else "Budget, USD")
                place = f"build.budget.{purpose}.{name}"
                had = [one.state.budget for one in found if one.state.budget is not None]
                before = min(had, default=None)
                options = replace(options, budget=run_progress.budget(place, before, each))
            go = action_button(
                say(label),
                store.why_no_lead() or no_key or (None if left else say("Nothing is left to ask.")),
                type="primary",
                icon=":material/play_arrow:",
                key=f"build.run.{purpose}",
            )
        if go:
            if purpose == "answers":
                st.session_state["build.begun"] = name
            run_progress.start(store, picked.argument, left, options, expected)


def _how(picked: _Chosen, place: str) -> Options:
    """Speed, and whether to ask again."""
    with st.expander(say("Speed and retries")):
        concurrency = run_progress.concurrency(f"build.concurrency.{place}")
        again = st.checkbox(
            say("Retry requests without a usable reply"),
            key=f"build.again.{place}",
        )
    return Options(base_url=picked.base_url, concurrency=concurrency, retry_unscored=again)


NEW = "\0new"


def pick(store: Store) -> str | None:
    """Return the sheet being built, or an imported one to answer again; None for a new one."""
    builds = sheets.being_built(store)
    imported = [sheet.name for sheet in sheets.all_sheets(store) if sheet.name not in builds]
    if not builds and not imported:
        return None
    options = [*builds, NEW, *imported]
    name = filters().selectbox(
        say("Sheet"),
        options,
        index=options.index(_wanted(builds, imported)),
        format_func=lambda option: _called(option, imported),
        key=f"pick.build.{digest(options)}",
    )
    is_imported = name in imported
    if name != NEW:  # the sheet that other screens are at stays where a new one is begun
        remember(sheet=name)
    remember(start="new" if name == NEW else None)
    remember(imported=name if is_imported else None)
    return None if name == NEW else name


def _wanted(builds: list[str], imported: list[str]) -> str:
    """Return the sheet in the URL; an imported one only where chosen on this screen."""
    if recall("imported") in imported:
        return recall("imported")
    if recall("start") == "new" or not builds:
        return NEW
    wanted = recall("sheet")
    return wanted if wanted in builds else builds[-1]


def _called(option: str, imported: list[str]) -> str:
    if option == NEW:
        return say("A new sheet")
    return say("{sheet} (imported)", sheet=option) if option in imported else option


def headline(store: Store, name: str) -> None:
    """Show the next step, the state of the drafts, and the last result."""
    render.show(building.document(store, name), f"{name}-build")
    taken()
    show_done("build.said")


def has_documents(store: Store, name: str) -> bool:
    """True where there are documents to draft questions from."""
    return bool(drafts.document_ids(store, name))


def drafting_box(store: Store, name: str) -> DeltaGenerator:
    """Return the box of drafting; collapsed as soon as there are drafts to review."""
    documents = counted(len(drafts.document_ids(store, name)), "document")
    states = [one.state for one in building.request_states(store, name, "drafts")]
    at_work = any(state.is_live() for state in states)
    is_left = not at_work and _is_unfinished(states)
    counts = drafts.counts(store, name)
    is_open = at_work or (not counts[WAITING] and (is_left or not any(counts.values())))
    head = say(
        "Draft questions from {documents}, not all done"
        if is_left
        else "Draft questions from {documents}",
        documents=documents,
    )
    return st.expander(head, expanded=is_open, key="build.draft")


def _is_unfinished(states: list[State]) -> bool:
    """Return True where a run is in progress, or has left requests open."""
    return any(s.is_live() or s.phase != "done" or s.counts.troubles for s in states)


def answering_box(store: Store, name: str, questions: list[Question]) -> DeltaGenerator:
    """Return the box of answering; open once no draft waits, or where it was begun here."""
    waiting = drafts.counts(store, name)[WAITING]
    begun = st.session_state.get("build.begun") == name
    states = [one.state for one in building.request_states(store, name, "answers")]
    is_open = begun or _is_unfinished(states) or not waiting
    head = say("Have models answer {questions}", questions=counted(len(questions), "question"))
    box = st.expander(head, expanded=is_open, key="build.answer")
    sheet = sheets.find(store, name)
    if sheet:
        by = joined(", ", sheet.answer_models)
        has = said(
            "“{sheet}” has {answers} by {models}.",
            sheet=name,
            answers=counted(sheet.items, "answer"),
            models=by,
        )
        box.write(plain(has))
        box.page_link("pages/grade.py", label=say("Grade them"), icon=":material/arrow_forward:")
    return box


def to_ask(store: Store, name: str) -> list[Question]:
    """Return the questions ready for answering; [] where none is approved, or on an error."""
    try:
        return open_questions.answerable_questions(store, name)
    except Problem as problem:
        st.warning(plain(str(problem)), icon=":material/error:")
        return []


def more(name: str) -> DeltaGenerator:
    """Return the box for adding documents or questions."""
    return st.expander(say("More documents or questions"), key=f"build.more.{name}")
