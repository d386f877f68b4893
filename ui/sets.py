"""Grading sets as the lead sees them: who is how far, links to send, the draw, a new set."""

from datetime import timedelta
from typing import NamedTuple
from urllib.parse import urlsplit

import pandas as pd
import streamlit as st

from data import (
    campaigns,
    grading_sets,
    queues,
    regrades,
    rubric_versions,
    set_graders,
    sheet_rubric,
    unit_queue,
)
from data.counted import counted
from data.draw import favours
from data.grading_sets import BLOCK_SIZE, REPEAT_SHARE, GradingSet
from data.queues import Progress
from data.sheets import Sheet
from data.store import Store
from reports import rubric_words, taking_apart
from rubrics.model import Rubric, of_units
from ui.campaign import campaign
from ui.frame import grader_link
from ui.freeze import freeze, pilot
from ui.grader import FIRST_QUESTIONS, seed_of
from ui.known import known
from ui.markdown import plain
from ui.packs import fold
from ui.widgets import finding, table

TYPICAL_S = 60  # seconds per answer, until people's own pace is known


class Person(NamedTuple):
    """One grader of a set: how far, when last, and the median seconds per answer if known."""

    name: str
    progress: Progress
    graded_at: str | None
    pace: float | None


class Work(NamedTuple):
    """What a set asks of one person."""

    answers: int
    repeats: int
    blocks: int
    hours: float


def people(store: Store, grading_set: GradingSet) -> list[Person]:
    """The graders of a set by name, never by how much or how fast they grade."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    versions = list(rubric.versions().values())
    begun = {row["id"]: row for row in queues.people(store, grading_set.id)}
    asked = {row["id"]: row for row in set_graders.of_set(store, grading_set.id)}
    return [
        Person(
            row["name"],
            queues.done(store, grading_set, grader_id, versions),
            begun[grader_id]["graded_at"] if grader_id in begun else None,
            queues.pace(store, grader_id),
        )
        for grader_id, row in sorted((asked | begun).items(), key=lambda one: one[1]["name"])
    ]


def graded_otherwise(store: Store, grading_set: GradingSet) -> int:
    """How many answers of a set people graded who did not begin it."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    return queues.graded_otherwise(
        store, grading_set.id, list(rubric_versions.criteria(store, rubric))
    )


def work(sheet: Sheet, questions: int | None, share: float, seconds: float) -> Work:
    """What a draw of so many questions (None: all) would ask of one person; about, for a draw."""
    taken = sheet.questions if questions is None else min(questions, sheet.questions)
    answers = round(taken * sheet.items / max(1, sheet.questions))
    repeats = round(share * answers)
    hours = (answers + repeats) * seconds / 3600
    return Work(answers, repeats, -(-answers // BLOCK_SIZE), hours)


def headline(store: Store, sheet: Sheet, sets: list[GradingSet]) -> None:
    """The finding of the screen: how much is graded, by how many people."""
    if not sets:
        finding(
            f"Nobody has been asked to grade “{sheet.name}” yet",
            "Make a grading set below and send each person a link, or grade yourself.",
        )
        return
    everyone = [person for one in sets for person in people(store, one)]
    graders = {person.name for person in everyone if person.progress.done}
    done = sum(person.progress.done for person in everyone)
    if not graders:
        otherwise = any(graded_otherwise(store, one) for one in sets)
        finding(
            "Nobody has begun a grading set yet" if otherwise else "Nobody has begun to grade yet",
            "Send each person a link from below.",
        )
        return
    who = "One person has" if len(graders) == 1 else f"{len(graders)} people have"
    answers = "one answer" if done == 1 else f"{done} answers"
    finding(f"{who} graded {answers} of “{sheet.name}”")


def card(store: Store, grading_set: GradingSet) -> None:
    """One set: its people, its links, its draw."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    with st.container(border=True):
        st.subheader(plain(grading_set.name), anchor=False)
        st.caption(
            f"{_kind(store, grading_set)}: {grading_set.answers} answers to "
            f"{grading_set.questions} questions, graded by “{rubric.title}”. "
            f"Made on {grading_set.created_at[:10]}."
        )
        _units(store, grading_set, rubric)
        graders = people(store, grading_set)
        for person in graders:
            _person(person)
        otherwise = graded_otherwise(store, grading_set)
        if otherwise:
            st.write(plain(_otherwise(grading_set, otherwise)))
        if not graders:
            begun = "Nobody has begun its queue." if otherwise else "Nobody has begun."
            st.write(f"{begun} Send a link, or grade yourself.")
        campaign(store, grading_set)
        if not regrades.is_one(store, grading_set.id):
            known(store, grading_set)
            freeze(store, grading_set)
            pilot(store, grading_set)
        st.page_link(
            "pages/grade.py",
            label="Grade this set myself",
            icon=":material/edit_note:",
            query_params={"set": str(grading_set.id)},
        )
        with st.expander("Links to send", icon=":material/link:"):
            _links(grading_set, graders)
        if not rubric.units:
            fold(store, grading_set)
        with st.expander("How it was drawn", icon=":material/casino:"):
            _drawn(store, grading_set)
            if not queues.people(store, grading_set.id) and st.button(
                "Take this set back", key=f"sets.remove.{grading_set.id}", icon=":material/undo:"
            ):
                grading_sets.remove(store, grading_set.id)
                st.rerun()


def form(store: Store, sheet: Sheet, sets: list[GradingSet]) -> None:
    """Make a set; says what it will ask of a person before it is made."""
    name = st.text_input("Name", grading_sets.next_name(sets), max_chars=80).strip()
    names = [*rubric_versions.names(store), *of_units()]
    words = rubric_words.called(store, names)
    rubric = st.selectbox(
        "Rubric",
        names,
        names.index(sheet_rubric.to_begin_with(store, sheet)),
        format_func=words.get,
        help="The last of the list are for the parts of answers, such as claims and contexts: "
        "people label by them what a judge for measures labelled.",
    )
    questions = _size(sheet)
    with st.expander("Seed and hidden repeats", icon=":material/tune:"):
        seed = st.number_input(
            "Seed", 0, 999_999, seed_of(sheet), help="The same seed draws the same questions."
        )
        percent = st.slider(
            "Answers that come back hidden, of 100", 0, 30, round(100 * REPEAT_SHARE)
        )
    if rubric in of_units():
        _meaning_of_units(of_units()[rubric], sheet, questions)
    else:
        _meaning(sheet, questions, percent / 100, _pace(store, sets))
    if st.button("Make this set", type="primary", disabled=not name, key="sets.make"):
        rubric_id, _ = rubric_versions.named(store, rubric)
        made = grading_sets.create(
            store, sheet.id, rubric_id, name, questions, int(seed), repeat_share=percent / 100
        )
        taking_apart.by_rule(store, made)
        st.rerun()


def _units(store: Store, grading_set: GradingSet, rubric: Rubric) -> None:
    """Of a set that goes unit by unit: how many answers can be graded, and what of the others."""
    if not rubric.units:
        return
    taken = unit_queue.taken(store, grading_set.id, rubric.units)
    st.write(
        f"{counted(taken.ready, 'answer')} can be graded unit by unit. "
        f"{taking_apart.sentence(rubric.units, taken)}"
    )


def _kind(store: Store, grading_set: GradingSet) -> str:
    if regrades.is_one(store, grading_set.id):
        return "To be graded again"
    if grading_set.kind == "whole":
        return "The whole sheet"
    enriched = favours(grading_sets.strata(store, grading_set.id))
    return "An enriched draw, with more suspected answers" if enriched else "A random draw"


def _otherwise(grading_set: GradingSet, answers: int) -> str:
    return (
        f"People graded {answers:,} of its {counted(grading_set.answers, 'answer')} without its "
        "queue, before it was made or in a file. Agreement counts these."
    )


def _person(person: Person) -> None:
    done, total = person.progress
    last = f", last on {person.graded_at[:10]}" if person.graded_at else ""
    left = (total - done) * (person.pace or 0)
    to_go = f", about {str(timedelta(minutes=round(left / 60)))[:-3]} h left" if left else ""
    st.progress(done / max(1, total), f"{person.name}: {done} of {total}{last}{to_go}")


def _links(grading_set: GradingSet, graders: list[Person]) -> None:
    st.write(
        "A link opens the grading screen and nothing else: no judges, no results. The first asks "
        "for the name."
    )
    if urlsplit(st.context.url or "").hostname in ("127.0.0.1", "localhost"):
        st.caption(
            "These links work on this machine only. To let colleagues in, start the app with an "
            "address they can reach; the README says how, and what to mind."
        )
    for name in ["", *(person.name for person in graders)]:
        st.caption(plain(name or "For anyone"))
        st.code(f"{_address()}{grader_link(grading_set.id, name)}", language=None)


def _address() -> str:
    """Where this app is, as the browser knows it; '' outside a browser."""
    url = urlsplit(st.context.url or "")
    folder = url.path.rpartition("/")[0]
    return f"{url.scheme}://{url.netloc}{folder}" if url.netloc else ""


def _drawn(store: Store, grading_set: GradingSet) -> None:
    if regrades.is_one(store, grading_set.id):
        st.write(
            "A criterion was worded anew. Everyone has the own answers whose grades stand under "
            "the old words, in an order of their own, and grades that criterion alone."
        )
        return
    strata = grading_sets.strata(store, grading_set.id)
    in_proportion = "each group of answering models is drawn in proportion."
    if favours(strata):
        in_proportion = (
            "questions that judges suspect to hold a failing answer were drawn more often, at the "
            "chances below. Every figure weighs an answer by one over its chance."
        )
    followed = (
        "Everyone follows the blocks in the same order, shuffled within per person, so people who "
        "stop early overlap."
    )
    if campaigns.find(store, grading_set.id):
        followed = "Everyone follows the own blocks, shuffled within per person."
    st.write(
        f"Seed {grading_set.seed}, blocks of about {grading_set.block_size} answers. {followed} "
        f"{grading_set.repeat_share:.0%} of the answers come back hidden in the "
        f"next block. A question brings all its answers; {in_proportion}"
    )
    rows = [
        (models or "unknown", taken, size, taken / size) for models, (taken, size) in strata.items()
    ]
    columns = ["Answered by", "Questions drawn", "Of", "Inclusion probability"]
    table(pd.DataFrame(rows, columns=columns), f"draw-{grading_set.id}")


def _size(sheet: Sheet) -> int | None:
    """How many questions; None for the whole sheet."""
    whole = f"The whole sheet ({sheet.questions} questions)"
    draw = "A random draw"
    small = sheet.questions <= FIRST_QUESTIONS
    chosen = st.radio("How much", [whole, draw], index=0 if small else 1, horizontal=True)
    if chosen == whole:
        return None
    first = min(FIRST_QUESTIONS, sheet.questions)
    return st.number_input("Questions", 1, sheet.questions, first)


def _pace(store: Store, sets: list[GradingSet]) -> float | None:
    """The middle of what this sheet's people need per answer; None where nobody is known."""
    paces = sorted(p.pace for one in sets for p in people(store, one) if p.pace)
    return paces[len(paces) // 2] if paces else None


def _meaning_of_units(rubric: Rubric, sheet: Sheet, questions: int | None) -> None:
    plural, by_rule = (
        taking_apart.source(rubric.units).plural,
        taking_apart.is_by_rule(rubric.units),
    )
    made = "They are made at once." if by_rule else "A judge for measures takes answers apart."
    answers = work(sheet, questions, 0, 0).answers
    st.info(
        f"Each person goes through about {counted(answers, 'answer')} and grades the {plural} of "
        f"each one by one. {made} An answer that has not been taken apart is not handed out.",
        icon=":material/schedule:",
    )


def _meaning(sheet: Sheet, questions: int | None, share: float, pace: float | None) -> None:
    asked = work(sheet, questions, share, pace or TYPICAL_S)
    about = "" if questions is None else "about "
    source = "at the pace people had here" if pace else f"at {TYPICAL_S} seconds an answer"
    st.info(
        f"Each person gets {about}{counted(asked.answers, 'answer')} in "
        f"{counted(asked.blocks, 'block')} of {BLOCK_SIZE}, and {asked.repeats} of "
        f"them a second time: about {asked.hours:.1f} hours {source}. Whoever stops early has "
        "still graded whole blocks that others share.",
        icon=":material/schedule:",
    )
