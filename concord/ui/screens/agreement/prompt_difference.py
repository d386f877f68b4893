"""Difference between two variants' requests for an answer: settings, then the messages."""

from html import escape

import streamlit as st

from concord.messages import said
from concord.reports.comparison import variant_prompts
from concord.reports.comparison.changed_scores import Flips
from concord.reports.comparison.prompt_diff import SKIPPED, Line
from concord.resources import ASSETS
from concord.store.database import Store
from concord.ui.language import plain, say, word
from concord.ui.render import show_table

LOOK = ASSETS / "compare.css"


def difference(store: Store, flipped: Flips, item_id: int) -> None:
    """Show how two requests for an answer differ: settings first, then the messages."""
    st.subheader(say("Differences in the request"), anchor=False)
    sides = [
        variant_prompts.sent(store, variant, item_id) for variant in (flipped.first, flipped.second)
    ]
    heads = (flipped.first.label, flipped.second.label)
    unknown = [
        said("{variant}: {why}.", variant=label, why=sent.why_none)
        for label, sent in zip(heads, sides, strict=True)
        if sent.why_none
    ]
    for sentence in unknown:
        st.info(plain(sentence), icon=":material/help:")
    if unknown:
        return
    show_table(variant_prompts.settings(*sides), "prompts", in_full=True)
    diff = variant_prompts.prompt_diff(*sides)
    if diff:
        st.html(LOOK)
        st.html(_html(diff, *map(word, heads)))
    else:
        st.write(say("The messages are identical."))
    st.caption(
        say(
            "The messages for this answer, as stored. Identical parts are omitted."
            if all(sent.kept for sent in sides)
            else "The messages for this answer, as a run sends them. Identical parts are omitted."
        )
    )


def _html(diff: list[Line], first: str, second: str) -> str:
    lines = "".join(_line(line) for line in diff)
    label = escape(say("Diff of the two prompts"))
    return (
        f'<div class="concord-diff" role="region" aria-label="{label}">'
        f'<p class="out">− {escape(first)}</p><p class="in">+ {escape(second)}</p>{lines}</div>'
    )


def _line(line: Line) -> str:
    if line.kind == SKIPPED:
        same = say("{n:,} identical lines", n=int(line.text))
        return f'<div class="skipped">{escape(same)}</div>'
    words = "".join(
        f"<mark>{escape(text)}</mark>" if changed else escape(text) for text, changed in line.parts
    )
    sign = {"out": "−", "in": "+"}.get(line.kind, " ")
    return f'<div class="{line.kind}"><span>{sign}</span>{words or " "}</div>'
