"""The options of a judge's run, and its start in a process of its own."""

from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from concord.judges.definition.model import Judge
from concord.judges.metric_runs.job import MetricJob
from concord.judges.running.engine import Options, Plan
from concord.judges.running.estimate import Estimate
from concord.judges.running.job import RubricJob
from concord.model import Grader
from concord.store.database import Store
from concord.ui import run_start
from concord.ui.frame import recall, remember
from concord.ui.language import say
from concord.ui.widgets import number_field


class Chosen(NamedTuple):
    """A judge set up for a sheet, as its card shows it.

    Attributes:
        store: The open store.
        argument: What the verb `judge` calls the judge.
        job: The judge with the sheet and what is left to ask.
        grader: The judge as a grader; None where it never ran.
        over: The options chosen so far.
    """

    store: Store
    argument: str
    job: RubricJob | MetricJob
    grader: Grader | None
    over: Options


def go(chosen: Chosen, plan: Plan, options: Options, expected: Estimate | None = None) -> None:
    """Start and show the run; where `expected` is given, its cost must fit the budget.

    Otherwise show what prevents the start.
    """
    run_start.start(
        chosen.store, chosen.argument, [plan], options, [expected] if expected is not None else []
    )


def limits(over: Options, job: RubricJob | MetricJob, place: str) -> Options:
    """Return the limits the user sets: number of answers, repeats, and retries."""
    with st.expander(say("Subset, repeats, speed, retries")):
        limit = number_field(
            say("First answers only"),
            min_value=1,
            max_value=max(1, job.sheet.items),
            value=None,
            placeholder=say("all {n:,}", n=job.sheet.items),
            key=f"judge.limit.{place}",
            help=say("Start with a few: they show at little cost whether the prompt works."),
        )
        repeats = _repeats(place) if job.judge.model is not None else 1
        concurrency = run_start.concurrency(f"judge.concurrency.{place}")
        retry = st.checkbox(
            say("Retry where a reply gave no score"),
            key=f"judge.retry.{place}",
            help=say("Replies that were refused or could not be parsed are otherwise final."),
        )
    return Options(
        sheet_name=job.sheet.name,
        model=over.model,
        base_url=over.base_url,
        limit=limit,
        repeats=repeats,
        concurrency=concurrency,
        retry_unscored=retry,
    )


def _repeats(place: str) -> int:
    """Return the number of replies wanted per answer."""
    return number_field(
        say("Replies per answer"),
        min_value=1,
        max_value=20,
        key=f"judge.repeats.{place}",
        help=say("More than one measures test-retest consistency; agreement uses the first."),
    )


def with_budget(options: Options, expected: Estimate, place: str, before: float | None) -> Options:
    """The budget field, where there is something to pay and the price is known."""
    if expected.is_free() or expected.cost is None:
        return options
    return replace(options, budget=run_start.budget(f"judge.budget.{place}", before))


def overrides(judge: Judge, argument: str, sheet_name: str) -> Options:
    """Another model or address than the judge file says, kept in the URL."""
    if judge.model is None:
        return Options(sheet_name=sheet_name)
    before = recall("model"), recall("base_url")
    with st.expander(say("Another model or address"), expanded=any(before)):
        st.caption(say("Changing either makes it a new judge with its own grades."))
        chosen = st.text_input(
            say("Model"), before[0] or "", placeholder=judge.model, key=f"judge.model.{argument}"
        )
        url = st.text_input(
            say("Base URL"), before[1] or "", placeholder=judge.url(), key=f"judge.url.{argument}"
        )
    over = Options(
        sheet_name=sheet_name, model=chosen.strip() or None, base_url=url.strip() or None
    )
    remember(model=over.model, base_url=over.base_url)
    return over
