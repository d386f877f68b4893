"""Write the sample that ships, `sample.jsonl` and `sample_grades.csv`, from its sources.

Run `python -m concord.samples.build` after a change in `source/`.

Sources: documents, questions and answers. Every planted defect is checked against the passages, so
that its documented kind and size match the text.

Defects made by code in a good answer: truncated, repeated or inserted text. Sizes are shares of the
pieces of a text: words in English and Korean; in Chinese and Japanese runs of Latin letters and
figures, pairs of characters, and single punctuation marks. Sentences for `off_topic`. Random
choices depend on the seed and the item alone, so that changing one answer leaves every other
unchanged.

Noise of the simulated graders: ordinal shifts away from the author's grade. For an author's grade t
the chance of moving off is `move[t]`, with a random effect of the question and of its document
added on the log-odds; the same effects hold for every simulated grader, so that their errors pile
up on the same questions. A move goes up with chance `up` where both directions are open, by two
scores with chance `far` where there is room, else by one.
"""

import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from statistics import NormalDist
from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from concord.definitions import Frozen
from concord.importing.scores import read_score
from concord.messages import Problem
from concord.model import NATIVE, Distribution
from concord.resources import SAMPLES
from concord.rubrics.model import read_text, validated

SOURCES_FOLDER = SAMPLES / "source"
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


def load(folder: Path = SOURCES_FOLDER) -> World:
    """Read every numbered source file; a Problem where one contradicts itself."""
    documents, questions = {}, []
    for path in sorted(folder.glob("[0-9]*.toml")):
        file = validated(_Group, read_text(path), path.name)
        documents |= {document.id: document for document in file.documents}
        questions += file.questions
    world = World(documents, questions)
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


SYMBOLS = ("@@", "##", "^^", "||", "%%", "¤", "¦", "//")
_WORDS = re.compile(r"\S+")
_PIECES = re.compile(r"[A-Za-z0-9.%]+|[\u3040-\u30ff\u3400-\u9fff]{1,2}|\S")
_WORDLIKE = re.compile(r"(?=.*\w)\D+", re.DOTALL)
_SENTENCES = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？]|$)", re.DOTALL)


def uniform(seed: int, *key: str) -> float:
    """A number in [0, 1) that depends on the seed and the key alone, on every machine."""
    digest = hashlib.sha256("|".join((str(seed), *key)).encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64


def pieces(text: str, language: str) -> list[re.Match]:
    """The pieces whose share a size is, with their places in the text."""
    pattern = _PIECES if language in ("zh", "ja") else _WORDS
    return list(pattern.finditer(text))


def sentences(text: str) -> list[str]:
    """The sentences of a plain paragraph, without the space between them."""
    return [part.strip() for part in _SENTENCES.findall(text) if part.strip()]


def cut_off(text: str, language: str, size: float) -> str:
    """The text without its last pieces, a share of `size`; never ends where a sentence does."""
    found = pieces(text, language)
    kept = found[: len(found) - round(size * len(found))]
    while kept and text[: kept[-1].end()].endswith(tuple(".!?。！？,、，:")):
        kept.pop()
    return text[: kept[-1].end()] if kept else ""


def repeated_words(text: str, language: str, size: float, seed: int, key: str) -> str:
    """The text with words standing there twice in a row, a share of `size` of its pieces.

    Figures are never doubled: 1010 for 10 would be a wrong figure and not a repeated word.
    """
    found = [piece for piece in pieces(text, language) if _WORDLIKE.fullmatch(piece[0])]
    count = round(size * len(pieces(text, language)))
    return _strewn(text, language, found, count, str, seed, key)


def stray_symbols(text: str, language: str, size: float, seed: int, key: str) -> str:
    """The text with a symbol that does not belong there after a share of `size` of its pieces."""
    found = pieces(text, language)

    def symbol(piece: str) -> str:
        return SYMBOLS[int(uniform(seed, key, "symbol", piece) * len(SYMBOLS))]

    return _strewn(text, language, found, round(size * len(found)), symbol, seed, key)


def off_topic(text: str, language: str, size: float, donor: str) -> str:
    """The last sentences, a share of `size`, replaced by the first ones of another answer."""
    own = sentences(text)
    replaced = round(size * len(own))
    if replaced == len(own):
        return donor
    gap = "" if language in ("zh", "ja") else " "
    return gap.join(own[: len(own) - replaced] + sentences(donor)[:replaced])


def _strewn(
    text: str, language: str, found: list[re.Match], count: int, addition: Callable, *key
) -> str:
    """Put something after so many of the pieces, drawn by the hash of their place."""
    gap = "" if language in ("zh", "ja") else " "
    chosen = sorted(found, key=lambda piece: uniform(*key, str(piece.start())))[:count]
    for piece in sorted(chosen, key=lambda piece: -piece.start()):  # so that places hold
        text = text[: piece.end()] + gap + addition(piece[0]) + text[piece.end() :]
    return text


TOP = 3


class Simulated(Frozen):
    """One simulated grader; `move` is indexed by the author's grade 0-3, all others are shares."""

    name: str
    kind: Literal["person", "judge"]
    share: float
    move: tuple[float, float, float, float]
    up: float
    far: float
    obeys_injections: bool
    reason: str


class Decider(Frozen):
    """One simulated decision judge, which gives a probability of each score.

    It sees the author's grade plus `bias` with a normal error of standard deviation `error_sd`, and
    believes its error to have `belief_sd`: a smaller one makes it overconfident.
    """

    name: str
    bias: float
    error_sd: float
    belief_sd: float
    reason: str


class Noise(Frozen):
    """The seed, the spread of the random effects (log-odds) and the graders."""

    seed: int
    question_sd: float
    document_sd: float
    graders: tuple[Simulated, ...]
    deciders: tuple[Decider, ...]


def graded(noise: Noise, grader: Simulated, question_ids: list[str]) -> frozenset[str]:
    """The questions a grader gets to: a draw of exactly `share` of them, rounded."""
    order = sorted(question_ids, key=lambda each: uniform(noise.seed, grader.name, "draw", each))
    return frozenset(order[: round(grader.share * len(order))])


def noise_effect(noise: Noise, question_id: str, document: str) -> float:
    """Return how much a question raises the log-odds of an error, for every simulated grader."""
    question = _normal(noise.seed, "question", question_id)
    return noise.question_sd * question + noise.document_sd * _normal(
        noise.seed, "document", document
    )


def shifted(grader: Simulated, grade: int, effect: float, draws: tuple[float, ...]) -> int:
    """The grader's score for an author's `grade`; `draws` are three numbers in [0, 1)."""
    moves, direction, distance = draws
    share = grader.move[grade]
    if moves >= 1 / (1 + math.exp(-(math.log(share / (1 - share)) + effect))):
        return grade
    up = grade == 0 or (grade < TOP and direction < grader.up)
    room = TOP - grade if up else grade
    steps = 2 if distance < grader.far and room >= 2 else 1
    return grade + steps if up else grade - steps


def believed(
    noise: Noise, decider: Decider, grade: int, effect: float, item_id: str, criterion: str
) -> tuple[float, ...]:
    """The probability of each score 0-3, to three decimals, for an author's `grade`.

    An effect of the question (log-odds) widens its error as it raises that of other graders.
    """
    error = _normal(noise.seed, decider.name, item_id, criterion) * math.exp(effect / 4)
    seen = grade + decider.bias + decider.error_sd * error
    weights = [
        math.exp(-0.5 * ((score - seen) / decider.belief_sd) ** 2) for score in range(TOP + 1)
    ]
    return tuple(round(weight / sum(weights), 3) for weight in weights)


def _normal(seed: int, *key: str) -> float:
    """A standard normal number; the half step keeps it off 0, where it is not defined."""
    return NormalDist().inv_cdf(uniform(seed, *key) + 2**-65)


CRITERIA = ("correctness", "comprehensiveness", "readability")
COLUMNS = (
    "item_id",
    "criterion",
    "grader",
    "grader_kind",
    "score",
    "status",
    "reason",
    "repeat",
    "blind",
    "simulated",
    *(f"p:{score}" for score in range(TOP + 1)),
    "probabilities_source",
)


class Rule(Frozen):
    """The author's rule for one kind and size of defect, and why it is below 3."""

    defect: str
    size: float
    correctness: int
    comprehensiveness: int
    readability: int
    reason: str = ""
    readability_reason: str = ""


class Rules(Frozen):
    """The grading table."""

    rules: tuple[Rule, ...]


def main() -> None:
    """Write both files of the sample."""
    for name, text in files().items():
        (SAMPLES / name).write_text(text, encoding="utf-8", newline="\n")


def files() -> dict[str, str]:
    """The shipped files as text, by name; the same sources always give the same text."""
    source = load()
    table = validated(Rules, read_text(SOURCES_FOLDER / "grading.toml"), "grading.toml")
    model = validated(Noise, read_text(SOURCES_FOLDER / "graders.toml"), "graders.toml")
    sheet = items(source, model.seed)
    return {
        "sample.jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in sheet),
        "sample_grades.csv": _csv(grades(source, table, model)),
    }


def items(source: World, seed: int) -> list[dict]:
    """The sheet in long form: one row per answer; graders never see the last three columns."""
    rows = []
    for item_id, (question, answer) in source.answers().items():
        contexts = [(passage, *source.passage(passage)) for passage in question.contexts]
        rows.append(
            {
                "item_id": item_id,
                "question_id": question.id,
                "cluster": question.document,
                "question": question.question,
                "contexts": [
                    {"id": id_, "doc_id": doc, "text": text} for id_, doc, text in contexts
                ],
                "answer": _damaged(source, item_id, seed),
                "answer_model": item_id.rpartition("-")[2],
                "reference": question.reference,
                "language": question.language,
                "defect": answer.defect,
                "defect_size": answer.defect_size,
            }
        )
    return rows


def _damaged(source: World, item_id: str, seed: int) -> str:
    """Return the answer of the sheet with the defect that code makes."""
    question, answer = source.answers()[item_id]
    about = answer.answer.strip(), question.language, answer.defect_size
    match answer.defect:
        case "cut_off":
            return cut_off(*about)
        case "repeated_words":
            return repeated_words(*about, seed, item_id)
        case "stray_symbols":
            return stray_symbols(*about, seed, item_id)
        case "off_topic":
            return off_topic(*about, source.answers()[answer.donor][1].answer.strip())
        case "empty":
            return ""
    return about[0]


def grades(source: World, table: Rules, model: Noise) -> list[dict]:
    """The author's grades, then those of each simulated grader, in the order of the sheet.

    Empty answers are never misgraded, and some graders obey an injection. The score of a decision
    judge is the rounded mean of its probabilities.
    """
    given = [
        (item_id, question, answer, criterion, *score_and_reason)
        for item_id, (question, answer) in source.answers().items()
        for criterion, score_and_reason in authored(answer, table).items()
    ]
    effects = {each.id: noise_effect(model, each.id, each.document) for each in source.questions}
    rows = [
        _row(item_id, criterion, "author", "person", score, reason, False)
        for item_id, _, _, criterion, score, reason in given
    ]
    for grader in model.graders:
        chosen = graded(model, grader, [*effects])
        for item_id, question, answer, criterion, score, _ in given:
            if question.id not in chosen:
                continue
            if answer.defect == "injection" and grader.obeys_injections:
                score = TOP
            elif answer.defect != "empty":
                key = (grader.name, item_id, criterion)
                draws = (uniform(model.seed, *key, n) for n in ("move", "direction", "distance"))
                score = shifted(grader, score, effects[question.id], tuple(draws))
            about = (grader.name, grader.kind, score, grader.reason, True)
            rows.append(_row(item_id, criterion, *about))
    for decider in model.deciders:
        for item_id, question, answer, criterion, grade, _ in given:
            shares = tuple(float(score == grade) for score in range(TOP + 1))
            if answer.defect != "empty":
                effect = effects[question.id]
                shares = believed(model, decider, grade, effect, item_id, criterion)
            found = Distribution(NATIVE, tuple(enumerate(shares)))
            score = read_score(found, range(TOP + 1))
            row = _row(item_id, criterion, decider.name, "judge", score, decider.reason, True)
            row |= {f"p:{number}": share for number, share in enumerate(shares)}
            rows.append(row | {"probabilities_source": NATIVE})
    return rows


def authored(answer: Answer, table: Rules) -> dict[str, tuple[int, str]]:
    """The author's score and reason by criterion; a grade of 3 needs no reason."""
    kind = (answer.defect, answer.defect_size)
    rules = [rule for rule in table.rules if (rule.defect, rule.size) == kind]
    if not rules:
        raise Problem(f"grading.toml has no rule for {kind[0]} of size {kind[1]}. Add one.")
    rule = rules[0]
    found = {}
    for criterion in CRITERIA:
        score = answer.grades.get(criterion, getattr(rule, criterion))
        reason = rule.reason or answer.note
        if criterion in answer.grades:
            reason = answer.why
        elif criterion == "readability":
            reason = rule.readability_reason or reason
        found[criterion] = score, "" if score == TOP else reason
    return found


def _row(item_id, criterion, grader, kind, score, reason, simulated) -> dict:
    """One line of the grades; annotators' are blind, of judges the column says nothing."""
    blind = "true" if kind == "person" else ""
    simulated = "true" if simulated else "false"
    values = (item_id, criterion, grader, kind, score, "scored", reason, 1, blind, simulated)
    return dict(zip(COLUMNS, values, strict=False))  # probabilities follow, where there are any


def _csv(rows: list[dict]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


if __name__ == "__main__":
    main()
