"""Review of disagreements of a judge with annotators, their filters and next steps."""

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial

import pandas as pd
import streamlit as st

from concord.definitions import digest
from concord.grading import disagreement_causes
from concord.grading.adjudications import RUBRIC
from concord.grading.disagreement_causes import CAUSES
from concord.importing.readers import formula_escaping
from concord.language.grade_statuses import status_words
from concord.messages import Said, counted
from concord.model import Grader, Sheet
from concord.reports.disagreements import disagreements, sent_prompt
from concord.reports.disagreements.disagreements import (
    NO_TAG,
    TAGGED,
    UNTAGGED,
    Disagreement,
    DisagreementFilter,
    read_key,
)
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named
from concord.reports.panel.unit_words import criterion_of
from concord.reports.units.evidence import Part
from concord.reports.work_list import ANY
from concord.store import items
from concord.store.database import Row, Store
from concord.store.rubrics import rubric_versions
from concord.text.display import visible
from concord.ui import report_picker
from concord.ui.cached_reports import Report
from concord.ui.caching import kept, once
from concord.ui.components.review_list import Chosen, Decision, Kind, shown_text
from concord.ui.frame import offer_download, offer_download_choice
from concord.ui.language import language, plain, word
from concord.ui.markup import reason_of, safe_html
from concord.ui.sign_in import own_store
from concord.ui.widgets import pick_rubric, select, terms

_OWN = ("cell", "size", "cause")
_THEN = "this screen lists where a judge and annotators differ, worst first."


class DisagreementKind(Kind):
    """Scores of judges that differ from annotators', worst first; first those of the best judge."""

    name = "disagreements"
    title = "Disagreements"
    mark = "Disagreement"
    decisions = tuple(
        Decision(key, name, str(n)) for n, (key, name) in enumerate(CAUSES.items(), 1)
    )
    withdraw = "no cause"
    prompts = True
    params = _OWN

    def __init__(self, store: Store, sheet: Sheet):
        super().__init__(store, sheet)
        self._report, self._shown = None, {}
        graded = rubric_versions.graded(store, sheet.id)
        if not graded:
            return
        _, rubric = pick_rubric(store, graded)
        self._report = Report(store, sheet, rubric)
        self._panel = panel = self._report.panel
        self._ids = {label: judge for judge, label in panel.labels.items()}
        self.criterion, self.criteria = rubric.headings(), criteria(panel)
        self.judge = {
            label: named(label, panel.judges[i].simulated) for label, i in self._ids.items()
        }
        if not self.is_missing():
            self.first = {"criterion": rubric.heaviest().name, "judge": self._report.best()}

    @staticmethod
    def is_on(store: Store, sheet: Sheet) -> bool:
        """Return True where annotators and judges graded whole answers by one rubric."""
        rubrics = [
            rubric_versions.named(store, name)[1]
            for name in rubric_versions.graded(store, sheet.id)
        ]
        panels = (Report(store, sheet, rubric).panel for rubric in rubrics)
        return any(panel.annotators and panel.judges for panel in panels)

    def is_missing(self) -> bool:
        """Return True without a grade of an annotator, or of a judge."""
        return not (self._report and self._panel.annotators and self._panel.judges)

    def lead_on(self) -> None:
        """Lead to the grades that are missing."""
        if self._report is None:
            report_picker.no_grades(self._store, self._sheet, _THEN)
        else:
            report_picker.is_missing(self._store, self._report, _THEN)

    def own_filters(self, chosen: Chosen) -> bool:
        """Show who is left out, and the scores, their distance and the cause."""
        report_picker.show_left_out(self._panel.not_included)
        judge = self._ids.get(chosen.judge)
        scale = self._panel.rubric.scale
        cells = {
            f"{person}:{judged}": f"annotator {person}, judge {judged} ({n:,})"
            for person, judged, n in _error_cells(self._report, judge, chosen.criterion)
        }
        distances = sorted({b - a for a in scale for b in scale if b - a > 1})
        sizes = {str(size): f"{size} or more" for size in distances}
        causes = {UNTAGGED: "Not tagged yet", TAGGED: "Tagged", **CAUSES}
        cell, size, cause = (
            None if (one := select(label, name, {ANY: "Any", **options}, ANY, ANY)) == ANY else one
            for label, name, options in (
                ("Scores", "cell", cells),
                ("Points apart", "size", sizes),
                ("Cause", "cause", causes),
            )
        )
        self._wanted = DisagreementFilter(
            chosen.criterion,
            judge,
            tuple(map(int, cell.split(":"))) if cell else None,
            chosen.model,
            int(size) if size else None,
            cause,
        )
        return any((cell, size, cause))

    def narrow(self, chosen: Chosen) -> None:
        """Find the rows that pass, and the newest tag as of when the filters were set."""
        among = None if chosen.found is None else sorted(chosen.found)
        rubric, annotators = self._report.rubric.body(), map(str, self._panel.annotators)
        parts = (self._sheet.id, rubric, *annotators, *self._wanted, among)
        self._token = digest([str(part) for part in parts])
        newest = partial(disagreement_causes.newest, self._store)
        self._until = once("disagreements.until", (self._token,), newest)
        rows = disagreement_table(self._report, self._wanted._replace(cause=None))
        if among is not None:
            rows = rows[self._panel.items["id"].isin(among).to_numpy()[rows["item"]]]
        self._every = rows
        self.refresh(self._store)

    def refresh(self, store: Store) -> None:
        """Read the causes as they are now."""
        self._tags = disagreements.tags_of(store, self._sheet.id, self._panel.rubric)
        self.keys = self._listed(self._tags)["key"].tolist()

    def _listed(self, tags: disagreements.Tags) -> pd.DataFrame:
        return disagreements.with_cause(self._every, tags, self._wanted.cause, self._until)

    @property
    def token(self) -> str:
        """Changes with the filters."""
        return self._token

    def counted(self) -> Said:
        """Return the number of disagreements."""
        return counted(len(self.keys), "disagreement")

    def headline(self) -> tuple[str, str]:
        """Return how many disagreements there are, on how many answers, and of which judge."""
        panel, wanted = self._panel, self._wanted
        if not disagreements.is_compared(panel, wanted):
            return disagreements.NOT_COMPARED, panel.continuous_note(wanted.judge) or ""
        answers = counted(len({read_key(key).item_id for key in self.keys}), "answer")
        detail = f"On {answers}"
        if wanted.judge is not None:
            detail += f" · Judge: {self.judge[panel.labels[wanted.judge]]}"
        about = "any criterion"
        if wanted.criterion is not None:
            about = criterion_of(panel.rubric, wanted.criterion)
        return f"{self.counted()} with annotators on {about}", detail

    def item_ids(self, keys: Sequence[str]) -> Iterable[int]:
        """Return the answers."""
        return (read_key(key).item_id for key in keys)

    def entries(self, store: Store, keys: Sequence[str]) -> list[dict]:
        """Return disagreements with their tags; one whose grade was changed is left out."""
        found = disagreements.read(store, self._panel, [read_key(key) for key in keys])
        self._shown = {one.key.text(): one for one in found}
        return [self._entry(key, one) for key, one in self._shown.items()]

    def _entry(self, name: str, one: Disagreement) -> dict:
        """Return a disagreement with its newest tag; the list names what the filters leave open."""
        panel, wanted, item, key = self._panel, self._wanted, one.stored.item, one.key
        held = (self._tags.get(name) or [NO_TAG])[-1]
        judge = named(panel.labels[key.judge], bool(one.judge["simulated"]))
        about = [
            self.criterion[key.criterion] if wanted.criterion is None else "",
            judge if wanted.judge is None else "",
            item.answer_model,
        ]
        question = visible(item.question)
        return dict(
            id=name,
            row=question,
            about=" · ".join(filter(None, about)),
            marks=[
                {"text": str(key.person), "kind": "person", "title": "annotator"},
                {"text": str(key.said), "kind": "judge", "title": "judge"},
            ],
            model=item.answer_model or "",
            question=question,
            answer=answer_html(item.answer),
            scores=dict(
                criterion=key.criterion,
                person=key.person,
                said=key.said,
                judge=_side(one.judge) | {"name": judge},
                annotators=[_side(row) for row in one.annotators],
                others=[_side(row) for row in one.others],
            ),
            decision=held.cause,
            note=held.note,
            who=held.who,
        )

    def texts(self, store: Store, key: str, prompt: bool) -> dict:
        """Return reference, contexts, and the prompt where it is wanted."""
        one = self._shown[key]
        item = one.stored.item
        parts = [Part("Reference answer", text) for text in item.reference]
        parts += [Part(f"Context {one.rank}", one.text) for one in item.contexts]
        sent = sent_prompt.sent(store, self._panel, one) if prompt else None
        return {"parts": [shown_text(part) for part in parts], "prompt": sent}

    def decide(self, store: Store, key: str, decision: str, grader_id: int, note: str) -> None:
        """Tag the cause."""
        named = read_key(key)
        if named is not None:
            disagreements.tag(store, self._panel, named, decision, grader_id, note)

    def offer(self) -> None:
        """Offer the list as a file, with what reading it does."""
        if self.keys:
            name = f"{self._sheet.name}-{self._panel.rubric.name}-disagreements"
            offer_download(self._csv, f"{name}.csv", "text/csv")
            offer_download_choice(_what_it_is)

    def _csv(self) -> bytes:
        """Return the list with the causes as they are now."""
        with own_store() as store:
            tags = disagreements.tags_of(store, self._sheet.id, self._panel.rubric)
            made = disagreements.in_full(store, self._panel, self._listed(tags), tags)
        return formula_escaping.frame_csv(pd.DataFrame(made))

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show what was found, and what can be done about it."""
        counts = disagreements.counts(self._every, self._tags)
        st.markdown(plain(disagreements.sentence(counts, len(self._every))))
        here = self._shown.get(key)
        if self._wanted.judge is not None:
            judge = self._panel.labels[self._wanted.judge]
            query = {"judge": judge, "show": "Edit"}
            if here:
                query["item"] = str(items.number(store, here.stored))
            label = f"Change the prompt of {plain(judge)}"
            st.page_link("pages/judges.py", label=label, query_params=query)
        if name := self._wanted.criterion or (here.key.criterion if here else None):
            unclear = len(disagreements.noted(self._tags, name, RUBRIC))
            query = {"sheet": self._sheet.name, "rubric": self._panel.rubric.name, "edit": "1"}
            st.page_link(
                "pages/rubrics.py",
                label=f"Reword {plain(self.criterion[name])}: marked unclear in {unclear:,}",
                query_params={**query, "criterion": name},
            )
        terms("cause", "blind", "failing")


answer_html = lru_cache(maxsize=512)(safe_html)


def _side(row: Row) -> dict:
    return dict(
        name=named(row["name"], bool(row["simulated"])),
        score=row["score"],
        status=status_words(row["status"]),
        reason=reason_of(row["reason"]),
    )


def criteria(panel: Panel) -> dict[str, dict]:
    """Return the criteria of the rubric by name, in the language of the reader."""
    rubric = panel.rubric.in_language(language())
    found = {}
    for one in rubric.criteria:
        failing = rubric.failing(one)
        meanings = {level.score: level.meaning.strip() for level in one.levels}
        levels = [
            {"score": score, "meaning": meanings.get(score, ""), "fails": score in failing}
            for score in rubric.scale
        ]
        heading, question = word(one.heading()), one.question.strip()
        found[one.name] = {"title": heading, "question": question, "levels": levels}
    return found


def _what_it_is() -> None:
    st.caption("With judges' grades: whoever reads it is no longer blind to these answers.")


@kept("Looking for disagreements…", 12, shared=True)
def disagreement_table(report: Report, wanted: DisagreementFilter) -> pd.DataFrame:
    """Return the disagreements that pass the filters, worst first; cached, do not modify."""
    return disagreements.every(report.panel, wanted)


@kept()
def _error_cells(
    report: Report, judge: int | None, criterion: str | None
) -> list[tuple[int, int, int]]:
    return disagreements.cells(report.panel, judge, criterion)
