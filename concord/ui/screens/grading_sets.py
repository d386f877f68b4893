"""Grading sets as the lead sees them: who is how far, the draw, flags, links and gold items.

A set is graded in the app, or in files that come back.
"""

import io
import shlex
import zipfile
from functools import partial
from html import escape
from urllib.parse import urlsplit

import streamlit as st

from concord.clock import day_of
from concord.definitions import digest
from concord.grading import (
    assignments,
    campaigns,
    gold_items,
    grading_sets,
    packages,
)
from concord.grading import package_files as make
from concord.grading import package_return as take_back
from concord.grading.gold_items import AgreedScore, GoldFile, PoolAnswer, Purpose
from concord.grading.grading_sets import GradingSet
from concord.grading.package_files import Made
from concord.grading.package_return import Coming
from concord.importing import grade_import
from concord.messages import Problem, counted, extent, joined, said
from concord.model import Sheet
from concord.reports.panel import sheet_grading
from concord.reports.planning import next_sample
from concord.reports.reliability import gold_results
from concord.rubrics.model import Criterion, Rubric
from concord.sampling.sample import oversampled_suspected
from concord.store import graders, items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import import_findings, render
from concord.ui.actions import changing, refusals, show_done, show_refused
from concord.ui.frame import base_address, grader_link
from concord.ui.import_findings import bad_rows
from concord.ui.language import language, plain, say
from concord.ui.looker import leads
from concord.ui.screens.browse import TEXTS_LOOK, texts
from concord.ui.screens.campaign import campaign
from concord.ui.screens.new_set import (
    Person,
    annotators,
    graded_otherwise,
    progress_line,
    units_ready,
)
from concord.ui.sign_in import own_store
from concord.ui.upload import LIMIT_MB, of_worksheet, opened, uploaded
from concord.ui.widgets import action_button, finding, number_field


def card(store: Store, grading_set: GradingSet) -> None:
    """One set: its annotators, its links, its draw."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    with st.container(border=True):
        st.subheader(plain(grading_set.name), anchor=False)
        # Show what there is to grade, and the answers that the few-shot pool took out since.
        what = said(
            "{kind}: {answers} to {questions}, rubric “{rubric}”. Created on {day}.",
            kind=kind(store, grading_set),
            answers=counted(grading_set.answers, "answer"),
            questions=counted(grading_set.questions, "question"),
            rubric=rubric.title,
            day=day_of(grading_set.created_at),
        )
        apart = ""
        if grading_set.apart:
            apart = said(
                "Not counted: {answers} in the few-shot pool.",
                answers=counted(grading_set.apart, "answer"),
            )
        st.caption(plain(joined(" ", [what, apart] if apart else [what])))
        units_ready(store, grading_set, rubric)
        graders = annotators(store, grading_set)
        for person in graders:
            progress_line(person)
        if _repeat_or_gold(grading_set, graders):
            st.caption(say("These totals include hidden repeats and gold items."))
        otherwise = graded_otherwise(store, grading_set)
        if otherwise:
            st.write(plain(_otherwise(grading_set, otherwise)))
        if not graders:
            st.write(say(_nobody(store, otherwise)))
            _ways_in(store, grading_set, rubric, graders)
        campaign(store, grading_set)
        known(store, grading_set)
        if graders:
            _ways_in(store, grading_set, rubric, graders)
        with st.expander(say("Sampling"), icon=":material/casino:"):
            drawn(store, grading_set)
        _withdraw(store, grading_set)


def _repeat_or_gold(grading_set: GradingSet, graders: list[Person]) -> bool:
    """Return True where a total counts more than answers of the set, also of a part of it."""
    block = min(grading_set.block_size, grading_set.answers)
    if graders and grading_sets.repeats([block], grading_set.repeat_share):
        return True
    return any(person.progress.total > grading_set.answers for person in graders)


def _ways_in(store: Store, grading_set: GradingSet, rubric: Rubric, graders: list[Person]) -> None:
    if store.may_lead():
        ways_in(store, grading_set, rubric, graders)


def _nobody(store: Store, otherwise: int) -> str:
    if not store.may_lead():
        return said("No annotator has begun to grade yet")
    return said(
        "No annotator has begun. Send a link, or grade yourself."
        if otherwise
        else "No annotator has begun yet. Send a link, or grade yourself."
    )


def _withdraw(store: Store, grading_set: GradingSet) -> None:
    """Let a lead withdraw a set that no annotator has begun."""
    if not store.may_lead() or assignments.annotators(store, grading_set.id):
        return
    if st.button(
        say("Withdraw this set"), key=f"sets.remove.{grading_set.id}", icon=":material/undo:"
    ):
        grading_sets.remove(store, grading_set.id)
        st.rerun()


def _otherwise(grading_set: GradingSet, answers: int) -> str:
    return said(
        "Annotators graded {n:,} of its {answers} outside its queue, either earlier or in a file. "
        "Agreement includes these grades.",
        n=answers,
        answers=counted(grading_set.answers, "answer"),
    )


def kind(store: Store, grading_set: GradingSet) -> str:
    """Return what kind of sample a set is."""
    if grading_set.kind == "whole":
        return said("The whole sheet")
    enriched = oversampled_suspected(grading_sets.strata(store, grading_set.id))
    return said(
        "An enriched sample, with more suspected failures" if enriched else "A random sample"
    )


def drawn(store: Store, grading_set: GradingSet) -> None:
    """Show how a set was sampled, with the inclusion probability of each stratum."""
    strata = grading_sets.strata(store, grading_set.id)
    sizes = grading_sets.block_sizes(store, grading_set).values()
    seeded = said(
        "Seed {seed}, blocks of about {size} answers.",
        seed=grading_set.seed,
        size=extent(sizes) if sizes else grading_set.block_size,
    )
    # Of whole answers in each block: a tenth of 6 is 1, which is more than a tenth of all.
    repeated = grading_sets.repeats(sizes, grading_set.repeat_share) / max(1, sum(sizes))
    hidden = said(
        "{share:.0%} of the answers are repeated, unmarked, in the next block."
        if repeated
        else "No answer is repeated.",
        share=repeated,
    )
    whole = said(
        "Questions are sampled with all their answers. Those that judges suspect to have a failing "
        "answer are oversampled at the inclusion probabilities below, and every figure is weighted "
        "by their inverse."
        if oversampled_suspected(strata)
        else "Questions are sampled with all their answers, stratified by answering models."
    )
    st.write(say(joined(" ", [seeded, hidden, whole])))
    render.show_table(next_sample.probabilities(strata), f"set-{grading_set.id}")


def ways_in(store: Store, grading_set: GradingSet, rubric: Rubric, graders: list[Person]) -> None:
    """Show leads how annotators get to the set."""
    st.page_link(
        "pages/grade.py",
        label=say("Grade this set myself"),
        icon=":material/edit_note:",
        query_params={"set": str(grading_set.id)},
    )
    with st.expander(say("Links to send"), icon=":material/link:"):
        if store.who:
            # Show one address for all annotators; with sign-in, links by name are not needed.
            st.write(
                say(
                    "Everyone with access to this set grades it at this address, each with their "
                    "own queue. Add annotators and give them access to sets on the tab Team."
                )
            )
            st.code(
                f"{base_address()}{grader_link(grading_set.id, '')}", language=None, wrap_lines=True
            )
        else:
            # A link for anyone, and one for each annotator by name.
            st.write(
                say(
                    "A link opens only the grading screen, without judges or results. The first "
                    "link asks for the annotator's name."
                )
            )
            if urlsplit(st.context.url or "").hostname in ("127.0.0.1", "localhost"):
                st.caption(
                    say(
                        "These links work on this machine only. To give colleagues access, start "
                        "the app at an address they can reach. The README explains how, and the "
                        "precautions to take."
                    )
                )
            for name in ["", *(person.name for person in graders)]:
                st.caption(plain(name or said("For anyone")))
                st.code(
                    f"{base_address()}{grader_link(grading_set.id, name)}",
                    language=None,
                    wrap_lines=True,
                )
    if not rubric.units:
        fold(store, grading_set)


_REPORT = "report"  # an option that is None would look like no choice to a new radio
_CHOICES = {
    _REPORT: "Import nothing and report the difference",
    grade_import.KEEP: "Keep the stored grades",
    grade_import.REPLACE: "Replace the stored grades",
}


def fold(store: Store, grading_set: GradingSet) -> None:
    """Make files for graders, and take them back."""
    key = f"packs.{grading_set.id}"
    with st.expander(say("Files for annotators without access"), icon=":material/inventory_2:"):
        for pack, rows, back in packages.of_set(store, grading_set.id):
            came = said(
                "{name}, created on {day}: {n} of {rows} returned",
                name=pack.grader,
                day=day_of(pack.created_at),
                n=back,
                rows=counted(rows, "row"),
            )
            st.caption(plain(came))
        _form(store, grading_set, key)
        show_refused(f"{key}.refused")
        made = st.session_state.get(f"{key}.made")
        if made:
            name, content, notes = made
            for note in notes:
                st.caption(plain(note))
            st.download_button(
                say("Download them in one archive"),
                content,
                name,
                "application/zip",
                key=f"{key}.download",
                icon=":material/download:",
                on_click="ignore",
                type="primary",
            )
        st.divider()
        _take_back(store, key)


def _form(store: Store, grading_set: GradingSet, key: str) -> None:
    own = {one for one in campaigns.taken(store, grading_set.id).values() if one is not None}
    annotators = [one for one in graders.of_kind(store, "person") if not one.simulated]
    known = [one.name for one in annotators if not own or one.id in own]
    names = st.multiselect(
        say("Annotators"),
        known,
        known if own else None,
        accept_new_options=not own,
        key=f"{key}.names",
        placeholder=say("Names"),
    )
    percent = st.slider(
        say("Hidden repeats, in %"),
        0,
        30,
        round(100 * grading_set.repeat_share),
        key=f"{key}.repeats",
    )
    annotators = counted(len(names), "annotator", "annotators")
    label = say("Create files")
    if names:
        label = say("Create files for {annotators}", annotators=annotators)
    why = None if names else say("Choose annotators first.")
    if action_button(label, why, key=f"{key}.make"):
        st.session_state.pop(f"{key}.made", None)
        with refusals():
            made = make.make(store, grading_set, names, None, percent / 100, store.by())
            _keep(made, f"{grading_set.name}.zip", key)
            st.rerun()


def _keep(made: Made, name: str, key: str) -> None:
    """Keep the files that were made as one archive in the session."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in made.held.items():
            archive.writestr(file, content)
    st.session_state[f"{key}.made"] = (name, held.getvalue(), made.notes)


def _take_back(store: Store, key: str) -> None:
    """Ask for a file that came back, show what it holds, and take it in."""
    show_done(f"{key}.said")
    file = st.file_uploader(
        say("Returned file"),
        key=f"{key}.file",
        max_upload_size=LIMIT_MB,
    )
    if file is None:
        return
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
    read, bad = coming.read, coming.read.refused()
    good = counted(len(read.grades), "valid grade")
    good = said("{annotator}: {grades}", annotator=read.pack.grader, grades=good)
    import_findings.report(read, good)
    if not read.grades:
        return
    agreed = not bad or import_findings.without(
        counted(len(read.grades), "grade"),
        counted(bad, "row"),
        f"{key}.without.{read.sha256}",
        read,
    )
    chosen = f"{key}.choice.{read.sha256}"
    st.radio(
        say("Where a stored grade differs"),
        list(_CHOICES),
        format_func=lambda one: say(_CHOICES[one]),
        key=chosen,
    )
    action_button(
        say("Import grades"),
        None if agreed else say("Confirm above what is left out."),
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


_TRAINING = (
    "Annotators can first grade a few answers with agreed scores. After each answer they see the "
    "agreed scores and reasons. The training round is excluded from all figures."
)
_GOLD = (
    "Answers with known scores can be added to the queues. Annotators cannot tell them from other "
    "answers. They are excluded from all figures, and only leads see how annotators graded them."
)


def known(store: Store, grading_set: GradingSet) -> None:
    """Show the training round and the gold items of a set of whole answers."""
    if grading_sets.kind_of(store, grading_set):
        return
    trained = gold_results.training_results(store, grading_set)
    if not (trained["answers"] or leads(store)):
        return
    part = gold_results.training_document(trained)
    # Keyed, so that one stays open whose title counts an answer more.
    key = f"known.training.{grading_set.id}.fold"
    with st.expander(say(part.headline), key=key, icon=":material/school:"):
        _part(part, f"training-{grading_set.name}", "" if trained["answers"] else _TRAINING)
        if leads(store):
            add = said("Add to the training round")
            choice(store, grading_set, "training", add, gold_items.TRAINING_ITEMS)
    if leads(store):
        gold = gold_results.gold_results(store, grading_set)
        part = gold_results.gold_document(gold)
        key = f"known.gold.{grading_set.id}.fold"
        with st.expander(say(part.headline), key=key, icon=":material/target:"):
            _part(part, grading_set.name, "" if gold["answers"] else _GOLD)
            choice(store, grading_set, "gold", said("Add gold item"), gold_items.GOLD)


def _part(part, name: str, about: str) -> None:
    """Show a document under an expander's title, or what it is about where it is empty."""
    if about:
        st.write(say(about))
    for fact in part.facts:
        st.warning(say(fact))
    render.body(part, name)


_HEIGHT = 320  # px
_LOOK = """<style>
@media (min-width: 641px) {
  [class*="st-key-gold-scores-"], .concord-gold { max-height: 640px; overflow-y: auto; }
}
</style>"""
_LIST, _FILE = "From the list", "From a CSV file"


def choice(store: Store, grading_set: GradingSet, kind: str, label: str, purpose: Purpose) -> None:
    """Show which answers are chosen, and let a lead choose others, score them or remove them.

    `kind` is the command for the same, `label` the button that adds an answer.
    """
    key = f"known.{kind}.{grading_set.id}"
    show_refused(f"{key}.notice")
    show_done(f"{key}.done")
    offered = gold_items.offered(store, grading_set, purpose.other)
    if not offered:
        st.caption(say(gold_items.NONE_LEFT))
        st.page_link("pages/splits.py", label=say("Go to Splits"), icon=":material/arrow_forward:")
        return
    scores: dict[int, dict[str, AgreedScore]] = {}
    for one in purpose.chosen(store, grading_set):
        scores.setdefault(one.item_id, {})[one.criterion] = one
    left = f"{sum(row.id not in scores for row in offered):,}"
    if not st.toggle(say("Choose answers ({n} available)", n=left), key=f"{key}.open"):
        return
    way = st.segmented_control(
        say("Choose answers"),
        [_LIST, _FILE],
        default=_LIST,
        format_func=say,
        required=True,
        label_visibility="collapsed",
        # After an import it is the list again, where what is chosen now comes first.
        key=f"{key}.way.{st.session_state.get(f'{key}.files', 0)}",
    )
    if way == _FILE:
        from_file(store, grading_set, key, kind, purpose)
        return
    row = _listed(grading_set, key, offered, scores)
    if row is not None:
        _scored(store, grading_set, key, row, scores.get(row.id, {}), label, purpose)


def _listed(
    grading_set: GradingSet, key: str, offered: list[PoolAnswer], scores: dict[int, dict]
) -> PoolAnswer | None:
    """The answers that match the search, chosen ones first; the rest as they would be sampled."""
    words = st.text_input(
        say("Search"),
        max_chars=200,
        placeholder=say("question, answer or id"),
        icon=":material/search:",
        key=f"{key}.words",
    )
    wanted = words.strip().casefold()
    order = gold_items.choose(offered, len(offered), grading_set.seed)
    found = [
        row
        for row in sorted(order, key=lambda row: row.id not in scores)
        if wanted in f"{row.name}\n{row.question}\n{row.answer}".casefold()
    ]
    if not found:
        st.info(say("No answer matches"))
        return None
    # A row added or removed leaves the order, so the table begins again without a selection.
    place = render.pick_row(
        gold_results.offered(found, scores),
        grading_set.name,
        f"{key}.rows.{digest([row.id for row in found])}.{digest(sorted(scores))}",
        height=_HEIGHT,
    )
    return None if place is None else found[place]


def _scored(
    store: Store,
    grading_set: GradingSet,
    key: str,
    row: PoolAnswer,
    scores: dict[str, AgreedScore],
    label: str,
    purpose: Purpose,
) -> None:
    """Show an answer next to the form for its scores; the answering model is not shown."""
    stored = items.item(store, row.id)
    blind = stored.item._replace(answer_model=None, metadata={})
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    told = gold_items.example_scores(rubric, row.question, row.answer)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.html(TEXTS_LOOK)
        shown = "".join(texts(stored._replace(item=blind)))
        # Keys scroll it only where it takes the focus.
        focus = f'class="concord-gold" tabindex="0" role="region" aria-label="{escape(row.name)}"'
        st.html(f'<div {focus}><dl class="concord-item">{shown}</dl></div>')
    st.html(_LOOK)
    scroll = right.container(key=f"gold-scores-{grading_set.id}-{row.id}-{key.split('.')[1]}")
    with scroll, st.form(f"{key}.form.{row.id}"):
        for criterion in rubric.in_language(language()).criteria:
            known = scores.get(criterion.name)
            first = (known.score, known.reason) if known else told.get(criterion.name, (None, ""))
            _asked(rubric, criterion, f"{key}.{row.id}.{criterion.name}", *first)
        keep = partial(_gold_items_keep, grading_set, key, row, rubric, purpose)
        with st.container(horizontal=True):
            text = say("Save scores") if scores else say(label)
            st.form_submit_button(text, type="primary", on_click=keep)
            if scores:
                out = partial(_remove, grading_set, key, row, purpose)
                st.form_submit_button(say("Remove this answer"), on_click=out)


def _asked(rubric: Rubric, criterion: Criterion, key: str, score: int | None, reason: str) -> None:
    """Score and reason of one criterion, with the meaning of each score in view."""
    meanings = {level.score: level.meaning.strip() for level in criterion.levels}
    question = plain(criterion.question.strip())
    st.radio(
        say("{title}: {text}", title=f"**{plain(criterion.heading())}**", text=question),
        rubric.scale,
        None if score is None else rubric.scale.index(score),
        captions=[plain(meanings.get(one, "")) for one in rubric.scale],
        key=f"{key}.score",
    )
    st.text_input(say("Why"), reason, key=f"{key}.why", max_chars=500)


def _gold_items_keep(
    grading_set: GradingSet, key: str, row: PoolAnswer, rubric: Rubric, purpose: Purpose
) -> None:
    state = st.session_state
    names = [(c.name, f"{key}.{row.id}.{c.name}") for c in rubric.criteria]
    given = [
        AgreedScore(row.id, name, state[f"{own}.score"], state[f"{own}.why"])
        for name, own in names
        if state[f"{own}.score"] is not None
    ]
    with changing(f"{key}.notice") as store:
        purpose.add(store, grading_set, given, store.by())
        state[f"{key}.done"] = said("Scores of answer {answer} saved.", answer=row.name)


def _remove(grading_set: GradingSet, key: str, row: PoolAnswer, purpose: Purpose) -> None:
    with changing(f"{key}.notice") as store:
        purpose.take_out(store, grading_set, row.id, store.by())
        done = said("Answer {answer} removed. Grades given to it stay.", answer=row.name)
        st.session_state[f"{key}.done"] = done


_MOST = 200  # answers in a file to fill in


def from_file(store: Store, grading_set: GradingSet, key: str, kind: str, purpose: Purpose) -> None:
    """A file to fill in, and its way back; each kind of bad row is shown once."""
    st.write(
        say(
            "One row per answer and criterion: item_id, criterion, score, reason. Rows without a "
            "score are skipped; scores of an answer that is already chosen are replaced."
        )
    )
    left = gold_items.pool_candidates(store, grading_set, purpose)
    if left:
        most = min(_MOST, len(left))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            count = number_field(
                say("Answers"), 1, most, min(10, most), key=f"{key}.count.{most}", width=140
            )
            st.download_button(
                say("Download CSV to fill in"),
                partial(_blank, grading_set, purpose, count),
                f"{kind}.csv",
                "text/csv",
                icon=":material/download:",
                key=f"{key}.blank",
            )
    of = ["--training"] if kind == "training" else []
    verb = shlex.join(["gold", grading_set.name, *of, "--add"])
    file = uploaded(f"{key}.{st.session_state.get(f'{key}.files', 0)}", verb)
    if file is None:
        return
    with refusals():
        read = gold_items.read(store, grading_set, opened(file, key), purpose)
        if read.bad_rows:
            bad_rows(list(read.bad_rows), kind)
            st.info(say("Nothing was imported. Correct the file and choose it again."))
            return
        answers = counted(len({one.item_id for one in read.scores}), "answer")
        action_button(
            say("Import scores of {answers}", answers=answers),
            None if read.scores else say("The file has no score. Fill in the column score."),
            type="primary",
            key=f"{key}.import",
            on_click=_import,
            args=(grading_set, key, read, answers, purpose),
        )


def _blank(grading_set: GradingSet, purpose: Purpose, count: int) -> str:
    """Return the file to fill in; it is made when it is wanted, after the page has closed."""
    with own_store() as store:
        return gold_items.template(store, grading_set, purpose, count)


def _import(
    grading_set: GradingSet, key: str, read: GoldFile, answers: str, purpose: Purpose
) -> None:
    state = st.session_state
    with changing(f"{key}.notice") as store:
        purpose.add(store, grading_set, read.taken(), store.by())
        state[f"{key}.done"] = said("Scores of {answers} imported.", answers=answers)
        state[f"{key}.files"] = state.get(f"{key}.files", 0) + 1  # an uploader without the file


def headline(store: Store, sheet: Sheet, sets: list[GradingSet]) -> None:
    """The finding of the screen: how much is graded, by how many annotators."""
    if not sets:
        finding(
            said("“{sheet}” is not assigned to annotators yet", sheet=sheet.name),
            _to_annotators(
                store,
                said(
                    "Create a grading set below and send each annotator a link, or grade yourself."
                ),
            )
            or said("Leads create grading sets here."),
        )
        return
    graded = sheet_grading.of_sheet(store, sheet)
    if not graded.sentence:
        finding(
            said("No annotator has begun to grade yet"),
            _to_annotators(store, said("Send each annotator a link from below.")),
        )
        return
    under_way = _campaign(store, sets)
    if under_way:
        finding(under_way, joined(" · ", [graded.sentence, *graded.notes]))
    else:
        finding(graded.sentence, joined(" · ", graded.notes))


def _to_annotators(store: Store, by_link: str) -> str:
    """Return how a lead's sets reach annotators, `by_link` without sign-in; '' for no lead."""
    if not store.may_lead():
        return ""
    if store.who:
        return said("Annotators with access to a set see it when they sign in.")
    return by_link


def _campaign(store: Store, sets: list[GradingSet]) -> str | None:
    """Return how much of the newest unfinished campaign is graded; None without one."""
    for one in reversed(sets):
        if campaigns.find(store, one.id):
            done, total = assignments.of_set(store, one)
            if done < total:
                return said(
                    "{name}: {done:,} of {total:,} graded", name=one.name, done=done, total=total
                )
    return None
