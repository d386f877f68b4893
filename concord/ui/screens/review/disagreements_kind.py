"""The disagreements of a sheet, under the filters of the screen."""

from concord.messages import Said, counted, joined, said
from concord.model import Sheet
from concord.reports.disagreements import disagreements
from concord.reports.panel.simulated import named
from concord.reports.panel.unit_words import criterion_of
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import report_picker
from concord.ui.cached_reports import Report
from concord.ui.screens.review.disagreements import Disagreements
from concord.ui.screens.review.disagreements_pick import listed, pick_filters
from concord.ui.screens.review.kinds import Chosen, Kind
from concord.ui.widgets import pick_rubric

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
        self._wanted = pick_filters(self._report, shared)
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
