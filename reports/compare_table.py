"""The comparison of variants as a table: a column per variant, a line per figure."""

from collections.abc import Callable

from reports import compare_words as words
from reports.compare import IS_BASE
from reports.cost import dollars
from reports.majority_baseline import baseline_name
from reports.text import UNDEFINED, number, share, table
from words.said import joined, said

NOT_SAID = said("not said")
UNKNOWN = said("unknown")


def lines(found: dict) -> list[tuple[str, list[str]]]:
    """The name of each figure and its value for every variant, in words; none that nobody has."""
    rows, always = found["variants"], found["majority_baseline"]
    told = [
        (name, [words_of(row) for row in rows] + _baseline(always, name, words_of))
        for name, words_of in FIGURES.items()
    ]
    return [(name, cells) for name, cells in told if set(cells) - {UNDEFINED, NOT_SAID}]


def heads(found: dict) -> list[str]:
    """What each column is called."""
    always = found["majority_baseline"]["score"]
    named = [
        said("{variant} (the floor)", variant=row["variant"]) if row["floor"] else words.name(row)
        for row in found["variants"]
    ]
    return named if always is None else [*named, baseline_name(always)]


def _baseline(always: dict, name: str, words_of: Callable[[dict], str]) -> list[str]:
    """The cell of the majority-class baseline, which has those figures that a constant has."""
    if always["score"] is None:
        return []
    known = name in _OF_SCALE or (always["own"] and name in _OF_OWN_SCALE)
    return [words_of(always) if known else UNDEFINED]


def reasons(found: dict) -> list[str]:
    """Why figures are missing, a sentence for each reason with the figures and variants."""
    by: dict[tuple[str, str], list[str]] = {}
    for name, missing in MISSING.items():
        for row in found["variants"]:
            why = missing(row)
            if why:
                by.setdefault((name, why), []).append(row["variant"])
    return [
        said("{name} of {variants}: {why}.", name=name, variants=joined(", ", who), why=said(why))
        for (name, why), who in by.items()
    ]


def text(found: dict) -> str:
    """The whole comparison for a terminal."""
    parts = [f"{words.title(found)}.", words.detail(found)]
    if found["variants"]:
        cells = [[name, *values] for name, values in lines(found)]
        parts.append(table(["", *heads(found)], cells))
        parts.append("\n".join(f"{UNDEFINED} {sentence}" for sentence in reasons(found)))
    parts.append("\n".join(row["paired"]["sentence"] for row in found["variants"] if row["paired"]))
    parts += words.advice(found)
    return "\n\n".join(part for part in parts if part)


def _facts(key: str) -> Callable[[dict], str]:
    return lambda row: NOT_SAID if row[key] is None else _spoken(row[key])


def _spoken(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _own(name: str, words_of: Callable[[dict], str]) -> Callable[[dict], str]:
    return lambda row: words_of(row["own"][name])


def _base(row: dict) -> str:
    if row["further"]["why_none"] == IS_BASE:
        return said("compared with")
    return words.against_base(row)


def _model(row: dict) -> str:
    return said("text features") if row["floor"] else _facts("model")(row)


def _caught(row: dict) -> str:
    if row["own"]["caught"]["value"] is None:
        return UNDEFINED
    return said("{share} of {n:,}", share=share(row["own"]["caught"]), n=row["own"]["failing"])


def _cost(row: dict) -> str:
    found = row["cost"]
    if found["per_1000"] is None:
        return UNKNOWN
    return _priced(dollars(found["per_1000"]), found["simulated"])


def _seconds(row: dict) -> str:
    found = row["cost"]
    if found["seconds"] is None:
        return UNKNOWN
    return _priced(f"{found['seconds']:.1f}", found["simulated"])


def _priced(figure: str, simulated: bool) -> str:
    return said("{figure} (invented)", figure=figure) if simulated else figure


FIGURES: dict[str, Callable[[dict], str]] = {
    said("model"): _model,
    said("prompt"): _facts("prompt"),
    said("examples"): _facts("examples"),
    said("scale"): lambda row: words.scale(row["scale"]),
    said("temperature"): _facts("temperature"),
    said("calls"): _facts("calls"),
    said("distance from people"): lambda row: share(row["mae"]),
    said("skill over the baseline"): words.skill,
    said("beside the one compared with"): _base,
    said("bias, % of the scale"): words.bias,
    said("CCC"): lambda row: number(row["ccc"]),
    said("exact, own scale"): _own("exact", share),
    said("QWK, own scale"): _own("qwk", number),
    said("failing caught, own scale"): _caught,
    said("order of the answering models"): words.order,
    said("scores used"): lambda row: words.used(row["spread"]),
    said("commonest score"): lambda row: words.commonest(row["spread"]),
    said("same score when asked again"): words.steady,
    said("answers without a score"): words.no_score,
    said("USD per 1,000 answers"): _cost,
    said("seconds per answer"): _seconds,
    said("answers graded"): lambda row: f"{row['graded']:,}",
}


def _undefined(found: dict) -> str | None:
    """Why a figure has no value; None where it has one."""
    return found["why_none"] if found["value"] is None else None


def _without_limits(found: dict) -> str | None:
    """Why a figure has no limits; None where it has them, or no value either."""
    return found["why_none"] if found["value"] is not None else None


_OF_SCALE = ("distance from people", "bias, % of the scale", "CCC")
_OF_OWN_SCALE = ("exact, own scale", "QWK, own scale", "failing caught, own scale")

# What a table shows as a dash or as unknown, and why.
MISSING: dict[str, Callable[[dict], str | None]] = {
    said("The distance"): lambda row: _undefined(row["mae"]),
    said("The limits of the distance"): lambda row: _without_limits(row["mae"]),
    said("The limits beside the one compared with"): lambda row: _without_limits(row["further"]),
    said("The skill score"): lambda row: _undefined(row["skill"]),
    said("CCC"): lambda row: _undefined(row["ccc"]),
    said("Exact, QWK and caught"): lambda row: row["own"]["why_none"],
    said("QWK"): lambda row: None if row["own"]["why_none"] else _undefined(row["own"]["qwk"]),
    said("Caught"): lambda row: (
        None if row["own"]["why_none"] else _undefined(row["own"]["caught"])
    ),
    said("The cost"): lambda row: row["cost"]["why_none"],
    said("The time"): lambda row: row["cost"]["why_no_seconds"],
}
