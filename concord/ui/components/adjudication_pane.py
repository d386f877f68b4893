"""Adjudication in the grading pane: the same component and keys, with letters in place of names.

Data of the grading component for an adjudicator: cases, and annotators' grades by letter.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import streamlit as st

from concord.clock import day_of
from concord.definitions import digest
from concord.grading import item_view
from concord.grading.adjudications import CAUSES
from concord.grading.grade_history import HistoryEntry
from concord.grading.workspace import Saved
from concord.messages import N_, joined, said
from concord.model import status_words
from concord.reports import adjudicate
from concord.reports.adjudicate import AdjudicationPick, Case, Voice
from concord.store import grades, permissions
from concord.store.database import READ_ONLY_TEXT, Row, Store
from concord.ui.components.grading_data import GradingData, SentPlace, SentText, html, shown_rubric
from concord.ui.components.grading_pane import SHARED, Batch, draw, number, pane_data
from concord.ui.components.payload import sent
from concord.ui.frame import grading_only, link_of, recall
from concord.ui.language import say, word
from concord.ui.markup import reason_of
from concord.ui.sign_in import adjudicating_store

# What stands above the pane is low, so that the scores and what annotators gave fit below it.
_ROOM = """
:root { --grading-height: max(30rem, calc(100dvh - 9.2rem)); }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: .4rem; }
html .stMain [data-testid="stHeading"] h2 { padding: .3rem 0; font-size: 1.1rem; }
[data-testid="stHeading"] [data-testid="stMarkdownContainer"] { margin: 0; }
.st-key-filters [data-testid="stButtonGroup"] > label { position: absolute; clip-path: inset(50%); }
[data-testid="stMain"] { scroll-padding-bottom: 3rem; } /* what has the focus is above the keys */
@media (max-width: 640px), (max-height: 480px) {
  :root { --grading-height: calc(100dvh - 4rem); }
  [data-testid="stMain"] { scroll-padding-bottom: 9rem; }
}
</style>"""


@st.fragment
def adjudication_pane(wanted: AdjudicationPick) -> None:
    """Show the cases one by one; each key press is stored as an adjudication."""
    st.html(SHARED + _ROOM)
    who = wanted.adjudicator.id if wanted.adjudicator else 0
    about = (wanted.panel.sheet.id, wanted.panel.rubric.name, wanted.trigger, wanted.seed)
    token = digest([*map(str, about)])
    name = f"adjudicating.{token}.{who}"
    batch = sent(name, Batch) or Batch()
    at = batch.at or number(recall("at"))
    read = partial(adjudication_data, wanted=wanted, token=token, at=at, have={*batch.have})
    data = pane_data(name, read, at, grading_only(), _blind_store)
    data |= {"languages": None}  # the language is picked above it
    draw(name, data, partial(_saved, wanted=wanted, token=token), _blind_store)


def _blind_store() -> Store:
    store = adjudicating_store(link_of())
    permissions.blind(store)
    return store


def _saved(store: Store, batch: Batch, wanted: AdjudicationPick, token: str) -> Saved:
    return adjudicate.save(store, wanted, batch.keys if batch.set == token else [])


_AHEAD, _BACK = 12, 4
_LOCKED = N_("To adjudicate, enter your name under “Your name” at the top.")
_LEADS_ONLY = N_("Only a lead can adjudicate.")
_NOT_BLIND = N_(
    "You have seen judges' grades of this answer. Your adjudication is kept but excluded from the "
    "consensus; let another annotator adjudicate it."
)


class ShownGrade(NamedTuple):
    """An annotator's grade under a letter: the score, or why it is missing, and the reason."""

    letter: str
    score: str
    reason: str


@dataclass(frozen=True)
class CasePlace(SentPlace):
    """A case; the last three by criterion version, but `seen`, which names the grades shown.

    Attributes:
        seen: Tells the annotators' grades from those before a change.
        voices: What annotators gave.
        before: A sentence on the last adjudication.
    """

    seen: str = ""
    voices: dict[str, list[ShownGrade]] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    warning: str = ""


@dataclass(frozen=True)
class AdjudicationData(GradingData):
    """A list to adjudicate as the pane shows it.

    Attributes:
        param: What names a case in the URL.
        causes: Each cause with its words.
        locked: Why nothing can be adjudicated; '' where it can.
        read_only: The page says so itself.
    """

    param: str = "at"
    causes: dict[str, str] = field(default_factory=dict)
    locked: str = ""
    read_only: bool = False


def adjudication_data(
    store: Store, wanted: AdjudicationPick, token: str, at: int | None, have: set[str]
):
    """Return the cases that the pane needs now, around the one on screen and the next open ones."""
    cases, rubric, who = wanted.cases, wanted.panel.rubric, wanted.adjudicator
    newest = adjudicate.newest(store, wanted.panel)
    done = [_is_done(newest, case) for case in cases]
    near, whole = _near(done, next((n for n, case in enumerate(cases) if case.at == at), None))
    voices = {n: adjudicate.voices_of(store, wanted.panel, cases[n].at, wanted.seed) for n in near}
    return AdjudicationData(
        database=store.identity(),
        set=token,
        grader=who.name if who else "",
        grader_id=who.id if who else 0,
        rubric=shown_rubric(rubric),
        places=[_place(store, wanted, n, voices[n], newest) for n in near],
        texts=_texts(store, wanted, [cases[n].at for n in near], have),
        whole=whole,
        done=sum(done),
        total=len(cases),
        causes={name: say(words) for name, words in CAUSES.items()},
        locked="" if who else say(_locked(store)),
        read_only=store.read_only,
    )


def _locked(store: Store) -> str:
    """Return why the user cannot adjudicate."""
    if store.read_only:
        return say(READ_ONLY_TEXT)
    return say(_LEADS_ONLY if store.who else _LOCKED)


def _is_done(newest: dict[tuple[int, str], Row], case: Case) -> bool:
    rows = [newest.get((case.at, name)) for name in case.points_apart]
    return all(row and row["score"] is not None for row in rows)


def _near(done: list[bool], at: int | None) -> tuple[list[int], bool]:
    """Return the indexes to send, and whether no open case is beyond them."""
    left = [n for n, is_done in enumerate(done) if not is_done]
    middles = [at] if at is not None else []
    middles.append(left[0] if left else len(done) - 1)
    after = [n for n in left if at is not None and n > at]
    around = {n for one in middles for n in range(one - _BACK, one + _BACK + 1)}
    wanted = around.intersection(range(len(done))).union(left[:_AHEAD], after[:_AHEAD])
    return sorted(wanted), wanted.issuperset(left)


def _place(
    store: Store,
    wanted: AdjudicationPick,
    index: int,
    voices: list[Voice],
    newest: dict[tuple[int, str], Row],
) -> CasePlace:
    case = wanted.cases[index]
    versions = wanted.panel.rubric.versions()
    rows = {name: newest[case.at, name] for name in versions if (case.at, name) in newest}
    opened = wanted.adjudicator and grades.has_opened(store, case.at, wanted.adjudicator.id)
    return CasePlace(
        case.at,
        index + 1,
        {versions[name]: _entry(row) for name, row in rows.items() if row["score"] is not None},
        [versions[name] for name in versions if name in case.points_apart],
        seen=adjudicate.seen(voices),
        voices={version: _shown(voices, name) for name, version in versions.items()},
        before={
            versions[name]: word(_before(row, adjudicate.grade_ids(voices, name)))
            for name, row in rows.items()
        },
        warning=say(_NOT_BLIND) if opened else "",
    )


def _entry(row: Row) -> HistoryEntry:
    # The pane keeps the cause in the place of the passage that is marked as evidence.
    return HistoryEntry(row["id"], "scored", row["score"], row["note"], row["cause"])


def _shown(voices: Iterable[Voice], name: str) -> list[ShownGrade]:
    return [
        ShownGrade(
            voice.letter,
            word(status_words(one["status"]) if one["score"] is None else f"{one['score']:g}"),
            reason_of(one["reason"]),
        )
        for voice in voices
        if (one := voice.said.get(name))
    ]


def _before(row: Row, seen: tuple[int, ...]) -> str:
    """Return a sentence on the last adjudication: by whom, with which score, and if it counts."""
    about = {"who": row["who"] or said("an annotator"), "day": day_of(row["created_at"])}
    what = (
        said("Withdrawn by {who} on {day}", **about)
        if row["score"] is None
        else said("Adjudicated as {score:g} by {who} on {day}", score=row["score"], **about)
    )
    return joined(
        " ",
        [
            said("{sentence}.", sentence=what),
            "" if row["blind"] else said("Not blind, so excluded from the consensus."),
            said("The adjudicator saw other grades than these.")
            if adjudicate.is_stale(row, seen)
            else "",
        ],
    )


def _texts(
    store: Store, wanted: AdjudicationPick, item_ids: list[int], have: set[str]
) -> dict[str, SentText]:
    missing = [one for one in item_ids if str(one) not in have]
    shown = item_view.shown(store, missing, wanted.panel.rubric)
    return {
        str(item_id): SentText(
            **one._asdict() | {"reference": [html(text) for text in one.reference]},
            token=str(item_id),
            html=html(one.answer),
        )
        for item_id, one in shown.items()
    }
