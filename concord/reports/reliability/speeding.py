"""Too fast: grades that came sooner than their answer can be read. Listed, and never left out.

Only the answer's own text is held against the seconds: question and contexts may have been read
with the answer before. First grades alone, since a repeat may be remembered.
"""

import numpy as np

from concord.messages import said
from concord.reports.panel.grading_times import Moments
from concord.reports.panel.panel import Panel
from concord.reports.reliability import reading_speed
from concord.store import items
from concord.store.database import Store
from concord.store.graders import Grader

NO_SECONDS = said("no grade says how long it took; those that came in a file seldom do")


def too_fast(store: Store, panel: Panel, moments: Moments) -> dict:
    """Each person's `pace`, by name, and the `flagged` grades, the fastest of each person first.

    `pace`: `person`, `simulated`, `n` answers with a time, `untimed` without, `seconds` and
    `letters_per_second` (medians, None without a time), `flagged`, `why_none`. `flagged`: `person`,
    `item_id`, `item`, `letters`, `seconds`, `letters_per_second` (None in no time), `why`.
    """
    length = np.array(
        [reading_speed.letters(text) for text in items.answers(store, panel.sheet.id)]
    )
    names = items.item_names(store, panel.sheet.id)
    people = sorted(panel.people.values(), key=lambda one: (one.name.casefold(), one.id))
    found = [_of_person(panel, person, moments, length, names) for person in people]
    return {
        "pace": [pace for pace, _ in found],
        "flagged": [grade for _, flagged in found for grade in flagged],
    }


def _of_person(
    panel: Panel, person: Grader, moments: Moments, length: np.ndarray, names: dict
) -> tuple[dict, list[dict]]:
    graded = np.any([panel.of(one.name, person.id).scored for one in panel.rubric.criteria], axis=0)
    timed = np.flatnonzero(graded & panel.open & ~np.isnan(moments.took(person.id)))
    seconds = moments.took(person.id)[timed]
    speed = reading_speed.pace(length[timed], seconds)
    why = reading_speed.flags(length[timed], seconds)
    flagged = [place for place in np.argsort(-speed, kind="stable") if why[place]]
    ids = panel.items["id"].to_numpy()
    pace = {
        "person": person.name,
        "simulated": person.simulated,
        "n": len(timed),
        "untimed": int((graded & panel.open).sum()) - len(timed),
        "seconds": float(np.median(seconds)) if len(timed) else None,
        "letters_per_second": _finite(np.median(speed)) if len(timed) else None,
        "flagged": len(flagged),
        "why_none": None if len(timed) else NO_SECONDS,
    }
    return pace, [
        {
            "person": person.name,
            "item_id": int(ids[timed[place]]),
            "item": names[int(ids[timed[place]])][0],
            "letters": round(float(length[timed[place]])),
            "seconds": float(seconds[place]),
            "letters_per_second": _finite(speed[place]),
            "why": why[place],
        }
        for place in flagged
    ]


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
