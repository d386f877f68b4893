"""A rubric for imported grades: one whose criteria and scale fit, else one made from columns."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from concord.messages import Problem, joined, said
from concord.rubrics.model import Criterion, Rubric

_MOST_LETTERS = 60


class Fit(NamedTuple):
    """The rubric that is proposed for some grades.

    Attributes:
        rubric: The rubric.
        is_new: Whether it was made and is not stored yet.
        reason: Why it is proposed, in a sentence.
        others: The names of further rubrics that fit as well.
    """

    rubric: Rubric
    is_new: bool
    reason: str
    others: tuple[str, ...] = ()


def proposed(
    rubrics: Iterable[Rubric],
    titles: Sequence[str],
    scale: Sequence[int],
    values: Collection[float] = (),
    name: str = "imported",
    taken: Collection[str] = (),
) -> Fit:
    """Propose the rubric that grades were given under.

    A stored rubric fits where each title is the name or the title of one of its criteria and every
    value is a score of it; one on exactly the proposed scale comes first. Otherwise one is made.
    So it is where the scale ends elsewhere: grades of 1 to 5 are scores of a scale of 1 to 10 too,
    and were hardly given on it.

    Args:
        rubrics: The stored rubrics of whole answers.
        titles: What the criteria are called, such as the names of the columns.
        scale: The scale that was read off the grades (`importing.scale`).
        values: The different whole scores that occur.
        name: What to call a new rubric, such as the name of the sheet.
        taken: Names that are taken.

    Raises:
        Problem: nothing fits, and there is no scale to make a rubric from.
    """
    fits = [one for one in rubrics if _fits(one, titles, scale, values)]
    top = scale[-1] if scale else None
    fits.sort(key=lambda one: (one.scale != tuple(scale), one.scale[-1] != top, len(one.criteria)))
    if fits and top in (None, fits[0].scale[-1]):
        return Fit(fits[0], False, _why(fits[0], titles), tuple(one.name for one in fits[1:]))
    told = said("no rubric of this sheet or of yours has these criteria and this scale")
    return Fit(new_rubric(titles, scale, name, taken), True, told, tuple(one.name for one in fits))


def _why(rubric: Rubric, titles: Sequence[str]) -> str:
    """Say why a stored rubric is proposed, and what its criteria without grades entail.

    It stays the proposal: grades under a new one could not be compared with those under it.
    """
    given = {_folded(title) for title in titles}
    left = [
        one.heading()
        for one in rubric.criteria
        if given.isdisjoint({_folded(one.name), _folded(one.heading())})
    ]
    if not left:
        return said("it has these criteria and all scores of the file")
    return said(
        "it has these criteria and all scores of the file; the file has no grades on {criteria}, "
        "so the composite stays undefined until these are graded too",
        criteria=joined(", ", left),
    )


def new_rubric(
    titles: Sequence[str], scale: Sequence[int], name: str = "imported", taken: Collection[str] = ()
) -> Rubric:
    """Make a rubric without meanings: a criterion for each title, with equal weights.

    Raises:
        Problem: there are no titles, or the scale has fewer than two scores.
    """
    titles = list(dict.fromkeys(" ".join(title.split()) for title in titles if title.strip()))
    if not titles or len(scale) < 2:
        raise Problem(
            "No rubric can be made from these grades. Map a criterion, and give the scale with "
            "--scale, a rubric with --rubric, or each word a score with --score WORD=SCORE.",
            fault_code="no_rubric",
        )
    names = criterion_names(titles)
    weight = Fraction(1, len(titles))
    free = rubric_name(name, taken)
    called = " ".join(name.split()) or free
    criteria = tuple(
        Criterion(name=names[title], title=shown, weight=weight, question=question(shown, called))
        for title, shown in zip(titles, map(_title, titles), strict=True)
    )
    return Rubric(name=free, title=called, scale=scale, criteria=criteria)


def question(title: str, rubric: str) -> str:
    """The question of a made criterion; that of another file is another criterion."""
    return f"{title} ({rubric})"


def _title(title: str) -> str:
    """A title to be read: `overall_quality`, as columns are called, is shown as Overall quality.

    So is `exact_match accepted`, of several words.
    """
    is_name = re.fullmatch("[a-z][a-z0-9_]*( [a-z0-9_]+)*", title)
    return title.replace("_", " ").strip().capitalize() if is_name else title


def criterion_names(titles: Iterable[str]) -> dict[str, str]:
    """Return a valid name for each title, all different: `Overall quality` is `overall_quality`.

    A title without a Latin letter is called by its number, as in `criterion_1`.
    """
    found: dict[str, str] = {}
    used: set[str] = set()
    for place, title in enumerate(titles, 1):
        plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().casefold()
        stem = re.sub(r"[^a-z0-9]+", "_", plain).lstrip("_0123456789").rstrip("_")
        stem = stem[:_MOST_LETTERS].rstrip("_") or f"criterion_{place}"
        found[title] = _free(stem, used, "_")
        used.add(found[title])
    return found


def rubric_name(name: str, taken: Collection[str] = ()) -> str:
    """Return a valid name for a rubric that is not taken."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    kept = (
        letter
        if (letter in "._" or unicodedata.category(letter)[0] == "L" or letter.isdecimal())
        else "-"
        for letter in folded
    )
    plain = re.sub("-+", "-", "".join(kept)).strip("-.")
    stem = plain[:_MOST_LETTERS].rstrip("-.") or "imported"
    return _free(stem, {*taken}, "-")


def _fits(
    rubric: Rubric, titles: Sequence[str], scale: Sequence[int], values: Collection[float]
) -> bool:
    known = {_folded(word) for one in rubric.criteria for word in (one.name, one.heading())}
    named = bool(titles) and {_folded(title) for title in titles} <= known
    on_scale = {*values} <= {*rubric.scale} if values else rubric.scale == tuple(scale)
    return named and on_scale


def _folded(word: str) -> str:
    return re.sub(r"[\s_\-.]+", "", unicodedata.normalize("NFKC", word).casefold())


def _free(stem: str, used: Collection[str], joint: str) -> str:
    free, number = stem, 1
    while free in used:
        number += 1
        free = f"{stem}{joint}{number}"
    return free
