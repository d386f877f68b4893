"""Grading sets as the lead sees them: who is how far, links to send, the draw, a new set."""

from datetime import timedelta
from typing import NamedTuple
from urllib.parse import urlsplit

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
from reports import drawing, rubric_words, taking_apart, unit_words
from rubrics.model import Rubric, of_units
from ui.campaign import campaign
from ui.frame import grader_link
from ui.freeze import freeze, pilot
from ui.grader import FIRST_QUESTIONS, seed_of
from ui.known import known
from ui.language import say
from ui.markdown import plain
from ui.packs import fold
from ui.rows import table_of
from ui.widgets import finding
from words.said import Said, joined, said

TYPICAL_S = 60  # seconds per answer, until people's own pace is known
_WHOLE, _RANDOM = said("The whole sheet"), said("A random draw")


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
            said("Nobody has been asked to grade “{sheet}” yet", sheet=sheet.name),
            said("Make a grading set below and send each person a link, or grade yourself."),
        )
        return
    everyone = [person for one in sets for person in people(store, one)]
    graders = {person.name for person in everyone if person.progress.done}
    done = sum(person.progress.done for person in everyone)
    if not graders:
        otherwise = any(graded_otherwise(store, one) for one in sets)
        finding(
            said(
                "Nobody has begun a grading set yet"
                if otherwise
                else "Nobody has begun to grade yet"
            ),
            said("Send each person a link from below."),
        )
        return
    answers = said("one answer") if done == 1 else said("{n} answers", n=done)
    finding(
        said("One person has graded {answers} of “{sheet}”", answers=answers, sheet=sheet.name)
        if len(graders) == 1
        else said(
            "{n} people have graded {answers} of “{sheet}”",
            n=len(graders),
            answers=answers,
            sheet=sheet.name,
        )
    )


def card(store: Store, grading_set: GradingSet) -> None:
    """One set: its people, its links, its draw."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    with st.container(border=True):
        st.subheader(plain(grading_set.name), anchor=False)
        st.caption(
            say(
                "{kind}: {answers} answers to {questions} questions, graded by “{rubric}”. "
                "Made on {day}.",
                kind=_kind(store, grading_set),
                answers=grading_set.answers,
                questions=grading_set.questions,
                rubric=plain(rubric.title),
                day=grading_set.created_at[:10],
            )
        )
        _units(store, grading_set, rubric)
        graders = people(store, grading_set)
        for person in graders:
            _person(person)
        otherwise = graded_otherwise(store, grading_set)
        if otherwise:
            st.write(plain(_otherwise(grading_set, otherwise)))
        if not graders:
            st.write(
                say(
                    "Nobody has begun its queue. Send a link, or grade yourself."
                    if otherwise
                    else "Nobody has begun. Send a link, or grade yourself."
                )
            )
        campaign(store, grading_set)
        if not regrades.is_one(store, grading_set.id):
            known(store, grading_set)
            freeze(store, grading_set)
            pilot(store, grading_set)
        _ways_in(store, grading_set, rubric, graders)


def _ways_in(store: Store, grading_set: GradingSet, rubric: Rubric, graders: list[Person]) -> None:
    """How people come to grade the set, and how it was drawn."""
    st.page_link(
        "pages/grade.py",
        label=say("Grade this set myself"),
        icon=":material/edit_note:",
        query_params={"set": str(grading_set.id)},
    )
    with st.expander(say("Links to send"), icon=":material/link:"):
        _links(grading_set, graders)
    if not rubric.units:
        fold(store, grading_set)
    with st.expander(say("How it was drawn"), icon=":material/casino:"):
        _drawn(store, grading_set)
        if not queues.people(store, grading_set.id) and st.button(
            say("Take this set back"), key=f"sets.remove.{grading_set.id}", icon=":material/undo:"
        ):
            grading_sets.remove(store, grading_set.id)
            st.rerun()


def form(store: Store, sheet: Sheet, sets: list[GradingSet]) -> None:
    """Make a set; says what it will ask of a person before it is made."""
    name = st.text_input(say("Name"), grading_sets.next_name(sets), max_chars=80).strip()
    names = [*rubric_versions.names(store), *of_units()]
    words = rubric_words.called(store, names)
    rubric = st.selectbox(
        say("Rubric"),
        names,
        names.index(sheet_rubric.to_begin_with(store, sheet)),
        format_func=lambda one: say(joined("", [words[one]])),  # a title is data
        help=say(
            "The last of the list are for the parts of answers, such as claims and contexts: "
            "people label by them what a judge for measures labelled."
        ),
    )
    questions = _size(sheet)
    with st.expander(say("Seed and hidden repeats"), icon=":material/tune:"):
        seed = st.number_input(
            say("Seed"),
            0,
            999_999,
            seed_of(sheet),
            help=say("The same seed draws the same questions."),
        )
        percent = st.slider(
            say("Answers that come back hidden, of 100"), 0, 30, round(100 * REPEAT_SHARE)
        )
    if rubric in of_units():
        _meaning_of_units(of_units()[rubric], sheet, questions)
    else:
        _meaning(sheet, questions, percent / 100, _pace(store, sets))
    if st.button(say("Make this set"), type="primary", disabled=not name, key="sets.make"):
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
    ready = said("{answers} can be graded unit by unit.", answers=counted(taken.ready, "answer"))
    st.write(say(joined(" ", [ready, taking_apart.sentence(rubric.units, taken)])))


def _kind(store: Store, grading_set: GradingSet) -> Said:
    if regrades.is_one(store, grading_set.id):
        return said("To be graded again")
    if grading_set.kind == "whole":
        return _WHOLE
    enriched = favours(grading_sets.strata(store, grading_set.id))
    return said("An enriched draw, with more suspected answers") if enriched else _RANDOM


def _otherwise(grading_set: GradingSet, answers: int) -> Said:
    return said(
        "People graded {n:,} of its {answers} without its queue, before it was made or in a file. "
        "Agreement counts these.",
        n=answers,
        answers=counted(grading_set.answers, "answer"),
    )


def _person(person: Person) -> None:
    done, total = person.progress
    parts = [said("{done} of {total}", done=done, total=total)]
    if person.graded_at:
        parts.append(said("last on {day}", day=person.graded_at[:10]))
    left = (total - done) * (person.pace or 0)
    if left:
        time = str(timedelta(minutes=round(left / 60)))[:-3]
        parts.append(said("about {time} h left", time=time))
    words = said("{name}: {what}", name=person.name, what=joined(", ", parts))
    st.progress(done / max(1, total), plain(words))


def _links(grading_set: GradingSet, graders: list[Person]) -> None:
    st.write(
        say(
            "A link opens the grading screen and nothing else: no judges, no results. The first "
            "asks for the name."
        )
    )
    if urlsplit(st.context.url or "").hostname in ("127.0.0.1", "localhost"):
        st.caption(
            say(
                "These links work on this machine only. To let colleagues in, start the app with "
                "an address they can reach; the README says how, and what to mind."
            )
        )
    for name in ["", *(person.name for person in graders)]:
        st.caption(plain(name or said("For anyone")))
        st.code(f"{_address()}{grader_link(grading_set.id, name)}", language=None)


def _address() -> str:
    """Where this app is, as the browser knows it; '' outside a browser."""
    url = urlsplit(st.context.url or "")
    folder = url.path.rpartition("/")[0]
    return f"{url.scheme}://{url.netloc}{folder}" if url.netloc else ""


def _drawn(store: Store, grading_set: GradingSet) -> None:
    if regrades.is_one(store, grading_set.id):
        st.write(
            say(
                "A criterion was worded anew. Everyone has the own answers whose grades stand "
                "under the old words, in an order of their own, and grades that criterion alone."
            )
        )
        return
    strata = grading_sets.strata(store, grading_set.id)
    seeded = said(
        "Seed {seed}, blocks of about {size} answers.",
        seed=grading_set.seed,
        size=grading_set.block_size,
    )
    followed = said(
        "Everyone follows the own blocks, shuffled within per person."
        if campaigns.find(store, grading_set.id)
        else "Everyone follows the blocks in the same order, shuffled within per person, so people "
        "who stop early overlap."
    )
    hidden = said(
        "{share:.0%} of the answers come back hidden in the next block.",
        share=grading_set.repeat_share,
    )
    whole = said(
        "A question brings all its answers; questions that judges suspect to hold a failing answer "
        "were drawn more often, at the chances below. Every figure weighs an answer by one over "
        "its chance."
        if favours(strata)
        else "A question brings all its answers; each group of answering models is drawn in "
        "proportion."
    )
    st.write(say(joined(" ", [seeded, followed, hidden, whole])))
    _strata(strata, f"draw-{grading_set.id}")


def _strata(strata: dict[str, tuple[int, int]], name: str) -> None:
    """Of each group of answering models, how many questions were drawn of how many."""
    rows = [
        {
            said("Answered by"): drawing.stratum(models),
            said("Questions drawn"): taken,
            said("Of"): size,
            said("Inclusion probability"): taken / size,
        }
        for models, (taken, size) in strata.items()
    ]
    table_of(rows, name)


def _size(sheet: Sheet) -> int | None:
    """How many questions; None for the whole sheet."""
    sizes = [said("The whole sheet ({n} questions)", n=sheet.questions), _RANDOM]
    small = sheet.questions <= FIRST_QUESTIONS
    chosen = st.radio(
        say("How much"), sizes, index=0 if small else 1, format_func=say, horizontal=True
    )
    if chosen == sizes[0]:
        return None
    first = min(FIRST_QUESTIONS, sheet.questions)
    return st.number_input(say("Questions"), 1, sheet.questions, first)


def _pace(store: Store, sets: list[GradingSet]) -> float | None:
    """The middle of what this sheet's people need per answer; None where nobody is known."""
    paces = sorted(p.pace for one in sets for p in people(store, one) if p.pace)
    return paces[len(paces) // 2] if paces else None


def _meaning_of_units(rubric: Rubric, sheet: Sheet, questions: int | None) -> None:
    asked = said(
        "Each person goes through about {answers} and grades the {parts} of each one by one.",
        answers=counted(work(sheet, questions, 0, 0).answers, "answer"),
        parts=unit_words.noun(taking_apart.source(rubric.units).plural),
    )
    made = said(
        "They are made at once."
        if taking_apart.is_by_rule(rubric.units)
        else "A judge for measures takes answers apart."
    )
    kept = said("An answer that has not been taken apart is not handed out.")
    st.info(say(joined(" ", [asked, made, kept])), icon=":material/schedule:")


def _meaning(sheet: Sheet, questions: int | None, share: float, pace: float | None) -> None:
    asked = work(sheet, questions, share, pace or TYPICAL_S)
    answers = counted(asked.answers, "answer")
    source = (
        said("at the pace people had here")
        if pace
        else said("at {n} seconds an answer", n=TYPICAL_S)
    )
    gets = said(
        "Each person gets {answers} in {blocks} of {size}, and {repeats} of them a second time: "
        "about {hours:.1f} hours {source}.",
        answers=answers if questions is None else said("about {answers}", answers=answers),
        blocks=counted(asked.blocks, "block"),
        size=BLOCK_SIZE,
        repeats=asked.repeats,
        hours=asked.hours,
        source=source,
    )
    stops = said("Whoever stops early has still graded whole blocks that others share.")
    st.info(say(joined(" ", [gets, stops])), icon=":material/schedule:")
