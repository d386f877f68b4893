"""Faults of an import: rows checked, faults by kind, and what a partial import leaves out."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from concord.importing.columns import ColumnMap
from concord.importing.readers.table import LINE, BadRow, Table
from concord.importing.scores import Words, number
from concord.messages import Conflict, Problem, counted, joined, said
from concord.model import Grade
from concord.text.rating_words import key

if TYPE_CHECKING:
    from concord.store.additions import Difference

# By what is counted what is left out: answers by the first, grades by the others.
MODEL, SCORE, GRADER = "answering_model", "score", "grader"
# The least share left out that is more than a number.
NOTED = 0.01
EXAMPLES = 3
# Up to so many ranges of rows are named.
RANGES = 5


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
    records and `folded` duplicates. `lost` counts what is left out, by (MODEL, name), (SCORE, name)
    and (GRADER, name).
    """

    table: Table
    columns: ColumnMap
    rows: int
    grades: Sequence[Grade]
    bad_rows: list[BadRow]
    folded: int
    lost: Counter[tuple[str, str | None]]
    sha256: str

    def refused(self) -> int:
        """Number of bad rows; one row may have several errors."""
        return len({(bad.of, bad.row) for bad in self.bad_rows})

    def refusal(self) -> Problem | None:
        """Return why the file is not imported whole; None where every row is valid."""
        if not self.bad_rows:
            return None
        # A row that is not of the file is missing in it.
        rows = self.rows + sum(bool(bad.of) for bad in self.bad_rows)
        head = said(
            "{count:,} of {rows} of {name} cannot be taken, so nothing was imported.",
            count=self.refused(),
            rows=counted(rows, "row"),
            name=self.table.source.name,
            fault_code="bad_rows",
        )
        remedy = "Correct the file and import it again."
        if self.refused() < rows or self.grades or getattr(self, "items", ()):
            remedy = "Correct the file, or import the good rows alone with --partial."
        left = left_out_sentence(self.left_out())
        return Problem(joined("\n", [head, *faults(self.bad_rows), left, said(remedy)]))

    def left_out(self, conflicting: Collection[int] = ()) -> dict[str, Any]:
        """Count what a partial import leaves out, by answering model, score and grader.

        `conflicting` are rows that contradict what is stored, which are left out too. A model is
        None where the file names none. Without anything left out there are no groups.
        """
        left, taken = Counter(self.lost), Counter()
        if left or conflicting:
            for item in getattr(self, "items", ()):
                to = left if item.row in conflicting else taken
                to[MODEL, item.answer_model] += 1
            for grade in self.grades:
                to = left if grade.row in conflicting else taken
                to[SCORE, score_name(grade.score)] += 1
                to[GRADER, grade.grader] += 1
        groups: dict[str, list[dict[str, Any]]] = {MODEL: [], SCORE: [], GRADER: []}
        for by, name in sorted({*left, *taken}, key=lambda one: (one[1] is None, str(one[1]))):
            n, all_ = left[by, name], left[by, name] + taken[by, name]
            one = {"name": name, "taken": all_ - n, "left_out": n, "share_left_out": n / all_}
            groups[by].append(one)
        answers, grades = (sum(one["left_out"] for one in groups[by]) for by in (MODEL, SCORE))
        named = {f"by_{by}": found for by, found in groups.items()}
        return {"answers": answers, "grades": grades, **named}

    def faults_as_json(self, conflicting: Collection[int]) -> dict[str, Any]:
        """The kinds of faults and what is left out with them, for `--json`."""
        return {"faults": kinds(self.bad_rows), "left_out": self.left_out(conflicting)}


def left_out_sentence(left: dict[str, Any]) -> str:
    """Return how much is left out (`Checked.left_out`); '' where nothing is.

    Where a group loses more than others, which biases the rest, the sentence says so, unless less
    than `NOTED` is lost in all.
    """
    parts, is_uneven = [], False
    for by, noun in ((MODEL, "answer"), (SCORE, "grade"), (GRADER, "")):
        groups = left[f"by_{by}"]
        n = sum(one["left_out"] for one in groups)
        every = n + sum(one["taken"] for one in groups)
        if n and noun:
            parts.append(said("{n:,} of {things}", n=n, things=counted(every, noun)))
        if n and n >= NOTED * every:
            is_uneven |= any(one["share_left_out"] > n / every for one in groups)
    if not parts:
        return said("")
    return said(
        "Importing the rest leaves out {what}. It may be biased: some groups lose more than others."
        if is_uneven
        else "Importing the rest leaves out {what}.",
        what=joined(" and ", parts),
    )


def score_name(given: object, words: Words | None = None) -> str:
    """A score as it is counted, "2" for 2.0 as for "2"; what is no number is counted as written.

    A word that `words` give a score is counted as that.
    """
    text = "" if given is None else str(given).strip()
    mapped = words.get(key(text)) if words else None
    found = number(text) if mapped is None else mapped
    return text if found is None else f"{found:g}"


def kinds(bad_rows: Sequence[BadRow]) -> list[dict[str, Any]]:
    """Return every kind of fault once, in the order of its first row.

    Of each its `code`, `problem` with … for what differs between its rows, `column` (None where the
    row as a whole is bad), `of` what the rows are where not of the file, `count`, `rows` in words,
    and at most three `examples`, of different values where there are any.
    """
    alike: dict[Hashable, list[BadRow]] = defaultdict(list)
    for bad in bad_rows:
        alike[bad.column, bad.of, getattr(bad.problem, "code", bad.problem)].append(bad)
    found = []
    for (column, of, _), group in alike.items():
        rows = list(dict.fromkeys(bad.row for bad in group))
        problem, texts = group[0].problem, [bad.problem.split(" ") for bad in group]
        if len({*map(len, texts)}) == 1:  # what differs between them is a value of one word
            each_word = zip(*texts, strict=True)
            problem = " ".join("…" if len({*words}) > 1 else words[0] for words in each_word)
        by_value = {bad.value: bad for bad in reversed(group)}
        different = sorted(by_value.values(), key=lambda bad: bad.row)[:EXAMPLES]
        first = list(dict.fromkeys([*different, *group[: 2 * EXAMPLES]]))[:EXAMPLES]
        examples = [
            {"row": bad.row, "line": bad.line, "column": column, "value": bad.value}
            for bad in sorted(first, key=lambda bad: bad.row)
        ]
        code = getattr(group[0].problem, "code", None)
        about = {"code": code, "problem": problem, "column": column, "of": of}
        found.append({**about, "count": len(rows), "rows": ranges(rows), "examples": examples})
    return found


def faults(bad_rows: Sequence[BadRow]) -> Iterator[str]:
    """Yield each kind of fault: its rows, what is wrong, what can be done, and examples."""
    for kind in kinds(bad_rows):
        first, several = kind["examples"][0], kind["count"] > 1
        line = f" ({LINE} {first['line']}{'…' * several})" if first["line"] is not None else ""
        of = f" {kind['of']}" if kind["of"] else ""
        at = f", column “{kind['column']}”" if kind["column"] else ""
        shown = [f"row {one['row']}: “{one['value']}”" for one in kind["examples"] if one["value"]]
        examples = f"\n    For example {', '.join(shown)}." if several and shown else ""
        yield f"Row{'s' * several} {kind['rows']}{of}{line}{at}: {kind['problem']}{examples}"


def ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers in words, neighbours drawn together, and how many more there are: 1-3, 7.

    A number that occurs twice is named once.
    """
    runs: list[list[int]] = []
    for row in dict.fromkeys(numbers):
        if runs and row == runs[-1][-1] + 1:
            runs[-1].append(row)
        else:
            runs.append([row])
    shown = ", ".join("-".join(map(str, dict.fromkeys((run[0], run[-1])))) for run in runs[:RANGES])
    more = sum(map(len, runs[RANGES:]))
    return f"{shown} and {more:,} more" if more else shown


def contradicted(name: str, conflicts: "Sequence[Difference]", remedy: str) -> Conflict:
    """Return the error for a file that contradicts what is stored: each kind, and the remedy."""
    listed = faults([BadRow(c.row, None, c.column, c.problem) for c in conflicts])
    head = said(
        "{name}: {rows} contradict what is stored, so nothing was imported.",
        name=name,
        rows=counted(len({c.row for c in conflicts}), "row"),
        fault_code="contradicts",
    )
    return Conflict(joined("\n", [head, *listed, remedy]))
