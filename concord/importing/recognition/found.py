"""What a recognised export holds, counted before any of it is mapped or stored."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from concord.importing import scores
from concord.importing.columns import column_map
from concord.importing.readers import cells as of_cell
from concord.importing.readers.formats import open_table
from concord.importing.readers.table import GRADES, JudgeIdentity, LeftOut, Record, Table
from concord.importing.recognition.recognise import open_file, open_grades
from concord.messages import Problem, Said, counted, joined, on_command_line, said

# So many different values of a criterion are listed.
_VALUES = 12


@dataclass(frozen=True)
class Found:
    """The contents of an export.

    Attributes:
        tool: The tool and the kind of file.
        answers: The number of answers; 0 for an export of grades alone.
        answer_models: Answers by answering model; '' for no name.
        annotators: Grades by annotator.
        grades_by_judge: Grades by judge.
        grades_by_metric: Grades by metric.
        not_blind: Annotators' grades that were given where other scores are shown.
        judges: The identities of judges and metrics.
        values: Number of grades by their value, by criterion; the most frequent values.
        left_out: What is left out, and why.
        scores: The score that each word or number is read as, once the mapping is known.
    """

    tool: str
    answers: int
    answer_models: dict[str, int]
    annotators: dict[str, int]
    grades_by_judge: dict[str, int]
    grades_by_metric: dict[str, int]
    not_blind: int
    judges: tuple[JudgeIdentity, ...]
    values: dict[str, dict[str, int]]
    left_out: tuple[LeftOut, ...]
    scores: Mapping[str, float | None] = field(default_factory=dict)

    def mapped(self, scores: Mapping[str, float | None]) -> "Found":
        """The same with the scores that words are read as."""
        return replace(self, scores=dict(scores))

    def mapping(self) -> Said | None:
        """Say which scores words are read as; None without such words."""
        if not self.scores:
            return None
        pairs = [
            said("{word} = {score}", word=word, score="-" if score is None else f"{score:g}")
            for word, score in self.scores.items()
        ]
        return said(
            "Scores of words: {pairs}. Other scores: --score WORD=SCORE.",
            pairs=joined(", ", pairs),
        )

    def to_json(self) -> dict:
        """Return it for `--json`."""
        return {one.name: getattr(self, one.name) for one in fields(self)} | {
            "judges": [one._asdict() for one in self.judges],
            "left_out": [one._asdict() for one in self.left_out],
            "scores": dict(self.scores),
        }

    def sentences(self) -> Iterator[Said]:
        """Say what there is, one sentence for each kind of it."""
        parts = (
            (self.answer_models, said("{tool}: {n} by {names}.", tool=self.tool,
                                      n=counted(self.answers, "answer"),
                                      names=_named(self.answer_models)), self.answers),
            (self.annotators, said("Grades by annotators: {names}.",
                                   names=_named(self.annotators)), 1),
            (self.grades_by_judge, said("Grades by judges: {names}.",
                                        names=_named(self.grades_by_judge)), 1),
            (self.grades_by_metric, said("Values of metrics: {names}.",
                                         names=_named(self.grades_by_metric)), 1),
        )  # fmt: skip
        if not self.answers:
            yield said("{tool}: grades of answers that are imported elsewhere.", tool=self.tool)
        yield from (sentence for names, sentence, shown in parts if names and shown)
        if self.not_blind:
            yield said(
                "Not blind: {grades} by annotators, because the tool shows other scores next to "
                "the answer. They are stored, and excluded where a judge is compared with "
                "annotators. If the annotators saw no scores, say so when you map the "
                "columns{on_command_line}.",
                on_command_line=on_command_line("--map blind="),
                grades=counted(self.not_blind, "grade"),
            )
        for criterion, values in self.values.items():
            yield said("{criterion} is graded {values}.", criterion=criterion,
                       values=_named(values))  # fmt: skip
        for one in self.left_out:
            yield said("Left out: {what} ({n:,}), because {reason}.", n=one.count, what=one.what,
                       reason=one.reason)  # fmt: skip


def open_found(
    given: str | Path,
    encoding: str | None = None,
    worksheet: str | None = None,
    mapped: Sequence[str] = (),
) -> tuple[Table, Found | None]:
    """The table of a file, and its contents where it is a recognised export.

    A file is read as any other where only then it has the columns that are `mapped`, as a map from
    before its tool was recognised names them.
    """
    table = open_file(given, encoding=encoding, worksheet=worksheet)
    if table.origin and mapped and not _has_columns(table, table.origin.with_words(mapped)):
        with suppress(Problem):
            plain = open_table(given, encoding=encoding)
            table = plain if _has_columns(plain, mapped) else table
    return table, found_in(table)


def _has_columns(table: Table, mapped: Sequence[str]) -> bool:
    try:
        column_map(table.columns, mapped)
    except Problem:
        return False
    return True


def open_found_grades(
    given: str | Path, encoding: str | None = None, worksheet: str | None = None
) -> tuple[Table, Found | None]:
    """The same for a file of grades."""
    table = open_grades(given, encoding=encoding, worksheet=worksheet)
    return table, found_in(table)


def refuse_grades(table: Table) -> None:
    """Raise a Problem for an export that holds grades of answers that are elsewhere."""
    if table.origin and table.origin.of == "grades":
        raise Problem(
            "{file} holds grades and no answers. Import the answers with these ids first, then "
            "this file under Import grades{on_command_line}.",
            on_command_line=on_command_line("`grades`"),
            file=table.source.name,
            fault_code="grades_alone",
        )


def found_in(table: Table) -> Found | None:
    """Count the contents of a recognised export; None for any other table."""
    if table.origin is None:
        return None
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    values: dict[str, Counter[str]] = defaultdict(Counter)
    not_blind, seen = 0, set()
    for record in table.records():
        row = dict(zip(table.columns, record.cells, strict=True))
        # An answer of several rows has its id in each.
        item = _text(row.get("item_id"))
        is_new = not item or item not in seen
        seen.add(item)
        if table.origin.of == "answers" and is_new:
            counts["models"][of_cell.shown(row.get("answer_model"))] += 1
        for grade in _grades(table, record, row):
            counts[grade["kind"]][grade["grader"]] += 1
            not_blind += grade["kind"] == "annotator" and grade["blind"] == "false"
            values[grade["criterion"]][_value(grade["score"])] += 1
    return Found(
        tool=table.origin.tool,
        answers=counts["models"].total(),
        answer_models=dict(counts["models"].most_common()),
        annotators=dict(counts["annotator"].most_common()),
        grades_by_judge=dict(counts["judge"].most_common()),
        grades_by_metric=dict(counts["metric"].most_common()),
        not_blind=not_blind,
        judges=table.origin.judges,
        values={name: dict(found.most_common(_VALUES)) for name, found in values.items()},
        left_out=table.origin.left_out,
    )


def _grades(table: Table, record: Record, row: Mapping) -> Iterator[dict[str, str]]:
    """Yield the grades of a row as text, which is one in a table of grades."""
    names = ("kind", "grader", "criterion", "score", "blind")
    if table.origin is not None and table.origin.of == "grades":
        row = {**row, "kind": row.get("grader_kind")}
        yield {name: _text(row.get(name)) for name in names}
        return
    for grade in row.get(GRADES) or ():
        yield {name: _text(grade.get(name)) for name in names}


def _value(score: str) -> str:
    """A score as it is counted: 1.0 and 1 are the same number."""
    return score if scores.number(score) is None else score.removesuffix(".0")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _named(counts: Mapping[str, int]) -> Said:
    shown = [
        said("{name} ({n:,})", name=name or said("no name"), n=n) for name, n in counts.items()
    ]
    more = len(shown) - _VALUES
    return joined(", ", [*shown[:_VALUES], *([said("{n:,} more", n=more)] if more > 0 else [])])
