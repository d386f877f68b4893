"""The run box of drafting and answering: whose model is asked, at what price, and runs going on."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data import clock
from data.questions import Question
from data.store import Store
from judges import asking, build, launch, roster
from judges.asking import Options, Work
from judges.estimate import Estimate
from judges.model import Judge
from judges.session import check_budget
from problems import Problem
from reports import askers, judging, running
from reports.askers import Stand
from ui import run_fields, run_progress
from ui.frame import recall, remember
from ui.language import say
from ui.markdown import plain
from ui.widgets import number_field
from words.said import said

LACKING = said("a usable reply")


class _Chosen(NamedTuple):
    """Whose model is asked: a judge as its verb calls it, under these models."""

    argument: str
    judges: list[Judge]
    base_url: str | None


def drafting(store: Store, name: str) -> None:
    """Have a model draft questions about the documents of a sheet."""
    going = st.container()
    picked = _pick(store, name, "drafts")
    count = number_field(
        say("Questions per document, at most"),
        min_value=1,
        max_value=20,
        value=askers.last(store, name, "drafts").get("questions", 1),
        key=f"build.count.{name}",
        width=260,
    )
    works = [build.drafting_work(store, name, judge, count) for judge in picked.judges]
    _box(store, name, "drafts", picked, works, going)


def answering(store: Store, name: str, questions: list[Question]) -> None:
    """Have models answer the questions of a sheet."""
    going = st.container()
    picked = _pick(store, name, "answers")
    works = [build.answering_work(store, name, judge, questions) for judge in picked.judges]
    _box(store, name, "answers", picked, works, going)


def was_begun(name: str) -> bool:
    """Whether answering was started in this session, whose box then stays open."""
    return st.session_state.get("build.begun") == name


def _pick(store: Store, name: str, purpose: str) -> _Chosen:
    """The judge whose endpoint and settings are used, and its model or others in its place."""
    last, words = askers.last(store, name, purpose), askers.lenders(store)
    names = list(words)
    by, at = f"{purpose}_by", f"{purpose}_at"  # in the URL
    wanted = recall(by) or last.get("judge")
    place = f"{purpose}.{name}"
    left, right = st.columns(2)
    argument = left.selectbox(
        say("Whose endpoint and settings"),
        names,
        index=askers.position(names, wanted),
        format_func=words.get,
        key=f"build.judge.{place}",
        help=say(
            "A judge file names a server, a model and its settings; nothing else of it is used."
        ),
    )
    judge = roster.named(store, argument)
    before = askers.models_before(store, name, purpose, judge)
    models = st.multiselect(
        say("Models" if purpose == "answers" else "Model"),
        sorted({judge.model, *before}),
        default=before or [judge.model],
        accept_new_options=True,
        max_selections=None if purpose == "answers" else 1,
        key=f"build.models.{place}.{argument}",
        help=say("Type another name that the server knows."),
    )
    before_url = recall(at) or askers.url_before(last, judge)
    url = right.text_input(
        say("Base URL"), before_url, placeholder=judge.url(), key=f"build.url.{place}.{argument}"
    ).strip()
    judges = asking.models(store, [argument], models, url or None) if models else []
    remember(**{by: argument, at: url or None})
    return _Chosen(argument, judges, url or None)


def _box(
    store: Store,
    name: str,
    purpose: str,
    picked: _Chosen,
    works: list[Work],
    going: DeltaGenerator,
) -> None:
    """What goes on, what is left, and the button that starts one run for each model."""
    found = askers.stands(store, name, purpose, works)
    with going:
        for stand in found:
            _stand(stand)
    at_work = {stand.place.log for stand in found if stand.state.is_live()}
    idle = [work for work in works if work.asker.place().log not in at_work]
    if not idle:
        return
    top = st.container()
    options = _how(picked, f"{purpose}.{name}")
    expected = [asking.estimate(store, work, options.again) for work in idle]
    with top:
        for work, one in zip(idle, expected, strict=True):
            _estimated(work, one)
        ready = judging.has_key(picked.judges[0])
        (st.caption if ready else st.warning)(say(judging.key_sentence(picked.judges[0])))
        left = askers.left(store, idle, expected)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            before = askers.budget(found, idle)
            options = _with_budget(options, expected, f"{purpose}.{name}", before)
            go = st.button(
                say(left.label(purpose, askers.has_begun(store, left.works))),
                type="primary",
                icon=":material/play_arrow:",
                key=f"build.run.{purpose}",
                disabled=not (ready and left.works),
            )
        if go:
            _go(store, name, picked.argument, left.works, expected, options)


def _stand(stand: Stand) -> None:
    """A model at work, or how its newest run for the sheet ended."""
    st.markdown(f"**{plain(stand.model)}**")
    if stand.state.is_live():
        look = partial(running.at, where=stand.place)
        run_progress.live(look, f"build.{stand.place.log}", LACKING)
    else:
        run_progress.outcome(stand.state, askers.done_sentence, LACKING)


def _estimated(work: Work, expected: Estimate) -> None:
    judge = work.asker.judge
    warning = judge.retirement(clock.today())
    if warning:
        st.warning(plain(warning), icon=":material/history:")
    st.markdown(f"**{plain(judge.model)}:** {plain(askers.estimated(work, expected))}")


def _how(picked: _Chosen, place: str) -> Options:
    """Speed, and whether to ask again."""
    with st.expander(say("Speed, asking again")):
        concurrency = run_fields.concurrency(f"build.concurrency.{place}")
        again = st.checkbox(
            say("Ask again what got no usable reply"),
            key=f"build.again.{place}",
            help=say("What could not be used after three replies is settled otherwise."),
        )
    return Options(base_url=picked.base_url, concurrency=concurrency, again=again)


def _with_budget(
    options: Options, expected: list[Estimate], place: str, before: float | None
) -> Options:
    """The budget field, where there is something to pay at a known price."""
    if not any(one.cost and not one.is_free() for one in expected):
        return options
    label = said("Budget for each model, USD" if len(expected) > 1 else "Budget, USD")
    return replace(options, budget=run_fields.budget(f"build.budget.{place}", before, label))


def _go(
    store: Store,
    name: str,
    argument: str,
    works: list[Work],
    expected: list[Estimate],
    options: Options,
) -> None:
    """Start a process for each model; what stands in the way of one is said."""
    try:
        for one in expected:
            check_budget(options.budget, one)
        for work in works:
            command = asking.command(store.path, name, argument, work, options)
            model = work.asker.judge.model
            busy = said("{model} is at work on “{sheet}” already.", model=model, sheet=name)
            launch.start(store, work.asker.place(), command, busy)
            if work.asker.purpose == "answers":
                st.session_state["build.begun"] = name
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    st.rerun()
