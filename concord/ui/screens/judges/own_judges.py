"""Judges of the user's own: another model or address, a file, or a definition written here."""

import streamlit as st

from concord.judges.definition import model, providers, registry
from concord.judges.definition.model import Judge
from concord.judges.definition.providers import Provider
from concord.judges.definition.toml import as_toml, beginning
from concord.judges.metric_runs import job as metrics
from concord.judges.rubric_runs import session
from concord.judges.running.job import Options
from concord.messages import Problem, said
from concord.metrics.selection import choice
from concord.store.database import Store
from concord.ui.actions import refusals
from concord.ui.language import say


def own_judge(store: Store, sheet_name: str, base: Judge | None) -> str | None:
    """Two ways to a judge of one's own: a file by its path, or a definition written here.

    Returns:
        What names the judge that was opened or saved just now; None without one.
    """
    with st.expander(say("Your own judge"), key="judge.own"):
        path = st.text_input(
            say("Path of a judge file on this machine"),
            placeholder="judges/my_judge.toml",
            key="judge.path",
        )
        if st.button(say("Open the file"), icon=":material/description:", key="judge.open"):
            with refusals():
                return _file(store, path.strip())
        st.markdown(say("Or edit a copy of the judge above and save it under a new name."))
        server = _server()
        begun = beginning(server, base) if server else _copy(base) if base else ""
        place = f"{base.name if base else ''}.{server.name if server else ''}"
        text = st.text_area(say("Definition (TOML)"), begun, height=320, key=f"judge.toml.{place}")
        if st.button(say("Save judge"), icon=":material/save:", key="judge.save"):
            with refusals():
                return _saved(store, sheet_name, text)
    return None


def _server() -> Provider | None:
    """The server to ask at, of those whose quirks are known; None keeps that of the judge above."""
    servers = providers.known()
    chosen = st.selectbox(
        say("Endpoint"),
        ["", *servers],
        format_func=lambda name: _called(servers[name]) if name else say("as in the definition"),
        key="judge.server",
        help=say("Fills in the address and the settings that the server's documentation asks for."),
    )
    return servers[chosen] if chosen else None


def _called(server: Provider) -> str:
    """The name of a server, and whether Concord was tried with it."""
    return say("{server} ({tried})", server=server.title, tried=server.was_tried())


def _file(store: Store, path: str) -> str:
    if not path.endswith(".toml"):
        raise Problem("Give the path of a judge file; it ends in .toml.")
    registry.named(store, path)
    return path


def _saved(store: Store, sheet_name: str, text: str) -> str:
    """Keep a judge in the database; returns what the verb `judge` calls it."""
    judge = model.parse(text, said("the definition"))
    if judge.name in model.presets():
        raise Problem("“{name}” ships with Concord. Give your judge another name.", name=judge.name)
    if judge.kind == "baseline":
        raise Problem("There is only one baseline; it ships with Concord.")
    options = Options(sheet_name=sheet_name)
    if judge.kind == "metric":
        job = metrics.prepared(store, judge, choice(judge), options)
    else:
        job = session.prepared(store, judge, options)
    job.register(store)
    return job.label


def _copy(judge: Judge) -> str:
    """The definition of a copy, under a name of its own."""
    changed = judge.model_copy(update={"name": f"my-{judge.name}"})
    return as_toml(changed)
