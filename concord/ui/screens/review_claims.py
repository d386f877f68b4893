"""Review of claims and other units: which answers pass, their verdicts, values and lists."""

from collections.abc import Iterable, Sequence

import pandas as pd
import streamlit as st

from concord import metrics
from concord.messages import counted
from concord.metrics import title
from concord.metrics.prompts.unit_kinds import KINDS
from concord.model import ENTITIES, Grader, Item, Sheet
from concord.reports.metrics.metric_records import Readings, short
from concord.reports.panel.unit_words import noun
from concord.reports.units import answer_values, evidence
from concord.reports.units.evidence import MODEL, Evidence, Part
from concord.rubrics.model import Rubric
from concord.store import graders, items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from concord.store.units.units import Decomposition
from concord.text.display import visible
from concord.ui.cached_reports import readings
from concord.ui.caching import kept
from concord.ui.components.review_list import Chosen, Kind, shown_text
from concord.ui.language import plain
from concord.ui.markup import safe_html
from concord.ui.render import show_table
from concord.ui.screens.metrics import lead_on
from concord.ui.widgets import select


class ClaimsKind(Kind):
    """Answers with the units of one rubric, or with metric values alone; graders differ first.

    Of several rubrics only the first is listed until one is chosen: each list takes seconds.
    """

    name = "claims"
    title = "Claims and metrics"
    prefix = "claims."

    def __init__(self, store: Store, sheet: Sheet):
        super().__init__(store, sheet)
        self._found, self._by = readings(store, sheet), None
        names = judged(store, sheet)
        self._rubrics = {name: rubric_versions.named(store, name)[1] for name in names}
        self.criterion = {name: one.title or name for name, one in self._rubrics.items()}
        self.judge = short(one.judge for one in self._found.records)
        self.first = {"criterion": next(iter(names), None)}
        self.params = tuple(f"sorted.{name}" for name in names or ("-",) if self._found.records)
        self.mark = "Claims" if names else "Metrics"
        self._answers: dict[str, Item] = {}
        self._evidence: dict[str, Evidence] = {}

    @staticmethod
    def is_on(store: Store, sheet: Sheet) -> bool:
        """Return True where a unit was judged, or a metric computed."""
        return bool(rubric_versions.units_graded(store, sheet.id) or readings(store, sheet).records)

    def lead_on(self) -> None:
        """Lead to the judges that compute metrics."""
        lead_on()

    def own_filters(self, chosen: Chosen) -> bool:
        """Show the metric by which the answers are sorted, which restricts nothing."""
        self._rubric = self._rubrics.get(chosen.criterion or self.first["criterion"])
        self._by = pick_metric(self._found, self._rubric)
        return False

    def narrow(self, chosen: Chosen) -> None:
        """Find the answers that pass, and those that a judge measured."""
        found = self._found
        self._every, self._closed = listed(self._store, self._sheet, self._rubric, self._by, found)
        measured = {one.item_id for one in found.records if one.judge == chosen.judge}
        self._rows = self._every[
            [
                chosen.passes(item_id, model) and (chosen.judge is None or item_id in measured)
                for item_id, model in self._every[MODEL].items()
            ]
        ]
        self.keys = [*map(str, self._rows.index)]

    def counted(self) -> str:
        """Return the number of answers, and of which units."""
        units = noun(self._rubric.plural) if self._rubric else "metric values"
        return f"{counted(len(self.keys), 'answer')} with {units}"

    def headline(self) -> tuple[str, str]:
        """Return on how many answers graders differ."""
        rows, rubric = self._every, self._rubric
        if rubric is None:
            return self.counted(), ""
        answers, units = counted(len(rows), "answer"), noun(rubric.plural)
        if int(rows["graders"].max() or 0) < 2:
            title = f"One grader has judged the {units} of {answers}"
            return title, "Label them yourself, or run a second judge."
        differ = int((rows["differ"] > 0).sum())
        return f"Graders differ on {units} of {differ:,} of {answers}", ""

    def item_ids(self, keys: Sequence[str]) -> Iterable[int]:
        """Return the ids as numbers."""
        return map(int, keys)

    def entries(self, store: Store, keys: Sequence[str]) -> list[dict]:
        """Return answers, with on how many of their units graders differ, and the value."""
        self._answers = {str(one.id): one.item for one in items.items(store, [*map(int, keys)])}
        return [self._entry(key) for key in keys]

    def texts(self, store: Store, key: str, prompt: bool) -> dict:
        """Return the texts with the evidence marked, and the units with all verdicts."""
        if self._rubric is None:
            ranked = sorted(self._answers[key].contexts, key=lambda one: one.rank)
            parts = [Part(f"Context {one.rank}", one.text) for one in ranked]
            return {"parts": [shown_text(part) for part in parts]}
        self._evidence[key] = found = evidence.read(store, int(key), self._rubric)
        units = noun(self._rubric.plural)
        return dict(
            parts=[shown_text(part) for part in found.parts],
            units=found.units,
            nothing=f"There are no {units}." if found.cut else f"No search for {units} yet.",
        )

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show the values and the lists of the current answer, and what the list leaves out."""
        if key is not None:
            below(store, int(key), self._evidence.get(key), self._rubric, grader)
        if self._closed:
            st.caption(f"{self._closed:,} on held-out or few-shot questions are not shown.")

    def _entry(self, key: str) -> dict:
        row, item = self._rows.loc[int(key)], self._answers[key]
        value = "" if row["value"] != row["value"] else f"{row['value']:.3f}"
        differ = str(row["differ"]) if row["differ"] else ""
        question = visible(item.question)
        title = "Units on which graders differ"
        return dict(
            id=key,
            row=question,
            about=" · ".join(filter(None, (row["answer"], row[MODEL], value))),
            marks=[{"text": differ, "kind": "differ", "title": title}] if differ else [],
            model=item.answer_model or "",
            question=question,
            **({} if self._rubric else {"answer": safe_html(item.answer)}),
        )


def below(
    store: Store, item_id: int, whole: Evidence | None, rubric: Rubric | None, grader: Grader | None
) -> None:
    """Show values and lists of an answer, those of the rubric first; `whole` is under it."""
    found = answer_values.read(store, item_id)
    name = rubric.name if rubric else ""
    mine = [one for one in found if answer_values.rests_on(one.metric, name)]
    rest = [one for one in found if one not in mine]
    if whole:
        show_table(answer_values.table(store, mine), f"answer-{item_id}", in_full=True)
        if whole.cut:
            edit(store, whole.cut, grader)
    edit_others(store, item_id, rubric.units if rubric else "", grader)
    if rest:
        with st.expander(f"Other metric values of this answer ({len(rest)})", expanded=not rubric):
            table = answer_values.table(store, rest)
            show_table(table, f"answer-{item_id}-other", in_full=True)


_LINE, _LEAST, _MOST = 30, 120, 480
_SHARED = "One item per line; unchanged items keep their verdicts."
_NAMES = "Write other names of an entity after the first one, separated by |."


def edit(store: Store, cut: Decomposition, who: Grader | None, is_open: bool = False) -> None:
    """Show who made and approved a list, and for a named viewer the form that changes it."""
    if not evidence.can_be_edited(cut.kind):
        return
    head = f"The list of {plain(noun(KINDS[cut.kind].plural))}: edit, approve"
    with st.expander(head, expanded=is_open, icon=":material/edit_note:"):
        st.caption(plain(_made(store, cut)))
        st.markdown(f"{_SHARED} {_NAMES if cut.kind in ENTITIES else ''}")
        if who is None:
            st.info(plain(store.why_no_lead() or "Enter your name above to edit a list."))
            return
        if who.id not in cut.approved_by and st.button(
            "Approve list as is", key=f"evidence.approve.{cut.kind}", icon=":material/check:"
        ):
            units.approve(store, cut.id, who.id)
            st.rerun()
        _write(store, cut, who)


def _write(store: Store, cut: Decomposition, who: Grader) -> None:
    lines = evidence.as_lines(cut)
    height = min(_MOST, max(_LEAST, _LINE * (2 + lines.count("\n"))))
    text = st.text_area("One per line", lines, height=height, key=f"evidence.lines.{cut.id}")
    planned = evidence.plan(store, cut, text)
    if planned.is_none:
        return
    changes = f"{planned.changed} changed, {planned.added} added, {planned.removed} removed"
    st.warning(f"{changes}; {planned.lost:,} verdicts no longer count.")
    why = st.text_input("Reason, for later readers", key=f"evidence.why.{cut.id}")
    key = f"evidence.save.{cut.kind}"
    if st.button("Save the list", type="primary", key=key, icon=":material/save:"):
        made = units.edit(store, cut, planned.texts, who.id, why.strip())
        units.approve(store, made.id, who.id)
        st.rerun()


def _made(store: Store, cut: Decomposition) -> str:
    """Return who made the list, and who approved it."""
    maker = cut.decomposer_id
    by = "a rule" if maker is None else graders.get(store, maker).label()
    names = ", ".join(graders.get(store, one).name for one in cut.approved_by)
    return f"{'Edited' if cut.supersedes else 'Made'} by {by}; approved by {names or 'nobody'}."


def edit_others(store: Store, item_id: int, besides: str, who: Grader | None) -> None:
    """The other lists that metrics rest on, such as entities, one at a time."""
    lists = {one.kind: one for one in evidence.other_lists(store, item_id, besides)}
    if not lists:
        return
    names = {
        kind: f"{plain(noun(KINDS[kind].plural))} ({len(cut.units)})" for kind, cut in lists.items()
    }
    key = f"evidence.other.{besides}"
    chosen = st.pills("Other lists of this answer", [*lists], format_func=names.get, key=key)
    if chosen:
        edit(store, lists[chosen], who, is_open=True)


def judged(store: Store, sheet: Sheet) -> list[str]:
    """Return the rubrics of units by which something was judged, in the order of the metrics."""
    judged = rubric_versions.units_graded(store, sheet.id)
    order = [name for one in metrics.available().values() for name in one.rubrics]
    return sorted(judged, key=["claims-in-contexts", *order, *judged].index)


def pick_metric(found: Readings, rubric: Rubric | None) -> tuple[str, str] | None:
    """Show the picker of the value in the list; return its judge and its metric.

    Those that rest on the rubric come first, and those with a value before those without.
    """
    pairs = list(dict.fromkeys((one.judge, one.metric) for one in found.records))
    if not pairs:
        return None
    name = rubric.name if rubric else ""
    valued = {(one.judge, one.metric) for one in found.records if one.value is not None}
    pairs.sort(key=lambda pair: (not answer_values.rests_on(pair[1], name), pair not in valued))
    names = short(judge for judge, _ in pairs)
    options = {
        f"{metric} {judge}": title(metric) + (f" ({names[judge]})" if len(names) > 1 else "")
        for judge, metric in pairs
    }
    first = next(iter(options))
    chosen = select("Metric in the list", f"sorted.{name or '-'}", options, first, first)
    metric, judge = chosen.split(" ", 1)
    return judge, metric


@kept("Finding disagreements between graders…", 12)
def listed(
    store: Store,
    sheet: Sheet,
    rubric: Rubric | None,
    by: tuple[str, str] | None,
    _found: Readings,
) -> tuple[pd.DataFrame, int]:
    """Return the answers with units of a rubric or with a value, those to begin with first."""
    metric = metrics.available().get(by[1]) if by else None
    is_high = metric is not None and metric.better == "lower"
    return evidence.listed(store, sheet, _found, rubric, by, is_high)
