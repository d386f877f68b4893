"""The grading pane: one component that holds everything an annotator needs to grade by keyboard.

The browser binds every key to the place and criterion it shows and keeps the key until it hears
that the key is on disk; see pane/keys.js. Here the keys are saved and the next places handed out.
"""

from functools import lru_cache, partial
from pathlib import Path
from uuid import uuid4

import streamlit as st

from concord.grading import (
    assignments,
    campaigns,
    grading_sets,
    item_view,
    set_graders,
    workspace,
)
from concord.grading.grading_sets import GradingSet
from concord.grading.item_view import Shown
from concord.grading.keypress import read as read_key
from concord.grading.workspace import Place, Saved, Window
from concord.language.languages import LANGUAGES
from concord.messages import said
from concord.problems import Problem
from concord.reports.units import decomposition
from concord.rubrics import list_check
from concord.rubrics.model import Criterion, Rubric
from concord.store import graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.components import unit_steps
from concord.ui.frame import grading_only, recall, remember
from concord.ui.language import choose_language, language, say, words_of
from concord.ui.markdown import safe_html
from concord.ui.server.security_middleware import LEAVE
from concord.ui.sign_in import own_store

_FOLDER = Path(__file__).parent / "grading_pane"
_SCRIPTS = (
    *("words", "dom", "clock", "outage", "storage", "keys", "help", "note", "evidence", "find"),
    *("reading", "practice", "rubric", "screen", "pane"),
)
_SOURCES = (_FOLDER / "pane.html", *(_FOLDER / f"{name}.js" for name in _SCRIPTS))
_SAY = _FOLDER.parent / "say.js"
_MOST_KEYS = 11
# A fragment that runs again by itself, however seldom, makes Streamlit's page ask a server that was
# started anew for its screen. Without it keys pressed meanwhile would wait there for a reload.
_RESUMES_S = 86_400


def _asset(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


_component = st.components.v2.component(
    "grading",
    html=_asset("pane.html"),
    css=_asset("pane.css"),
    js="\n".join([_SAY.read_text(encoding="utf-8"), *(_asset(f"{name}.js") for name in _SCRIPTS)]),
)
_SHARED = """<style>
[data-stale="true"] { opacity: 1 !important; }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: 0; }
body:has([data-test-connection-state]:not([data-test-connection-state="CONNECTED"]))
  > [data-testid="stDialog"] { display: none; }
"""
_ROOM = """
:root { --grading-height: calc(100dvh - 4.2rem); }
[data-testid="stMainBlockContainer"] { padding: 3.4rem 1.5rem 0; max-width: 110rem; }
@media (max-width: 640px) {
  :root { --grading-height: calc(100dvh - 5rem); }
  [data-testid="stMainBlockContainer"] { padding: 4rem .7rem 0; }
}
</style>"""
_ALONE = """
:root { --grading-height: calc(100dvh - 1.7rem); }
[data-testid="stHeader"], .st-key-language { display: none; }
[data-testid="stMainBlockContainer"] { padding: 1rem 1.5rem 0; max-width: 110rem; }
@media (max-width: 640px) { [data-testid="stMainBlockContainer"] { padding: .7rem .7rem 0; } }
</style>"""


@st.fragment(run_every=_RESUMES_S)
def pane(set_id: int, grader_id: int) -> None:
    """The whole grading screen of one annotator in one grading set."""
    st.html(_SHARED + (_ALONE if grading_only() else _ROOM))
    name = f"grading.{set_id}.{grader_id}"
    state = st.session_state.get(name)
    batch = (state and state.get("batch")) or {}
    _heed(batch)
    _component(
        key=name,
        data=_data(set_id, grader_id, name, batch) | _language(),
        default={"batch": None},
        on_batch_change=partial(_save, set_id, grader_id, name),
    )


def _heed(batch: dict) -> None:
    """Go on in the language that was picked in the pane, at the place where one is."""
    picked = batch.get("language")
    if picked in LANGUAGES and picked != language():
        choose_language(picked)
        remember(item=batch["at"])


def _language() -> dict:
    """The words of the pane; the languages and the way out where it is all there is on the page."""
    only = grading_only()
    leave = f"{LEAVE}?lang={language()}" if only and st.session_state.get("who") else None
    languages = LANGUAGES if only else None
    told = {"language": language(), "words": words_of(_SOURCES), "languages": languages}
    return told | {"leave": leave}


def keys_of(scale: tuple[int, ...]) -> dict[int, str]:
    """The key of each score; empty where scores are typed and entered.

    A digit grades with itself. 10 is the 0 key where 0 is no score, as on the row of digits, and
    X (the Roman ten) where it is. Other scales of up to ten scores take the digits 1 to 9 and 0 in
    their order.
    """
    if len(scale) > _MOST_KEYS:
        return {}
    if scale[0] >= 0 and scale[-1] <= 9:
        return {score: str(score) for score in scale}
    if scale[0] >= 0 and scale[-1] == 10:
        return {score: str(score) for score in scale[:-1]} | {10: "x" if scale[0] == 0 else "0"}
    return dict(zip(scale, "1234567890", strict=False)) if len(scale) <= 10 else {}


def range_of(scale: tuple[int, ...]) -> str:
    """The keys that grade, in short: 0–3, 1–9 0, 0–9 X, or how scores are typed."""
    keys = keys_of(scale)
    if not keys:
        return say("score, Enter")
    digits = [key for score, key in keys.items() if key == str(score)]
    others = [key.upper() for score, key in keys.items() if key != str(score)]
    if others and not digits:
        return f"{others[0]}–{others[-1]}"
    return " ".join([f"{digits[0]}–{digits[-1]}", *others])


def _save(set_id: int, grader_id: int, name: str) -> None:
    """Put what the browser sent on disk, and note what became of it for the next data."""
    batch = st.session_state[name]["batch"]
    if not batch:
        return
    reply = {"heard": batch["seq"], "saved": [], "refused": {}, "problem": ""}
    try:
        with own_store() as store:
            saved = _saved(store, set_id, grader_id, batch)
        refused = {press_id: say(why) for press_id, why in saved.refused.items()}
        reply |= {"saved": saved.on_disk, "refused": refused}
    except Problem as problem:
        reply["problem"] = say(str(problem))
    st.session_state[f"{name}.reply"] = reply


def _saved(store: Store, set_id: int, grader_id: int, batch: dict) -> Saved:
    keys = [read_key(sent) for sent in batch["keys"]]
    if not keys:
        return Saved([], {})
    _name(store, grader_id)
    grading_set = grading_sets.get(store, set_id)
    if batch["set"] != _set_name(grading_set):
        return Saved([], {str(key.press_id): said("its grading set was deleted") for key in keys})
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    return workspace.save(store, grading_set, grader_id, rubric, keys)


def _data(set_id: int, grader_id: int, name: str, batch: dict) -> dict:
    """Everything the component receives."""
    reply = st.session_state.get(f"{name}.reply")
    at = batch.get("at") or _number(recall("item"))
    try:
        with own_store() as store:
            data = _described(store, set_id, grader_id, at, set(batch.get("have", ())))
    except Problem as problem:
        return {"closed": say(str(problem))}
    told = reply or {"heard": 0, "saved": [], "refused": {}, "problem": ""}
    session = st.session_state.setdefault("grading.session", uuid4().hex)
    return data | told | {"session": session, "at": at}


def _described(store: Store, set_id: int, grader_id: int, at: int | None, have: set[str]) -> dict:
    grading_set = grading_sets.get(store, set_id)
    name = _name(store, grader_id)
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    window = workspace.window(store, grading_set, grader_id, rubric, at)
    return {
        "database": store.identity(),
        "set": _set_name(grading_set),
        "grader": name,
        "grader_id": grader_id,
        "rubric": _rubric(rubric),
        "places": [_place(place) for place in window.places],
        "texts": _texts(store, window, rubric, have),
        "whole": window.whole,
        "done": window.done,
        "total": window.total,
        "practice": window.practice,
        "waiting": _waiting(store, grading_set, rubric),
        "until": _until(store, grading_set),
        "pace": assignments.pace(store, grader_id),
        "sets": len(set_graders.sets_of(store, grader_id)) if store.who else 0,
    }


def _place(place: Place) -> dict:
    """A place with its grades; where its steps are units, the slots that are to be graded."""
    told = {"id": place.id, "given": place.given}
    if place.practice:
        told |= {"practice": True, "revealed": place.revealed}
    return told | {"slots": [step.slot for step in place.steps]} if place.list_id else told


def _waiting(store: Store, grading_set: GradingSet, rubric: Rubric) -> str:
    """How many answers of a set of units cannot be graded yet; '' for none."""
    if not rubric.units:
        return ""
    return say(decomposition.waiting(store, grading_set, rubric.units))


def _until(store: Store, grading_set: GradingSet) -> str:
    """The day to be done by; '' for none."""
    found = campaigns.find(store, grading_set.id)
    return (found and found.deadline) or ""


def _name(store: Store, grader_id: int) -> str:
    """The annotator's name; a Problem where the lead deleted or merged that annotator meanwhile."""
    for grader in graders.of_kind(store, "person"):
        if grader.id == grader_id:
            return grader.name
    raise Problem(said("This grader was deleted or merged. Open the grading screen anew."))


def _texts(store: Store, window: Window, rubric: Rubric, have: set[str]) -> dict[str, dict]:
    """The texts of the places the browser does not have yet, by place id."""
    wanted: list[Place] = [place for place in window.places if _token(place) not in have]
    source = unit_steps.source(rubric)
    shown = item_view.shown(store, [place.item_id for place in wanted], rubric, source)
    return {
        str(place.id): _text(place, shown[place.item_id], rubric)
        for place in wanted
        if place.item_id in shown
    }


def _token(place: Place) -> str:
    """Tells the texts of a place from those that it had before its list was edited.

    What its steps are called is in the language of who reads it.
    """
    return f"{place.id}.{place.list_id or ''}.{language()}"


def _text(place: Place, shown: Shown, rubric: Rubric) -> dict:
    text = shown._asdict() | {
        "token": _token(place),
        "html": _html(shown.answer),
        "reference": [_html(text) for text in shown.reference],
    }
    return text | {"steps": unit_steps.steps(place, rubric)} if rubric.units else text


_html = lru_cache(maxsize=512)(safe_html)


def _rubric(rubric: Rubric) -> dict:
    told = {
        "shown": rubric.shown,
        "range": range_of(rubric.scale),
        "entry": not keys_of(rubric.scale),
        "criteria": criteria(rubric),
    }
    if rubric.units:
        told["list"] = _list(rubric.units)
        told["units"] = unit_steps.words(rubric)
    return told


def _list(kind: str) -> dict:
    """What is asked of a list of units, with keys of its own."""
    check = list_check.rubric(kind)
    told = _criterion(check, check.criteria[0], list_check.KEYS)
    for level in told["levels"]:
        level["short"] = say(list_check.label(level["score"]))
        level["meaning"] = say(list_check.words(level["score"], kind))
    asked = {"title": say(told["title"]), "question": say(told["question"])}
    return told | asked | {"range": list_check.RANGE}


def criteria(rubric: Rubric) -> list[dict]:
    """A rubric's criteria as the component shows them."""
    keys = keys_of(rubric.scale)
    return [_criterion(rubric, criterion, keys) for criterion in rubric.criteria]


def _criterion(rubric: Rubric, criterion: Criterion, keys: dict[int, str]) -> dict:
    return {
        "version": rubric.version(criterion),
        "title": criterion.heading(),
        "question": criterion.question,
        "levels": [
            {
                "score": level.score,
                "key": keys.get(level.score, ""),
                "label": level.label,
                "meaning": f"{level.label}: {level.meaning}" if level.label else level.meaning,
                "examples": [example.model_dump() for example in level.examples],
            }
            for level in criterion.levels
        ],
    }


def _set_name(grading_set: GradingSet) -> str:
    """Tells a set from one that gets its id after it was deleted."""
    return f"{grading_set.id}.{grading_set.created_at}"


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None
