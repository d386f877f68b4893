"""Review: one list, one reader and one bar of filters over what differs, in three kinds.

`KINDS` has them in the order of the list: disagreements of judges with annotators, verdicts
“contradicted”, and answers with claims or metric values. The reader is `components/worklist`.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import groupby
from types import MappingProxyType

import pandas as pd
import streamlit as st

from concord import metrics
from concord.definitions import digest
from concord.grading import disagreement_causes
from concord.grading.disagreement_causes import CAUSES
from concord.importing.readers import formula_escaping
from concord.messages import Problem, counted
from concord.metrics.prompts.unit_kinds import KINDS as UNITS
from concord.model import Grader, Sheet, status_words
from concord.reports import disagreements
from concord.reports.disagreements import (
    NO_TAG,
    TAGGED,
    UNTAGGED,
    DisagreementFilter,
    read_key,
)
from concord.reports.metrics.metric_records import Readings
from concord.reports.panel.wording import named
from concord.reports.units import contradicted_claims, evidence
from concord.reports.units.evidence import rests_on
from concord.rubrics.model import FIRST, Rubric
from concord.store import graders, items
from concord.store.database import Row, Store
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts, units
from concord.store.units.unit_verdicts import CONFIRMED, OVERTURNED
from concord.store.units.units import Decomposition
from concord.text.display import visible
from concord.ui import reports
from concord.ui.actions import refusals
from concord.ui.caching import kept, once
from concord.ui.components.payload import (
    FOLDER,
    UNREADABLE,
    Message,
    Text,
    Whole,
    component,
    sent,
)
from concord.ui.frame import (
    address,
    filters,
    more_filters,
    offer_download,
    offer_download_choice,
    recall,
    remember,
)
from concord.ui.language import language, plain, word
from concord.ui.looker import opened
from concord.ui.markup import reason_of, safe_html
from concord.ui.render import show_table
from concord.ui.reports import Report, readings
from concord.ui.sign_in import own_store
from concord.ui.widgets import empty, finding, no_sheet, pick_rubric, pick_sheet, select, terms

ANY = "*"  # the choice of a filter that restricts nothing, in the URL
_THEN = "this screen lists where a judge and annotators differ, worst first."


class Kind:
    """The entries of one kind on a sheet.

    A kind has these methods. `is_on` tells whether a sheet has what entries are made of, and
    `own_filters` shows the filters that no other kind has and returns True where one restricts the
    list. `find` finds the entries that pass, with what was decided of them until now. `entries`
    returns some of them in full, without those that are no more, and `texts` the long texts of one
    that was read so. `decide` stores a decision, or raises a Problem. `after` shows below the
    reader what belongs to all of them, and to the current one.

    Attributes:
        name: The kind in the URL.
        title: What the screen calls it.
        prefix: What a key begins with.
        decisions: What can be decided of an entry (key, name, cap); without any it is only read.
        criteria: What entries are about: a name in the URL -> its words.
        judges: Whose grades they are: a label -> its words.
        first: The criterion and the judge to begin with where no other kind is shown.
        params: What its own filters are called in the URL.
        criterion: The one that is chosen; None for all.
        judge: The one that is chosen, by label; None for all.
        among: The answers that the other filters let pass.
        keys: The entries that pass all filters, in order, each with its answer.
        counted: How many they are, as in “35 disagreements”.
        headline: What they say.
        begin: The index of the one to begin with.
        meanings: What the scores of an entry mean, by criterion.
    """

    prefix = ""
    decisions = params = ()
    first = judges = meanings = MappingProxyType({})
    criterion = judge = None
    among = frozenset()
    begin = 0

    def own_filters(self) -> bool:
        """Show no filters."""
        return False


class Disagreements(Kind):
    """Scores of judges that differ from annotators', worst first; first those of the best judge."""

    name, title = "disagreements", "Disagreements"
    decisions = tuple(
        {"key": key, "name": words, "cap": str(n)}
        for n, (key, words) in enumerate(CAUSES.items(), 1)
    )
    params = ("cell", "cause")

    @staticmethod
    def is_on(store: Store, sheet: Sheet) -> dict[str, Report]:
        """Return by rubric of whole answers those by which annotators and judges graded."""
        graded = rubric_versions.graded(store, sheet.id)
        every = {one: Report(store, sheet, rubric_versions.named(store, one)[1]) for one in graded}
        return {k: one for k, one in every.items() if one.panel.annotators and one.panel.judges}

    def __init__(self, store: Store, sheet: Sheet):
        reports = self.is_on(store, sheet)
        self.report = reports[pick_rubric(store, [*reports])[1].name]
        self.panel = panel = self.report.panel
        self.criteria = panel.rubric.headings()
        self.judges = {
            label: named(label, panel.judges[i].simulated) for i, label in panel.labels.items()
        }
        self.first = {"criterion": panel.rubric.heaviest().name, "judge": self.report.best()}
        rubric = panel.rubric.in_language(language())
        self.meanings = {
            one.name: {
                "title": word(one.heading()),
                "question": one.question,
                "scale": rubric.scale,
                "meanings": {level.score: level.meaning for level in one.levels},
                "failing": [*rubric.failing(one)],
            }
            for one in rubric.criteria
        }

    def own_filters(self) -> bool:
        """Show who is left out, and the filters for scores and cause."""
        reports.show_left_out(self.panel.not_included)
        scale = self.panel.rubric.scale
        cells = {f"{a}:{b}": f"annotator {a}, judge {b}" for a in scale for b in scale if a != b}
        cell = _any("Scores", "cell", cells)
        causes = {UNTAGGED: "Not tagged yet", TAGGED: "Tagged", **CAUSES}
        self.cause = _any("Cause", "cause", causes)
        self.wanted = DisagreementFilter(
            self.criterion,
            self.report.judge_id(self.judge) if self.judge else None,
            tuple(map(int, cell.split(":"))) if cell else None,
        )
        return bool(cell or self.cause)

    def find(self, store: Store) -> None:
        """Find the rows that pass, by the causes as of when the filters were set."""
        panel = self.panel
        rows = _disagreement_table(self.report, self.wanted)
        self.rows = rows[rows["id"].isin(self.among)]
        self.tags = disagreements.tags_of(store, panel.sheet.id, panel.rubric)
        of_filters = panel.sheet.id, panel.rubric.body(), self.wanted, self.cause, self.among
        until = once("review.until", of_filters, partial(disagreement_causes.newest, store))
        self.listed = disagreements.with_cause(self.rows, self.tags, self.cause, until)
        self.keys = dict(zip(self.listed["key"], map(int, self.listed["id"]), strict=True))
        self.counted = counted(len(self.keys), "disagreement")
        is_compared = disagreements.is_compared(panel, self.wanted)
        self.headline = self.counted if is_compared else disagreements.NOT_COMPARED
        offer_download(self._csv, f"{panel.sheet.name}-disagreements.csv", "text/csv")
        warning = "With judges' grades: whoever reads it is no longer blind to these answers."
        offer_download_choice(lambda: st.caption(warning))

    def _csv(self) -> bytes:
        with own_store() as store:
            made = disagreements.in_full(store, self.panel, self.listed, self.tags)
        return formula_escaping.frame_csv(pd.DataFrame(made))

    def entries(self, store: Store, keys: Sequence[str]) -> list[dict]:
        """Return disagreements with their newest tags; the list names what filters leave open."""
        found = disagreements.read(store, self.panel, [*map(read_key, keys)])
        self.shown = {one.key.text(): one for one in found}
        made = []
        for name, one in self.shown.items():
            key, tag = one.key, (self.tags.get(name) or [NO_TAG])[-1]
            judge = self.judges[self.panel.labels[key.judge]]
            about = [
                "" if self.criterion else self.criteria[key.criterion],
                "" if self.judge else judge,
            ]
            scores = {
                **key._asdict(),
                "judge": _side(one.judge) | {"name": judge},
                "annotators": [*map(_side, one.annotators)],
                "others": [*map(_side, one.others)],
            }
            tagged = {"decision": tag.cause, "note": tag.note, "who": tag.who}
            made.append({"id": name, "about": about, "scores": scores, **tagged})
        return made

    def texts(self, store: Store, key: str, prompt: bool) -> dict:
        """Return reference, contexts, and the prompt where it is wanted."""
        one = self.shown[key]
        asked = disagreements.sent(store, self.panel, one) if prompt else None
        return {"parts": evidence.side_texts(one.stored.item), "prompt": asked}

    def decide(self, store: Store, press: "Press") -> None:
        """Tag the cause."""
        key, what = read_key(press.id), (press.decision, press.grader, press.note)
        disagreements.tag(store, self.panel, key, *what)

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show what was found, and what can be done about it."""
        found = disagreements.counts(self.rows, self.tags)
        left_out = self.panel.continuous_note(self.wanted.judge) or ""
        st.markdown(plain(f"{disagreements.sentence(found, len(self.rows))} {left_out}"))
        here = self.shown[key] if key else None
        if self.judge:
            query = {"judge": self.judge, "show": "Edit"}
            if here:
                query["item"] = str(items.number(store, here.stored))
            st.page_link("pages/judges.py", label="Change the prompt", query_params=query)
        if name := self.criterion or (here and here.key.criterion):
            query = {"rubric": self.panel.rubric.name, "edit": "1", "criterion": name}
            query["sheet"] = self.panel.sheet.name
            st.page_link("pages/rubrics.py", label="Reword the criterion", query_params=query)
        terms("cause", "blind", "failing")


def _side(row: Row) -> dict:
    return {
        "name": named(row["name"], bool(row["simulated"])),
        "score": row["score"],
        "status": status_words(row["status"]),
        "reason": reason_of(row["reason"]),
    }


@kept("Looking for disagreements…", 12, shared=True)
def _disagreement_table(report: Report, wanted: DisagreementFilter) -> pd.DataFrame:
    """Return the disagreements that pass the filters, worst first; cached, do not modify."""
    return disagreements.every(report.panel, wanted)


class Contradicted(Kind):
    """Judges' verdicts “contradicted”, oldest first, one rubric of units after the other."""

    name, title = "contradicted", "Contradicted claims"
    prefix = "contradicted."
    decisions = (
        {"key": CONFIRMED, "name": "Confirmed: the judge is right", "cap": "Y"},
        {"key": OVERTURNED, "name": "Overturned: the judge is wrong", "cap": "X"},
    )
    is_on = staticmethod(contradicted_claims.rubrics)

    def __init__(self, store: Store, sheet: Sheet):
        self.sheet = sheet
        self.rubrics = {one.name: one for one in contradicted_claims.rubrics(store, sheet)}
        self.criteria = {name: one.title for name, one in self.rubrics.items()}
        self.find(store)
        every = (one for those, _ in self.every.values() for one in those)
        self.judges = {
            contradicted_claims.label(one): named(one.judge, one.simulated) for one in every
        }

    def find(self, store: Store) -> None:
        """Find the verdicts that pass; a review moves none."""
        # Of all answers, too: how precise a judge is does not depend on what is searched.
        self.every = {
            name: contradicted_claims.read(store, self.sheet, one, self.judge)
            for name, one in self.rubrics.items()
            if self.criterion in (None, name)
        }
        self.found = {
            f"{self.prefix}{one.grade_id}": (name, one)
            for name, (those, _) in self.every.items()
            for one in those
            if one.item_id in self.among
        }
        self.keys = {key: one.item_id for key, (_, one) in self.found.items()}
        verdict = "“contradicted” verdict"
        self.headline = self.counted = counted(len(self.keys), verdict, f"{verdict}s")
        self.begin = next((n for n, (_, one) in enumerate(self.found.values()) if not one.word), 0)

    def entries(self, store: Store, keys: Sequence[str]) -> list[dict]:
        """Return verdicts with their reviews."""
        made = []
        for key in keys:
            one = self.found[key][1]
            judge = named(one.judge, one.simulated)
            claim = {"judge": judge, "reason": visible(one.reason)}
            shown = {"id": key, "row": visible(one.unit), "about": [judge], "claim": claim}
            made.append(shown | {"decision": one.word, "note": one.note, "who": one.who})
        return made

    def texts(self, store: Store, key: str, prompt: bool) -> dict:
        """Return the texts that the judge saw, its quote marked."""
        name, one = self.found[key]
        return {"parts": contradicted_claims.passages(store, one, self.rubrics[name])}

    def decide(self, store: Store, press: "Press") -> None:
        """Store a review."""
        grade_id = int(press.id.removeprefix(self.prefix))
        unit_verdicts.review_refutation(store, grade_id, press.decision, press.grader, press.note)

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show how many were confirmed under the rubric of the current one, and its limits."""
        listed, closed = self.every[self.found[key][0] if key else next(iter(self.every))]
        figures = contradicted_claims.precision(listed)
        st.markdown("Over all answers: " + plain(contradicted_claims.headline(figures)))
        st.caption(plain(" ".join(contradicted_claims.notes(figures, closed))))


class Claims(Kind):
    """Answers with the units of one rubric, or with metric values alone; graders differ first.

    Of several rubrics only the first is listed until one is chosen: each list takes seconds.
    """

    name, title = "claims", "Claims and metrics"
    prefix = "claims."

    @staticmethod
    def is_on(store: Store, sheet: Sheet) -> Sequence:
        """Return the rubrics by which units were judged, or else the metric values."""
        return rubric_versions.units_graded(store, sheet.id) or readings(store, sheet).records

    def __init__(self, store: Store, sheet: Sheet):
        self.sheet, self.readings = sheet, readings(store, sheet)
        graded = rubric_versions.units_graded(store, sheet.id)
        order = [name for one in metrics.available().values() for name in one.rubrics]
        graded.sort(key=["claims-in-contexts", *order, *graded].index)
        self.rubrics = {name: rubric_versions.named(store, name)[1] for name in graded}
        self.criteria = {name: one.title for name, one in self.rubrics.items()}
        self.first = {"criterion": next(iter(graded), None)}

    def own_filters(self) -> bool:
        """Show none; the list has the value of the URL's metric, or of one on the units."""
        self.rubric = self.rubrics.get(self.criterion or self.first["criterion"])
        self.under = self.rubric.name if self.rubric else ""
        valued = {(one.metric, one.judge) for one in self.readings.records if one.value is not None}
        found = sorted(valued, key=lambda one: (not rests_on(one[0], self.under), one))
        options, wanted = [" ".join(one) for one in found], recall("sorted")
        self.by = wanted if wanted in options else next(iter(options), None)
        return False

    def find(self, store: Store) -> None:
        """Find the answers that pass."""
        self.rows, _ = _answers(store, self.sheet, self.rubric, self.by, self.readings)
        self.keys = {f"{self.prefix}{one}": one for one in self.rows.index if one in self.among}
        what = self.rubric.plural if self.rubric else "metric values"
        self.headline = self.counted = f"{counted(len(self.keys), 'answer')} with {what}"

    def entries(self, store: Store, keys: Sequence[str]) -> list[dict]:
        """Return answers, with on how many of their units graders differ, and the value."""
        made = []
        for key in keys:
            row = self.rows.loc[self.keys[key]]
            about = [row["answer"], "" if pd.isna(row["value"]) else f"{row['value']:.3f}"]
            entry = {"id": key, "about": about, "differ": int(row["differ"])}
            made.append(entry | {"answer": None} if self.rubric else entry)
        return made

    def texts(self, store: Store, key: str, prompt: bool) -> dict:
        """Return the texts with the evidence marked, and the units with all verdicts."""
        item_id = self.keys[key]
        if self.rubric is None:
            return {"parts": evidence.side_texts(items.item(store, item_id).item)}
        found = evidence.read(store, item_id, self.rubric)
        nothing = "There are none." if found.cut else "Not searched yet."
        return {"parts": found.parts, "units": found.units, "nothing": nothing}

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show the values and the lists of the current answer, and what the list leaves out."""
        if key:
            values = evidence.metric_values_of(store, self.keys[key])
            values.sort(key=lambda one: not rests_on(one.metric, self.under))
            show_table(evidence.values_table(values), key)
            for cut in evidence.lists(store, self.keys[key]):
                _edit_list(store, cut, grader)


@kept("Finding disagreements between graders…", 12)
def _answers(
    store: Store, sheet: Sheet, rubric: Rubric | None, by: str | None, _found: Readings
) -> tuple[pd.DataFrame, int]:
    """Return the answers with units of a rubric or with a value, those to begin with first."""
    return evidence.listed(store, sheet, _found, rubric, by)


def _edit_list(store: Store, cut: Decomposition, who: Grader | None) -> None:
    """Show who made and approved a list of units, and for a named viewer the form to change it."""
    title = "Edit or approve the " + plain(UNITS[cut.kind].plural)
    with st.expander(title, icon=":material/edit_note:"):
        names = ", ".join(graders.get(store, one).name for one in cut.approved_by) or "nobody"
        st.caption(plain("Approved by " + names))
        if who is None:
            st.info("Enter your name at the top to edit it.")
            return
        key = f"evidence.approve.{cut.kind}"
        if who.id not in cut.approved_by and st.button("Approve list as is", key=key):
            units.approve(store, cut.id, who.id)
            st.rerun()
        label = "One per line, other names after |; unchanged items keep their verdicts"
        text = st.text_area(label, evidence.as_lines(cut), key=f"evidence.lines.{cut.id}")
        planned, lost = evidence.plan(store, cut, text)
        if planned == [(unit.id, unit.text) for unit in cut.units]:
            return
        st.warning("Verdicts that will no longer count: " + str(lost))
        if st.button("Save the list", type="primary", key=f"evidence.save.{cut.kind}"):
            new = units.edit(store, cut, planned, who.id)
            units.approve(store, new.id, who.id)
            st.rerun()


KINDS = (Disagreements, Contradicted, Claims)


def pick(store: Store, title) -> list[Kind] | None:
    """Show filters and headline; return the kinds that pass, None where there is nothing yet."""
    sheet = pick_sheet(store)
    if sheet is None:
        no_sheet("annotators and judges grade them, and " + _THEN)
        return None
    on = [one for one in KINDS if one.is_on(store, sheet)]
    if not on:
        _, rubric = pick_rubric(store, rubric_versions.graded(store, sheet.id) or [FIRST])
        reports.is_missing(Report(store, sheet, rubric), _THEN)
        return None
    with filters():
        kinds = [kind(store, sheet) for kind in (_pick_kinds(on) if len(on) > 1 else on)]
    kinds = _narrow(store, sheet, kinds)
    counts = ", ".join(one.counted for one in kinds) or "This list is empty"
    with title:
        finding(kinds[0].headline if len(kinds) == 1 else counts)
    return kinds


def _pick_kinds(kinds: Sequence[type[Kind]]) -> Sequence[type[Kind]]:
    """Return the kind that is chosen, or all; disagreements to begin with where there are any."""
    titles = {"all": "All"} | {one.name: one.title for one in kinds}
    first = kinds[0].name if kinds[0] is KINDS[0] else "all"
    before = recall("list") or first
    chosen = select("Show", "list", titles, first, first)
    if chosen != before:  # what another kind began with would leave out all of these
        for name in ("criterion", "judge"):
            address(name, ANY if chosen == "all" else None)
    return [one for one in kinds if chosen in ("all", one.name)]


def _narrow(store: Store, sheet: Sheet, kinds: list[Kind]) -> list[Kind]:
    """Return the kinds with entries that all filters may let pass.

    What a filter says nothing of is left out where it is set.
    """
    with filters():
        criterion = _pick("criterion", [one.criteria for one in kinds], kinds[0])
        judge = _pick("judge", [one.judges for one in kinds], kinds[0])
        words = st.text_input(
            "Search",
            recall("words") or "",
            placeholder="question, answer or id",
            key=f"review.words.{sheet.id}",
        ).strip()
        remember(words=words or None)
    kinds = [
        one for one in kinds if criterion in (None, *one.criteria) and judge in (None, *one.judges)
    ]
    # Eight filters have no room beside one another on a laptop.
    with more_filters("answer_model", *(param for one in kinds for param in one.params)):
        models = {one: one for one in sorted({*_models(store, sheet, "").values()}) if one}
        model = _any("Answers by", "answer_model", models)
        found = _models(store, sheet, words).items()
        for one in kinds:
            one.criterion, one.judge = criterion, judge
            one.among = {item_id for item_id, by in found if model in (None, by)}
        kinds = [one for one in kinds if one.own_filters()] or kinds
    for one in kinds:
        one.find(store)
    return kinds


def _pick(name: str, options: Sequence[Mapping[str, str]], first: Kind) -> str | None:
    """Return a criterion or a judge of any kind; None for all."""
    every = {key: words for those in options for key, words in those.items()}
    if not every:
        return None
    start = first.first.get(name) if len(options) == 1 else None
    if not start or first.decisions:
        every = {ANY: "All", **every}
    chosen = select(name.capitalize(), name, every, start or ANY)
    return None if chosen == ANY else chosen


def _any(label: str, name: str, options: Mapping[str, str]) -> str | None:
    """Return what is chosen of some options; None for all of them."""
    chosen = select(label, name, {ANY: "All", **options}, ANY, ANY)
    return None if chosen == ANY else chosen


@kept("Searching…", 12, shared=True)
def _models(store: Store, sheet: Sheet, words: str) -> dict[int, str]:
    """Return the answering model of each answer that holds some words; not to be changed."""
    names = items.item_names(store, sheet.id)
    found = items.matching(store, sheet.id, words) if words else names
    return {item_id: names[item_id][-1] for item_id in found}


_ROOM = """<style>
[data-stale="true"] { opacity: 1 !important; }
:root { --worklist-height: max(31rem, calc(100dvh - 20rem)); }
[data-testid="stMainBlockContainer"] { padding: .4rem 2rem 2rem; max-width: 110rem; }
@media (max-width: 640px) {
  :root { --worklist-height: max(38rem, calc(100dvh - 4.5rem)); }
  [data-testid="stMainBlockContainer"] { padding: 4.4rem .7rem 2rem; }
}
</style>"""
SIZE = 20  # entries on a page
NAME = "review"
# In the session: the newest batch read, the newest press stored, and a problem.
_REPLY, _NONE_YET = f"{NAME}.reply", {"heard": 0, "done": 0, "problem": ""}
_SHARED = ("say", "grading_pane/dom", "grading_pane/keys")
_OWN = ("worklist/list", "worklist/units", "worklist/entry", "worklist/worklist")
_component = component(
    NAME,
    "worklist/worklist.html",
    ("grading_pane/pane.css", "worklist/worklist.css"),
    tuple(FOLDER / f"{name}.js" for name in (*_SHARED, *_OWN)),
)
_html = lru_cache(maxsize=512)(safe_html)


class Press(Message):
    """A decision on an entry ('' withdraws it) with a note, by a grader, as the n-th press."""

    n: Whole
    id: Text
    decision: Text
    note: Text
    grader: Whole


class Batch(Message):
    """The list a message is about, the reader's position in it, and presses not stored yet."""

    token: Text = ""
    at: Text | None = None
    page: Whole | None = None
    prompt: bool = False
    presses: Sequence[Press] = ()


@st.fragment
def work(kinds: Sequence[Kind], grader: Grader | None) -> None:
    """The reader and everything that changes with it; what was decided is read as it is now."""
    st.html(_ROOM)
    with refusals(), own_store() as store:
        for kind in kinds:
            if kind.decisions:
                kind.find(store)
        listed = {key: one for one in kinds for key in one.keys}
        key = read(store, kinds, listed, grader) if listed else None
        if not listed:
            empty("This list is empty", "Remove a filter above, or choose another judge.")
        if kinds:
            listed.get(key, kinds[0]).after(store, key, grader)


def read(
    store: Store, kinds: Sequence[Kind], listed: Mapping[str, Kind], grader: Grader | None
) -> str | None:
    """Show the list and its reader; return the current entry, None where all of a page are gone.

    `listed` has the kind of each entry, in order.
    """
    keys = [*listed]
    batch, token = sent(NAME, Batch), digest(keys)
    if batch is None or batch.token != token:  # about another list
        batch = Batch(at=recall("entry"))
    at = batch.at
    place = keys.index(at) if at in listed else listed[keys[0]].begin
    page = min(batch.page or place // SIZE + 1, items.pages(len(keys), SIZE))
    keys = keys[(page - 1) * SIZE : page * SIZE]
    if not batch.page:
        at = keys[place % SIZE]
    elif at == "last":
        at = keys[-1]
    item_ids = {listed[key].keys[key] for key in keys}
    opened(store, item_ids, grader)
    answers = {one.id: one.item for one in items.items(store, [*item_ids])}
    shown = []
    for kind, own in groupby(keys, listed.get):
        for entry in kind.entries(store, [*own]):
            item = answers[kind.keys[entry["id"]]]
            entry = {"question": visible(item.question), "answer": _html(item.answer), **entry}
            shown.append({"kind": kind.name, "model": item.answer_model, **entry})
    keys = [one["id"] for one in shown]
    place = keys.index(at) if at in keys else 0
    here = keys[place] if keys else None
    more = {}
    for key in keys[max(0, place - 1) : place + 2]:
        texts = listed[key].texts(store, key, batch.prompt and key == here)
        texts["parts"] = [
            {"name": one.name, "segments": evidence.segments(one)} for one in texts["parts"]
        ]
        more[key] = texts
    _component(
        key=NAME,
        data={
            "token": token,
            "page": page,
            "size": SIZE,
            "total": len(listed),
            "at": here,
            "entries": shown,
            "more": more,
            "criteria": dict(kinds[0].meanings),
            "kinds": {one.name: {"title": one.title, "decisions": one.decisions} for one in kinds},
            "who": grader.name if grader else "",
            "locked": word(store.why_no_lead() or ""),
            "grader_id": grader.id if grader else None,
            **st.session_state.get(_REPLY, _NONE_YET),
        },
        default={"batch": None},
        on_batch_change=lambda: save(kinds),
    )
    return here


def save(kinds: Sequence[Kind]) -> None:
    """Put what the browser sent on disk, and note what became of it for the next data."""
    batch = sent(NAME, Batch)
    reply = st.session_state.get(_REPLY, _NONE_YET) | {
        "heard": batch.seq if batch else 0,
        "problem": "",
    }
    try:
        if batch is None:
            raise Problem(UNREADABLE)
        with own_store() as store:
            for press in sorted(batch.presses, key=lambda press: press.n):
                if press.n > reply["done"]:
                    reply["problem"] = _decide(store, kinds, press) or reply["problem"]
                    reply["done"] = press.n
    except Problem as problem:
        reply["problem"] = word(str(problem))
    st.session_state[_REPLY] = reply


def _decide(store: Store, kinds: Sequence[Kind], press: Press) -> str:
    """Keep one press; return why it could not be kept, '' where it was."""
    for kind in reversed(kinds):  # keys of the first have no prefix
        if press.id.startswith(kind.prefix):
            try:
                kind.decide(store, press)
            except Problem as problem:
                return str(problem)
            return ""
    return word(UNREADABLE)
