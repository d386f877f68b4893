"""The work list in the browser: one component that shows a page of disagreements and takes causes.

The component binds every key to the disagreement it shows; see worklist/worklist.js. Here what it
sends is put on disk and the page it asks for is handed out, after noting who sees it.
"""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import streamlit as st

from concord.grading.adjudication import disagreement_causes
from concord.grading.adjudication.disagreement_causes import CAUSES
from concord.language.grade_statuses import status_words
from concord.problems import Problem
from concord.reports.disagreements import disagreement, disagreements
from concord.reports.disagreements.disagreement import Disagreement, Side
from concord.reports.disagreements.disagreements import Held, Key, Wanted, read_key
from concord.reports.panel.panel import Panel
from concord.reports.panel.simulated import named
from concord.store.database import Store
from concord.store.graders import Grader
from concord.store.rubrics import rubric_versions
from concord.text.display import visible
from concord.ui.frame import recall
from concord.ui.language import say, word, words_of
from concord.ui.markdown import safe_html
from concord.ui.sign_in import own_store

SIZE = 20
NAME = "disagreements"
_SCRIPTS = ("list", "entry", "worklist")
_STYLES = ("grading_pane/pane", "worklist/worklist")


class Listed(NamedTuple):
    """What the pane works on: the grades, the filters, and everything they let through.

    `token` changes with them; `until` is the tag that was the newest when they were set.
    """

    panel: Panel
    wanted: Wanted
    rows: pd.DataFrame
    token: str
    until: int


_HERE = Path(__file__).parent
_OWN = tuple(_HERE / "worklist" / f"{name}.js" for name in _SCRIPTS)
_PAGE = _HERE / "worklist" / "worklist.html"
_SHARED = (_HERE / "say.js", _HERE / "grading_pane/dom.js", _HERE / "grading_pane/keys.js")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


_component = st.components.v2.component(
    NAME,
    html=_read(_PAGE),
    css="\n".join(_read(_HERE / f"{name}.css") for name in _STYLES),
    js="\n".join(map(_read, (*_SHARED, *_OWN))),
)


def pane(
    store: Store,
    listed: Listed,
    rows: pd.DataFrame,
    tags: dict[Key, list[Held]],
    grader: Grader | None,
) -> Disagreement | None:
    """The pane with those of the listed rows that have the wanted cause.

    Returns:
        The disagreement it stands at; None where all of the page are no more.
    """
    batch = _batch(listed)
    page, keys, at = _page(listed.panel, rows, batch)
    disagreement_causes.opened(store, {key.item_id for key in keys}, grader.id if grader else None)
    shown = disagreement.read(store, listed.panel, keys)
    here = next((one for one in shown if one.key == at), shown[0] if shown else None)
    _component(
        key=NAME,
        data={
            "token": listed.token,
            "page": page,
            "pages": _pages(len(rows)),
            "before": (page - 1) * SIZE,
            "total": len(rows),
            "at": here.key.text() if here else None,
            "entries": [_entry(listed.panel, one, tags.get(one.key)) for one in shown],
            "more": _more(store, listed.panel, shown, here, bool(batch.get("prompt"))),
            "criteria": _criteria(listed.panel),
            "many": _many(listed.wanted),
            "causes": [{"key": key, "name": say(name)} for key, name in CAUSES.items()],
            "words": words_of((*_OWN, _PAGE)),
            "who": grader.name if grader else "",
            "grader_id": grader.id if grader else None,
            **_reply(),
        },
        default={"batch": None},
        on_batch_change=lambda: _save(listed.panel),
    )
    return here


def tags_of(store: Store, panel: Panel) -> dict[Key, list[Held]]:
    """Every tag of the sheet under the rubric's criterion versions, by disagreement."""
    versions = rubric_versions.criteria(store, panel.rubric)
    return disagreements.held(disagreement_causes.of_sheet(store, panel.sheet.id, versions))


def _batch(listed: Listed) -> dict:
    """What the browser said last, as far as it was about this list; else what the URL says."""
    state = st.session_state.get(NAME)
    batch = (state and state.get("batch")) or {}
    return batch if batch.get("token") == listed.token else {"at": recall("entry")}


def _page(panel: Panel, rows: pd.DataFrame, batch: dict) -> tuple[int, list[Key], Key | None]:
    """The number of the page (from 1), what is on it, and which of it is wanted."""
    wanted = batch.get("at") or ""
    at = read_key(wanted)
    place = disagreements.place(panel, rows, at) if at else None
    page = batch.get("page") or (1 if place is None else place // SIZE + 1)
    page = min(page, _pages(len(rows)))
    keys = disagreements.keys(panel, rows.iloc[(page - 1) * SIZE : page * SIZE])
    if wanted == "last" and keys:
        at = keys[-1]
    return page, keys, at


def _pages(rows: int) -> int:
    return max(1, -(-rows // SIZE))


def _save(panel: Panel) -> None:
    """Put what the browser sent on disk, and note what became of it for the next data."""
    batch = st.session_state[NAME]["batch"]
    if not batch:
        return
    told = _reply() | {"heard": batch["seq"], "problem": ""}
    try:
        with own_store() as store:
            for press in sorted(batch["presses"], key=lambda press: press["n"]):
                if press["n"] > told["done"]:
                    told |= {"done": press["n"]} | _tag(store, panel, press)
    except Problem as problem:
        told["problem"] = word(str(problem))
    st.session_state[f"{NAME}.reply"] = told


def _tag(store: Store, panel: Panel, press: dict) -> dict[str, str]:
    """Keep one press; what to tell where it could not be kept."""
    key = read_key(press["id"])
    if key is None or press["grader"] is None:
        return {}
    try:
        disagreement.tag(store, panel, key, press["cause"], press["grader"], press["note"])
    except Problem as problem:
        return {"problem": say("Not kept: {problem}", problem=str(problem))}
    return {}


def _reply() -> dict:
    return st.session_state.get(f"{NAME}.reply") or {"heard": 0, "done": 0, "problem": ""}


def _entry(panel: Panel, one: Disagreement, tags: list[Held] | None) -> dict:
    """A disagreement as the component shows it; texts are text, the answer is safe HTML."""
    item = one.stored.item
    held = tags[-1] if tags else Held(0, "", "", "", "")
    return {
        "id": one.key.text(),
        "model": item.answer_model or "",
        "question": visible(item.question),
        "answer": _html(item.answer),
        "contexts": len(item.contexts),
        "criterion": one.key.criterion,
        "title": panel.rubric.criterion(one.key.criterion).heading(),
        "person": one.key.person,
        "said": one.key.said,
        "judge": _side(one.judge) | {"name": _judge_name(panel, one)},
        "annotators": [_side(side) for side in one.annotators],
        "others": [_side(side) for side in one.others],
        "cause": held.cause,
        "note": held.note,
        "who": held.who,
    }


def _judge_name(panel: Panel, one: Disagreement) -> str:
    return word(named(panel.labels[one.key.judge], one.judge.simulated))


def _side(side: Side) -> dict:
    return {
        "name": word(named(side.name, side.simulated)),
        "score": side.score,
        "status": word(status_words(side.status)),
        "reason": visible(side.reason),
    }


def _more(
    store: Store,
    panel: Panel,
    shown: list[Disagreement],
    here: Disagreement | None,
    prompt: bool,
) -> dict[str, dict]:
    """Contexts and reference of the disagreement on screen and of its neighbours, by id."""
    if here is None:
        return {}
    place = shown.index(here)
    near = shown[max(0, place - 1) : place + 2]
    return {one.key.text(): _long(store, panel, one, prompt and one is here) for one in near}


def _long(store: Store, panel: Panel, one: Disagreement, prompt: bool) -> dict:
    item = one.stored.item
    return {
        "contexts": [
            {"label": say("Context {n}", n=context.rank), "text": visible(context.text)}
            for context in item.contexts
        ],
        "reference": [visible(text) for text in item.reference],
        "prompt": _sent(store, panel, one) if prompt else None,
    }


def _sent(store: Store, panel: Panel, one: Disagreement) -> dict:
    found = disagreement.sent(store, panel, one)
    return found._asdict() | {"source": word(found.source)}


def _criteria(panel: Panel) -> dict[str, dict]:
    """What the rubric says of every criterion and score."""
    rubric = panel.rubric
    return {
        criterion.name: {
            "title": criterion.heading(),
            "question": criterion.question.strip(),
            "levels": [
                {
                    "score": level.score,
                    "meaning": level.meaning.strip(),
                    "fails": level.score in rubric.failing(criterion),
                }
                for level in criterion.levels
            ],
        }
        for criterion in rubric.criteria
    }


def _many(wanted: Wanted) -> dict[str, bool]:
    """Whether the list holds several criteria or judges, so that each entry names its own."""
    return {"criteria": wanted.criterion is None, "judges": wanted.judge is None}


_html = lru_cache(maxsize=512)(safe_html)
