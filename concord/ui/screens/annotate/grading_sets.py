"""Grading sets as the lead sees them: who is how far, links to send, the draw."""

from datetime import timedelta
from typing import NamedTuple
from urllib.parse import urlsplit

import streamlit as st

from concord.grading import (
    assignments,
    campaigns,
    grading_sets,
    regrades,
    set_graders,
    unit_assignments,
)
from concord.grading.assignments import Progress
from concord.grading.grading_sets import GradingSet
from concord.language.plurals import counted
from concord.messages import Said, joined, said
from concord.reports.planning import next_sample
from concord.reports.units import decomposition
from concord.rubrics.model import Rubric
from concord.sampling.sample import favours
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.sheets import Sheet
from concord.ui.frame import grader_link
from concord.ui.language import say
from concord.ui.localized_table import table_of
from concord.ui.markdown import plain
from concord.ui.screens.annotate.campaign import campaign
from concord.ui.screens.annotate.gold_items import known
from concord.ui.screens.annotate.offline_packages import fold
from concord.ui.screens.annotate.rubric_freeze import freeze, pilot
from concord.ui.widgets import finding


class Person(NamedTuple):
    """One grader of a set: how far, when last, the median seconds per answer, whether gone."""

    name: str
    progress: Progress
    graded_at: str | None
    pace: float | None
    gone: bool = False


def people(store: Store, grading_set: GradingSet) -> list[Person]:
    """The graders of a set by name, never by how much or how fast they grade."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    versions = list(rubric.versions().values())
    begun = {row["id"]: row for row in assignments.people(store, grading_set.id)}
    asked = {row["id"]: row for row in set_graders.of_set(store, grading_set.id)}
    shared_out = campaigns.find(store, grading_set.id) is not None
    return [
        Person(
            row["name"],
            assignments.done(store, grading_set, grader_id, versions),
            begun[grader_id]["graded_at"] if grader_id in begun else None,
            assignments.pace(store, grader_id),
            shared_out and grader_id not in asked,
        )
        for grader_id, row in sorted((asked | begun).items(), key=lambda one: one[1]["name"])
    ]


def graded_otherwise(store: Store, grading_set: GradingSet) -> int:
    """How many answers of a set people graded who did not begin it."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    return assignments.graded_otherwise(
        store, grading_set.id, list(rubric_versions.criteria(store, rubric))
    )


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
        ),
        said(
            "An answer counts once for each person who graded it, and once more for a hidden "
            "repeat."
        ),
    )


def card(store: Store, grading_set: GradingSet) -> None:
    """One set: its people, its links, its draw."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    with st.container(border=True):
        st.subheader(plain(grading_set.name), anchor=False)
        st.caption(
            say(
                "{kind}: {answers} to {questions} questions, graded by “{rubric}”. Made on {day}.",
                kind=_kind(store, grading_set),
                answers=_answers(store, grading_set),
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
        if store.who:
            _address_for_all(grading_set)
        else:
            _links(grading_set, graders)
    if not rubric.units:
        fold(store, grading_set)
    with st.expander(say("How it was drawn"), icon=":material/casino:"):
        _drawn(store, grading_set)
        if not assignments.people(store, grading_set.id) and st.button(
            say("Take this set back"), key=f"sets.remove.{grading_set.id}", icon=":material/undo:"
        ):
            grading_sets.remove(store, grading_set.id)
            st.rerun()


def _units(store: Store, grading_set: GradingSet, rubric: Rubric) -> None:
    """Of a set that goes unit by unit: how many answers can be graded, and what of the others."""
    if not rubric.units:
        return
    taken = unit_assignments.taken(store, grading_set.id, rubric.units)
    ready = said("{answers} can be graded unit by unit.", answers=counted(taken.ready, "answer"))
    st.write(say(joined(" ", [ready, decomposition.sentence(rubric.units, taken)])))


def _answers(store: Store, grading_set: GradingSet) -> Said:
    """How many answers; of a set that is graded again how many grades of them, as was asked."""
    answers = counted(grading_set.answers, "answer")
    asked = regrades.asked_in(store, grading_set.id)
    if not asked:
        return answers
    return said("{grades} of {answers}", grades=counted(asked, "grade"), answers=answers)


def _kind(store: Store, grading_set: GradingSet) -> Said:
    if regrades.is_one(store, grading_set.id):
        return said("To be graded again")
    if grading_set.kind == "whole":
        return said("The whole sheet")
    enriched = favours(grading_sets.strata(store, grading_set.id))
    return said("An enriched draw, with more suspected answers" if enriched else "A random draw")


def _otherwise(grading_set: GradingSet, answers: int) -> Said:
    return said(
        "People graded {n:,} of its {answers} without its queue, before it was made or in a file. "
        "Agreement counts these.",
        n=answers,
        answers=counted(grading_set.answers, "answer"),
    )


def _person(person: Person) -> None:
    done, total = person.progress
    if person.gone:
        words = said("{name}: has left; {done} graded, which stay", name=person.name, done=done)
        st.write(plain(words))
        return
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


def _address_for_all(grading_set: GradingSet) -> None:
    """Where people sign in there are no links by name: who is there is known."""
    st.write(
        say(
            "Everyone to whom this set is open grades it under this address, each with a queue of "
            "their own. The screen Team lets people in and opens sets to them."
        )
    )
    st.code(f"{_address()}{grader_link(grading_set.id, '')}", language=None)


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
            said("Answered by"): next_sample.stratum(models),
            said("Questions drawn"): taken,
            said("Of"): size,
            said("Inclusion probability"): taken / size,
        }
        for models, (taken, size) in strata.items()
    ]
    table_of(rows, name)
