"""A rubric for imported grades: one whose criteria and scale fit, else one made from columns."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from pydantic import ValidationError

from concord.messages import Problem, faults_of, joined, said
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


def stored_or_new(rubric: Rubric, stored: Collection[Rubric]) -> tuple[Rubric, bool]:
    """The stored rubric that a made one is, and False; else the made one under a free name, True.

    A stored one is the same where its name is, but for a number, and its scale and criteria are.
    """
    for one in stored:
        names = [criterion.name for criterion in one.criteria]
        if (
            re.fullmatch(rf"{re.escape(rubric.name)}(-\d+)?", one.name)
            and one.scale == rubric.scale
            and names == [criterion.name for criterion in rubric.criteria]
        ):
            return one, False
    free = rubric_name(rubric.name, [one.name for one in stored])
    return rubric.model_copy(update={"name": free}), True


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


def as_table(rubric: Rubric) -> dict[str, Any]:
    """Return a made rubric as the table `[new_rubric]` of a spec; `of_table` reads it back."""
    criteria = [
        {
            "name": one.name,
            "title": one.heading(),
            "levels": [level.model_dump(include={"score", "meaning"}) for level in one.levels],
        }
        for one in rubric.criteria
    ]
    return {**rubric.model_dump(include={"name", "title", "scale"}), "criteria": criteria}


def of_table(table: Mapping[str, Any], source: str) -> Rubric:
    """The rubric of a table `[new_rubric]`; a Problem that names the file where it is invalid."""
    try:
        rows = list(table["criteria"])
        weight = Fraction(1, max(len(rows), 1))
        called = table.get("title") or table["name"]
        criteria = [
            {**row, "title": title, "weight": weight, "question": question(title, called)}
            for row in rows
            if (title := row.get("title") or row["name"])
        ]
        return Rubric.model_validate({**table, "title": called, "criteria": criteria})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Problem(
            "{source}: [new_rubric] is not a valid rubric ({error}). Give name, scale, and "
            "criteria with name and title.",
            source=source,
            error=faults_of(error.errors()) if isinstance(error, ValidationError) else str(error),
            fault_code="bad_spec",
        ) from None


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
