"""Weights to explore a ranking with: sliders that always sum to 100, kept in the URL."""

import re
from fractions import Fraction

import streamlit as st

from concord.messages import joined, said, spoken
from concord.rubrics.model import Rubric
from concord.ui.frame import recall, remember
from concord.ui.language import plain

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


def in_words(weights: dict[str, Fraction]) -> str:
    """Weights as `correctness 60%, readability 40%`."""
    return joined(
        ", ",
        [
            said("{name} {share:.3g}%", name=spoken(name), share=float(WHOLE * weight))
            for name, weight in weights.items()
        ],
    )


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
