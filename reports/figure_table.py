"""Figure table: every statistic of one criterion, judges beside people and the constant grade."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from reports.text import number, plain_share, share
from reports.unit_words import plural
from words.said import Said, joined, said

PEOPLE = said("people")
_SHARES = {
    "exact": said("exact"),
    "within_one": said("within one"),
    "off_by_two": said("off by two or more"),
    "caught": None,
}
_NUMBERS = {
    "bias": said("bias"),
    "mae": said("mean distance (MAE)"),
    "rmse": said("root mean square (RMSE)"),
    "kappa": "kappa",
    "linear_kappa": said("linear kappa"),
    "qwk": said("quadratic kappa"),
    "ac1": "AC1",
    "ac2": said("quadratic AC2"),
    "alpha_nominal": said("nominal alpha"),
    "alpha": said("ordinal alpha"),
    "alpha_interval": said("interval alpha"),
    "icc": "ICC(A,1)",
    "ccc": "Lin's CCC",
    "spearman": "Spearman",
    "tau_b": "Kendall's tau-b",
    "pearson": "Pearson",
}
_WORST = {
    "exact": said("exact with failures as disagreements"),
    "within_one": said("within one with failures as disagreements"),
    "caught": said("caught with failures as not caught"),
}
_MODELS = {
    "exact": said("exact with other answering models"),
    "bias": said("bias with other answering models"),
}


class FigureTable(NamedTuple):
    """Every statistic of one criterion.

    Attributes:
        lines: One per statistic that somebody has: `figure`, each judge by name, `people` (on the
            answers that two or more graded) and `constant`, in words; a dash where undefined.
        undefined: What is undefined, and why, as a sentence for each reason.
    """

    lines: list[dict[str, str]]
    undefined: list[str]


def figure_table(rows: Sequence[dict]) -> FigureTable:
    """Judges beside people and the constant grade, one line per statistic.

    Args:
        rows: Whole rows of one criterion (or the composite), one per judge.
    """
    caught = said("failing {units} caught", units=plural(rows[0]))
    lines = [
        _Line(words or caught, _of(rows, name), share, name) for name, words in _SHARES.items()
    ]
    lines += _within(rows)
    lines += [_Line(words, _of(rows, name), _form(name), name) for name, words in _NUMBERS.items()]
    lines += [_beside(rows, "worst_case", name, words) for name, words in _WORST.items()]
    for name, words in _MODELS.items():
        lines.append(_beside(rows, "clustered_by_answer_model", name, words))
    constant = _widest(rows)["constant_baseline"]
    known = [line for line in lines if any(map(_known, line.cells.values()))]
    return FigureTable([line.shown(constant) for line in known], _undefined(lines))


class _Line(NamedTuple):
    """One statistic: its figures by who has them, and how they are written."""

    words: str
    cells: dict[str, dict]
    form: Callable[[dict], str]
    name: str = ""

    def shown(self, constant: dict) -> dict[str, str]:
        """The line in words."""
        cells = {who: self.form(one) for who, one in self.cells.items()}
        given = "best_within_one" if self.name == "within_one" else self.name
        level = _constant(constant.get(given), self.name)
        people = {PEOPLE: cells.get(PEOPLE, "")}
        return {said("figure"): self.words, **cells, **people, said("constant"): level}

    def missing(self) -> dict[str, list[str]]:
        """Who lacks it, by reason."""
        found: dict[str, list[str]] = {}
        for who, one in self.cells.items():
            if not _known(one):
                found.setdefault(one["why_none"], []).append(who)
        return found


def _undefined(lines: Sequence[_Line]) -> list[Said]:
    """A sentence for each reason: which figures lack it, and whose where not everyone's.

    Someone who lacks every figure for one reason is named once.
    """
    bare = _bare(lines)
    found: dict[str, list[str]] = {
        why: [said("every figure of {who}", who=who)] for who, why in bare.items()
    }
    for line in lines:
        for why, who in line.missing().items():
            who = [one for one in who if bare.get(one) != why]
            words = line.words
            if len(who) < len(line.cells):
                words = said("{figure} ({who})", figure=words, who=joined(", ", who))
            found.setdefault(why, []).extend([words] if who else [])
    return [
        said("{figures}: {why}", figures=joined(", ", names), why=why)
        for why, names in found.items()
    ]


def _bare(lines: Sequence[_Line]) -> dict[str, str]:
    """Who lacks every figure for one and the same reason, and the reason."""
    whys: dict[str, set[str | None]] = {}
    for line in lines:
        for who, one in line.cells.items():
            whys.setdefault(who, set()).add(None if _known(one) else one["why_none"])
    return {who: why for who, (why, *more) in whys.items() if why is not None and not more}


def _of(rows: Sequence[dict], name: str) -> dict[str, dict]:
    """A figure by judge, and the people's."""
    return {row["judge"]: row[name] for row in rows} | {PEOPLE: _widest(rows)["ceiling"][name]}


def _within(rows: Sequence[dict]) -> list[_Line]:
    """The shares within two points and more, where the scale is long enough."""
    lines = []
    for place, one in enumerate(rows[0]["within_points"]):
        cells = {row["judge"]: row["within_points"][place] for row in rows}
        people = {PEOPLE: _widest(rows)["ceiling"]["within_points"][place]}
        words = said("within {n} points", n=one["points"])
        lines.append(_Line(words, cells | people, share))
    return lines


def _beside(rows: Sequence[dict], key: str, name: str, words: str) -> _Line:
    """A line of judges alone, from an object in their rows that may say why it has no figures."""
    cells = {
        row["judge"]: row[key][name] or {"value": None, "why_none": row[key]["why_none"]}
        for row in rows
    }
    return _Line(words, cells, _form(name))


def _widest(rows: Sequence[dict]) -> dict:
    """The row with the largest overlap of people."""
    return max(rows, key=lambda row: row["ceiling"]["n"])


def _known(found: dict) -> bool:
    return found["value"] is not None


def _constant(value: float | None, name: str) -> str:
    """What the constant grade has; blank where it is not a figure of the constant's."""
    if value is None:
        return ""
    return plain_share(value) if name in _SHARES else _form(name)({"value": value, "low": None})


def _form(name: str) -> Callable[[dict], str]:
    if name in _SHARES:
        return share
    return (lambda found: number(found, "+")) if name == "bias" else number
