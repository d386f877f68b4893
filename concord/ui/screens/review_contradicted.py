"""Review of claims that judges call contradicted, to confirm or overturn."""

from collections.abc import Iterable, Sequence

import streamlit as st

from concord.definitions import digest
from concord.messages import Said, counted, joined, said
from concord.model import Sheet
from concord.reports.panel.provenance import named
from concord.reports.units import contradicted_claims as contradicted
from concord.reports.units.contradicted_claims import LIST, RubricRefutations, label, passages
from concord.store import items
from concord.store.database import Store
from concord.store.units import unit_verdicts
from concord.store.units.unit_verdicts import CONFIRMED, OVERTURNED, Refutation
from concord.text.display import visible
from concord.ui.components import review_list as data
from concord.ui.components.review_list import Source
from concord.ui.language import plain, say, word
from concord.ui.markup import safe_html
from concord.ui.screens.review import Chosen, Kind
from concord.ui.widgets import TO_JUDGES, empty


class Refutations(Source):
    """The refutations of some rubrics of units, in their order and then oldest first.

    `every` are those of all answers: how precise a judge is does not depend on what is searched.
    """

    name = "contradicted"
    mark = said("Contradicted claim")
    prefix = "contradicted."
    decisions = (
        data.Decision(CONFIRMED, said("Confirmed: the judge is right"), "Y"),
        data.Decision(OVERTURNED, said("Overturned: the judge is wrong"), "X"),
    )
    withdraw = said("Withdraw")

    def __init__(
        self,
        found: Sequence[RubricRefutations],
        sheet_id: int,
        chosen: Chosen,
        every: Sequence[RubricRefutations],
    ):
        pairs = [(of_rubric, one) for of_rubric in found for one in of_rubric.listed]
        self.listed = LIST.of([one for _, one in pairs], ordered=False)  # a review moves none
        self._found = dict(zip(self.listed.keys, pairs, strict=True))
        self._every = {one.rubric.name: one for one in every}
        self._first = found[0].rubric
        self._is_of_some_answers = (chosen.model, chosen.found) != (None, None)
        self._is_narrowed = any(one is not None for one in chosen[1:])
        self._judges = len({one.judge_id for _, one in pairs})
        names = [one.rubric.name for one in found]
        self.token = digest(["contradicted", *names, *map(str, (sheet_id, *chosen))])

    def item_ids(self, keys: Sequence[str]) -> Iterable[int]:
        """Return the answers."""
        return (self._found[key][1].item_id for key in keys)

    def entries(self, store: Store, keys: Sequence[str]) -> list[dict]:
        """Return refutations with their reviews, and the answers they are of."""
        shown = [self._found[key] for key in keys]
        stored = items.items(store, [one.item_id for _, one in shown])
        answers = {one.id: one.item.answer for one in stored}
        several = self._judges > 1
        return [entry(found, one, answers[one.item_id], several) for found, one in shown]

    def texts(self, store: Store, key: str, prompt: bool) -> dict:
        """Return the texts that the judge saw, its quote marked."""
        found, one = self._found[key]
        parts = passages(store, one, found.rubric)
        return {"parts": [data.shown_text(part) for part in parts]}

    def decide(self, store: Store, key: str, decision: str, grader_id: int, note: str) -> None:
        """Store a review."""
        unit_verdicts.review_refutation(store, int(key), decision, grader_id, note)

    def nothing(self) -> None:
        """Show that there is nothing to review."""
        if self._is_narrowed:
            super().nothing()
        else:
            st.write(contradicted.NOTHING)

    def after(self, store: Store, key: str | None, grader) -> None:
        """Show how many were confirmed under the rubric of the current one, and its limits."""
        found = self._every[(self._found[key][0].rubric if key else self._first).name]
        figures = contradicted.precision(found.listed)
        if found.listed:
            of_all = "Over all answers: " if self._is_of_some_answers else ""
            st.markdown(of_all + plain(contradicted.headline(figures)))
        st.caption(plain(joined(" ", contradicted.notes(figures, found.closed))))


def entry(found: RubricRefutations, one: Refutation, answer: str, several: bool) -> dict:
    """Return a refutation with its review; `several` where the list is of several judges."""
    judge = word(named(one.judge, one.simulated))
    unit, about = visible(one.unit), judge if several else ""
    return dict(
        id=str(one.grade_id),
        row=unit,
        about=" · ".join(filter(None, (about, one.answer_model))),
        marks=[],
        model=one.answer_model or "",
        question=visible(one.question),
        answer=safe_html(answer),
        claim=dict(
            title=say("{judge} calls it contradicted", judge=judge),
            text=unit,
            judge=say("Reason given by {judge}", judge=judge),
            reason=visible(one.reason),
            others=[],
        ),
        decision=one.word,
        note=one.note,
        who=one.who,
    )


class ContradictedKind(Kind):
    """Judges' verdicts “contradicted”, oldest first, one rubric of units after the other."""

    name = "contradicted"
    title = said("Contradicted claims")

    def __init__(self, store: Store, sheet: Sheet):
        self._store, self._sheet = store, sheet
        self._rubrics = contradicted.rubrics(store, sheet)
        found = [contradicted.read(store, sheet, rubric) for rubric in self._rubrics]
        self.criterion = {rubric.name: rubric.title for rubric in self._rubrics}
        every = [one for of_rubric in found for one in of_rubric.listed]
        self.judge = {label(one): named(one.judge, one.simulated) for one in every}

    @staticmethod
    def is_on(store: Store, sheet: Sheet) -> bool:
        """Return True where units are graded that a judge may call contradicted."""
        return bool(contradicted.rubrics(store, sheet))

    def is_missing(self) -> bool:
        """Return True where no unit is graded."""
        return not self._rubrics

    def lead_on(self) -> None:
        """Lead to the judges that check claims."""
        empty(
            said("No judge has checked claims yet"),
            said("Run a metric judge; the claims it calls contradicted are listed here."),
            *TO_JUDGES,
        )

    def narrow(self, chosen: Chosen) -> None:
        """Keep the filters, and count what passes them."""
        self._chosen = chosen
        self.total = len(self.source(self._store))

    def source(self, store: Store) -> Refutations:
        """Return the verdicts with their reviews as they are now."""
        chosen = self._chosen
        rubrics = [one for one in self._rubrics if chosen.criterion in (None, one.name)]
        read = [contradicted.read(store, self._sheet, one, chosen.judge) for one in rubrics]
        narrowed = [_narrowed(one, chosen) for one in read]
        return Refutations(narrowed, self._sheet.id, chosen, read)

    def counted(self) -> Said:
        """Return the number of verdicts."""
        return counted(self.total, "“contradicted” verdict", "“contradicted” verdicts")

    def headline(self) -> tuple[str, str]:
        """Return the number of verdicts."""
        return self.counted(), ""


def _narrowed(found: RubricRefutations, chosen: Chosen) -> RubricRefutations:
    listed = (
        one
        for one in found.listed
        if chosen.model in (None, one.answer_model)
        and (chosen.found is None or one.item_id in chosen.found)
    )
    return found._replace(listed=tuple(listed))
