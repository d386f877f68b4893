"""Third step of an import: the score of each word, and the rubric the grades are read under."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd
import streamlit as st

from concord.definitions import digest
from concord.importing.columns import ColumnMap
from concord.importing.default_rubric import conventional, proposed_fits, under, with_meanings
from concord.importing.grade_scales import GradeScales, Scale, grade_scales
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


def words_under_rubric(table: Table, columns: ColumnMap, scale: Sequence[int], key: str) -> Words:
    """The user's scores of the words in a file of grades; nothing is shown where it has none."""
    seen = import_findings.read_once(
        f"{key}.scales",
        (columns.spoken(),),
        lambda: grade_scales(table, columns),
        said("Checking every row…"),
    )
    if not seen.words():
        return {}
    with st.container(border=True):
        st.markdown(f"**{say('Scale')}**")
        return by_key(grade_words(seen, columns, None, key, scale))


def word_rows(
    seen: GradeScales, spec: Spec | None, scale: Sequence[int]
) -> list[dict[str, str | int | float | None]]:
    """A row per word: how often it occurs, and the score of the spec or of convention.

    So has a number far off the scale, which may be a code for no grade.
    """
    whole = seen.of(seen.criteria)
    codes = {one.text: one.n for one in whole.values if one.score in whole.outside}
    counts = seen.words() | codes
    saved = spec.scores if spec else {}
    of_spec = {rating_words.key(word): score for word, score in saved.items()}
    # Next to numbers, convention holds for words only on the scale that the numbers show.
    rated = rating_words.rated(counts if whole.kind == "words" else seen.words())
    holds = whole.kind == "words" or rated.scale == whole.scale
    usual = rated.scores if holds else {}
    if all(seen.of([one]).kind == "words" for one in seen.criteria if seen.words([one])):
        usual = conventional(seen, of_spec)
        for own in usual.keys() - counts.keys():  # a word of one criterion
            criterion, _, spelling = own.rpartition(":")
            counts[own] = seen.words([criterion]).get(spelling, 0)
    if scale:
        usual = rating_words.rated_on(seen.words(), scale, of_spec)
    rows = []
    for spelling, n in counts.items():
        given = of_spec.get(rating_words.key(spelling), usual.get(spelling))
        score = None if given in (None, "") else float(given)
        rows.append({"word": spelling, "n": n, "score": score, "none": given == ""})
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
            lambda: (seen.groups(words), _by_criterion(seen, words)),
            said("Checking every row…"),
        )
        _show(scales)
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


def _by_criterion(seen: GradeScales, words: Words) -> dict[str, Scale]:
    return {criterion: seen.of([criterion], words) for criterion in seen.criteria}


def _show(scales: Mapping[str, Scale]) -> None:
    """Show per criterion what occurs and the scale that is read off it."""
    rows = [
        {
            said("Criterion"): criterion,
            said("Grades"): one.n,
            said("Values"): _values(one),
            said("Scale"): shown_scale(one.scale),
            said("Why"): one.reason,
        }
        for criterion, one in scales.items()
    ]
    table_of(rows, "scales", in_full=True)


def _values(one: Scale) -> str:
    parts = [said("{value} ×{n:,}", value=value.text, n=value.n) for value in one.values[:_VALUES]]
    return joined(", ", [*parts, *(["…"] if len(one.values) > _VALUES else [])])


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
        ((proposal,), _) = proposed_fits(seen, [group], may_be, words, name, taken)
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
        kept, is_new = fit.stored_or_new(
            fit.of_table(made.model_dump(), made.name), rubrics.values()
        )
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
