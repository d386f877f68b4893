"""The picker of a report: sheet, rubric and the annotators who count; what to do without grades."""

import json
from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from concord.messages import Said, counted, is_message, joined, listed, said
from concord.model import Sheet
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import weighting
from concord.reports.panel.simulated import named
from concord.reports.panel.unit_words import noun
from concord.reports.reliability.annotator_warnings import REMEDY, AnnotatorWarning
from concord.rubrics.model import Rubric
from concord.store import grades
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.cached_reports import Report
from concord.ui.frame import filters, recall_several, remember
from concord.ui.language import plain, say
from concord.ui.widgets import (
    TO_JUDGES,
    TO_SETS,
    empty,
    next_screen_link,
    no_sheet,
    pick_rubric,
    pick_sheet,
)


def pick_report(
    store: Store,
    then: str,
    units: bool = False,
    choose_annotators: bool = True,
    by_criterion: bool = False,
) -> Report | None:
    """Sheet, rubric and annotators; None where something is missing, which the screen then says.

    `then` ends a sentence on what the screen says once annotators and judges have graded; `units`
    offers rubrics of units too, where parts of answers are graded. Without `choose_annotators` the
    report is of all who count, whatever was chosen on another screen. `by_criterion` is that of
    `Report`.
    """
    sheet = pick_sheet(store)
    if sheet is None:
        no_sheet(said("annotators and judges grade them, and {then}", then=then))
        return None
    graded = rubric_versions.graded(store, sheet.id)
    graded += rubric_versions.units_graded(store, sheet.id) if units else []
    if not graded:
        no_grades(store, sheet, then)
        return None
    _, rubric = pick_rubric(store, graded)
    everyone = Report(store, sheet, rubric, None, by_criterion)
    annotators = None
    if choose_annotators:
        with filters():
            annotators = annotators_popover(everyone.people)
    note = weighting(everyone.people)
    if note:
        st.caption(plain(note))
    if annotators is None:
        return everyone
    return Report(store, sheet, rubric, annotators, by_criterion)


def pick_graded(
    store: Store, then: str, units: bool = False, means: bool = False, by_criterion: bool = False
) -> Report | None:
    """Pick as `pick_report` does; show an empty state where annotators' or judges' grades lack.

    With `means` a mean of several annotators is enough; `by_criterion` is that of `Report`.
    """
    report = pick_report(store, then, units, by_criterion=by_criterion)
    if report is None or is_missing(store, report, then, means):
        return None
    return report


def is_missing(store: Store, report: Report, then: str, means: bool = False) -> bool:
    """Show an empty state and return True where annotators' or judges' grades are missing."""
    sheet, panel = report.sheet, report.people
    units = noun(panel.rubric.plural) if panel.rubric.units else ""
    if not panel.annotators and not (means and panel.means):
        _no_labels(sheet, panel.rubric) if units else no_grades(store, sheet, then)
        return True
    name = sheet.name
    if not panel.judges and units:
        empty(
            said(
                "Annotators have labelled {units} of “{sheet}”, but no judge has yet",
                units=units,
                sheet=name,
            ),
            said(
                "Run a metric judge: its verdicts on {units} are compared with annotators' labels. "
                "Then {then}",
                units=units,
                then=then,
            ),
            *TO_JUDGES,
        )
        return True
    if not panel.judges:
        empty(
            said("Annotators have graded “{sheet}”, but no judge has yet", sheet=name),
            said(
                "Run a judge. The baseline needs neither a key nor a network and shows what every "
                "judge has to beat. Then {then}",
                then=then,
            ),
            *TO_JUDGES,
        )
        return True
    return False


def no_grades(store: Store, sheet: Sheet, then: str) -> None:
    """Show that no whole answer is graded yet, with a link to labelled units if any.

    `then` is as in `pick_report`.
    """
    versions = grades.labelled_versions(store, sheet.id)
    labelled = [
        noun(one.plural)
        for one in rubric_versions.of_parts(store).values()
        if versions & {*one.versions().values()}
    ]
    if labelled:
        empty(
            said("No annotator has graded whole answers of “{sheet}” yet", sheet=sheet.name),
            said(
                "This screen covers whole answers. Annotators have labelled {units} of the sheet; "
                "the screen Agreement shows how well judges agree with them.",
                units=listed(labelled),
            ),
            "pages/agreement.py",
            said("To Agreement"),
        )
        return
    empty(
        said("No annotator has graded “{sheet}” yet", sheet=sheet.name),
        said(
            "Create a grading set and grade it, or import existing grades. Then {then}",
            then=then,
        ),
        *TO_SETS,
    )
    next_screen_link("pages/data.py", said("Import grades"), do="grades", sheet=sheet.name)


def _no_labels(sheet: Sheet, rubric: Rubric) -> None:
    empty(
        said(
            "No annotator has labelled {units} of “{sheet}” yet",
            units=noun(rubric.plural),
            sheet=sheet.name,
        ),
        said(
            "Judges are compared with annotators, so an annotator has to label first: create a "
            "grading set under the rubric “{rubric}”.",
            rubric=rubric.title,
        ),
        *TO_SETS,
    )


def annotators_popover(panel: Panel) -> tuple[str, ...] | None:
    """Return the annotators chosen in a popover; None for the default rule."""
    names, default = _offered(panel)
    if len(names) < 2:
        return None
    # On a change the widget alone has the new choice: the URL gets it below.
    held = st.session_state.get(_widget(panel.sheet))
    wanted = _before(panel.sheet) if held is None else held
    wanted = [name for name in wanted if name in names] or default
    with st.popover(say(_included(len(wanted), len(names))), icon=":material/group:"):
        return pick_annotators(panel)


def pick_annotators(panel: Panel) -> tuple[str, ...] | None:
    """Return the chosen annotators; None for the default rule.

    A choice holds on the other screens of the sheet that follow it (docs/team.md) until it is
    changed: a decision without an annotator and an agreement with them would contradict each other.
    """
    names, default = _offered(panel)
    if len(names) < 2:
        return None
    simulated = {person.name for person in panel.persons.values() if person.simulated}
    chosen = st.multiselect(
        say("Annotators included"),
        names,
        default=[name for name in _before(panel.sheet) if name in names] or default,
        format_func=lambda name: _called(name, name in simulated),
        key=_widget(panel.sheet),
        placeholder=say("All eligible annotators"),
        help=say("The annotators whose grades the judges are compared with."),
    )
    st.caption(say("Without a selection, all eligible annotators are included."))
    by_rule = not chosen or set(chosen) == set(default)
    st.session_state[_key(panel.sheet)] = () if by_rule else tuple(chosen)
    remember(annotators=None if by_rule else _in_url(chosen))
    return None if by_rule else tuple(sorted(chosen))


def included(report: Report) -> Said:
    """Return how many annotators a report is of, and of how many who can be chosen."""
    return _included(len(report.people.annotators), len(_offered(report.people)[0]))


def _included(chosen: int, every: int) -> Said:
    if chosen == every:
        return counted(every, "annotator")
    return said("{n:,} of {all:,} annotators", n=chosen, all=every)


def _offered(panel: Panel) -> tuple[list[str], list[str]]:
    """Return whom one can choose, and those who count by default."""
    default = [person.name for person in panel.graded_by]
    return [*default, *(name for name in panel.uncounted if name not in panel.pending)], default


def chosen_report(store: Store, sheet: Sheet, rubric: Rubric) -> Report | None:
    """Return the report of the annotators chosen on another screen; None for the default rule."""
    chosen = chosen_annotators(store, sheet, rubric)
    return Report(store, sheet, rubric, chosen, by_criterion=True) if chosen else None


def chosen_annotators(store: Store, sheet: Sheet, rubric: Rubric) -> tuple[str, ...] | None:
    """Return the annotators chosen on another screen; None for the default rule.

    The choice is put into the URL, so that it outlives a reload.
    """
    before = _before(sheet)
    if not before:
        return None
    people = Report(store, sheet, rubric, None, by_criterion=True).people
    default = {person.name for person in people.graded_by}
    known = default | (people.uncounted.keys() - people.pending)
    chosen = known.intersection(before)
    if not chosen or chosen == default:
        return None
    remember(annotators=_in_url(before))  # whole: another rubric may have others of them
    return tuple(sorted(chosen))


def _before(sheet: Sheet) -> Sequence[str]:
    """The annotators chosen before, by name: in the URL, else in the session."""
    return recall_several("annotators") or st.session_state.get(_key(sheet), ())


def _in_url(annotators: Iterable[str]) -> str:
    return json.dumps(sorted(annotators), ensure_ascii=False)


def _widget(sheet: Sheet) -> str:
    return f"annotators.{sheet.id}"


def _key(sheet: Sheet) -> str:
    return f"kept.annotators.{sheet.id}"


def _called(name: str, simulated: bool) -> str:
    """An annotator's name, which is data, and whether they are simulated, which is said."""
    called = named(name, simulated)
    return say(called) if is_message(called) else called


def warned(found: Iterable[AnnotatorWarning]) -> None:
    """Show the warnings about annotators."""
    lines = [f"- {plain(one.sentence)}" for one in found]
    if lines:
        text = "\n".join([*lines, "", plain(REMEDY)])
        st.warning(text, icon=":material/person_alert:")


def uncounted(found: Mapping[str, str]) -> None:
    """Show which annotators do not count, and why."""
    if found:
        each = (said("{person} is excluded: {why}.", person=p, why=why) for p, why in found.items())
        st.caption(plain(joined(" ", each)))
