"""Review of claims that judges call contradicted, to confirm or overturn."""

from collections.abc import Iterable, Sequence

import streamlit as st

from concord.messages import Said, counted
from concord.model import Sheet
from concord.reports.panel.provenance import named
from concord.reports.units import contradicted_claims as contradicted
from concord.store import items
from concord.store.database import Store
from concord.store.units import unit_verdicts
from concord.store.units.unit_verdicts import CONFIRMED, OVERTURNED, Refutation
from concord.text.display import visible
from concord.ui.components.review_list import Chosen, Decision, Kind, shown_text
from concord.ui.language import plain
from concord.ui.markup import safe_html
from concord.ui.widgets import TO_JUDGES, empty


class ContradictedKind(Kind):
    """Judges' verdicts “contradicted”, oldest first, one rubric of units after the other."""

    name = "contradicted"
    title = "Contradicted claims"
    mark = "Contradicted claim"
    prefix = "contradicted."
    decisions = (
        Decision(CONFIRMED, "Confirmed: the judge is right", "Y"),
        Decision(OVERTURNED, "Overturned: the judge is wrong", "X"),
    )
    withdraw = "Withdraw"

    def __init__(self, store: Store, sheet: Sheet):
        super().__init__(store, sheet)
        self._rubrics = {one.name: one for one in contradicted.rubrics(store, sheet)}
        self._chosen = Chosen()
        self.refresh(store)
        self.criterion = {name: one.title for name, one in self._rubrics.items()}
        every = (one for _, one in self._found.values())
        self.judge = {contradicted.label(one): named(one.judge, one.simulated) for one in every}

    @staticmethod
    def is_on(store: Store, sheet: Sheet) -> bool:
        """Return True where units are graded that a judge may call contradicted."""
        return bool(contradicted.rubrics(store, sheet))

    def lead_on(self) -> None:
        """Lead to the judges that check claims."""
        empty(
            "No judge has checked claims yet",
            "Run a metric judge; the claims it calls contradicted are listed here.",
            *TO_JUDGES,
        )

    def narrow(self, chosen: Chosen) -> None:
        """Keep the filters, and find the verdicts that pass them."""
        self._chosen = chosen
        self.refresh(self._store)

    def refresh(self, store: Store) -> None:
        """Read the verdicts with their reviews as they are now; a review moves none."""
        chosen = self._chosen
        # Of all answers, too: how precise a judge is does not depend on what is searched.
        self._every = {
            name: contradicted.read(store, self._sheet, one, chosen.judge)
            for name, one in self._rubrics.items()
            if chosen.criterion in (None, name)
        }
        self._found = {
            str(one.grade_id): (name, one)
            for name, (those, _) in self._every.items()
            for one in those
            if chosen.passes(one.item_id, one.answer_model)
        }
        self.keys = [*self._found]

    def counted(self) -> Said:
        """Return the number of verdicts."""
        return counted(len(self.keys), "“contradicted” verdict", "“contradicted” verdicts")

    def place(self, key: str | None) -> int:
        """Return the index of a verdict, else of the first without a review."""
        undecided = (name for name, (_, one) in self._found.items() if not one.word)
        return super().place(key if key in self._found else next(undecided, None))

    def item_ids(self, keys: Sequence[str]) -> Iterable[int]:
        """Return the answers."""
        return (self._found[key][1].item_id for key in keys)

    def entries(self, store: Store, keys: Sequence[str]) -> list[dict]:
        """Return refutations with their reviews, and the answers they are of."""
        shown = [self._found[key][1] for key in keys]
        answers = {i.id: i.item.answer for i in items.items(store, [o.item_id for o in shown])}
        several = len({one.judge_id for _, one in self._found.values()}) > 1
        return [_entry(one, answers[one.item_id], several) for one in shown]

    def texts(self, store: Store, key: str, prompt: bool) -> dict:
        """Return the texts that the judge saw, its quote marked."""
        name, one = self._found[key]
        parts = contradicted.passages(store, one, self._rubrics[name])
        return {"parts": [shown_text(part) for part in parts]}

    def decide(self, store: Store, key: str, decision: str, grader_id: int, note: str) -> None:
        """Store a review."""
        unit_verdicts.review_refutation(store, int(key), decision, grader_id, note)

    def after(self, store: Store, key: str | None, grader) -> None:
        """Show how many were confirmed under the rubric of the current one, and its limits."""
        listed, closed = self._every[self._found[key][0] if key else next(iter(self._every))]
        figures = contradicted.precision(listed)
        if listed:
            narrowed = (self._chosen.model, self._chosen.found) != (None, None)
            of_all = "Over all answers: " if narrowed else ""
            st.markdown(of_all + plain(contradicted.headline(figures)))
        st.caption(plain(" ".join(contradicted.notes(figures, closed))))


def _entry(one: Refutation, answer: str, several: bool) -> dict:
    """Return a refutation with its review; `several` where the list is of several judges."""
    judge = named(one.judge, one.simulated)
    unit = visible(one.unit)
    return dict(
        id=str(one.grade_id),
        row=unit,
        about=" · ".join(filter(None, (judge if several else "", one.answer_model))),
        marks=[],
        model=one.answer_model or "",
        question=visible(one.question),
        answer=safe_html(answer),
        claim=dict(
            title=f"{judge} calls it contradicted",
            text=unit,
            judge=f"Reason given by {judge}",
            reason=visible(one.reason),
            others=[],
        ),
        decision=one.word,
        note=one.note,
        who=one.who,
    )
