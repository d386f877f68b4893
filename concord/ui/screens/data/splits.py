"""The parts of the roles screen: the draw of sealed questions, roles by hand, and the record."""

from collections import Counter

import pandas as pd
import streamlit as st

from concord.language.plurals import counted
from concord.messages import joined, said
from concord.problems import Problem
from concord.reports.planning import holdout as planning_holdout
from concord.sampling import holdout, question_exposure, splits
from concord.sampling.split_moves import CALLED, EVALUATION, EXAMPLES, ROLES, SEALED
from concord.sampling.splits import Move
from concord.store.database import Row, Store
from concord.store.sheets import Sheet
from concord.store.version_key import state
from concord.ui.glossary import sentence
from concord.ui.language import say
from concord.ui.localized_table import table_of
from concord.ui.markdown import plain
from concord.ui.widgets import explained, finding, number_field

OFFERED = 300  # questions a list offers at once; the field above it finds the others
TOLD = 5
_MEANINGS = {
    EXAMPLES: said("may be shown to judges, never scored"),
    EVALUATION: said("scored in every figure"),
    SEALED: said("unseen until a certificate opens it"),
}


def headline(store: Store, sheet: Sheet) -> None:
    """How many questions have which role, in words; and what was done last."""
    done = st.session_state.pop("roles.done", None)
    count = Counter(row["role"] for row in splits.of_sheet(store, sheet.id))
    if count[EVALUATION] == sheet.questions:
        title = said(
            "All {questions} of “{sheet}” are scored",
            questions=counted(sheet.questions, "question"),
            sheet=sheet.name,
        )
    else:
        title = said(
            "{questions} of “{sheet}” scored, {examples:,} for judges to see, {sealed:,} sealed",
            questions=counted(count[EVALUATION], "question"),
            sheet=sheet.name,
            examples=count[EXAMPLES],
            sealed=count[SEALED],
        )
    finding(
        title, say("Whatever would leak from one role into another is refused, with the reason.")
    )
    closed = splits.leaked(store, sheet.id) | splits.sealed(store, sheet.id)
    tied = len(closed) - count[EXAMPLES] - count[SEALED]
    if tied:
        st.caption(
            say(
                "{questions} out of the figures: they share a text or cluster with an example or a "
                "sealed question.",
                questions=counted(tied, "more question"),
            )
        )
    if done:
        st.success(plain(done), icon=":material/check:")


def explanations() -> None:
    """The terms of this screen."""
    with st.container(horizontal=True):
        for term in ("examples", "evaluation", "sealed"):
            explained(term, sentence(term))


def draw(store: Store, sheet: Sheet) -> None:
    """Draw questions to seal: what that takes is said before, and sealing is for good.

    Once some are sealed, a further draw is folded: nothing stands where the button stood, and its
    own button is another one, so a click that was meant for the first seals nothing more.
    """
    sealed = len(splits.sealed(store, sheet.id))
    if not sealed:
        _draw_more(store, sheet, sealed)
        return
    with st.expander(say("Seal more than these {n:,}", n=sealed)):
        _draw_more(store, sheet, sealed)


def _draw_more(store: Store, sheet: Sheet, sealed: int) -> None:
    st.write(
        say(
            "Seal questions before you tune prompts by looking at answers. A certificate of a "
            "tuned judge is made on them, once."
        )
    )
    pool = sum(row["role"] == EVALUATION for row in splits.of_sheet(store, sheet.id))
    if not pool:
        st.info(say("No question is left to seal."))
        return
    with st.container(horizontal=True):
        wanted = number_field(
            say("Questions to seal, of {n:,}", n=pool),
            1,
            pool,
            max(1, pool // 4),
            key="roles.wanted",
        )
        seed = number_field(
            say("Seed"),
            0,
            999_999,
            1,
            key="roles.seed",
            help=say("The same seed draws the same questions."),
        )
    everywhere = _everywhere("roles.draw")
    try:
        drawn = _draw(_facts(store, sheet), int(wanted), int(seed), everywhere, store, sheet)
    except Problem as problem:
        st.warning(plain(str(problem)), icon=":material/lock_open:")
        return
    whole = said(
        "Clusters are drawn whole, hence {n} and not {wanted}.",
        n=len(drawn.questions),
        wanted=wanted,
    )
    told = [whole] if len(drawn.questions) != wanted else []
    told += [planning_holdout.in_words(drawn.move), said("Sealing is for good.")]
    st.info(plain(joined(" ", told)), icon=":material/lock:")
    if drawn.move.judged:
        st.caption(
            say(
                "Judges have graded some of these already, and the figures shown until now counted "
                "them. Prompts tuned by such figures have used them: best seal before judges run."
            )
        )
    _warn_of_small(sealed + len(drawn.questions), pool - len(drawn.questions))
    _how_drawn(drawn)
    label = say("Seal {questions}", questions=counted(len(drawn.questions), "question"))
    if st.button(label, type="primary", key=f"roles.seal.{sealed}", icon=":material/lock:"):
        _done(planning_holdout.seal(store, sheet, drawn, planning_holdout.ON_SCREEN, everywhere))


def by_hand(store: Store, sheet: Sheet) -> None:
    """Give chosen questions a role; what stands against it is said instead."""
    rows = {row["id"]: row for row in splits.of_sheet(store, sheet.id)}
    found = st.text_input(
        say("Find questions"), key="roles.find", placeholder=say("part of the text or id")
    )
    chosen = st.session_state.get(f"roles.chosen.{sheet.id}", [])
    options = _offered(list(rows.values()), found, chosen)
    chosen = st.multiselect(
        say("Questions"),
        options,
        format_func=lambda number: plain(_name(rows[number])),
        key=f"roles.chosen.{sheet.id}",
        placeholder=say("Choose questions"),
    )
    role = st.radio(
        say("Role of the questions"),
        ROLES,
        format_func=_meant,
        key="roles.role",
    )
    why = st.text_input(say("Why, for the record"), key="roles.why")
    everywhere = _everywhere("roles.hand")
    if not chosen:
        st.caption(say("Choose questions to see what giving them the role would do."))
        return
    move = splits.weigh(store, chosen, role, everywhere)
    if move.refused:
        _refused(move, rows)
        return
    st.info(plain(planning_holdout.in_words(move)))
    label = say(
        "Give {questions} the role {role}",
        questions=counted(len(chosen), "question"),
        role=CALLED[role],
    )
    if st.button(label, key="roles.give", disabled=not move.moved):
        _done(splits.assign(store, chosen, role, why, everywhere))


def listed(store: Store, sheet: Sheet) -> None:
    """Every question with its role, and whether it is in the figures."""
    shown = splits.leaked(store, sheet.id)
    unseen = splits.sealed(store, sheet.id) - shown
    rows = [
        {
            said("question"): row["own_id"] or str(row["id"]),
            said("role"): CALLED[row["role"]],
            said("in figures"): said("no") if row["id"] in shown | unseen else said("yes"),
            said("cluster"): row["cluster"] or "",
            said("answers"): row["answers"],
            said("text"): row["text"],
        }
        for row in splits.of_sheet(store, sheet.id)
    ]
    wide = {"text": st.column_config.TextColumn(width="large")}
    table_of(rows, f"{sheet.name}-roles", column_config=wide)


def openings(store: Store, sheet: Sheet) -> None:
    """Each time sealed questions were opened; nothing where none ever was."""
    opened = holdout.openings(store, sheet)
    if not opened:
        return
    st.subheader(say("When sealed questions were opened"), anchor=False)
    rows = [
        {
            said("when"): one.created_at[:16].replace("T", " "),
            said("opened for"): one.purpose,
            said("opened by"): one.who or said("unknown"),
            said("questions"): len(one.questions),
            said("of them opened before"): len(one.opened_before),
        }
        for one in opened
    ]
    table_of(rows, f"{sheet.name}-openings")


def _offered(rows: list[Row], found: str, chosen: list[int]) -> list[int]:
    """The questions a list offers: those that hold the words, and those chosen before."""
    words = found.casefold()
    hits = [row["id"] for row in rows if words in f"{row['own_id'] or ''} {row['text']}".casefold()]
    return list(dict.fromkeys([*chosen, *hits[:OFFERED]]))


def _name(row: Row) -> str:
    """A question's id, role and the beginning of its text."""
    text = " ".join(row["text"].split())
    return said(
        "{question} ({role}): {text}",
        question=row["own_id"] or row["id"],
        role=CALLED[row["role"]],
        text=text if len(text) <= 60 else f"{text[:59]}…",
    )


def _meant(role: str) -> str:
    """A role with what it means for its questions."""
    return say("{role}: {meaning}", role=CALLED[role], meaning=_MEANINGS[role])


def _everywhere(key: str) -> bool:
    return st.checkbox(
        say("In other sheets too"),
        key=f"{key}.everywhere",
        help=say("Questions of the same text or cluster must have the role in every sheet."),
    )


def _warn_of_small(sealed: int, left: int) -> None:
    """What too few questions on either side cannot show."""
    if sealed < 20:
        st.caption(say("Under 20 sealed questions a certificate can give no verdict."))
    if left < 20:
        st.caption(say("Under 20 questions would be left to choose a judge on."))


def _how_drawn(drawn: planning_holdout.Sealing) -> None:
    with st.expander(say("How they are drawn"), icon=":material/casino:"):
        st.write(
            say(
                "At random by whole clusters, every group in proportion: by the models that "
                "answered, and by whether annotators failed an answer. The same seed draws the "
                "same "
                "questions."
            )
        )
        rows = [(plain(name), taken, of) for name, (taken, of) in drawn.strata.items()]
        heads = [say("Answered by; annotators' grades"), say("Drawn"), say("Of")]
        st.table(pd.DataFrame(rows, columns=heads).set_index(heads[0]))
        for why, count in drawn.barred.items():
            questions = counted(count, "question")
            barred = said("{questions} cannot be sealed. {why}", questions=questions, why=why)
            st.caption(plain(barred))


def _refused(move: Move, rows: dict[int, Row]) -> None:
    """The reasons against a move, each with the questions it holds for."""
    for why in dict.fromkeys(move.refused.values()):
        those = [number for number, reason in move.refused.items() if reason == why]
        names = [_quoted(rows, number) for number in those]
        refused = said(
            "{names}: not {role}. {why}",
            names=splits.some_of(names, TOLD),
            role=CALLED[move.role],
            why=why,
        )
        st.error(plain(refused), icon=":material/block:")


def _quoted(rows: dict[int, Row], number: int) -> str:
    name = said("one elsewhere")
    if number in rows:
        name = rows[number]["own_id"] or str(number)
    return said("“{name}”", name=name)


def _facts(store: Store, sheet: Sheet) -> tuple:
    """What a draw depends on beside what is asked for."""
    return (*question_exposure.newest(store), state(store, sheet))


@st.cache_data(max_entries=8, show_spinner=False)
def _draw(
    facts: tuple, wanted: int, seed: int, everywhere: bool, _store: Store, _sheet: Sheet
) -> planning_holdout.Sealing:
    return planning_holdout.draw(_store, _sheet, wanted, seed, everywhere)


def _done(move: Move) -> None:
    st.session_state["roles.done"] = planning_holdout.in_words(move)
    st.rerun()
