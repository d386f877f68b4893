"""A proposal: a column map that is read off the values of a file, each word with its reason."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from concord.importing.columns import column_map
from concord.importing.fields import BESIDE_ANSWERS, GRADE_FIELDS, OF_PROBABILITIES
from concord.importing.proposals.column_profile import Profile
from concord.importing.readers.table import Table
from concord.messages import said

_BY_NAME = said("the column's name")


@dataclass(frozen=True)
class Word:
    """One word of a column map, and why; a `column` of '' leaves the field out."""

    field: str
    column: str
    reason: str

    @property
    def text(self) -> str:
        """The word as it is said; a constant is `FIELD:=VALUE`."""
        return f"{self.field}{'' if self.column.startswith(':=') else '='}{self.column}"


@dataclass(frozen=True)
class GradeColumn:
    """A column that seems to hold grades: of which criterion, by which grader, of which kind.

    Grader and criterion may be `{COLUMN}` or the placeholder of the column, as in a column map.
    `scores` are some of its values.
    """

    column: str
    criterion: str
    grader: str
    kind: Literal["annotator", "judge", "metric", "mean"]
    reason: str
    scores: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The word as it is said."""
        return f"score:{self.kind}:{self.grader}:{self.criterion}={self.column}"


@dataclass(frozen=True)
class Doubt:
    """A field for which several columns are equally good, so that none is proposed.

    `words` are words of a column map of which one may settle it.
    """

    field: str
    columns: tuple[str, ...]
    reason: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class LeftOut:
    """A column that is not mapped, and why; it is kept with each answer."""

    column: str
    reason: str


@dataclass(frozen=True)
class Proposal:
    """A proposed meaning of the columns of a file.

    Attributes:
        of: `answers`, or `grades` for a file of grades of answers that are elsewhere.
        records: How many records were looked at.
        words: The words of a column map, without columns of one grader each.
        grades: Columns that seem to hold grades; in long form the words say them.
        doubts: What the user has to say.
        left_out: Columns that are not mapped.
    """

    of: Literal["answers", "grades"]
    records: int
    words: tuple[Word, ...]
    grades: tuple[GradeColumn, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def spoken(self, with_grades: bool = True) -> tuple[str, ...]:
        """The words as `column_map` reads them; without grades, those of the answers alone."""
        return tuple(self._spoken(with_grades))

    def _spoken(self, with_grades: bool) -> Iterator[str]:
        for word in self.words:
            if (
                with_grades
                or self.of == "grades"
                or word.field.partition(":")[0] not in BESIDE_ANSWERS
            ):
                yield word.text
        if with_grades:
            yield from (grade.text for grade in self.grades)

    def as_json(self) -> dict:
        """The proposal for `--json`."""
        return {
            "of": self.of,
            "records": self.records,
            "map": list(self.spoken()),
            "words": [asdict(word) | {"word": word.text} for word in self.words],
            "grades": [asdict(grade) | {"word": grade.text} for grade in self.grades],
            "doubts": [asdict(doubt) for doubt in self.doubts],
            "left_out": [asdict(one) for one in self.left_out],
        }


def of_probabilities(columns: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the columns that are named as probabilities of the scores, each behind its field."""
    found = column_map([*columns], fields=GRADE_FIELDS).fields
    for field in OF_PROBABILITIES:
        yield from ((field, column) for column in found.get(field, ()))


def of_grades_file(table: Table, records: int, profiles: Mapping[str, Profile]) -> Proposal | None:
    """Propose the map of a file with an id, a score and a grader, and no column of answers.

    None for any other file.
    """
    columns = column_map(table.columns, fields=GRADE_FIELDS)
    there = {"item_id", "question_id", "question"} & columns.fields.keys()
    scored = columns.column("score")
    if not there or not scored or "grader" not in columns.fields:
        return None
    used = {c for found in columns.fields.values() for c in found}
    prose = [n for n, one in profiles.items() if n not in used and (one.is_prose or one.is_list)]
    if prose or column_map(table.columns).column("answer"):
        return None
    words = [Word(f, c, _BY_NAME) for f, found in columns.fields.items() for c in found]
    doubts = [
        Doubt(field, names, said("several columns have a name that fits"))
        for field, names in columns.ambiguous.items()
    ]
    left = [LeftOut(name, said("not a field of a grade")) for name in columns.leftovers]
    return Proposal("grades", records, tuple(words), (), tuple(doubts), tuple(left))
