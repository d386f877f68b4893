"""Figure table: every statistic of one criterion, judges beside people and the constant grade."""

from collections.abc import Sequence
from typing import NamedTuple

from concord.messages import Said, joined, said
from concord.reports.panel.terminal_tables import figure
from concord.reports.panel.unit_words import plural
from concord.stats.statistics import BY_KEY, STATISTICS, Statistic, shown

PEOPLE = said("people")
_MODELS = ("exact", "bias")


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
    units = plural(rows[0]) if rows[0].get("units") else ""
    called = {one.key: one.titled(units) for one in STATISTICS}
    shares = [one for one in STATISTICS if one.kind == "share"]
    others = [one for one in STATISTICS if one.kind != "share"]
    lines = [_Line(called[one.key], _of(rows, one.key), one) for one in shares]
    lines += _within(rows)
    lines += [_Line(called[one.key], _of(rows, one.key), one) for one in others]
    for one in shown("failures"):
        words = said("{figure} with failures as errors", figure=called[one.key])
        lines.append(_beside(rows, "worst_case", one, words))
    for one in map(BY_KEY.get, _MODELS):
        words = said("{figure} with other answering models", figure=called[one.key])
        lines.append(_beside(rows, "clustered_by_answer_model", one, words))
    constant = _widest(rows)["majority_baseline"]
    known = [line for line in lines if any(map(_known, line.cells.values()))]
    return FigureTable([line.shown(constant) for line in known], _undefined(lines))


class _Line(NamedTuple):
    """One statistic: its figures by who has them, and how they are written."""

    words: str
    cells: dict[str, dict]
    statistic: Statistic | None

    def shown(self, constant: dict) -> dict[str, str]:
        """The line in words."""
        kind = self.statistic.kind if self.statistic else "share"
        cells = {who: figure(one, kind) for who, one in self.cells.items()}
        level = _constant(constant, self.statistic) if PEOPLE in self.cells else ""
        people = {PEOPLE: cells.get(PEOPLE, "")}
        return {said("figure"): self.words, **cells, **people, said("majority class"): level}

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
        lines.append(_Line(words, cells | people, None))
    return lines


def _beside(rows: Sequence[dict], key: str, one: Statistic, words: str) -> _Line:
    """A line of judges alone, from an object in their rows that may say why it has no figures."""
    cells = {
        row["judge"]: row[key][one.key] or {"value": None, "why_none": row[key]["why_none"]}
        for row in rows
    }
    return _Line(words, cells, one)


def _widest(rows: Sequence[dict]) -> dict:
    """The row with the largest overlap of people."""
    return max(rows, key=lambda row: row["ceiling"]["n"])


def _known(found: dict) -> bool:
    return found["value"] is not None


def _constant(constant: dict, statistic: Statistic | None) -> str:
    """What the majority-class baseline has; blank where it has no such figure."""
    value = statistic and constant.get(statistic.baseline)
    if value is None:
        return ""
    return figure({"value": value, "low": None}, statistic.kind)
