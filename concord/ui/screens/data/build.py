"""The build screen: which sheet, what is next, and the boxes of drafting and answering."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from concord.building import drafts, open_questions
from concord.building.drafts import WAITING
from concord.definitions import digest
from concord.messages import Problem, counted, joined, said
from concord.model import Question
from concord.reports.workflow import building
from concord.store import sheets
from concord.store.database import Store
from concord.ui import render
from concord.ui.actions import show_done
from concord.ui.frame import filters, recall, remember
from concord.ui.language import plain, say
from concord.ui.screens.data import build_begin, build_run

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
    build_begin.taken()
    show_done("build.said")


def has_documents(store: Store, name: str) -> bool:
    """True where there are documents to draft questions from."""
    return bool(drafts.document_ids(store, name))


def drafting_box(store: Store, name: str) -> DeltaGenerator:
    """Return the box of drafting; collapsed as soon as there are drafts to review."""
    documents = counted(len(drafts.document_ids(store, name)), "document")
    at_work = building.is_at_work(store, name, "drafts")
    is_left = building.is_unfinished(store, name, "drafts") and not at_work
    waiting = drafts.counts(store, name)[WAITING]
    is_open = at_work or (not waiting and (is_left or not building.has_drafts(store, name)))
    head = say(
        "Draft questions from {documents}, not all done"
        if is_left
        else "Draft questions from {documents}",
        documents=documents,
    )
    return st.expander(head, expanded=is_open, key="build.draft")


def answering_box(store: Store, name: str, questions: list[Question]) -> DeltaGenerator:
    """Return the box of answering; open once no draft waits, or where it was begun here."""
    waiting = drafts.counts(store, name)[WAITING]
    begun = build_run.was_begun(name)
    is_open = begun or building.is_unfinished(store, name, "answers") or not waiting
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
