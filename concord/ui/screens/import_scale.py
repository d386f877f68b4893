"""Third step of an import: the score of each word, and the rubric the grades are read under."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd
import streamlit as st

from concord.definitions import digest
from concord.importing.columns import ColumnMap
from concord.importing.default_rubric import proposed_fit, under, with_meanings
from concord.importing.grade_scales import GradeScales, conventional, grade_scales
from concord.importing.readers.table import Table
from concord.importing.scores import Words, shown_scale
from concord.importing.spec import Spec
from concord.messages import Problem, joined, said
from concord.reports.cells import UNDEFINED
from concord.reports.panel import unit_words
from concord.rubrics import fit
from concord.rubrics.fit import Fit
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.text import rating_words
from concord.text.rating_words import rated_on
from concord.ui import import_findings
from concord.ui.language import plain, say, word
from concord.ui.render import table_of
from concord.ui.widgets import number_field

_ROW_PX, _ROWS = 35, 8


def grade_words(
    seen: GradeScales,
    columns: ColumnMap,
    spec: Spec | None,
    key: str,
    scale: Sequence[int] = (),
) -> dict[str, float | None]:
    """The user's score of each word; None for a word that is no grade; no key where unsaid.

    `scale` is that of the rubric, where one is chosen; convention holds for words of it alone.
    """
    rows = import_findings.read_once(
        f"{key}.rows",
        (columns.spoken(), tuple(scale)),
        lambda: word_rows(seen, spec, scale),
        said("Checking every row…"),
    )
    if not rows:
        return {}
    edited = st.data_editor(
        pd.DataFrame(rows),
        key=f"{key}.words.{digest(repr(rows))}",  # an edit is kept by place, not by word
        hide_index=True,
        num_rows="fixed",
        disabled=("word", "n"),
        width="content",
        placeholder=UNDEFINED,
        height=_ROW_PX * (min(len(rows), _ROWS) + 1) + 3,
        column_config={
            "word": st.column_config.TextColumn(say("Word")),
            "n": st.column_config.NumberColumn(say("Grades")),
            "score": st.column_config.NumberColumn(say("Score")),
            "none": st.column_config.CheckboxColumn(say("No grade")),
        },
        alt=say("Scores of words"),
    )
    return spelt_scores(edited.to_dict("records"))


def word_rows(
    seen: GradeScales, spec: Spec | None, scale: Sequence[int]
) -> list[dict[str, str | int | float | None]]:
    """A row per word: how often it occurs, and the score of the spec or of convention.

    So has a number far off the scale, which may be a code for no grade.
    """
    whole = seen.of(seen.criteria)
    counts = seen.words() | {text: n for text, n, one in whole.values if one in whole.outside}
    given = by_key(spec.scores if spec else {})
    usual = rated_on(seen.words(), scale, given) if scale else conventional(seen, given)
    rows = []
    for spelling in counts | usual:
        criterion, _, alone = spelling.rpartition(":")  # a word of one criterion
        n = counts.get(spelling) or seen.words([criterion]).get(alone, 0)
        score = given.get(rating_words.key(spelling), usual.get(spelling))
        is_none = score == ""
        score = None if score in (None, "") else float(score)
        rows.append({"word": spelling, "n": n, "score": score, "none": is_none})
    return sorted(rows, key=lambda row: (row["score"] is None, row["score"] or 0, -row["n"]))


def spelt_scores(rows: Sequence[Mapping]) -> dict[str, float | None]:
    """Return the score of each word that has one; None for a word that is no grade."""
    found: dict[str, float | None] = {}
    for row in rows:
        if row["none"]:
            found[row["word"]] = None
        elif row["score"] is not None and not pd.isna(row["score"]):
            score = float(row["score"])
            found[row["word"]] = int(score) if score.is_integer() else score
    return found


def by_key(spelt: Mapping[str, float | None]) -> Words:
    """Return the scores by word as readers of scores take them."""
    return {rating_words.key(word): score for word, score in spelt.items()}


_VALUES = 12


def values_shown(values: Iterable[tuple[str, int]]) -> str:
    """The first values with how often each occurs."""
    parts = [said("{value} ×{n:,}", value=text, n=n) for text, n in values]
    return joined(", ", [*parts[:_VALUES], *["…"][: len(parts) > _VALUES]])


class Scaled(NamedTuple):
    """Scale on which the grades are read.

    Attributes:
        columns: The column map, with the criteria as the rubrics call them.
        rubrics: The rubrics, one for each scale; none where the file has no grades.
        words: Scores by word.
        spelt: The same as the file spells the words.
        is_new: Whether the import makes the rubrics.
    """

    columns: ColumnMap
    rubrics: tuple[Rubric, ...] = ()
    words: Words = MappingProxyType({})
    spelt: Mapping[str, float | None] = MappingProxyType({})
    is_new: bool = False


def scale(store: Store, table: Table, columns: ColumnMap, spec: Spec | None, key: str) -> Scaled:
    """Show how the grades are read; `key` changes with the file and where its mapping began.

    Raises:
        Problem: there are no grades, or no scale that a rubric can be chosen by.
    """
    if not (columns.scores or columns.column("score")):
        return Scaled(columns)
    seen = import_findings.read_once(
        f"{key}.scales",
        (columns.spoken(),),
        lambda: grade_scales(table, columns),
        said("Checking every row…"),
    )
    with st.container(border=True):
        st.markdown(say("**3. Scale:** what the scores mean"))
        if not seen.criteria:
            raise Problem("The grade columns are empty. Deselect them above.")
        spelt = grade_words(seen, columns, spec, key)
        words = by_key(spelt)
        groups, scales = import_findings.read_once(
            f"{key}.whole",
            (columns.spoken(), tuple(words.items())),
            lambda: (seen.groups(words), {c: seen.of([c], words) for c in seen.criteria}),
            said("Checking every row…"),
        )
        rows = [
            {
                said("Criterion"): criterion,
                said("Grades"): one.n,
                said("Values"): values_shown((text, n) for text, n, _ in one.values),
                said("Scale"): shown_scale(one.scale),
            }
            for criterion, one in scales.items()
        ]
        table_of(rows, "scales", in_full=True)
        if len(groups) > 1 and not st.checkbox(
            say("A rubric for each scale"), True, key=f"{key}.several"
        ):
            groups = [seen.criteria]
        rubrics: list[Rubric] = []
        names: dict[str, str] = {}
        for number, group in enumerate(groups):
            own = f"{key}.scale.{number}"
            rubric, made = pick_rubric(store, seen, group, words, spec, own, table, rubrics)
            rubrics.append(rubric)
            names |= made
    return Scaled(under(columns, rubrics, names), tuple(rubrics), words, spelt, bool(names))


_NEW = ""


def pick_rubric(
    store: Store,
    seen: GradeScales,
    group: Sequence[str],
    words: Words,
    spec: Spec | None,
    key: str,
    table: Table,
    before: Sequence[Rubric],
) -> tuple[Rubric, Mapping[str, str]]:
    """Choose the rubric of criteria on one scale, or edit the one that would be made.

    Args:
        store: Where the rubrics are.
        seen: The grades.
        group: The criteria as the file calls them.
        words: Scores by word.
        spec: The spec that the mapping began with, if any.
        key: Of the widgets.
        table: The file.
        before: The rubrics of the other scales.

    Returns:
        The rubric; and, where it is new, the name of each criterion.

    Raises:
        Problem: no rubric fits, and none can be made.
    """
    rubrics = {one: rubric_versions.named(store, one)[1] for one in rubric_versions.names(store)}
    name, found = table.source.stem, seen.of(group, words)
    may_be = rubric_versions.of_import(store, name)
    taken = [*rubrics, *(one.name for one in before)]
    try:
        proposal = proposed_fit(seen, group, may_be, words, name, taken)
    except Problem:
        proposal = None
    fitting = [] if proposal is None or proposal.is_new else [proposal.rubric.name]
    fitting += proposal.others if proposal else ()
    options = [*fitting, *([_NEW] if found.scale else [])]
    options += [one for one in rubrics if one not in options]
    titles = unit_words.called(store, list(rubrics))
    label = say("Rubric") if len(group) == len(seen.criteria) else plain(
        said("Rubric of {criteria}", criteria=joined(", ", group))
    )  # fmt: skip
    chosen = st.selectbox(
        label,
        options,
        _index(options, proposal, spec, rubrics),
        format_func=lambda one: word(titles[one]) if one else say("A new rubric from these grades"),
        key=f"{key}.rubric.{fitting[:1]}.{group}",  # other columns, another proposal
        placeholder=say("Choose"),
    )
    if chosen is None:
        raise Problem(
            "No scale can be inferred from the grades: {reason}. Give each word a score, or "
            "choose a rubric.",
            reason=found.reason,
        )
    if chosen != _NEW:
        if proposal and chosen in fitting[:1]:
            st.caption(plain(proposal.reason))
        return rubrics[chosen], {}
    made, names = _made(group, found, spec, key, name, taken)
    return with_meanings(made, group, seen, words), names


def _index(
    options: Sequence[str],
    proposal: Fit | None,
    spec: Spec | None,
    rubrics: Mapping[str, Rubric],
) -> int | None:
    made = spec.new_rubric if spec else None
    if made and made.name in rubrics:
        kept, is_new = fit.stored_or_new(made, rubrics.values())
        wanted = _NEW if is_new else kept.name
    elif made:
        wanted = _NEW
    else:
        wanted = spec.rubric if spec else None
    if wanted in options:
        return options.index(wanted)
    if proposal is None:
        return None
    return options.index(_NEW if proposal.is_new else proposal.rubric.name)


def _made(criteria, scale, spec, key, name, taken) -> tuple[Rubric, Mapping[str, str]]:
    """The rubric that the import would make, as the user calls it."""
    saved = spec.new_rubric if spec else None
    scores = saved.scale if saved else scale.scale
    places = st.columns(3)
    title = places[0].text_input(
        say("Name"), (saved.title or saved.name) if saved else name, key=f"{key}.name"
    )
    if list(scores) == list(range(scores[0], scores[-1] + 1)):
        scores = _ends(scores, places[1:], key)
    base = fit.new_rubric(criteria, scores, title.strip() or name, taken)
    names = dict(zip(_titles(criteria), (one.name for one in base.criteria), strict=True))
    return base, {criterion: names[" ".join(criterion.split())] for criterion in criteria}


def _titles(criteria: Sequence[str]) -> list[str]:
    """The criteria as `fit.new_rubric` takes them."""
    return list(dict.fromkeys(" ".join(one.split()) for one in criteria if one.strip()))


def _ends(scores: Sequence[int], places, key: str) -> tuple[int, ...]:
    low, high = (
        number_field(label, value=end, step=1, key=f"{key}.{which}.{end}", place=place)
        for which, label, end, place in (
            ("low", say("Lowest score"), scores[0], places[0]),
            ("high", say("Highest score"), scores[-1], places[1]),
        )
    )
    if low is None or high is None or not low < high <= low + 100:
        raise Problem("The highest score must be above the lowest, by at most 100.")
    return tuple(range(low, high + 1))
