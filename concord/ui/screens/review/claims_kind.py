"""The answers of a sheet whose claims or other units were judged: their filters, and which pass."""

from concord.messages import Said, counted, said
from concord.model import Sheet
from concord.reports.metrics.metric_records import short
from concord.reports.panel.unit_words import noun
from concord.reports.units import evidence_list
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.cached_metrics import readings
from concord.ui.screens.metrics import no_metrics
from concord.ui.screens.review.claims import Answers
from concord.ui.screens.review.claims_pick import judged, listed, pick_metric
from concord.ui.screens.review.kinds import Chosen, Kind


class ClaimsKind(Kind):
    """Answers with the units of one rubric, or with metric values alone; graders differ first."""

    name = "claims"
    title = said("Claims and metrics")
    is_read = True

    def __init__(self, store: Store, sheet: Sheet):
        self._store, self._sheet = store, sheet
        self._found, self._by = readings(store, sheet), None
        names = judged(store, sheet)
        self._rubrics = {name: rubric_versions.named(store, name)[1] for name in names}
        self.criterion = {name: one.title or name for name, one in self._rubrics.items()}
        self.judge = short(one.judge for one in self._found.records)
        self.first = {"criterion": next(iter(names), None)}
        self.params = tuple(f"sorted.{name}" for name in names or ("-",) if self._found.records)

    @staticmethod
    def is_on(store: Store, sheet: Sheet) -> bool:
        """Return True where a unit was judged, or a metric computed."""
        return bool(rubric_versions.units_graded(store, sheet.id) or readings(store, sheet).records)

    def is_missing(self) -> bool:
        """Return True where there is neither a verdict on a unit nor a number."""
        return not (self._rubrics or self._found.records)

    def lead_on(self) -> None:
        """Lead to the judges that compute metrics."""
        no_metrics.lead_on()

    def own_filters(self, chosen: Chosen) -> bool:
        """Show the metric by which the answers are sorted, which restricts nothing."""
        self._by = pick_metric(self._found, self._of(chosen))
        return False

    def narrow(self, chosen: Chosen) -> None:
        """Find the answers that pass, and those that a judge measured."""
        self._rubric = self._of(chosen)
        self._is_one_of_several = chosen.criterion is None and len(self._rubrics) > 1
        self._every = listed(self._store, self._sheet, self._rubric, self._by, self._found)
        found = chosen.found
        if chosen.judge is not None:
            measured = {one.item_id for one in self._found.records if one.judge == chosen.judge}
            found = measured if found is None else measured & found
        self._listed = evidence_list.narrowed(self._every, chosen.model, found)
        self.total = len(self._listed.rows)

    def source(self, store: Store) -> Answers:
        """Return the answers."""
        return Answers(self._sheet, self._rubric, self._by, self._listed, len(self._every.rows))

    def counted(self) -> Said:
        """Return the number of answers, and of which units where there are others.

        Of several rubrics only the first is listed until one is chosen: each list takes seconds.
        """
        answers = counted(self.total, "answer")
        if self._is_one_of_several:
            return said(
                "{answers} with units of “{criterion}”; choose another criterion to list its units",
                answers=answers,
                criterion=self.criterion[self._rubric.name],
            )
        if self._rubric is None:
            return said("{answers} with metric values", answers=answers)
        return said("{answers} with {units}", answers=answers, units=noun(self._rubric.plural))

    def headline(self) -> tuple[str, str]:
        """Return on how many answers graders differ."""
        rows, rubric = self._every.rows, self._rubric
        answers = counted(len(rows), "answer")
        if rubric is None:
            text = said(
                "Metric values of {answers} of {sheet}; no part was judged",
                answers=answers,
                sheet=self._sheet.name,
            )
            return text, ""
        units = noun(rubric.plural)
        if int(rows["graders"].max() or 0) < 2:
            text = said(
                "One grader has judged the {units} of {answers}", units=units, answers=answers
            )
            return text, said(
                "Label them yourself, or run a second judge, to see where graders differ."
            )
        differ = int((rows["differ"] > 0).sum())
        text = said(
            "Graders differ on {units} of {differ:,} of {answers}; these come first"
            if differ
            else "Graders agree on all {units} of {answers}",
            units=units,
            answers=answers,
            **({"differ": differ} if differ else {}),
        )
        return text, ""

    def _of(self, chosen: Chosen) -> Rubric | None:
        """Return the rubric whose units are listed; None without any."""
        return self._rubrics.get(chosen.criterion or self.first["criterion"])
