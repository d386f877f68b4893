"""Display names of rubrics in a choice: those of units with the metrics they label."""

from collections.abc import Iterable

from concord.messages import joined, listed, said
from concord.metrics import available
from concord.rubrics.model import of_units
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

NAMED = 2  # of the metrics that share a rubric; a list of choices is narrow


def called(store: Store, names: Iterable[str]) -> dict[str, str]:
    """Return each rubric's display name: for units title and metrics, else title and name."""
    units = of_units()
    return {
        name: joined(" · ", [units[name].title, _serves(name)])
        if name in units
        else said("{title} ({name})", title=rubric_versions.named(store, name)[1].title, name=name)
        for name in names
    }


def metrics(name: str) -> list[str]:
    """The titles of the metrics that are available from verdicts by that rubric of units."""
    return [one.title for one in available().values() if name in one.rubrics]


def _serves(name: str) -> str:
    titles = metrics(name)
    if len(titles) > NAMED:
        names = joined(", ", titles[:NAMED])
        return said("for {names} and {n} more", names=names, n=len(titles) - NAMED)
    return said("for {names}", names=listed(titles)) if titles else ""
