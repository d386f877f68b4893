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
from concord.messages import Said, counted, joined, said
from concord.model import Grader, Sheet
from concord.reports.disagreements import disagreements, sent_prompt
from concord.reports.disagreements.disagreement_list import (
    LIST,
    Scope,
    sentence,
)
from concord.reports.disagreements.disagreements import (
    NO_TAG,
    Disagreement,
    DisagreementFilter,
    Filtered,
    Key,
    NewestTag,
    Side,
    read_key,
)
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named
from concord.reports.panel.unit_words import criterion_of
from concord.reports.units.evidence import Part
from concord.rubrics.model import Criterion, Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.text.display import visible
from concord.ui import report_picker
from concord.ui.cached_reports import Report
from concord.ui.caching import kept, once
from concord.ui.components import review_list as data
from concord.ui.components.review_list import Decision, Source
from concord.ui.frame import offer_download, offer_download_choice
from concord.ui.language import language, plain, say, word
from concord.ui.looker import filters
from concord.ui.markup import reason_of, safe_html
from concord.ui.screens.regrade import after_change, left_behind
from concord.ui.screens.review import Chosen, Kind
from concord.ui.sign_in import own_store
from concord.ui.widgets import pick_rubric, terms

_NUMBERED = tuple(enumerate(CAUSES.items(), 1))


class Disagreements(Source):
    """The disagreements that pass the filters, worst first."""

    name = "disagreements"
    mark = said("Disagreement")
    decisions = tuple(Decision(key, name, str(n)) for n, (key, name) in _NUMBERED)
    withdraw = said("no cause")
    prompts = True

    def __init__(self, report: Report, found: Filtered, store: Store):
        self._report, self._found, self._panel = report, found, found.panel
        self._tags = disagreements.tags_of(store, found.panel)
        self._rows = disagreements.with_cause(
            found.panel, found.rows, self._tags, found.wanted.cause, found.until
        )
        self._why_not = disagreements.why_not_compared(found.panel, found.wanted)
        self._shown: dict[str, Disagreement] = {}
        self.token = found.token
        self.criteria = criteria(found.panel)

    def __len__(self) -> int:
        return len(self._rows)

    def place(self, key: str | None) -> int:
        """Return the index of a disagreement, else of the worst."""
        named = read_key(key or "")
        return (named and disagreements.place(self._panel, self._rows, named)) or 0

    def keys(self, begin: int, end: int) -> list[str]:
        """Return the keys of some rows, as a URL holds them."""
        return [one.text() for one in disagreements.keys(self._panel, self._rows.iloc[begin:end])]

    def item_ids(self, keys: Sequence[str]) -> Iterable[int]:
        """Return the answers."""
        return (read_key(key).item_id for key in keys)

    def entries(self, store: Store, keys: Sequence[str]) -> list[dict]:
        """Return disagreements with their tags; one whose grade was changed is left out."""
        found = disagreements.read(store, self._panel, [read_key(key) for key in keys])
        self._shown = {one.key.text(): one for one in found}
        wanted = self._found.wanted
        return [entry(self._panel, one, self._tags.get(one.key), wanted) for one in found]

    def texts(self, store: Store, key: str, prompt: bool) -> dict:
        """Return reference, contexts, and the prompt where it is wanted."""
        return texts(store, self._panel, self._shown[key], prompt)

    def decide(self, store: Store, key: str, decision: str, grader_id: int, note: str) -> None:
        """Tag the cause."""
        named = read_key(key)
        if named is not None:
            disagreements.tag(store, self._panel, named, decision, grader_id, note)

    def nothing(self) -> None:
        """Show why the list is empty: nothing passes the filters, or nothing can be compared."""
        if not self._why_not:
            super().nothing()
        elif not disagreements.why_not_compared(self._panel):
            st.caption(say("Remove a filter above, or choose another judge."))

    def offer(self) -> None:
        """Offer the list as a file."""
        if not self._why_not:
            offer_list(self._report, self._found)

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show what was found, what can be done about it, and what is not in the list."""
        rubric, wanted, rows = self._report.rubric, self._found.wanted, self._found.rows
        if not self._why_not:
            counts = disagreements.counts(self._panel, rows, self._tags)
            st.markdown(plain(sentence(counts, len(rows))))
            if wanted.judge is not None:
                judge = self._panel.labels[wanted.judge]
                label = f"Change the prompt of {plain(judge)}"
                st.page_link("pages/judges.py", label=label, query_params={"judge": judge})
            _reword(store, self._report, self._found, self._shown.get(key), self._tags)
        reworded = [wanted.criterion] if wanted.criterion else list(rubric.versions())
        left_behind(store, rubric, reworded)
        terms("cause", "blind", "failing")


answer_html = lru_cache(maxsize=512)(safe_html)


def entry(
    panel: Panel, one: Disagreement, tags: list[NewestTag] | None, wanted: DisagreementFilter
) -> dict:
    """Return a disagreement with its newest tag; the list names what the filters leave open."""
    item, key = one.stored.item, one.key
    held = tags[-1] if tags else NO_TAG
    judge = word(named(panel.labels[key.judge], one.judge.simulated))
    about = [
        word(panel.rubric.criterion(key.criterion).heading()) if wanted.criterion is None else "",
        judge if wanted.judge is None else "",
        item.answer_model,
    ]
    question = visible(item.question)
    return dict(
        id=key.text(),
        row=question,
        about=" · ".join(filter(None, about)),
        marks=[
            {"text": str(key.person), "kind": "person", "title": say("annotator")},
            {"text": str(key.said), "kind": "judge", "title": say("judge")},
        ],
        model=item.answer_model or "",
        question=question,
        answer=answer_html(item.answer),
        scores=dict(
            criterion=key.criterion,
            person=key.person,
            said=key.said,
            judge=_side(one.judge) | {"name": judge},
            annotators=[_side(side) for side in one.annotators],
            others=[_side(side) for side in one.others],
        ),
        decision=held.cause,
        note=held.note,
        who=held.who,
    )


def _side(side: Side) -> dict:
    return dict(
        name=word(named(side.name, side.simulated)),
        score=side.score,
        status=word(status_words(side.status)),
        reason=reason_of(side.reason),
    )


def texts(store: Store, panel: Panel, one: Disagreement, prompt: bool) -> dict:
    """Return reference and contexts of a disagreement, and the prompt where it is wanted."""
    item = one.stored.item
    parts = [Part(said("Reference answer"), text, ()) for text in item.reference]
    parts += [Part(said("Context {n}", n=one.rank), one.text, ()) for one in item.contexts]
    sent = sent_prompt.sent(store, panel, one) if prompt else None
    shown = sent and dict(messages=sent.messages, rest=sent.rest, source=word(sent.source))
    return {"parts": [data.shown_text(part) for part in parts], "prompt": shown}


def criteria(panel: Panel) -> dict[str, dict]:
    """Return the criteria of the rubric by name, in the language of the reader."""
    rubric = panel.rubric.in_language(language())
    return {criterion.name: _criterion(rubric, criterion) for criterion in rubric.criteria}


def _criterion(rubric: Rubric, criterion: Criterion) -> dict:
    failing = rubric.failing(criterion)
    meanings = {level.score: level.meaning.strip() for level in criterion.levels}
    levels = [
        {"score": score, "meaning": meanings.get(score, ""), "fails": score in failing}
        for score in rubric.scale
    ]
    heading, question = word(criterion.heading()), criterion.question.strip()
    return {"title": heading, "question": question, "levels": levels}


def _reword(
    store: Store,
    found: Report,
    listed: Filtered,
    here: Disagreement | None,
    tags: dict[Key, list[NewestTag]],
) -> None:
    """Show what was tagged unclear, the link to the editor, and the number of grades affected."""
    name = listed.wanted.criterion or (here.key.criterion if here else None)
    if name is None:
        return
    heading = plain(found.rubric.criterion(name).heading())
    notes = disagreements.noted(tags, name, RUBRIC)
    with st.expander(f"Reword {heading}: marked unclear in {len(notes):,}"):
        for one in notes:
            if one.note:
                st.markdown(f"- {plain(one.note)} ({plain(one.who)})")
        query = {"sheet": found.sheet.name, "rubric": found.rubric.name, "edit": "1"}
        st.page_link(
            "pages/rubrics.py",
            label=f"Reword {heading}",
            icon=":material/edit:",
            query_params={**query, "criterion": name},
        )
        after_change(store, found.rubric, name)


def offer_list(found: Report, listed: Filtered) -> None:
    """Add the list to the download menu, with what reading it does."""
    name = f"{found.sheet.name}-{found.rubric.name}-disagreements"
    offer_download(partial(_csv, listed), f"{name}.csv", "text/csv")
    offer_download_choice(_what_it_is)


def _what_it_is() -> None:
    st.caption("With judges' grades: whoever reads it is no longer blind to these answers.")


def _csv(listed: Filtered) -> bytes:
    """Return the list with the causes as they are now."""
    with own_store() as store:
        tags = disagreements.tags_of(store, listed.panel)
        rows = disagreements.with_cause(
            listed.panel, listed.rows, tags, listed.wanted.cause, listed.until
        )
        made = disagreements.in_full(store, listed.panel, rows, tags)
    return formula_escaping.frame_csv(pd.DataFrame(made))


_OWN = ("cell", "size", "cause")
_THEN = said("this screen lists where a judge and annotators differ, worst first.")


class DisagreementKind(Kind):
    """Scores of judges that differ from annotators'; first those of the best judge."""

    name = "disagreements"
    title = said("Disagreements")
    params = _OWN

    def __init__(self, store: Store, sheet: Sheet):
        self._store, self._sheet, self._report = store, sheet, None
        graded = rubric_versions.graded(store, sheet.id)
        if not graded:
            return
        _, rubric = pick_rubric(store, graded)
        self._report = Report(store, sheet, rubric)
        judges = self._report.panel.judges
        self._ids = {label: judge for judge, label in self._report.panel.labels.items()}
        self.criterion = rubric.headings()
        self.judge = {label: named(label, judges[i].simulated) for label, i in self._ids.items()}
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
        panel = self._report and self._report.panel
        return not (panel and panel.annotators and panel.judges)

    def lead_on(self) -> None:
        """Lead to the grades that are missing."""
        if self._report is None:
            report_picker.no_grades(self._store, self._sheet, _THEN)
        else:
            report_picker.is_missing(self._store, self._report, _THEN)

    def own_filters(self, chosen: Chosen) -> bool:
        """Show who is left out, and the scores, their distance and the cause."""
        report_picker.show_left_out(self._report.panel.not_included)
        shared = {"criterion": chosen.criterion, "answer_model": chosen.model}
        shared["judge"] = self._ids.get(chosen.judge)
        # Show the filters that are not among the shared ones; return all of them.
        scope = Scope(self._report.panel, partial(_error_cells, self._report))
        self._wanted = DisagreementFilter(**filters(LIST, scope, shared))
        return any(getattr(self._wanted, name) is not None for name in _OWN)

    def narrow(self, chosen: Chosen) -> None:
        """Find the rows that pass."""
        self._found = listed(self._store, self._report, self._wanted, chosen.found)
        self.total = len(self._found.rows)

    def source(self, store: Store) -> Disagreements:
        """Return the rows with their causes as they are now."""
        return Disagreements(self._report, self._found, store)

    def counted(self) -> Said:
        """Return the number of disagreements."""
        return counted(self.total, "disagreement")

    def headline(self) -> tuple[str, str]:
        """Return how many disagreements there are, on how many answers, and of which judge."""
        panel, wanted = self._found.panel, self._wanted
        why_not = disagreements.why_not_compared(panel, wanted)
        if why_not:
            return said("Nothing was compared"), why_not
        answers = counted(self._found.rows["item"].nunique(), "answer")
        detail = [said("On {answers}", answers=answers)]
        if wanted.judge is not None:
            detail.append(said("Judge: {judge}", judge=self.judge[panel.labels[wanted.judge]]))
        about = said("any criterion")
        if wanted.criterion is not None:
            about = criterion_of(self._report.rubric, wanted.criterion)
        total = self.counted()
        title = said("{total} with annotators on {about}", total=total, about=about)
        return title, joined(" · ", detail)


def listed(
    store: Store, report: Report, wanted: DisagreementFilter, found: set[int] | None
) -> Filtered:
    """Return the rows that pass the filters, with the tags as of when these were set.

    `found` are the answers that hold the words searched for; None for all.
    """
    among = None if found is None else sorted(found)
    annotators = map(str, report.panel.annotators)
    key = (report.sheet.id, report.rubric.body(), *annotators, *wanted, among)
    token = digest([str(part) for part in key])
    newest = partial(disagreement_causes.newest, store)
    until = once("disagreements.until", (token,), newest)
    rows = disagreement_table(report, wanted._replace(cause=None))
    if among is not None:
        rows = rows[report.panel.items["id"].isin(among).to_numpy()[rows["item"]]]
    return Filtered(report.panel, wanted, rows, token, until)


@kept(said("Looking for disagreements…"), 12, shared=True)
def disagreement_table(report: Report, wanted: DisagreementFilter) -> pd.DataFrame:
    """Return the disagreements that pass the filters, worst first; cached, do not modify."""
    return disagreements.every(report.panel, wanted)


@kept()
def _error_cells(
    report: Report, judge: int | None, criterion: str | None
) -> list[tuple[int, int, int]]:
    return disagreements.cells(report.panel, judge, criterion)
