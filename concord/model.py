"""Sheet, Item, Context, Unit, Grader and Grade: what a sheet holds, who grades it and how.

Plain immutable records between the readers of files and the store. Nothing here touches a file.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from concord.definitions import canonical_json, digest_of_text, json_text, json_texts
from concord.messages import N_, counted, message_of, said
from concord.text.normal_form import text_hash

STATUSES = (
    "scored",
    "cannot_grade",
    "not_applicable",
    "missing_input",
    "refused",
    "unparsable",
    "truncated",
    "too_long",
    "failed",
)

# Why a grade has no score, as a part of a sentence: the statuses, and what a report adds to them.
_STATUS_WORDS = {
    "good": N_("usable"),
    "scored": N_("scored"),
    "cannot_grade": N_("cannot grade"),
    "not_applicable": N_("not applicable"),
    "missing_input": N_("missing input"),
    "refused": N_("refused"),
    "unparsable": N_("unparsable"),
    "truncated": N_("truncated"),
    "too_long": N_("too long"),
    "failed": N_("failed"),
    "not_asked": N_("not requested"),
}

# Extra fields of an answer that metrics read, as keys of `Item.metadata`.
EXTRA_FIELDS = frozenset({"relevant_ids", "rubric", "judge_date"})
# Prefix of the id of a question that a model drafted, in the sheet that is built from it.
DRAFTED = "draft-"


# The splits of a question, and how the database keeps them.
SPLITS = FEW_SHOT, EVALUATION, HELD_OUT = ("few-shot", "evaluation", "held-out")
STORED_SPLITS = {FEW_SHOT: "examples", EVALUATION: "evaluation", HELD_OUT: "sealed"}


class Context(NamedTuple):
    """One retrieved passage; `rank` counts from 1 in the order the sheet gives.

    `id` and `doc_id` are '' where the sheet names none.
    """

    id: str
    doc_id: str
    text: str
    rank: int


class BadRow(NamedTuple):
    """A row that cannot be taken, or that contradicts what is stored: the error with its remedy.

    `of` names what it is a row of, other than the file, as in "Row 3 of the package".
    """

    row: int
    column: str | None
    problem: str
    of: str = ""


class Item(NamedTuple):
    """One answer by one answering model to one question, as a sheet gives it.

    Texts are exactly those of the file. None means that the file does not say; an empty answer is
    ''. `turns` are the earlier turns of a conversation as `{"role": ..., "content": ...}`.
    `row` is the record's number below the header, counted from 1.
    """

    own_id: str | None
    question_id: str | None
    cluster: str | None
    question: str
    contexts: tuple[Context, ...]
    answer: str
    answer_model: str | None
    reference: tuple[str, ...]
    reference_contexts: tuple[str, ...]
    turns: tuple | None
    synthetic: bool
    metadata: dict
    row: int

    @property
    def question_key(self) -> str:
        """Key of the question within its sheet: the sheet's own id, else text and cluster."""
        return question_key(self.question_id, self.question, self.cluster)

    @property
    def identity(self) -> str:
        """Key of the item within its sheet: its own id, else question and answering model."""
        if self.own_id is not None:
            return item_key(self.own_id)
        return answer_key(self.question_key, self.answer_model)

    @property
    def relevant_ids(self) -> tuple[str, ...]:
        """The ids of the documents relevant to the question; empty where unknown."""
        given = self.metadata.get("relevant_ids") or ()
        return tuple(str(one) for one in ([given] if isinstance(given, str | int) else given))

    @property
    def given_whole(self) -> bool:
        """True where the only context is the whole document the question was drafted from.

        This is the case for sheets built here: nothing was retrieved for them.
        """
        if not (self.synthetic and (self.question_id or "").startswith(DRAFTED)):
            return False
        ids = [(one.id, one.doc_id) for one in self.contexts]
        return ids == [("", self.cluster)]

    @property
    def judge_date(self) -> str:
        """The day from which a judge is to see the item; '' where the sheet names none."""
        return str(self.metadata.get("judge_date") or "")

    @property
    def conversation(self) -> str:
        """The earlier turns as one text, as annotators and judges see it; '' where none are."""
        return conversation(self.turns or ())

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key a grade may find this item by; the identity is the first."""
        by_answer = answer_key(self.question_key, self.answer_model)
        return (self.identity,) if self.own_id is None else (self.identity, by_answer)


# Where a distribution comes from: a decision model, the log-probabilities of a chat judge's score,
# the confidence it states, or a file that does not say.
DISTRIBUTION_SOURCES = NATIVE, LOGPROBS, STATED, IMPORTED = (
    "native",
    "logprobs",
    "stated",
    "imported",
)


_FINITE = json.JSONEncoder(allow_nan=False)


def is_rounding(off: float, levels: int) -> bool:
    """Tell if rounding each of so many probabilities to two decimals can put their sum so far off.

    Below four levels as for four.
    """
    return abs(off) <= 0.005 * max(4, levels) + 1e-9


class Distribution(NamedTuple):
    """A judge's probability of each score of a criterion, exactly as it was returned.

    `probabilities` are (score, probability) in rising order of score; they need not sum to 1, and
    a stated confidence gives that of one score only. `outside` is the mass on anything that is no
    score, None where it is unknown.
    """

    source: str
    probabilities: tuple[tuple[float, float], ...]
    outside: float | None = None

    def as_json(self) -> str:
        """The probabilities as they are stored: an object by score."""
        return _FINITE.encode({f"{score:g}": p for score, p in self.probabilities})


# Kinds of units that are names, each with its other forms, and not statements.
ENTITIES = ("reference_entity", "context_entity")


class Unit(NamedTuple):
    """A part of an item that gets a verdict of its own: a claim, a sentence, a chunk, an entity.

    `position` counts from 0 within the item and kind; of a pair with a chunk it is the chunk's.
    `parent` is the id of the unit it belongs to, None for none.
    """

    id: int
    kind: str
    text: str
    position: int
    parent: int | None = None


class Cell(NamedTuple):
    """A unit before it is stored: its text, its position and the id of its parent."""

    text: str
    position: int
    parent: int | None = None


class Verdict(NamedTuple):
    """A grader's verdict on one unit: a score of the rubric's scale, the reason, and the evidence.

    `quote` is the passage the verdict rests on, verbatim; '' where none is given.
    """

    score: int
    reason: str = ""
    quote: str = ""


# Limits of an annotator's grade: its time (a year), and the length of its note or evidence.
MOST_SECONDS = 31_536_000
MOST_TEXT = 100_000


class Grade(NamedTuple):
    """One grader's score for one criterion of one item, as a file gives it.

    `item_key` is the key of the item that the file names. `score`: None unless the status is
    `scored`; it is an integer on the rubric's scale, or a real number for a judge, a metric and a
    mean of annotators. `repeat` counts from 1. `blind`: None if the file does not say. `column`
    names the column the score came from. A grade of a unit also has the unit's id and the label of
    its score.
    `quote` has the words of the evidence, and `marked_passages` the same with their places as they
    are stored. It replaces without confirmation what the same grader gave up to the moment `since`.
    `distribution` is a judge's probability of each score, where the file has it; `rubric_language`
    the language of the translated rubric that an annotator read, '' for the original.
    """

    criterion: str
    grader: str
    grader_kind: Literal["person", "judge", "metric", "mean"]
    score: int | float | None
    status: str = "scored"
    reason: str = ""
    repeat: int = 1
    blind: bool | None = None
    seconds: float | None = None
    simulated: bool = False
    row: int = 0
    column: str = ""
    item_key: str = ""
    unit: int | None = None
    label: str | None = None
    quote: str = ""
    since: str = ""
    distribution: Distribution | None = None
    rubric_language: str = ""
    marked_passages: str = ""

    @property
    def slot(self) -> tuple[str, str, str, str, int, int | None]:
        """Key of what one grader grades once: item, criterion, grader, repeat and unit."""
        return self.item_key, self.criterion, self.grader_kind, self.grader, self.repeat, self.unit


class Document(NamedTuple):
    """A text by its path below the folder."""

    name: str
    text: str

    @property
    def sha256(self) -> str:
        """The hash of the text: the same text under two names is one document."""
        return hashlib.sha256(self.text.encode()).hexdigest()


class Question(NamedTuple):
    """A question with the contexts to answer it from; the fields are those of an item.

    `relevant_ids`: None if unknown; may be empty.
    """

    own_id: str | None
    cluster: str | None
    text: str
    contexts: tuple[Context, ...]
    reference: tuple[str, ...]
    reference_contexts: tuple[str, ...]
    synthetic: bool
    relevant_ids: tuple[str, ...] | None = None

    @property
    def key(self) -> str:
        """Key of the question within its sheet, as `Item.question_key`."""
        return question_key(self.own_id, self.text, self.cluster)

    def identity(self, model: str) -> str:
        """The identity of the item that a model's answer becomes."""
        return answer_key(self.key, model)

    def answered(self, answer: str, model: str) -> Item:
        """The item that a model's answer becomes."""
        return Item(
            own_id=None,
            question_id=self.own_id,
            cluster=self.cluster,
            question=self.text,
            contexts=self.contexts,
            answer=answer,
            answer_model=model,
            reference=self.reference,
            reference_contexts=self.reference_contexts,
            turns=None,
            synthetic=self.synthetic,
            metadata={} if self.relevant_ids is None else {"relevant_ids": [*self.relevant_ids]},
            row=0,
        )


class Sheet(NamedTuple):
    """One imported answer sheet with its counts."""

    id: int
    name: str
    source_name: str
    sha256: str
    imported_at: str
    column_map: dict
    items: int
    questions: int
    answer_models: list[str]
    synthetic: int

    def seed(self) -> int:
        """A seed to begin with: another for every file, the same for one."""
        return int(self.sha256[:6] or "0", 16) % 10_000

    def synthetic_words(self) -> str:
        """Return the number of answers to model-written questions, in words; '' for zero."""
        if not self.synthetic:
            return ""
        answers = counted(self.items, "answer")
        return said("{n:,} of {answers} synthetic", n=self.synthetic, answers=answers)


# The name of the judge that is trained on the annotators' grades.
BASELINE = "baseline"


class Grader(NamedTuple):
    """One grader as stored; `fingerprint` is '' for annotators and judges of unknown settings.

    `pending` is an annotator who named themselves, has graded few answers and is not accepted yet:
    their grades are stored and enter no figure.
    """

    id: int
    kind: str
    name: str
    fingerprint: str
    definition: dict
    simulated: bool
    created_at: str
    pending: bool = False

    @property
    def is_mean(self) -> bool:
        """True for the mean of several annotators, whose grades are continuous."""
        return self.kind == "person" and bool(self.definition.get("mean"))

    def label(self) -> str:
        """The name, with what tells it apart from a namesake."""
        return f"{self.name}@{self.fingerprint}" if self.fingerprint else self.name


def conversation(turns: Iterable[Mapping]) -> str:
    """Turns as one text: who says what, and which tools are called with what."""
    return "\n\n".join(f"{turn['role']}: {_turn_text(turn)}" for turn in turns)


def _turn_text(turn: Mapping) -> str:
    called = turn.get("tool_calls", ())
    calls = [f"(calls {one['name']} {canonical_json(one['args'])})" for one in called]
    return " ".join([*([turn["content"]] if turn["content"] or not calls else []), *calls])


def content_hash(item: Item) -> str:
    """The hash of everything a grader can be shown: equal content is asked of a judge only once.

    The answering model and all ids are left out, since no grader sees them.
    """
    shared = _shown_with(item.contexts, item.question, item.reference, item.reference_contexts)
    turns = "null" if item.turns is None else canonical_json(item.turns)
    # The canonical JSON of an object with these keys, which an import makes for every answer.
    return digest_of_text(f'{{"answer":{json_text(item.answer)}{shared},"turns":{turns}}}')


@lru_cache(maxsize=1)  # answers to one question mostly follow each other, with the same contexts
def _shown_with(
    contexts: tuple[Context, ...],
    question: str,
    reference: tuple[str, ...],
    reference_contexts: tuple[str, ...],
) -> str:
    return (
        f',"contexts":{json_texts([context.text for context in contexts])}'
        f',"question":{json_text(question)}'
        f',"reference":{json_texts(reference)}'
        f',"reference_contexts":{json_texts(reference_contexts)}'
    )


_BY_ID = "id:"


@lru_cache(maxsize=1)
def question_key(question_id: str | None, question: str, cluster: str | None = None) -> str:
    """The key of a question within its sheet: its own id, else its text's hash and its cluster.

    "Who was there?" about another document is another question.
    """
    if question_id is not None:
        return f"{_BY_ID}{question_id}"
    return f"text:{text_hash(question)}" + ("" if cluster is None else f":{cluster}")


def item_key(own_id: str) -> str:
    """The identity of an item that has an id of its own."""
    return json_texts((own_id,))


def answer_key(question: str, answer_model: str | None) -> str:
    """The identity of an item without an id: the key of its question and the answering model."""
    model = "null" if answer_model is None else json_text(answer_model)
    return f"[{json_text(question)},{model}]"


class ItemKeys(dict[str, int | None]):
    """Item id by every key a grade may name it by; None where it fits several.

    The keys are `Item.keys`, and those of the names that lists and files show.

    Attributes:
        shown: The keys of such a name alone. A number in one is the database's own.
        find: The item of a name; a Problem if several items share it.
    """

    def __init__(
        self,
        own: Mapping[str, int | None],
        shown: Mapping[str, int | None],
        find: Callable[[str], int | None],
    ):
        super().__init__({**shown, **own})
        self.shown, self.find = shown.keys() - own.keys(), find


def status_words(status: str) -> str:
    """One of `STATUSES` in words; any other reason without underscores."""
    status = message_of(status)
    return said(_STATUS_WORDS.get(status, status.replace("_", " ")))
