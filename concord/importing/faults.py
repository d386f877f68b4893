"""Faults of an import: rows checked, faults by kind, and what a partial import leaves out.

Bad rows with the same fault are one kind, with their count and three examples; exclusions say of
whom answers and grades are left out, and why.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from concord.importing.columns import ColumnMap
from concord.importing.readers.table import LINE, BadRow, Table
from concord.importing.scores import Words, number
from concord.messages import Conflict, Problem, Said, counted, joined, said
from concord.model import Grade, Item
from concord.text.rating_words import key

if TYPE_CHECKING:
    from concord.store.additions import Difference

# Most groups named in the sentence, and most rows of the table.
NAMED = 3
# The least share left out that is more than a number.
NOTED = 0.01
SHOWN = 20


class Group(NamedTuple):
    """The answers of one model, or the grades with one score: how many are taken and left out.

    `name`: None for answers whose model the file does not name.
    """

    name: str | None
    taken: int
    left_out: int

    @property
    def share(self) -> float:
        """The share of the group that is left out, 0 to 1."""
        return self.left_out / (self.taken + self.left_out)


class Lost(NamedTuple):
    """Invalid rows of a file: answers by model, grades by score as written."""

    answers: Counter[str | None]
    grades: Counter[str]


class LeftOut(NamedTuple):
    """Answers and grades that importing the rest leaves out, by answering model and by score."""

    models: tuple[Group, ...]
    scores: tuple[Group, ...]

    @property
    def answers(self) -> int:
        """Number of answers left out."""
        return sum(group.left_out for group in self.models)

    @property
    def grades(self) -> int:
        """Number of grades left out."""
        return sum(group.left_out for group in self.scores)

    def sentence(self) -> Said:
        """Return how much is left out, and which groups lose more; '' where nothing is."""
        lost = [
            self.answers and _of(self.models, "answer"),
            self.grades and _of(self.scores, "grade"),
        ]
        if not any(lost):
            return said("")
        named = [
            *(_named(group, "answer", said("of {name}", name=_model(group)))
              for group in _uneven(self.models)),
            *(_named(group, "grade", said("with score {name}", name=group.name or ""))
              for group in _uneven(self.scores)),
        ]  # fmt: skip
        whole = joined(said(" and "), [one for one in lost if one])
        if not named:
            return said("Importing the rest leaves out {whole}.", whole=whole)
        return said(
            "Importing the rest leaves out {whole}. The import may be biased, because some "
            "groups lose more than others: {named}.",
            whole=whole,
            named=joined(", ", named),
        )

    def as_json(self) -> dict[str, Any]:
        """The counts for `--json`."""
        return {
            "answers": self.answers,
            "grades": self.grades,
            "by_answering_model": _json(self.models),
            "by_score": _json(self.scores),
        }

    def tables(self) -> list[tuple[str, Sequence[Group]]]:
        """Return the groups that lose something and the others, by heading; the largest first.

        A single group shows no bias, so it has no table. Of many groups, as of a judge's continuous
        scores, only those that lose something are shown.
        """
        named = ((said("answering model"), self.models), (said("score"), self.scores))
        return [
            (
                heading,
                sorted(
                    (one for one in groups if one.left_out or len(groups) <= SHOWN),
                    key=lambda one: -one.left_out,
                )[:SHOWN],
            )
            for heading, groups in named
            if len(groups) > 1 and any(one.left_out for one in groups)
        ]


def exclusions(
    items: Iterable[Item],
    grades: Iterable[Grade],
    lost: Lost,
    conflicting: Collection[int] = (),
) -> LeftOut:
    """Count what is left out of a file.

    Args:
        items: The good answers of the file.
        grades: Its good grades.
        lost: What the reader could not take.
        conflicting: Rows that contradict what is stored, which are left out too.
    """
    answers = Counter(item.answer_model for item in items if item.row not in conflicting)
    refused = Counter(item.answer_model for item in items if item.row in conflicting)
    kept = Counter(score_name(grade.score) for grade in grades if grade.row not in conflicting)
    gone = Counter(score_name(grade.score) for grade in grades if grade.row in conflicting)
    return LeftOut(_groups(answers, lost.answers + refused), _groups(kept, lost.grades + gone))


def score_name(given: object, words: Words | None = None) -> str:
    """A score as it is counted, "2" for 2.0 as for "2"; what is no number is counted as written.

    A word that `words` give a score is counted as that.
    """
    text = "" if given is None else str(given).strip()
    mapped = words.get(key(text)) if words else None
    found = number(text) if mapped is None else mapped
    return text if found is None else f"{found:g}"


def _groups(taken: Counter, left: Counter) -> tuple[Group, ...]:
    names = sorted({*taken, *left}, key=lambda name: (name is None, str(name)))
    return tuple(Group(name, taken[name], left[name]) for name in names)


def _of(groups: Sequence[Group], noun: str) -> Said:
    left = sum(group.left_out for group in groups)
    every = left + sum(group.taken for group in groups)
    return said("{n:,} of {things}", n=left, things=counted(every, noun))


def _uneven(groups: Sequence[Group]) -> list[Group]:
    """The groups that lose a larger share than all groups together, the largest share first.

    None where these lose less than `NOTED`: that biases next to nothing.
    """
    total = sum(group.taken + group.left_out for group in groups)
    share = sum(group.left_out for group in groups) / max(1, total)
    more = [group for group in groups if group.share > share >= NOTED]
    return sorted(more, key=lambda group: (-group.share, -group.left_out))[:NAMED]


def _named(group: Group, noun: str, of_what: str) -> Said:
    every = group.taken + group.left_out
    if not group.taken:
        return said("all {things} {of_what}", things=counted(every, noun), of_what=of_what)
    things, n = counted(every, noun), group.left_out
    return said("{n:,} of {things} {of_what}", n=n, things=things, of_what=of_what)


def _model(group: Group) -> str:
    return group.name if group.name is not None else said("an unknown model")


def _json(groups: Sequence[Group]) -> list[dict[str, Any]]:
    return [group._asdict() | {"share_left_out": group.share} for group in groups]


EXAMPLES = 3
# Up to so many ranges of rows are named, and of lines with them.
RANGES = 5
_DIFFERS = "…"


class Example(NamedTuple):
    """One bad row of a kind; `value` is what its cell says, '' where the fault is in no cell."""

    row: int
    line: int | None
    column: str | None
    value: str


class FaultKind(NamedTuple):
    """All rows that are bad in the same column for the same reason.

    Attributes:
        problem: What is wrong and what can be done; … for a word in which the rows differ.
        column: The column; None where the row as a whole is bad.
        of: Of what the rows are rows where that is not the file.
        rows: The rows, each once, in order.
        lines: Their lines in the file; empty where it has none.
        examples: The first rows, at most three, of different values where there are any.
        code: What the fault is called by programs; None for a fault without a name.
    """

    problem: str
    column: str | None
    of: str
    rows: tuple[int, ...]
    lines: tuple[int, ...]
    examples: tuple[Example, ...]
    code: str | None = None

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def sentence(self) -> str:
        """The rows, the problem and the examples, as lines for a terminal."""
        of = f" {self.of}" if self.of else ""
        at = f", column “{self.column}”" if self.column else ""
        first, several = self.examples[0], self.count > 1
        is_cut = len(_runs(self.rows)) > RANGES
        lines = ""
        if several and len(self.lines) == self.count and not is_cut:
            lines = f" ({LINE}s {ranges(self.lines)})"
        elif first.line is not None and not several:
            lines = f" ({LINE} {first.line})"
        count = f" ({self.count:,} rows)" if is_cut else ""
        head = f"Row{'s' if several else ''} {ranges(self.rows)}{count}{of}{lines}{at}"
        return f"{head}: {self.problem}{self._examples() if several else ''}"

    def _examples(self) -> str:
        shown = [f"row {one.row}: “{one.value}”" for one in self.examples if one.value]
        return f"\n    For example {', '.join(shown)}." if shown else ""

    def as_json(self) -> dict[str, Any]:
        """The kind for `--json`."""
        return {
            "code": self.code,
            "problem": self.problem,
            "column": self.column,
            "of": self.of,
            "count": self.count,
            "examples": [one._asdict() for one in self.examples],
        }


def kinds(bad_rows: Iterable[BadRow]) -> list[FaultKind]:
    """Return every kind of fault once, in the order of its first row."""
    alike: dict[Hashable, list[BadRow]] = defaultdict(list)
    for bad in bad_rows:
        said_as = getattr(bad.problem, "code", None) or getattr(bad.problem, "template", None)
        alike[bad.column, bad.of, said_as or bad.problem].append(bad)
    return [_kind(group) for group in alike.values()]


def ranges(numbers: Sequence[int]) -> Said:
    """Ascending numbers in words, neighbours drawn together, and how many more there are: 1-3, 7.

    A number that occurs twice is named once.
    """
    runs = _runs(numbers)
    shown = joined(", ", ("-".join(map(str, dict.fromkeys(run))) for run in runs[:RANGES]))
    more = sum(last - first + 1 for first, last in runs[RANGES:])
    return said("{names} and {n:,} more", names=shown, n=more) if more else shown


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for row in dict.fromkeys(numbers):
        if runs and row == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], row)
        else:
            runs.append((row, row))
    return runs


def _in_common(problems: Sequence[Any]) -> Any:
    """The first problem, with … for each value in which those of its template differ."""
    first = problems[0]
    template = getattr(first, "template", "")
    if not template or any(getattr(one, "template", "") != template for one in problems):
        return first
    values = {
        name: value if all(one.values[name] == value for one in problems) else _DIFFERS
        for name, value in first.values.items()
    }
    return said(template, **values)


def _kind(group: list[BadRow]) -> FaultKind:
    first, rows = group[0], {bad.row: bad for bad in group}
    by_value = {bad.value: bad for bad in reversed(group)}
    different = sorted(by_value.values(), key=lambda bad: bad.row)[:EXAMPLES]
    more = [bad for bad in group[: 2 * EXAMPLES] if bad not in different]
    chosen = sorted([*different, *more[: EXAMPLES - len(different)]], key=lambda bad: bad.row)
    return FaultKind(
        problem=_in_common([bad.problem for bad in group]),
        column=first.column,
        of=first.of,
        rows=tuple(rows),
        lines=tuple(bad.line for bad in rows.values() if bad.line is not None),
        examples=tuple(Example(bad.row, bad.line, bad.column, bad.value) for bad in chosen),
        code=getattr(first.problem, "code", None),
    )


class Flag(NamedTuple):
    """A warning: how often it occurs, in which rows first, and what it means."""

    kind: str
    count: int
    rows: tuple[int, ...]
    sentence: str


@dataclass(frozen=True)
class Checked:
    """Result of reading a file of answers or of grades.

    `grades` excludes anything a bad row touches; those of a large file are on disk. `rows` counts
    records and `folded` duplicates. `lost` is the number of refused grades by grader name,
    `not_taken` what is refused by answering model and by score.
    """

    table: Table
    columns: ColumnMap
    rows: int
    grades: Sequence[Grade]
    bad_rows: list[BadRow]
    folded: int
    lost: Mapping[str, int]
    sha256: str
    not_taken: Lost

    def refused(self) -> int:
        """Number of bad rows; one row may have several errors."""
        return len({bad.row for bad in self.bad_rows})

    def warnings(self) -> tuple[str, ...]:
        """Sentences on graders with partly rejected grades."""
        kept = Counter(grade.grader for grade in self.grades) if self.lost else {}
        return bias_warnings(self.lost, kept)

    def refusal(self) -> Problem | None:
        """Return why the file is not imported whole; None where every row is valid."""
        if not self.bad_rows:
            return None
        lost = [self.left_out().sentence(), *self.warnings()]
        valid = self.refused() < self.rows or self.grades or getattr(self, "items", ())
        ends = ending(lost, bool(valid))
        return refusal(self.table.source.name, self.bad_rows, self.rows, ends)

    def left_out(self, conflicting: Collection[int] = ()) -> LeftOut:
        """Return what a partial import leaves out, rows that contradict stored data included."""
        return exclusions(getattr(self, "items", ()), self.grades, self.not_taken, conflicting)

    def faults_as_json(self, conflicting: Collection[int]) -> dict[str, Any]:
        """The kinds of faults and what is left out with them, for `--json`.

        `conflicting` are rows that contradict what is stored.
        """
        return {
            "faults": [kind.as_json() for kind in kinds(self.bad_rows)],
            "left_out": self.left_out(conflicting).as_json(),
        }


def refusal(name: str, bad_rows: Sequence[BadRow], rows: int, ends: Sequence[str]) -> Problem:
    """Return the error for a whole file: each kind of fault, and how it `ends`."""
    count = len({bad.row for bad in bad_rows})
    refused = said(
        "{count:,} of {rows} of {name} is bad, so nothing was imported."
        if count == 1
        else "{count:,} of {rows} of {name} are bad, so nothing was imported.",
        count=count,
        rows=counted(rows, "row"),
        name=name,
        fault_code="bad_rows",
    )
    return Problem(joined("\n", [refused, *faults(bad_rows), *ends]))


def ending(lost: Sequence[str], is_partial: bool) -> list[str]:
    """Return what would be lost with the bad rows, and the remedy.

    Where not a part of the file can be imported, nothing is lost with it and the file is corrected.
    """
    if not is_partial:
        return [said("Correct the file and import it again.")]
    return [*lost, said("Correct the file, or import the good rows alone with --partial.")]


def contradicted(
    name: str, conflicts: "Sequence[Difference]", remedy: str, on_screen: str = ""
) -> Conflict:
    """Return the error for a file that contradicts what is stored: each kind, and the remedy.

    `on_screen` is the remedy for a screen, where the other names options of the command line.
    """
    listed = faults([BadRow(c.row, None, c.column, c.problem) for c in conflicts])
    rows = counted(len({c.row for c in conflicts}), "row contradicts", "rows contradict")
    refused = said(
        "{name}: {rows} what is stored, so nothing was imported.",
        name=name,
        rows=rows,
        fault_code="contradicts",
    )
    found = joined("\n", [refused, *listed])
    screen = joined("\n", [found, on_screen or remedy])
    return Conflict(joined("\n", [found, remedy]), on_screen=screen)


def faults(bad_rows: Sequence[BadRow]) -> Iterator[str]:
    """Yield each kind of fault once: its rows, what is wrong, what can be done, and examples."""
    return (kind.sentence() for kind in kinds(bad_rows))


def bias_warnings(lost: Mapping[str, int], kept: Mapping[str, int]) -> tuple[str, ...]:
    """Return a sentence for each grader who loses a share of `NOTED`: the rest is not random."""
    return tuple(
        said(
            "{grader} loses every grade. Correct the scores, or leave this grader out.",
            grader=grader,
        )
        if grader not in kept
        else said(
            "{grader} loses {count} of {one} grades. The remaining grades may be biased, because "
            "the rejected ones are not a random sample: correct the scores, or leave this grader "
            "out.",
            grader=grader,
            count=count,
            one=count + kept[grader],
        )
        for grader, count in sorted(lost.items() if kept else ())
        if count >= NOTED * (count + kept.get(grader, 0))
    )
