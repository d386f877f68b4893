"""Grading sets as the lead sees them: a card each, with its campaign, links, gold items and files.

A set is graded in the app, or in files that come back.
"""

import io
import zipfile
from functools import partial
from urllib.parse import urlencode, urlsplit

import pandas as pd
import streamlit as st

from concord.clock import day_of
from concord.definitions import digest
from concord.grading import (
    assignments,
    campaigns,
    gold_items,
    grading_sets,
    package_workbook,
    packages,
)
from concord.grading import package_return as take_back
from concord.grading.gold_items import AgreedScore, Purpose
from concord.grading.grading_sets import GradingSet
from concord.grading.package_return import Coming
from concord.messages import Problem, counted
from concord.model import Sheet
from concord.reports.document import Document
from concord.reports.panel import sheet_grading
from concord.reports.reliability import gold_results
from concord.reports.units import decomposition
from concord.rubrics.model import Rubric
from concord.sampling.sample import oversampled_suspected
from concord.store import grade_additions, graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import import_findings, render
from concord.ui.actions import changing, refusals, show_done, show_refused
from concord.ui.frame import base_address, grader_link, may_act
from concord.ui.language import plain
from concord.ui.looker import leads
from concord.ui.screens import campaign, new_set
from concord.ui.upload import LIMIT_MB, of_worksheet
from concord.ui.widgets import action_button, finding


def headline(store: Store, sheet: Sheet, sets: list[GradingSet]) -> None:
    """Show the finding of the screen: how much is graded, by how many annotators."""
    if not sets:
        finding("Nothing is assigned to annotators yet")
        return
    graded = sheet_grading.of_sheet(store, sheet)
    done, of = assignments.of_sheet(store, sheet.id)
    notes = " · ".join([graded.sentence, *graded.notes] if of else graded.notes)
    title = graded.sentence or "Nobody has begun to grade"
    finding(f"{done:,} of {of:,} assignments done" if of else title, notes)


def card(store: Store, sheet: Sheet, grading_set: GradingSet) -> None:
    """Show one set: its annotators and what a lead does with it."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    with st.container(border=True):
        st.subheader(plain(grading_set.name), anchor=False)
        st.caption(plain(_described(store, grading_set, rubric)))
        rows = campaign.people(store, sheet, grading_set, rubric)
        if leads(store) and may_act(store):
            _actions(store, grading_set, rubric, bool(rows))


def _described(store: Store, grading_set: GradingSet, rubric: Rubric) -> str:
    """Return what a set holds, under which rubric, for how many and until when."""
    enriched = oversampled_suspected(grading_sets.strata(store, grading_set.id))
    kind = "Random sample, more suspected failures" if enriched else "Random sample"
    answers = counted(grading_set.answers, "answer")
    parts = [
        "Whole sheet" if grading_set.kind == "whole" else kind,
        f"{answers} to {counted(grading_set.questions, 'question')}",
        f"rubric “{rubric.title}”",
        f"seed {grading_set.seed}",
    ]
    if grading_set.apart:
        parts.append(f"{counted(grading_set.apart, 'answer')} excluded")
    if (held := campaigns.find(store, grading_set.id)) and held.deadline:
        parts.append(f"due {day_of(held.deadline)}")
    if closed := grading_sets.closing(store, grading_set.id):
        parts.append(f"closed: {day_of(closed.since)}, {closed.by}")
    if rubric.units:
        taken = assignments.decomposition_progress(store, grading_set.id, rubric.units)
        parts += filter(None, [decomposition.sentence(rubric.units, taken)])
    return " · ".join(parts)


def _actions(store: Store, grading_set: GradingSet, rubric: Rubric, has_people: bool) -> None:
    """Show the actions on a set, and the one part of it that is opened."""
    begun = bool(assignments.begun(store, grading_set.id))
    is_open = grading_sets.closing(store, grading_set.id) is None
    assigned = campaigns.find(store, grading_set.id) is not None
    with st.container(horizontal=True):
        icon, kind = ":material/edit_note:", "secondary" if begun or assigned else "primary"
        label, key = "Grade this set myself", f"sets.grade.{grading_set.id}"
        if is_open and st.button(label, type=kind, icon=icon, key=key):
            st.switch_page("pages/grade.py", query_params={"set": str(grading_set.id)})
        if is_open:
            campaign.due(store, grading_set)
        if begun:
            campaign.close_button(store, grading_set)
        else:
            with st.popover("Withdraw", icon=":material/undo:"):
                st.write("The set goes. Nobody has graded in it.")
                key, args = f"sets.remove.{grading_set.id}", (grading_set.id,)
                label = f"Withdraw {plain(grading_set.name)}"
                st.button(label, key=key, type="primary", on_click=_withdraw, args=args)
    parts = {
        "Link": is_open and partial(_link, store, grading_set),
        "Assign": not (begun or assigned) and partial(_assign, store, grading_set),
        "Reword and ask again": is_open
        and not rubric.units
        and partial(campaign.reword, store, grading_set, rubric),
        "Training round": not rubric.units and partial(_training, store, grading_set, rubric),
        "Gold items": not rubric.units and partial(_gold, store, grading_set, rubric),
        "Files": is_open and not rubric.units and partial(_files, store, grading_set),
    }
    shown = [title for title, show in parts.items() if show]
    chosen = st.segmented_control(
        "Parts of the set",
        shown,
        default=None if has_people else shown[0],
        key=f"sets.part.{grading_set.id}",
        label_visibility="collapsed",
    )
    if chosen:
        parts[chosen]()


def _withdraw(set_id: int) -> None:
    with changing(f"campaign.{set_id}.refused") as store:
        grading_sets.remove(store, set_id)


def _link(store: Store, grading_set: GradingSet) -> None:
    """Show how annotators get to the set."""
    link = f"{base_address()}{grader_link(grading_set.id, '')}"
    st.code(link, language=None, wrap_lines=True)
    if urlsplit(st.context.url or "").hostname in ("127.0.0.1", "localhost"):
        st.caption("This address works on this machine only.")


def _assign(store: Store, grading_set: GradingSet) -> None:
    """Assign a set that nobody has begun."""
    key = f"campaign.{grading_set.id}"
    size = grading_set.answers, grading_set.questions
    names, plan = new_set.people_fields(store, key, *size)
    if names:
        st.info(new_set.workload(store, [], grading_set.answers, len(names), plan))
    why = None if names else "Choose annotators first."
    if action_button("Assign", why, type="primary", key=f"{key}.begin"):
        with refusals():
            with store.write():
                new_set.begin(store, grading_set, names, plan)
            st.rerun()


def _training(store: Store, grading_set: GradingSet, rubric: Rubric) -> None:
    about = "Graded first, each with its agreed scores and reasons shown after it."
    shown = gold_results.training_document(gold_results.training_results(store, grading_set))
    _known(store, grading_set, rubric, gold_items.TRAINING_ITEMS, shown, about)


def _gold(store: Store, grading_set: GradingSet, rubric: Rubric) -> None:
    about = "Mixed into the queues, where annotators cannot tell them from other answers."
    shown = gold_results.gold_document(gold_results.gold_results(store, grading_set))
    _known(store, grading_set, rubric, gold_items.GOLD, shown, about)


def _known(
    store: Store,
    grading_set: GradingSet,
    rubric: Rubric,
    purpose: Purpose,
    shown: Document,
    about: str,
) -> None:
    """Show the results on answers with known scores, and the grid that says these scores."""
    st.write(about)
    for fact in shown.facts:
        st.warning(plain(fact))
    render.body(shown, f"{grading_set.name}-{purpose.other}")
    held = {(one.item_id, one.criterion): one for one in purpose.chosen(store, grading_set)}
    chosen = {item_id for item_id, _ in held}
    first = [row.id for row in gold_items.proposed(store, grading_set, purpose)]
    order = {item_id: place for place, item_id in enumerate([*chosen, *first])}
    offered = gold_items.offered(store, grading_set, purpose.other)
    offered.sort(key=lambda row: order.get(row.id, len(order)))
    if not offered:
        st.info(gold_items.NONE_LEFT)
        st.page_link("pages/splits.py", label="Go to Splits", icon=":material/arrow_forward:")
        return
    text = st.column_config.TextColumn(width="medium")
    rows, heads = [], {"item": st.column_config.TextColumn(pinned=True)}
    heads |= {"question": text, "answer": text}
    heads["open"] = st.column_config.LinkColumn(display_text="contexts", width="small")
    for name, title in rubric.headings().items():
        heads[f"score {name}"] = st.column_config.SelectboxColumn(title, options=rubric.scale)
    for name, title in rubric.headings().items():
        heads[f"why {name}"] = st.column_config.TextColumn(f"{title}: why")
    for row in offered:
        texts = row.name, row.question, row.answer, f"/data?{urlencode({'item': row.id})}"
        own = [held.get((row.id, name)) for name in rubric.versions()]
        scores = [(one and one.score) for one in own] + [one.reason if one else "" for one in own]
        rows.append(dict(zip(heads, (*texts, *scores), strict=True)))
    key = f"known.{grading_set.id}.{purpose.other}"
    # Other rows make another grid: what was typed belongs to a place in it.
    at = digest([[row.id for row in offered], st.session_state.get(f"{key}.saved", 0)])
    edited = st.data_editor(
        pd.DataFrame(rows),
        hide_index=True,
        disabled=["item", "question", "answer", "open"],
        key=f"{key}.{at}",
        column_config=heads,
    )
    wanted = {
        row.id: [
            AgreedScore(row.id, name, int(line[f"score {name}"]), line[f"why {name}"] or "")
            for name in rubric.versions()
            if pd.notna(line[f"score {name}"])
        ]
        for row, line in zip(offered, edited.to_dict("records"), strict=True)
    }
    args = grading_set, purpose, wanted, key
    st.button("Save scores", type="primary", key=f"{key}.save", on_click=_save, args=args)
    show_refused(f"{key}.refused")
    show_done(f"{key}.done")


def _save(grading_set: GradingSet, purpose: Purpose, wanted, key: str) -> None:
    with changing(f"{key}.refused") as store:
        scored, removed = gold_items.save(store, grading_set, purpose, wanted, store.by())
        state = st.session_state
        state[f"{key}.saved"] = state.get(f"{key}.saved", 0) + 1  # a grid without what was typed
        state[f"{key}.done"] = f"{counted(scored, 'answer')} scored, {removed} removed."


_REPORT = "report"  # an option that is None would look like no choice to a new radio
_CHOICES = {
    _REPORT: "Import nothing and report the difference",
    grade_additions.KEEP: "Keep the stored grades",
    grade_additions.REPLACE: "Replace the stored grades",
}


def _files(store: Store, grading_set: GradingSet) -> None:
    """Make files for annotators without access, and take them back."""
    key = f"packs.{grading_set.id}"
    for pack, rows, back in packages.of_set(store, grading_set.id):
        made = f"{pack.grader}, {day_of(pack.created_at)}"
        st.caption(plain(f"{made}: {back} of {counted(rows, 'row')} returned"))
    own = {one for one in campaigns.taken(store, grading_set.id).values() if one is not None}
    people = [one for one in graders.of_kind(store, "person") if not one.simulated]
    known = [one.name for one in people if not own or one.id in own]
    names = st.multiselect(
        "Annotators",
        known,
        known if own else None,
        accept_new_options=not own,
        key=f"{key}.names",
        placeholder="Names",
    )
    why = None if names else "Choose annotators first."
    if action_button("Create files", why, key=f"{key}.make"):
        with refusals():
            made = package_workbook.make(store, grading_set, names, store.by())
            held = io.BytesIO()
            with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
                for file, content in made.files.items():
                    archive.writestr(file, content)
            st.session_state[f"{key}.made"] = held.getvalue()
            st.rerun()
    if made := st.session_state.get(f"{key}.made"):
        st.download_button(
            "Download them in one archive",
            made,
            f"{grading_set.name}.zip",
            "application/zip",
            key=f"{key}.download",
            icon=":material/download:",
            on_click="ignore",
            type="primary",
        )
    show_refused(f"{key}.refused")
    show_done(f"{key}.said")
    file = st.file_uploader("Returned file", key=f"{key}.file", max_upload_size=LIMIT_MB)
    if file:
        with refusals():
            coming = import_findings.read_once(key, (file.file_id,), lambda: _read(store, file))
            _report(coming, key)


def _read(store: Store, file) -> Coming:
    table = take_back.table_of(of_worksheet(file), partial(of_worksheet, file))
    if table is None:
        raise Problem(
            "{file} has no row codes, so it is not one of these files. Import grades of other "
            "files on Data.",
            file=file.name,
        )
    return take_back.read(store, table)


def _report(coming: Coming, key: str) -> None:
    """Show what a returned file holds, and offer to take it in."""
    read, bad = coming.read, coming.read.refused()
    good = counted(len(read.grades), "valid grade")
    import_findings.report(read, f"{coming.pack.grader}: {good}")
    if not read.grades:
        return
    agreed = not bad or import_findings.without(
        counted(len(read.grades), "grade"),
        counted(bad, "row"),
        f"{key}.without.{read.sha256}",
    )
    chosen = f"{key}.choice.{read.sha256}"
    label = "Where a stored grade differs"
    st.radio(label, list(_CHOICES), format_func=_CHOICES.get, key=chosen)
    action_button(
        "Import grades",
        None if agreed else "Confirm above what is left out.",
        type="primary",
        key=f"{key}.take",
        on_click=_take_in,
        args=(coming, bool(bad), chosen, key),
    )


def _take_in(coming: Coming, partial: bool, chosen: str, key: str) -> None:
    with changing(f"{key}.refused") as store:
        choice = st.session_state[chosen]
        kept = None if choice == _REPORT else choice
        taken = take_back.store_grades(store, coming, partial, kept)
        import_findings.forget(key)
        st.session_state[f"{key}.said"] = taken.sentence(coming.sheet.name)
