"""The rubric of imported grades: one that fits, or one made from what the file holds."""

from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from concord.importing.scale import Scale
from concord.importing.spec import Spec
from concord.messages import Problem, said
from concord.reports.panel import rubric_names
from concord.rubrics import fit
from concord.rubrics.fit import Fit
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.language import plain, say, word
from concord.ui.widgets import number_field

_NEW = ""


def pick_rubric(
    store: Store,
    criteria: Sequence[str],
    scale: Scale,
    spec: Spec | None,
    key: str,
    name: str,
    titled: bool,
    different: str | None = None,
) -> tuple[Rubric, Mapping[str, str]]:
    """Choose the rubric, or edit the one that would be made.

    Args:
        store: Where the rubrics are.
        criteria: The criteria as the file calls them.
        scale: The scale of the grades.
        spec: The spec that the mapping began with, if any.
        key: Of the widgets.
        name: What a new rubric is called.
        titled: Whether the titles of a new one may be changed.
        different: Why no rubric is chosen before the user does: the scales differ.

    Returns:
        The rubric; and, where it is new, the name of each criterion.

    Raises:
        Problem: no rubric fits, and none can be made.
    """
    rubrics = {one: rubric_versions.named(store, one)[1] for one in rubric_versions.names(store)}
    may_be = rubric_versions.of_import(store, name)
    proposal, problem = _proposed(may_be, criteria, scale, name, rubrics)
    can_make = bool(scale.scale)
    fitting = [] if proposal is None or proposal.is_new else [proposal.rubric.name]
    fitting += proposal.others if proposal else ()
    options = [*fitting, *([_NEW] if can_make else [])]
    options += [one for one in rubrics if one not in options]
    titles = rubric_names.called(store, list(rubrics))
    chosen = st.selectbox(
        say("Rubric"),
        options,
        _index(options, None if different else proposal, spec, rubrics),
        format_func=lambda one: word(titles[one]) if one else say("A new rubric from these grades"),
        key=f"{key}.rubric.{fitting[:1]}.{not different}",  # other columns, another proposal
        placeholder=say("Choose"),
    )
    if chosen is None and different:
        raise Problem(
            "{different} Leave out the other criteria above (deselect their columns, or name them "
            "under “Criteria left out”), or choose the rubric that all were graded under.",
            different=different,
        )
    if chosen is None:
        raise Problem(problem or said("Choose the rubric that the grades were given under."))
    if chosen != _NEW:
        if proposal and chosen in fitting[:1]:
            st.caption(plain(proposal.reason))
        return rubrics[chosen], {}
    return _made(criteria, scale, spec, key, name, titled, rubrics)


def _proposed(
    rubrics: Sequence[Rubric],
    criteria: Sequence[str],
    scale: Scale,
    name: str,
    taken: Collection[str],
) -> tuple[Fit | None, str]:
    """The rubric that is proposed; None and the reason where none can be."""
    values = scale.whole() if scale.kind != "continuous" else ()
    try:
        return fit.proposed(rubrics, criteria, scale.scale, values, name, taken), ""
    except Problem:
        return None, said(
            "No scale can be inferred from the grades: {reason}. Give each word a score, or "
            "choose a rubric.",
            reason=scale.reason,
        )


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


def _made(criteria, scale, spec, key, name, titled, rubrics) -> tuple[Rubric, Mapping[str, str]]:
    """The rubric that the import would make, as the user calls it."""
    st.caption(
        say(
            "The import creates it. The meanings of the scores can be filled in later, under "
            "Rubrics."
        )
    )
    saved = spec.new_rubric if spec else None
    scores = saved.scale if saved else scale.scale
    places = st.columns(3)
    title = places[0].text_input(
        say("Name"), (saved.title or saved.name) if saved else name, key=f"{key}.name"
    )
    if list(scores) == list(range(scores[0], scores[-1] + 1)):
        scores = _ends(scores, places[1:], key)
    base = fit.new_rubric(criteria, scores, title.strip() or name, rubrics)
    names = dict(zip(_titles(criteria), (one.name for one in base.criteria), strict=True))
    if titled:
        base = _titled(base, {name: title for title, name in names.items()}, saved, key)
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


def _titled(rubric: Rubric, in_file: Mapping[str, str], saved, key: str) -> Rubric:
    """The rubric with the titles that the user gives its criteria; `in_file` is what it says."""
    known = {one.name: one.title for one in saved.criteria} if saved else {}
    places = st.columns(min(len(rubric.criteria), 4))
    criteria = []
    for number, one in enumerate(rubric.criteria):
        label = plain(said("Title of “{criterion}”", criterion=in_file[one.name]))
        before = known.get(one.name) or one.title
        title = places[number % len(places)].text_input(label, before, key=f"{key}.of.{one.name}")
        title = " ".join(title.split()) or one.title
        question = fit.question(title, rubric.title)
        criteria.append(one.model_copy(update={"title": title, "question": question}))
    return rubric.model_copy(update={"criteria": tuple(criteria)})
