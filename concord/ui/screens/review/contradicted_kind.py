"""The claims of a sheet that judges call contradicted, under the filters of the screen."""

from concord.messages import Said, counted, said
from concord.model import Sheet
from concord.reports.panel.simulated import named
from concord.reports.units import contradicted_claims as contradicted
from concord.reports.units.contradicted_claims import RubricRefutations, label
from concord.store.database import Store
from concord.ui.screens.review.contradicted_claims import Refutations
from concord.ui.screens.review.kinds import Chosen, Kind
from concord.ui.widgets import TO_JUDGES, empty


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
