"""Agreement numbers: every figure of the agreement report on its own, for a download."""

from collections.abc import Iterable

import pandas as pd

from concord.reports.agreement.failures_as_errors import FIGURES as WORST
from concord.stats.statistics import KEYS

_HELD = ("value", "low", "high", "method", "why_none")


def numbers(rows: Iterable[dict]) -> pd.DataFrame:
    """Every figure of every row as a number, with limits, method and reason, for a download."""
    return pd.DataFrame([_flat(row) for row in rows])


def _flat(row: dict) -> dict:
    """One row; the further figures are in it where the row has them."""
    flat = {key: value for key, value in row.items() if not isinstance(value, dict | list)}
    for prefix, figures in (("", row), ("people ", row["ceiling"])):
        for name in (name for name in KEYS if name in figures):
            flat |= _parts(prefix + name, figures[name])
        for one in figures.get("within_points", ()):
            flat |= _parts(f"{prefix}within_{one['points']}", one)
    worst = row["worst_case"]
    flat |= {name: worst[name] for name in ("matched", "failed", "skipped")}
    for name in WORST:
        flat |= _parts(f"worst case {name}", worst[name])
    flat |= {f"majority baseline {name}": value for name, value in row["majority_baseline"].items()}
    return flat | {"left_out": sum(row["left_out"].values())}


def _parts(name: str, found: dict) -> dict:
    return {f"{name} {part}": found[part] for part in _HELD}
