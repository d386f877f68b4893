"""Add a judge: a preset as it is, a file, or a definition in a form over its TOML.

The TOML is the definition: the form shows what it says and writes what is changed into it.
"""

import math
from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from concord.importing import default_rubric
from concord.judges.combined.features import possible_members
from concord.judges.definition import model, providers, registry
from concord.judges.definition.endpoint import OwnPrice
from concord.judges.definition.model import (
    FITTED,
    OUTPUTS,
    PLACEHOLDERS,
    READINGS,
    RULE_WORDS,
    RULES,
    Examples,
    Judge,
    as_toml,
)
from concord.judges.definition.prices import DayPrice
from concord.judges.definition.providers import beginning
from concord.messages import Problem, joined, said
from concord.model import Sheet
from concord.reports.workflow import judge_check, judges
from concord.rubrics.model import FIRST
from concord.store import graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import run_progress
from concord.ui.actions import refusals
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say
from concord.ui.screens.judge_runs import check_button, checked
from concord.ui.widgets import action_button, number_field

TEXT = "judge.toml"
_SOURCE = "judge.begun"  # in the session: what the definition began with
_HEIGHT = 520


def add_button(first: bool) -> None:
    """Offer to add a judge; the main action where it is the first."""
    action_button(
        say("Add judge"),
        say("The form is open below.") if recall("add") else None,
        type="primary" if first else "secondary",
        icon=":material/add:",
        key="judge.add",
        on_click=lambda: remember(add=1),
    )


def add_judge(store: Store, sheet: Sheet) -> str | None:
    """Show the form; return what names the judge that was chosen or saved just now, else None."""
    with st.container(border=True, key="opened-judge-form"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = starting_point(store)
            base = model.presets().get(chosen)
            use = base is not None and st.button(say("Use as it is"), key="judge.use")
            st.button(
                say("Close"),
                icon=":material/close:",
                key="judge.close",
                on_click=lambda: remember(add=None),
            )
        if base is not None and base.about:
            st.caption(say(base.about))
        made = chosen if use else _defined(store, sheet, chosen) or _opened(store)
    if made:
        remember(add=None)
        forget()
    return made


def _defined(store: Store, sheet: Sheet, chosen: str) -> str | None:
    """Show the definition as a form and as TOML, the test call and Save."""
    begun = None
    with refusals():
        begun = starting_definition(store, sheet, chosen)
    if begun is None:
        return None
    _begin(begun)
    left, right = st.columns([1, 1], gap="medium")
    with right:
        text = st.text_area(
            say("Definition (TOML)"), height=_HEIGHT, key=TEXT, on_change=read_back, args=(TEXT,)
        )
    with left:
        form(store, sheet, TEXT)
    judge, refused = edited(TEXT), store.why_no_lead() or why_not_written()
    computed = judge is not None and judge.is_computed()
    needs_key = judge is not None and not (computed or judge.kind == "combined")
    no_key = run_progress.why_no_key(judge) if needs_key else None
    with st.container(horizontal=True):
        save = st.button(
            say("Save judge"),
            icon=":material/save:",
            type="primary",
            key="judge.save",
            disabled=refused is not None,
        )
        test = not computed and check_button("judge.try", refused or no_key)
    if why := refused or no_key:
        st.caption(say(why))
    with refusals():
        if test:
            checked(store, judge_check.of_judge(store, judges.parsed(text), None, sheet.name))
        if save:
            return judges.save(store, sheet.name, judges.parsed(text))
    return None


def _begin(begun: str) -> None:
    """Restart the definition if it began as another text, as on a sheet with another rubric."""
    if st.session_state.get(_SOURCE) == begun and TEXT in st.session_state:
        return
    forget()
    st.session_state[_SOURCE] = st.session_state[TEXT] = begun
    read_back(TEXT)


def _opened(store: Store) -> str | None:
    """Offer to open a judge file by its path."""
    with st.expander(say("Open a judge file on this machine"), key="judge.file"):
        path = st.text_input(
            say("Path of a judge file on this machine"),
            placeholder="judges/my_judge.toml",
            key="judge.path",
        ).strip()
        if st.button(say("Open the file"), icon=":material/description:", key="judge.open"):
            with refusals():
                if not path.endswith(".toml"):
                    raise Problem("Enter the path of a judge file, which ends in .toml.")
                registry.named(store, path)
                return path
    return None


COMBINED = "combined"


def starting_point(store: Store) -> str:
    """Return what to begin with: a preset, `COMBINED`, a stored judge, or '' for a new one."""
    names = ["", COMBINED, *model.presets()]
    wanted = recall("add")
    if wanted not in names and wanted in {one.label() for one in graders.of_kind(store, "judge")}:
        names.append(wanted)
    words = {"": say("an empty form"), COMBINED: say("a combined judge")}
    chosen = st.selectbox(
        say("Start from"),
        names,
        format_func=lambda name: words.get(name) or plain(name),
        index=names.index(wanted) if wanted in names else 0,
        key="judge.base",
    )
    remember(add=chosen or 1)
    return chosen


def starting_definition(store: Store, sheet: Sheet, chosen: str) -> str | None:
    """Return the definition to begin with, as TOML; None for the baseline, which is as it is.

    It is under the rubric of the sheet; a copy of a preset for a scale of its own keeps that.

    Raises:
        Problem: Too few judges graded the sheet to combine them.
    """
    rubric = default_rubric.proposed_rubric(store, sheet)
    if chosen == COMBINED:
        members = possible_members(store, sheet)[:2]
        if len(members) < 2:
            raise Problem(
                "A combined judge needs the grades of at least two judges on this sheet. Run them "
                "first, or import their grades."
            )
        keys = {"name": "my-jury", "kind": "combined", "rubric": rubric}
        return as_toml(Judge(**keys, members=tuple(members), rule="mean"))
    base = model.presets().get(chosen)
    if base is not None:
        under = rubric if base.rubric == FIRST else base.rubric
        copied = base.model_copy(update={"name": f"my-{base.name}", "rubric": under})
        return None if base.kind == "baseline" else as_toml(copied)
    if chosen:
        return as_toml(registry.named(store, chosen))
    return beginning(next(iter(providers.known().values())), rubric=rubric)


_FIELD = "judge.form."
_PROBLEM = "judge.form.problem"
_LAST = "judge.last"  # in the session: the last definition that is right
PROMPTS = {name: judges.PROMPTS[name] for name in (*model.RECIPES, "own")}
SOURCES = {"rubric": said("the rubric's examples"), "graded": said("graded answers of the sheet")}
DIALECTS = {"openai": said("OpenAI Decisions"), "systemone": said("System One")}
_READING_RULES = {
    "argmax": said("argmax"),
    "rounded_mean": said("rounded mean"),
    "median": said("median"),
}
RULES_IN_WORDS = {
    rule: said("{rule}, fitted to annotators' grades", rule=RULE_WORDS[rule])
    if rule in FITTED
    else RULE_WORDS[rule]
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
        price_fields(judge, _FIELD, off)
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
    if judge.price is not None or not is_half(_shown()):
        shown |= texts(judge)
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
    values = {"name": said_so["name"].strip(), **changes(judge, said_so)}
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


INPUT, OUTPUT = "usd_input", "usd_output"


def price_fields(judge: Judge | None, form: str, off: dict) -> None:
    """Show both fields; a price that applies without one in the definition is only a hint.

    `form` begins the keys of the form's fields.
    """
    listed = DayPrice(judge).of(judge.model) if judge and judge.price is None else None
    usual = (listed.input, listed.output) if listed else (None, None)
    left, right = st.columns(2)
    left.text_input(
        say("USD per million input tokens"),
        placeholder=_hint(usual[0]),
        key=f"{form}{INPUT}",
        help=say(
            "Leave both fields blank if the price is unknown or in prices.toml. Enter 0 in both "
            "if the model is free."
        ),
        **off,
    )
    right.text_input(
        say("USD per million output tokens"),
        placeholder=_hint(usual[1]),
        key=f"{form}{OUTPUT}",
        **off,
    )
    if judge and is_half({key: st.session_state[f"{form}{key}"] for key in (INPUT, OUTPUT)}):
        st.caption(say("Enter both prices; one alone does not count."))


def texts(judge: Judge) -> dict[str, str]:
    """Return what the fields show for the price in a definition; blank where it has none."""
    if judge.price is None:
        return {INPUT: "", OUTPUT: ""}
    if judge.price == 0:
        return {INPUT: "0", OUTPUT: "0"}
    return {INPUT: _text(judge.price.input), OUTPUT: _text(judge.price.output)}


def is_half(shown: Mapping[str, Any]) -> bool:
    """True where one of the two fields is blank."""
    return bool(shown.get(INPUT, "").strip()) != bool(shown.get(OUTPUT, "").strip())


def changes(judge: Judge, shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return the price under its key of the definition where the fields differ from it, else {}.

    Raises:
        Problem: A field holds no price.
    """
    given = {key: shown[key].strip() for key in (INPUT, OUTPUT)}
    if given == texts(judge):
        return {}
    numbers = [_number(text) for text in given.values() if text]
    if len(numbers) < len(given):
        return {"price": None}
    if not any(numbers):
        return {"price": 0}
    cached = judge.price.cached if isinstance(judge.price, OwnPrice) else None
    return {"price": OwnPrice(input=numbers[0], output=numbers[1], cached=cached)}


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise Problem(
            "“{text}” is not a price. Enter USD per million tokens, such as 0.25, or leave both "
            "fields blank.",
            text=text,
        )
    return abs(number)


def _text(usd: float) -> str:
    return repr(usd).removesuffix(".0")


def _hint(usd: Any) -> str:
    return say("unknown") if usd is None else say("{usd} (prices.toml)", usd=usd)
