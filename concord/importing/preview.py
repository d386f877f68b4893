"""Preview of an import: what would be taken from a file, with counts and the first answers."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from concord.importing.answer_file import AnswerSheet
from concord.importing.import_errors import faults
from concord.messages import Said, counted, joined, said
from concord.model import Grade, Item

ANSWERS = 10
_CHARACTERS = 200


@dataclass(frozen=True)
class PreviewAnswer:
    """One answer, with its texts cut to a length that can be shown.

    `contexts`, `references` and `turns` are counts; `grades` are as (grader, criterion, score);
    `metadata` the names of its other columns.
    """

    row: int
    item_id: str | None
    question_id: str | None
    cluster: str | None
    question: str
    answer: str
    answer_model: str | None
    contexts: int
    references: int
    turns: int
    grades: tuple[tuple[str, str, float | None], ...]
    metadata: tuple[str, ...]


@dataclass(frozen=True)
class Preview:
    """Contents that an import would store.

    Attributes:
        map: The words of the column map, recognised columns among them.
        rows: Rows of the file.
        answers: Answers that would be taken.
        questions: Their questions.
        answer_models: Answers by answering model, most first; '' for no name.
        contexts: Answers with contexts; references: those with a reference answer.
        annotators: Grades by annotator; judges: by judge; metrics: by metric.
        grades: Grades by criterion.
        bad_rows: Rows of which something cannot be taken.
        folded: Rows that repeat an answer.
        faults: What is wrong with bad rows, alike ones in one sentence.
        flags: What is legal and worth knowing.
        first: The first answers.
    """

    map: tuple[str, ...]
    rows: int
    answers: int
    questions: int
    answer_models: dict[str, int]
    contexts: int
    references: int
    annotators: dict[str, int]
    judges: dict[str, int]
    metrics: dict[str, int]
    grades: dict[str, int]
    bad_rows: int
    folded: int
    faults: tuple[str, ...]
    flags: tuple[str, ...]
    first: tuple[PreviewAnswer, ...]

    def as_json(self) -> dict:
        """The preview for `--json`."""
        return asdict(self)

    def sentence(self) -> Said:
        """The counts in words."""
        grades = sum(self.grades.values())
        models = sum(bool(name) for name in self.answer_models)
        parts = [
            counted(self.answers, "answer"),
            counted(self.questions, "question"),
            models and counted(models, "answering model"),
            self.annotators and counted(len(self.annotators), "annotator"),
            self.judges and counted(len(self.judges), "judge"),
            self.metrics and counted(len(self.metrics), "metric"),
            grades and counted(grades, "grade"),
            self.bad_rows and counted(self.bad_rows, "bad row"),
        ]
        return said("{what}.", what=joined(", ", [part for part in parts if part]))


def preview(read: AnswerSheet, first: int = ANSWERS) -> Preview:
    """Preview what a file that was read would give; nothing is stored."""
    of_kind = {
        kind: dict(Counter(g.grader for g in read.grades if g.grader_kind in kinds).most_common())
        for kind, kinds in _KINDS.items()
    }
    models = Counter(item.answer_model or "" for item in read.items)
    return Preview(
        map=read.columns.spoken(),
        rows=read.rows,
        answers=len(read.items),
        questions=len({item.question_key for item in read.items}),
        answer_models=dict(models.most_common()),
        contexts=sum(bool(item.contexts) for item in read.items),
        references=sum(bool(item.reference) for item in read.items),
        **of_kind,
        grades=dict(Counter(grade.criterion for grade in read.grades).most_common()),
        bad_rows=read.refused(),
        folded=read.folded,
        faults=tuple(faults(read.bad_rows)),
        flags=tuple(flag.sentence for flag in read.flags),
        first=tuple(_first(read, first)),
    )


# A mean of annotators is one annotator.
_KINDS = {"annotators": ("person", "mean"), "judges": ("judge",), "metrics": ("metric",)}


def _first(read: AnswerSheet, most: int) -> Iterator[PreviewAnswer]:
    items = read.items[:most]
    grades: dict[str, list[Grade]] = {item.identity: [] for item in items}
    for grade in read.grades:
        if grade.item_key in grades:
            grades[grade.item_key].append(grade)
    return (_short(item, grades[item.identity]) for item in items)


def _short(item: Item, grades: Iterable[Grade]) -> PreviewAnswer:
    return PreviewAnswer(
        row=item.row,
        item_id=item.own_id,
        question_id=item.question_id,
        cluster=item.cluster,
        question=_cut(item.question),
        answer=_cut(item.answer),
        answer_model=item.answer_model,
        contexts=len(item.contexts),
        references=len(item.reference),
        turns=len(item.turns or ()),
        grades=tuple((one.grader, one.criterion, one.score) for one in grades),
        metadata=tuple(item.metadata),
    )


def _cut(text: str) -> str:
    """A text on one line, cut where it is long."""
    line = " ".join(text[: 4 * _CHARACTERS].split())
    return line if len(line) <= _CHARACTERS else f"{line[:_CHARACTERS]}…"
