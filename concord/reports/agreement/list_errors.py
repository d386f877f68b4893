"""Errors of the lists of units, by annotators who checked them."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from concord.messages import said
from concord.reports.document import FLAT
from concord.reports.panel.panel import Panel
from concord.reports.units.answer_comparison import ListWeights, ground, share
from concord.rubrics import list_check
from concord.stats.core.estimate import Estimate, undefined
from concord.store.database import Store
from concord.store.units import list_checks

NO_LIST = said("no annotator has checked a list yet")


@dataclass(frozen=True)
class ListErrors:
    """Shares of lists of units with an error, or with `any`, by annotators who checked them.

    `cannot_say` counts checks that an annotator could not make.
    """

    lists: int
    annotators: int
    cannot_say: int
    shares: dict[str, Estimate] = field(metadata=FLAT)


def lists(store: Store, panel: Panel) -> ListErrors:
    """Return the shares of checked lists with missing, invented or non-atomic units.

    A list checked by several annotators counts once, shared by them. `any` is the share with at
    least one error; lists that an annotator could not say anything of are in `cannot_say`.
    """
    found = list_checks.of_sheet(store, panel.sheet.id, panel.rubric.units)
    found = found[found["person"].map(panel.lets_count).astype(bool)].reset_index(drop=True)
    on = ground(store, panel, found["item_id"], found["question_id"], found["cluster"])
    found = found.assign(weight=on.weight, place=on.cluster)[on.weight > 0]
    labelled = found[found["label"].notna()]
    shares = {
        name.replace(" ", "_"): _share_of_lists(labelled, name)
        for name in (*list_check.ERRORS, "any")
    }
    checked, annotators = int(labelled["item_id"].nunique()), int(labelled["person"].nunique())
    return ListErrors(checked, annotators, int(len(found) - len(labelled)), shares)


def _share_of_lists(told: pd.DataFrame, error: str) -> Estimate:
    if told.empty:
        return undefined(NO_LIST)
    hit = (
        told["label"] != list_check.RIGHT
        if error == "any"
        else told["label"].map(lambda label: error in label.split(", "))
    )
    of_item = told.groupby("item_id")
    weight = (told["weight"] / of_item["person"].transform("count")).to_numpy()
    on = ListWeights(weight, np.unique(told["place"], return_inverse=True)[1], Counter())
    return share(on, hit.to_numpy(), np.ones(len(told)), of_item["weight"].first().to_numpy())
