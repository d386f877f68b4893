"""The options of a judge's run: how much is asked, how fast, and which model at which address."""

from dataclasses import replace

import streamlit as st

from concord.judges.definition.model import Judge
from concord.judges.metric_runs.job import MetricJob
from concord.judges.rubric_runs.job import RubricJob
from concord.judges.running.job import Options
from concord.ui import run_start
from concord.ui.frame import recall, remember
from concord.ui.language import say
from concord.ui.widgets import number_field


def limits(over: Options, job: RubricJob | MetricJob, place: str) -> Options:
    """Return the limits the user sets: number of answers, repeats, retries."""
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
        repeats = 1
        if job.judge.model is not None:
            repeats = number_field(
                say("Replies per answer"),
                min_value=1,
                max_value=20,
                key=f"judge.repeats.{place}",
                help=say(
                    "More than one measures test-retest consistency. Agreement uses the first."
                ),
            )
        concurrency = run_start.concurrency(f"judge.concurrency.{place}")
        retry = st.checkbox(
            say("Retry where a reply gave no score"),
            key=f"judge.retry.{place}",
            help=say("By default, a reply that was refused or could not be read is final."),
        )
    return replace(
        Options(job.sheet.name, over.model, over.base_url),
        limit=limit,
        repeats=repeats,
        concurrency=concurrency,
        retry_unscored=retry,
    )


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
