"""Corrected: the answering models by a judge, with the judge's bias taken out by people's grades.

Three ways, of which only the first is taken unasked:

- `draw`: PPI++. People graded answers of a grading set, a random draw with known chances; the
  judge's mean over all answers is set right by its error on those. Valid whatever the judge does.
- `rates`: Rogan-Gladen, of the share of answers that pass the heaviest criterion. It takes the
  judge's error rates to be the same for every answering model, which is tested; annotators' own
  share of each model stands beside it.
- `matrix`: the ordinal confusion matrix, of the mean composite. It takes the whole matrix to be.

Where a way is not valid there is no corrected figure, and the reason.
"""

from itertools import combinations, pairwise

import numpy as np

from concord.language.plurals import counted
from concord.messages import Said, said
from concord.problems import Problem
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.sampling_weights import NOT_BEGUN, Drawn
from concord.reports.panel.terminal_tables import UNDEFINED
from concord.reports.ranking import (
    confusion_matrix_correction,
    ppi_correction,
    rogan_gladen_correction,
)
from concord.reports.ranking.judged_models import model_index, scored
from concord.stats.core.estimate import Estimate
from concord.store.graders import BASELINE, Grader

DRAW, RATES, MATRIX = "draw", "rates", "matrix"
WAYS = {
    DRAW: said("by the draw (PPI++)"),
    RATES: said("by error rates"),
    MATRIX: said("by the confusion matrix"),
}
FEW = 4
BASELINE_KNOWS = said("the baseline was trained on the people's grades, so they cannot correct it")
ONE_MODEL = said("the judge has scored answers of one answering model only")
PASSED_OVER = said("a draw says nothing of answers that people had graded before it")


def report(panel: Panel, drawn: Drawn, how: str = DRAW) -> dict:
    """Raw and corrected figures of every answering model by every judge, and paired differences.

    Returns:
        `how` and `what` (the figure that is corrected, in words); `criterion`; `sets`;
        `passed_over`, how many answers are left out since they were graded before; `aside`, which
        grades of the sets' answers do not count, in sentences; `why_none`
        where nothing can be corrected for any judge; `better`, a way that takes less for granted
        and is open, too; `judges`, for each one `judge`, `simulated`, `fingerprint`, `why_none`,
        `equal_rates`, `models` [{answer_model, raw, corrected, n, graded, own}] best first by the
        corrected figure, and `pairs` [{above, below, raw, corrected, certain, sentence}] of all
        models where they are few, else of those next to each other.
    """
    if how not in WAYS:
        raise Problem(f"There is no way to correct called “{how}”. Take one of: {', '.join(WAYS)}.")
    why = _why_no_draw(panel, drawn) if how == DRAW else None
    criterion = panel.rubric.heaviest().name if how == RATES else COMPOSITE
    return {
        "how": how,
        "what": _what(criterion, how),
        "criterion": criterion,
        "reference": EACH,
        "sets": list(drawn.sets) if how == DRAW else [],
        "passed_over": int((drawn.passed & panel.open).sum()) if how == DRAW else 0,
        "aside": list(drawn.aside) if how == DRAW else [],
        "why_none": why,
        "better": DRAW if how != DRAW and _can_draw(panel, drawn) else None,
        "judges": [
            _judge(panel, judge, drawn, how) for judge in panel.judges.values() if why is None
        ],
    }


def sentence(pair: dict, how: str = DRAW) -> Said:
    """A pair of `report` in words: which model is above by how much, or that it cannot be told."""
    found = {"above": pair["above"], "below": pair["below"]}
    if pair["corrected"]["value"] is None:
        why = pair["corrected"]["why_none"]
        return said("Cannot compare {above} with {below}: {why}.", **found, why=why)
    found |= {"apart": apart(pair["corrected"], how)}
    if pair["certain"]:
        return said("{above} above {below} by {apart}.", **found)
    return said("Cannot tell {above} from {below}: {apart}.", **found)


def apart(estimate: dict, how: str = DRAW) -> str:
    """A difference in words: `+0.21 [+0.08, +0.34]`, or for shares `+12 [+3, +21] points`."""
    if estimate["value"] is None:
        return UNDEFINED
    scale, places = (100, 0) if how == RATES else (1, 2)
    values = [estimate[name] for name in ("value", "low", "high")]
    shown = [f"{scale * value + 0.0:+.{places}f}" for value in values if value is not None]
    found = f"{shown[0]} [{shown[1]}, {shown[2]}]" if len(shown) == 3 else shown[0]
    return said("{size} points", size=found) if how == RATES else found


def _what(criterion: str, how: str) -> Said:
    """The figure that is corrected."""
    if how == RATES:
        return said("share of answers that pass {criterion}", criterion=criterion)
    return said("mean composite")


def _judge(panel: Panel, judge: Grader, drawn: Drawn, how: str) -> dict:
    models = {
        DRAW: ppi_correction.models,
        RATES: rogan_gladen_correction.models,
        MATRIX: confusion_matrix_correction.models,
    }[how]
    why = BASELINE_KNOWS if judge.name == BASELINE else None
    found = None if why else models(panel, judge, drawn)
    if found and not why:
        why = found.why_none
        if not why and len(found.models) < 2:
            why = _one_model(panel, judge, drawn) if how == DRAW else ONE_MODEL
    return {
        "judge": panel.labels[judge.id],
        "simulated": judge.simulated,
        "fingerprint": judge.fingerprint,
        "why_none": why,
        "equal_rates": found.rates._asdict() if found and found.rates else None,
        "models": _rows(found.models) if found else [],
        "pairs": _pairs(found, how) if found and not why else [],
    }


def _why_no_draw(panel: Panel, drawn: Drawn) -> str | None:
    """Why no draw can be used; grading more of one would not help where it passed all over."""
    every = int(panel.open.sum())
    if every and drawn.why_none == NOT_BEGUN and drawn.passed[panel.open].all():
        return said(
            "{passed_over}, and people had graded all {answers} before",
            passed_over=PASSED_OVER,
            answers=counted(every, "answer"),
        )
    return drawn.why_none


def _can_draw(panel: Panel, drawn: Drawn) -> bool:
    """Whether a draw sets right two answering models of a judge or more."""
    if _why_no_draw(panel, drawn):
        return False
    found = (_judge(panel, judge, drawn, DRAW)["models"] for judge in panel.judges.values())
    return any(sum(m["corrected"]["value"] is not None for m in models) > 1 for models in found)


def _one_model(panel: Panel, judge: Grader, drawn: Drawn) -> str:
    """Why a draw leaves answers of one model or none: those graded before it are passed over."""
    items, index = scored(panel, judge, COMPOSITE), model_index(panel)
    if len(np.unique(index[items])) < 2:
        return ONE_MODEL
    passed = int(drawn.passed[items].sum())
    return said(
        "{passed_over}, and these are {passed:,} of the {scored:,} that the judge scored; the "
        "{left:,} left are not of two answering models",
        passed_over=PASSED_OVER,
        passed=passed,
        scored=len(items),
        left=len(items) - passed,
    )


def _rows(models: list) -> list[dict]:
    """The models, best first by the corrected figure; those without one come last."""
    return [
        {
            "answer_model": model.name,
            "raw": model.raw._asdict(),
            "corrected": model.corrected._asdict(),
            "n": model.n,
            "graded": model.graded,
            "own": model.own._asdict() if model.own else None,
        }
        for model in _ordered(models)
    ]


def _ordered(models: list) -> list:
    known = [model for model in models if model.corrected.value is not None]
    known.sort(key=lambda model: -model.corrected.value)
    return known + [model for model in models if model.corrected.value is None]


def _pairs(found, how: str) -> list[dict]:
    known = [model for model in _ordered(found.models) if model.corrected.value is not None]
    chosen = combinations(known, 2) if len(known) <= FEW else pairwise(known)
    return [_pair(one.name, other.name, found.difference(one, other), how) for one, other in chosen]


def _pair(above: str, below: str, apart_by: tuple[Estimate, Estimate], how: str) -> dict:
    raw, corrected = apart_by
    pair = {
        "above": above,
        "below": below,
        "raw": raw._asdict(),
        "corrected": corrected._asdict(),
        "certain": corrected.low is not None and corrected.low > 0,
    }
    return pair | {"sentence": sentence(pair, how)}
