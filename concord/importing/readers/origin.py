"""Origin of a table: the tool that wrote the file, and what its export says beyond the rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

# The column of a recognised export that holds the list of an answer's grades.
GRADES = "grades"


class JudgeIdentity(NamedTuple):
    """A judge or metric of an export; '' where the export does not say.

    `name` is the name its grades have: it contains the model, the version, and a digest of the
    prompt, so that two judges that differ in one of them are two graders.
    """

    name: str
    model: str = ""
    prompt: str = ""
    version: str = ""


class LeftOut(NamedTuple):
    """A part of an export that is not imported: what, how many of it, and why."""

    what: str
    count: int
    reason: str


@dataclass(frozen=True)
class Origin:
    """What the reader of a tool's export knows beyond the rows of the table it makes.

    Attributes:
        tool: The tool and the kind of its file, for a user.
        of: `answers`, or `grades` of answers that are not in the export.
        words: The column map of the table.
        judges: The judges and metrics whose grades it has.
        left_out: What of the export is not among the rows.
        annotated: The criteria that annotators graded.
        judged: The criteria that judges graded.
    """

    tool: str
    of: Literal["answers", "grades"]
    words: tuple[str, ...]
    judges: tuple[JudgeIdentity, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    annotated: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()

    def same_criteria(self) -> tuple[str, ...]:
        """Words that read a criterion of judges alone as one of annotators alone."""
        return tuple(
            f"criterion:{judged}={annotated}"
            for judged in self.judged
            for annotated in self.annotated
            if judged not in self.annotated and annotated not in self.judged
        )

    def kept(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Columns that are kept with each answer: the grades are read, and not kept as well."""
        return tuple(column for column in columns if column != GRADES)

    def with_words(self, more: Sequence[str]) -> tuple[str, ...]:
        """Return the words of the map, where more words replace those of the same fields.

        `score=` leaves out the grades.
        """
        fields = {_field(word) for word in more}
        kept = [word for word in self.words if _field(word) not in fields]
        if any(word.strip() == "score=" for word in more):
            kept = [word for word in kept if f"={GRADES}." not in word]
        return (*kept, *more)


def _field(word: str) -> str:
    return word.partition("=")[0].strip().removesuffix(":").strip()
