"""The sources of the sample, read and checked: documents, questions and answers.

Every planted defect is checked against the passages, so that its documented kind and size match the
text.
"""

from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from concord.definitions import Frozen
from concord.messages import Problem
from concord.resources import SAMPLES
from concord.rubrics.model import read_text, validated

FOLDER = SAMPLES / "source"
SYSTEMS = ("atlas", "birch", "cobalt")
WRITTEN = ("missing_aspect", "hallucinated_step", "wrong", "injection", "markup")
MADE = ("cut_off", "repeated_words", "stray_symbols", "off_topic", "empty")
Defect = Literal[("none", *WRITTEN, *MADE)]
Language = Literal["en", "zh", "ja", "ko"]


class Answer(Frozen):
    """One system's answer as the author wrote it, and the defect planted in it.

    Defects of the kinds in `WRITTEN` are in the text already; `planted` quotes each of them (for
    `missing_aspect`: what the reference has and the answer lacks), and `against` the passages a
    wrong statement contradicts. Those in `MADE` are made from the good text by code, at `size`.
    """

    answer: str
    defect: Defect = "none"
    size: float | None = None
    donor: str = ""
    planted: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    note: str = ""
    grades: dict[Literal["correctness", "comprehensiveness", "readability"], int] = Field(
        default_factory=dict
    )
    why: str = ""

    @model_validator(mode="after")
    def _is_coherent(self):
        made = self.defect in MADE and self.defect != "empty"
        written = self.defect in WRITTEN
        quoted = len(self.planted) if self.defect == "wrong" else 0
        for holds, fault in (
            (made == (self.size is not None), "size: give one for a defect made by code only"),
            (written == bool(self.planted), "planted: quote what was planted by hand, only that"),
            (written == bool(self.note), "note: say in one sentence what was planted by hand"),
            ((self.defect == "off_topic") == bool(self.donor), "donor: only off_topic has one"),
            (bool(self.grades) == bool(self.why), "why: needed with grades, and only then"),
            (len(self.against) == quoted, "against: one for each wrong statement, else none"),
        ):
            if not holds:
                raise ValueError(fault)
        return self

    @property
    def defect_size(self) -> float:
        """The size by kind: a share for what code makes, a count for what was planted by hand."""
        if self.defect == "empty":
            return 1
        size = len(self.planted) if self.size is None else self.size
        return int(size) if size == int(size) else size


class Question(Frozen):
    """A question to one document, its passages, a reference answer and an answer per system."""

    id: str
    document: str
    language: Language = "en"
    contexts: tuple[str, ...]
    question: str
    reference: str
    atlas: Answer
    birch: Answer
    cobalt: Answer

    def answers(self) -> dict[str, Answer]:
        """The answers by the name of the system."""
        return {system: getattr(self, system) for system in SYSTEMS}


class Document(Frozen):
    """One document of the invented town: passages by id."""

    id: str
    title: str
    language: Language
    passages: dict[str, str]


class _Group(Frozen):
    """One source file."""

    documents: tuple[Document, ...]
    questions: tuple[Question, ...]


class World(NamedTuple):
    """Everything the sources hold."""

    documents: dict[str, Document]
    questions: list[Question]

    def passage(self, passage_id: str) -> tuple[str, str]:
        """Return the document id and the text of a passage; a Problem where it is unknown."""
        for document in self.documents.values():
            if passage_id in document.passages:
                return document.id, document.passages[passage_id]
        raise Problem(f"No document has a passage “{passage_id}”. Correct the id in the question.")

    def answers(self) -> dict[str, tuple[Question, Answer]]:
        """Return every answer with its question, by item id (`q01-atlas`)."""
        return {
            f"{question.id}-{system}": (question, answer)
            for question in self.questions
            for system, answer in question.answers().items()
        }


def load(folder: Path = FOLDER) -> World:
    """Read every numbered source file; a Problem where one contradicts itself."""
    groups = [
        validated(_Group, read_text(path), path.name) for path in sorted(folder.glob("[0-9]*.toml"))
    ]
    documents = {document.id: document for group in groups for document in group.documents}
    world = World(documents, [question for group in groups for question in group.questions])
    for item_id, (question, answer) in world.answers().items():
        if faults := _faults(world, question, answer):
            raise Problem(f"{item_id}: {'; '.join(faults)}. Correct the source.")
    return world


def _faults(world: World, question: Question, answer: Answer) -> list[str]:
    """Return the claims of a planted defect that the texts do not support."""
    contexts = "\n".join(world.passage(passage)[1] for passage in question.contexts)
    faults = [f"“{quote}” is in no context" for quote in answer.against if quote not in contexts]
    for quote in answer.planted:
        if (quote in answer.answer) == (answer.defect == "missing_aspect"):
            faults.append(f"“{quote}” is not planted as the kind demands")
        if answer.defect == "missing_aspect" and quote not in question.reference:
            faults.append(f"“{quote}” is not in the reference")
        if answer.defect == "hallucinated_step" and quote in contexts:
            faults.append(f"“{quote}” is in the contexts and is not made up")
    if answer.donor and answer.donor not in world.answers():
        faults.append(f"there is no answer {answer.donor} to take the off-topic text from")
    return faults
