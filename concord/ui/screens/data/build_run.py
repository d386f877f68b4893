"""The run box of drafting and answering: whose model is asked, at what price, and runs going on."""

from dataclasses import replace
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from concord.judges.building import answering as answers
from concord.judges.building import drafting as drafts
from concord.judges.building.requests import RequestJob
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.running.job import Options
from concord.messages import said
from concord.model import Question
from concord.reports.workflow import building
from concord.reports.workflow.building import Stand
from concord.store.database import Store
from concord.ui import run_progress, run_start
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say
from concord.ui.widgets import action_button, number_field

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
    last = building.last(store, name, "drafts")
    count = number_field(
        say("Questions per document, at most"),
        min_value=1,
        max_value=20,
        value=(last and last.questions) or 1,
        key=f"build.count.{name}",
        width=260,
    )
    jobs = [drafts.prepare(store, name, judge, count) for judge in picked.judges]
    _box(store, name, "drafts", picked, jobs, going)


def answering(store: Store, name: str, questions: list[Question]) -> None:
    """Have models answer the questions of a sheet."""
    going = st.container()
    picked = _pick(store, name, "answers")
    jobs = [answers.prepare(store, name, judge, questions) for judge in picked.judges]
    _box(store, name, "answers", picked, jobs, going)


def was_begun(name: str) -> bool:
    """True where answering was started in this session; its box then stays open."""
    return st.session_state.get("build.begun") == name


def _pick(store: Store, name: str, purpose: str) -> _Chosen:
    """The judge whose endpoint and settings are used, and its model or others in its place."""
    last, words = building.last(store, name, purpose), building.available_judges(store)
    names = list(words)
    by, at = f"{purpose}_by", f"{purpose}_at"  # in the URL
    wanted = recall(by) or (last and last.judge)
    place = f"{purpose}.{name}"
    left, right = st.columns(2)
    argument = left.selectbox(
        say("Endpoint and settings of"),
        names,
        index=building.position(names, wanted),
        format_func=words.get,
        key=f"build.judge.{place}",
        help=say("The judge file supplies only the server, the model and its settings."),
    )
    judge = registry.named(store, argument)
    before = building.models_before(store, name, purpose, judge)
    models = st.multiselect(
        say("Models" if purpose == "answers" else "Model"),
        sorted({judge.model, *before}),
        default=before or [judge.model],
        accept_new_options=True,
        max_selections=None if purpose == "answers" else 1,
        key=f"build.models.{place}.{argument}",
        placeholder=say("Choose"),
        help=say("Or type another model of this server."),
    )
    before_url = recall(at) or building.url_before(last, judge)
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
            _stand(stand)
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
            run_start.retirement(job.judge)
            if purpose == "answers" and not job.keys:
                done = say("Every question has its answer.")
                model = f"**{plain(job.judge.model)}**"
                st.markdown(say("{title}: {text}", title=model, text=done))
            else:
                run_progress.expected(one, job.judge.model, purpose=purpose)
        no_key = run_start.why_no_key(picked.judges[0], f"build.{purpose}")
        left = building.remaining(store, idle, expected)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if any(one.cost and not one.is_free() for one in expected):
                label = said("Budget for each model, USD" if len(idle) > 1 else "Budget, USD")
                place, before = f"build.budget.{purpose}.{name}", building.budget(found, idle)
                options = replace(options, budget=run_start.budget(place, before, label))
            go = action_button(
                say(left.label(purpose, building.has_begun(store, left.jobs))),
                store.why_no_lead() or left.why_not(no_key),
                type="primary",
                icon=":material/play_arrow:",
                key=f"build.run.{purpose}",
            )
        if go:
            if purpose == "answers":
                st.session_state["build.begun"] = name
            run_start.start(store, picked.argument, left.jobs, options, expected)


def _stand(stand: Stand) -> None:
    """A model at work, or how its newest run for the sheet ended."""
    st.markdown(f"**{plain(stand.model)}**")
    if stand.state.is_live():
        run_progress.live(stand.look, f"build.{stand.place.log}", LACKING)
    else:
        run_progress.outcome(stand.state, LACKING)


def _how(picked: _Chosen, place: str) -> Options:
    """Speed, and whether to ask again."""
    with st.expander(say("Speed and retries")):
        concurrency = run_start.concurrency(f"build.concurrency.{place}")
        again = st.checkbox(
            say("Retry requests without a usable reply"),
            key=f"build.again.{place}",
            help=say("By default, a request without a usable reply after three attempts is final."),
        )
    return Options(base_url=picked.base_url, concurrency=concurrency, retry_unscored=again)
