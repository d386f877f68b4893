"""The form of a judge: the fields of its definition most often set, written into its TOML."""

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from concord.judges.combined.features import possible_members
from concord.judges.definition import model, providers
from concord.judges.definition.combined import FITTED, RULES, WORDS
from concord.judges.definition.model import OUTPUTS, PLACEHOLDERS, READINGS, Examples, Judge
from concord.judges.definition.toml import as_toml, beginning
from concord.messages import Problem, joined, said
from concord.model import Sheet
from concord.reports.workflow import judge_table
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.language import plain, say
from concord.ui.screens.judges import model_price
from concord.ui.widgets import number_field

_FIELD = "judge.form."
_PROBLEM = "judge.form.problem"
_LAST = "judge.last"  # in the session: the last definition that is right
PROMPTS = {name: judge_table.PROMPTS[name] for name in (*model.RECIPES, "own")}
SOURCES = {"rubric": said("the rubric's examples"), "graded": said("graded answers of the sheet")}
DIALECTS = {"openai": said("OpenAI Decisions"), "systemone": said("System One")}
_READING_RULES = {
    "argmax": said("argmax"),
    "rounded_mean": said("rounded mean"),
    "median": said("median"),
}
RULES_IN_WORDS = {
    rule: said("{rule}, fitted to annotators' grades", rule=WORDS[rule])
    if rule in FITTED
    else WORDS[rule]
    for rule in RULES
}
_USUAL = Examples().model_dump(exclude_none=True)  # needs no key in the file
_BEGUN = "\n\n".join(f"${name}" for name in ("rubric", "question", "contexts", "answer"))


def form(store: Store, sheet: Sheet, text: str) -> None:
    """Show the fields of the definition that the session keeps under `text`."""
    judge = edited(text)
    if why := why_not_written():
        st.error(plain(why), icon=":material/error:")
    if judge is not None and judge.kind == "combined":
        _combined(store, sheet, judge, text)
        return
    off = {"disabled": judge is None, "on_change": _write, "args": (text,)}
    computed = judge is not None and judge.is_computed()
    if judge is None or not (computed or judge.kind == "decision"):
        _server(judge, text)
    if judge is None or judge.model is not None:
        usual = judge.url() if judge else ""
        st.text_input(say("Base URL"), placeholder=usual, key=f"{_FIELD}base_url", **off)
    left, right = st.columns(2)
    left.text_input(say("Name"), key=f"{_FIELD}name", **off)
    right.text_input(say("Model"), key=f"{_FIELD}model", **off)
    if judge is None or judge.model is not None:
        model_price.price_fields(judge, _FIELD, off)
        left, right = st.columns(2)
    if judge is None or judge.kind != "metric":
        left.selectbox(say("Rubric"), _rubrics(store, judge), key=f"{_FIELD}rubric", **off)
    if judge is not None and judge.kind == "decision":
        right.selectbox(
            say("Wire format"),
            list(DIALECTS),
            format_func=_in(DIALECTS),
            key=f"{_FIELD}dialect",
            **off,
        )
        _reading(left, _READING_RULES, off)
        return
    if judge is None or judge.kind != "metric":
        right.selectbox(
            say("Prompt"), list(PROMPTS), format_func=_in(PROMPTS), key=f"{_FIELD}prompt", **off
        )
        _prompt(judge, off)
    if judge is not None and judge.logprobs:
        _reading(left, {"": said("as written"), **_READING_RULES}, off)
    if computed:
        return
    st.selectbox(
        say("Output"),
        OUTPUTS,
        key=f"{_FIELD}output",
        help=say("How a reply in JSON is requested. Not every server supports every mode."),
        **off,
    )


def _combined(store: Store, sheet: Sheet, judge: Judge, text: str) -> None:
    """Show what a combined judge has: no model and no prompt, but members and a rule."""
    off = {"on_change": _write, "args": (text,)}
    left, right = st.columns(2)
    left.text_input(say("Name"), key=f"{_FIELD}name", **off)
    right.selectbox(say("Rubric"), _rubrics(store, judge), key=f"{_FIELD}rubric", **off)
    known = possible_members(store, sheet)
    st.multiselect(
        say("Members"),
        [*known, *(name for name in judge.members or () if name not in known)],
        key=f"{_FIELD}members",
        placeholder=say("Choose"),
        help=say(
            "Judges that graded this sheet. The price of the combined judge is the sum of theirs."
        ),
        **off,
    )
    st.selectbox(
        say("Rule"), list(RULES), format_func=_in(RULES_IN_WORDS), key=f"{_FIELD}rule", **off
    )


def _server(judge: Judge | None, text: str) -> None:
    """Offer the known servers of chat models; decision models have presets instead."""
    servers = providers.known()
    st.selectbox(
        say("Server"),
        ["", *servers],
        format_func=lambda name: (
            say("{server} ({tried})", server=servers[name].title, tried=servers[name].was_tried())
            if name
            else say("as in the definition")
        ),
        key=f"{_FIELD}server",
        help=say("Fills in the address and the settings that the server's documentation asks for."),
        disabled=judge is None,
        on_change=_serve,
        args=(text,),
    )


def _reading(place: DeltaGenerator, rules: dict[str, str], off: dict) -> None:
    """Offer the rules from probabilities to a score, of a judge that returns some."""
    place.selectbox(
        say("Reading"),
        list(rules),
        format_func=_in(rules),
        key=f"{_FIELD}reading",
        help=say(
            "How the score is computed from the probabilities. Changing it makes a new judge."
        ),
        **off,
    )


def _prompt(judge: Judge | None, off: dict) -> None:
    """Show the prompt's text where it is one's own, and the examples where it shows some."""
    if judge and judge.recipe() == "own":
        names = joined(", ", (f"${name}" for name in PLACEHOLDERS))
        text = say("Placeholders: {names}. The answer and the rubric are required.", names=names)
        st.text_area(say("Prompt text"), height=180, key=f"{_FIELD}own", help=text, **off)
    if judge and judge.example_plan():
        left, right = st.columns(2)
        left.selectbox(
            say("Examples"), list(SOURCES), format_func=_in(SOURCES), key=f"{_FIELD}source", **off
        )
        per_score = f"{_FIELD}per_score"  # the session holds its value, from the definition
        number_field(say("Examples per score"), 1, value=None, key=per_score, place=right, **off)


def read_back(text: str) -> None:
    """Fill the form with what the definition says; it keeps what it shows where that is wrong."""
    if _restored(text):
        return
    st.session_state.pop(_PROBLEM, None)
    try:
        judge = model.parse(st.session_state[text], said("the definition"))
    except Problem as problem:
        st.session_state[_PROBLEM] = str(problem)
        return
    st.session_state[_LAST] = st.session_state[text]
    plan, server = judge.example_plan(), providers.of(judge)
    shown = {
        "server": server.name if server else "",
        "name": judge.name,
        "model": judge.model or "",
        "base_url": _address(judge),
        "rubric": judge.rubric,
        "prompt": judge.recipe(),
        "own": judge.prompt if judge.recipe() == "own" else _BEGUN,
        "source": plan.source if plan else "rubric",
        "per_score": plan.per_score if plan else 1,
        "output": judge.output,
        "dialect": judge.dialect,
        "reading": judge.reading_rule() or "",
        "members": list(judge.members or ()),
        "rule": judge.rule or RULES[0],
    }
    if judge.price is not None or not model_price.is_half(_shown()):
        shown |= model_price.texts(judge)
    for name, value in shown.items():
        st.session_state[f"{_FIELD}{name}"] = value


def why_not_written() -> str | None:
    """Return why what was typed last is not in the definition; None where it is."""
    return st.session_state.get(_PROBLEM)


def _restored(text: str) -> bool:
    """Restore the last definition where it came back blank; return whether it did.

    A browser that has not taken the text yet sends a blank one with the change of a field.
    """
    blank = not st.session_state[text].strip() and _LAST in st.session_state
    if blank:
        st.session_state[text] = st.session_state[_LAST]
    return blank


def _shown() -> dict[str, Any]:
    """Return what the fields of the form hold, by their names."""
    return {
        key.removeprefix(_FIELD): value
        for key, value in st.session_state.items()
        if str(key).startswith(_FIELD)
    }


def forget() -> None:
    """Forget the definition and what its form was filled with."""
    for key in [key for key in map(str, st.session_state) if key.startswith(_FIELD)]:
        del st.session_state[key]
    for key in ("judge.toml", _LAST):
        st.session_state.pop(key, None)


def _serve(text: str) -> None:
    """Write the settings of the chosen server into the definition."""
    server = st.session_state[f"{_FIELD}server"]
    judge = edited(text)
    if server and judge:
        st.session_state[text] = beginning(providers.named(server), judge)
    read_back(text)


def _write(text: str) -> None:
    """Write what the form says into the definition; a Problem is shown and changes nothing."""
    st.session_state.pop(_PROBLEM, None)
    _restored(text)
    try:
        before = st.session_state[text]
        judge = _changed(model.parse(before, said("the definition")))
    except Problem as problem:
        st.session_state[_PROBLEM] = str(problem)
        return
    comments = "".join(f"{line}\n" for line in before.splitlines() if line.startswith("#"))
    st.session_state[text] = comments + as_toml(judge)
    read_back(text)


def _changed(judge: Judge) -> Judge:
    """Return the judge with what the form says."""
    said_so = _shown()
    values = {"name": said_so["name"].strip(), **model_price.changes(judge, said_so)}
    if judge.kind == "combined":
        members = tuple(said_so["members"])
        values |= {"rubric": said_so["rubric"], "rule": said_so["rule"], "members": members}
        same = (said_so["rule"], members) == (judge.rule, judge.members)
        return judge.changed(values if same else values | {"fit": None})
    asked = said_so["model"].strip()
    if asked and asked != judge.model:
        judge = judge.with_overrides(model=asked)
    judge = _at(judge, said_so.get("base_url", _address(judge)).strip())
    if judge.kind == "decision":
        usual = said_so["reading"] == READINGS[0]
        reading = None if usual and judge.reading is None else said_so["reading"]
        values |= {"rubric": said_so["rubric"], "dialect": said_so["dialect"], "reading": reading}
        return judge.changed(values)
    values["output"] = said_so["output"]
    if judge.logprobs:
        values["reading"] = said_so.get("reading") or None
    if judge.kind != "metric":
        prompt = said_so["prompt"]
        own = said_so.get("own") or _BEGUN
        values |= {"rubric": said_so["rubric"], "prompt": own if prompt == "own" else prompt}
        values["kind"] = _kind(judge, prompt)
        shows = prompt == "few_shot" or (prompt == "own" and "$examples" in own)
        plan = {"source": said_so.get("source"), "per_score": said_so.get("per_score")}
        kept = judge.examples.model_dump(exclude_none=True) if judge.examples else {}
        plan = kept | plan if shows and None not in plan.values() else None
        values["examples"] = None if plan == _USUAL else plan
    return judge.changed(values)


def _address(judge: Judge) -> str:
    """Return the address in the definition; '' where it has none, which means OpenAI's."""
    return judge.endpoint.azure_endpoint or judge.endpoint.base_url or ""


def _at(judge: Judge, address: str) -> Judge:
    """Return the judge at an address; at another one it has no price and no name of a server."""
    if address == _address(judge):
        return judge
    key = "base_url" if judge.endpoint.azure_endpoint is None else "azure_endpoint"
    endpoint = judge.endpoint.model_dump(exclude_defaults=True) | {key: address}
    kept = {name: value for name, value in endpoint.items() if value != ""}
    there = judge.changed({"endpoint": kept or None, "price": None})
    server = providers.of(judge)
    is_named = server and judge.about == server.title and providers.of(there) != server
    return there.changed({"about": None}) if is_named else there


def _kind(judge: Judge, prompt: str) -> str:
    if prompt == "own":
        return judge.kind
    return "holistic" if prompt == "holistic" else "rubric"


def edited(text: str) -> Judge | None:
    """Return the definition under a key of the session, or None while it is invalid."""
    try:
        return model.parse(st.session_state[text], said("the definition"))
    except Problem:
        return None


def _rubrics(store: Store, judge: Judge | None) -> list[str]:
    """Return every rubric by name, with that of the definition."""
    names = rubric_versions.names(store)
    return names if judge is None or judge.rubric in names else [*names, judge.rubric]


def _in(words: dict[str, str]):
    return lambda name: say(words[name])
