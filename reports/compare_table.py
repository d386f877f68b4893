"""The comparison of variants as a table: a column per variant, a line per figure."""

from collections.abc import Callable

from reports import compare_words as words
from reports.compare import IS_BASE
from reports.cost import dollars
from reports.text import UNDEFINED, number, share, table

NOT_SAID = "not said"


def lines(found: dict) -> list[tuple[str, list[str]]]:
    """The name of each figure and its value for every variant, in words; none that nobody has."""
    rows = found["variants"]
    told = [(name, [said(row) for row in rows]) for name, said in FIGURES.items()]
    return [(name, cells) for name, cells in told if set(cells) - {UNDEFINED, NOT_SAID}]


def heads(found: dict) -> list[str]:
    """What each column is called."""
    return [
        f"{row['variant']} (the floor)" if row["floor"] else words.name(row)
        for row in found["variants"]
    ]


def reasons(found: dict) -> list[str]:
    """Why figures are missing, a sentence for each reason with the figures and variants."""
    by: dict[tuple[str, str], list[str]] = {}
    for name, missing in MISSING.items():
        for row in found["variants"]:
            why = missing(row)
            if why:
                by.setdefault((name, why), []).append(row["variant"])
    return [f"{name} of {', '.join(who)}: {why}." for (name, why), who in by.items()]


def text(found: dict) -> str:
    """The whole comparison for a terminal."""
    said = [f"{words.title(found)}.", words.detail(found)]
    if found["variants"]:
        cells = [[name, *values] for name, values in lines(found)]
        said.append(table(["", *heads(found)], cells))
        said.append("\n".join(f"{UNDEFINED} {sentence}" for sentence in reasons(found)))
    said += words.advice(found)
    return "\n\n".join(part for part in said if part)


def _facts(key: str) -> Callable[[dict], str]:
    return lambda row: NOT_SAID if row[key] is None else _spoken(row[key])


def _spoken(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _own(name: str, said: Callable[[dict], str]) -> Callable[[dict], str]:
    return lambda row: said(row["own"][name])


def _base(row: dict) -> str:
    if row["further"]["why_none"] == IS_BASE:
        return "compared with"
    return words.against_base(row)


def _model(row: dict) -> str:
    return "text features" if row["floor"] else _facts("model")(row)


def _caught(row: dict) -> str:
    if row["own"]["caught"]["value"] is None:
        return UNDEFINED
    return f"{share(row['own']['caught'])} of {row['own']['failing']}"


def _cost(row: dict) -> str:
    found = row["cost"]
    if found["per_1000"] is None:
        return "unknown"
    return dollars(found["per_1000"]) + (" (invented)" if found["simulated"] else "")


def _seconds(row: dict) -> str:
    found = row["cost"]
    if found["seconds"] is None:
        return "unknown"
    return f"{found['seconds']:.1f}" + (" (invented)" if found["simulated"] else "")


FIGURES: dict[str, Callable[[dict], str]] = {
    "model": _model,
    "prompt": _facts("prompt"),
    "examples": _facts("examples"),
    "scale": lambda row: words.scale(row["scale"]),
    "temperature": _facts("temperature"),
    "calls": _facts("calls"),
    "distance from people": lambda row: share(row["mae"]),
    "beside the one compared with": _base,
    "bias, % of the scale": words.bias,
    "CCC": lambda row: number(row["ccc"]),
    "exact, own scale": _own("exact", share),
    "QWK, own scale": _own("qwk", number),
    "failing caught, own scale": _caught,
    "order of the answering models": words.order,
    "scores used": lambda row: words.used(row["spread"]),
    "commonest score": lambda row: words.commonest(row["spread"]),
    "same score when asked again": words.steady,
    "answers without a score": words.no_score,
    "USD per 1,000 answers": _cost,
    "seconds per answer": _seconds,
    "answers graded": lambda row: f"{row['graded']:,}",
}


def _undefined(found: dict) -> str | None:
    """Why a figure has no value; None where it has one."""
    return found["why_none"] if found["value"] is None else None


def _without_limits(found: dict) -> str | None:
    """Why a figure has no limits; None where it has them, or no value either."""
    return found["why_none"] if found["value"] is not None else None


# What a table shows as a dash or as unknown, and why.
MISSING: dict[str, Callable[[dict], str | None]] = {
    "The distance": lambda row: _undefined(row["mae"]),
    "The limits of the distance": lambda row: _without_limits(row["mae"]),
    "The limits beside the one compared with": lambda row: _without_limits(row["further"]),
    "CCC": lambda row: _undefined(row["ccc"]),
    "Exact, QWK and caught": lambda row: row["own"]["why_none"],
    "QWK": lambda row: None if row["own"]["why_none"] else _undefined(row["own"]["qwk"]),
    "Caught": lambda row: None if row["own"]["why_none"] else _undefined(row["own"]["caught"]),
    "The cost": lambda row: row["cost"]["why_none"],
    "The time": lambda row: row["cost"]["why_no_seconds"],
}
