"""Ranking: the choice of a judge, weights to explore, and scores without the judge's bias."""

import re
from collections.abc import Sequence
from fractions import Fraction

import streamlit as st

from concord.messages import joined, said
from concord.reports.panel.provenance import named
from concord.reports.panel.sampling_weights import drawn
from concord.reports.ranking import corrected
from concord.reports.ranking.corrected import DRAW, RATES, Corrected
from concord.reports.ranking.document import REMEDIES, best, corrected_document
from concord.reports.ranking.ranking import Order, Ranking
from concord.reports.ranking.ranking import report as rank
from concord.rubrics.model import Rubric
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.frame import filters, recall, remember
from concord.ui.language import plain, say
from concord.ui.widgets import TO_SETS, next_screen_link, select, switch

WHOLE = 100


def explored(rubric: Rubric) -> dict[str, Fraction] | None:
    """The weights that the URL asks for, by criterion; None where they are the rubric's own.

    What does not fit the rubric (a mistyped link) is taken for the rubric's own.
    """
    shares = _percents_of_url(rubric)
    if shares is None or shares == percents(list(rubric.weights().values())):
        return None
    names = [criterion.name for criterion in rubric.criteria]
    return {name: Fraction(share, WHOLE) for name, share in zip(names, shares, strict=True)}


def sliders(rubric: Rubric) -> None:
    """A slider for each criterion; moving one moves the others in proportion."""
    shares = _percents_of_url(rubric) or percents(list(rubric.weights().values()))
    for place, criterion in enumerate(rubric.criteria):
        key = f"weight.{rubric.name}.{place}"
        st.session_state[key] = shares[place]
        st.slider(
            plain(criterion.heading()),
            0,
            WHOLE,
            key=key,
            format="%d%%",
            on_change=_moved,
            args=(shares, place, key),
        )


def reset() -> None:
    """Back to the rubric's own weights."""
    remember(weights=None)


def percents(weights: list[Fraction]) -> list[int]:
    """Whole percents that sum to 100, nearest to the weights (largest remainders)."""
    exact = [WHOLE * weight for weight in weights]
    whole = [int(share) for share in exact]
    by_remainder = sorted(range(len(exact)), key=lambda place: whole[place] - exact[place])
    for place in by_remainder[: WHOLE - sum(whole)]:
        whole[place] += 1
    return whole


def rebalanced(shares: list[int], place: int, share: int) -> list[int]:
    """The shares when one is moved: the others keep their proportions, the sum stays 100."""
    rest = sum(shares) - shares[place]
    others = [
        Fraction(other, rest) if rest else Fraction(1, len(shares) - 1)
        for at, other in enumerate(shares)
        if at != place
    ]
    left = Fraction(WHOLE - share, WHOLE)
    wanted = [left * other for other in others]
    wanted.insert(place, Fraction(share, WHOLE))
    return percents(wanted)


def _moved(shares: list[int], place: int, key: str) -> None:
    moved = rebalanced(shares, place, st.session_state[key])
    remember(weights=",".join(map(str, moved)))


def _percents_of_url(rubric: Rubric) -> list[int] | None:
    """Whole percents by the order of the criteria, as the URL has them."""
    shares_text = recall("weights") or ""
    if not re.fullmatch(r"\d{1,3}(,\d{1,3})*", shares_text, flags=re.ASCII):
        return None
    shares = [int(part) for part in shares_text.split(",")]
    fits = len(shares) == len(rubric.criteria) and sum(shares) == WHOLE
    return shares if fits else None


_METHODS = {DRAW: said("A random sample"), RATES: said("Error rates")}


def corrected_scores(report: Report, weights: dict[str, Fraction], judge: str, name: str) -> None:
    """Show the answering models by one judge (its label) without its bias, or why it cannot be."""
    how = switch(said("Correct by"), "correct", _METHODS, DRAW)
    shown = corrected_document(_corrected(report, tuple(sorted(weights.items())), how), judge)
    render.head(shown, folded=True)
    for table in shown.tables:
        render.show_table(table, f"{name}-{judge}", in_full=True)
    for note in shown.notes:
        st.caption(plain(note))
    if REMEDIES[DRAW] in shown.facts:
        next_screen_link(*TO_SETS)


@kept(said("Correcting the judge's bias…"))
def _corrected(report: Report, weights: tuple[tuple[str, Fraction], ...], how: str) -> Corrected:
    panel = report.panel
    return corrected.report(panel.weighing(dict(weights)), drawn(report.store, panel), how)


def ranking(report: Report) -> Ranking:
    """Return the ranking with the weights that are explored, else with the rubric's."""
    chosen = explored(report.rubric) or report.rubric.weights()
    return _ranking(report, tuple(sorted(chosen.items())))


@kept(said("Ranking the answering models…"))
def _ranking(report: Report, weights: tuple[tuple[str, Fraction], ...]) -> Ranking:
    return rank(report.panel.weighing(dict(weights)))


def pick_judge(orders: Sequence[Order]) -> Order | None:
    """Return the order of the judge the user chose; None where no judge has graded."""
    if len(orders) < 2:
        return next(iter(orders), None)
    names = {order.judge: named(order.judge, order.simulated) for order in orders}
    with filters():
        chosen = select(said("Judge"), "judge", names, best(orders).judge)
    return next(order for order in orders if order.judge == chosen)


def exploration(rubric: Rubric) -> None:
    """Say that the weights are explored and not the rubric's, with the way back."""
    exploring = explored(rubric)
    if exploring is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        weights = joined(", ", (f"{name} {100 * float(w):.3g}%" for name, w in exploring.items()))
        st.warning(plain(f"Other weights on this screen alone: {weights}."), icon=":material/tune:")
        st.button(say("Reset"), on_click=reset, icon=":material/undo:", key="weights.reset")
