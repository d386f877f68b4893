"""Gatherings of items and of grades: repeats fold, contradictions are kept out and named."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from concord.importing.item_spool import ItemSpool, SpooledItems
from concord.importing.readers.table import one_line
from concord.messages import said
from concord.model import EXTRA_FIELDS, Grade, Item, answer_key, item_key
from concord.text.normal_form import normalised

_COMPARED = tuple(f for f in Item._fields if f not in ("row", "metadata", "own_id"))


class Fault(NamedTuple):
    """A contradicting row: the field it differs in, and what to do about it."""

    row: int
    line: int | None
    field: str
    problem: str
    value: str = ""


class ItemGathering:
    """Items by identity, and questions by key, as the rows of one sheet come in."""

    def __init__(self):
        self.folded_rows: list[int] = []
        self.respelled_rows: list[int] = []
        self._items: dict[str, tuple[Item, int | None]] = {}
        self._repeats: dict[str, list[tuple[Item, int | None]]] = {}
        self._questions: dict[str, Item] = {}
        self._torn_questions: dict[str, tuple[str, int]] = {}

    def add(self, item: Item, line: int | None) -> str:
        """Take an item in; its identity is returned."""
        item = self._with_known_question(item)
        identity = item.identity
        first = self._items.setdefault(identity, (item, line))
        if first[0] is not item:
            self._add_again(identity, first, item, line)
        return identity

    def items(self) -> list[Item]:
        """Return every item without contradictions; a cluster given once holds for its question."""
        good = (item for key, (item, _) in self._items.items() if key not in self._repeats)
        return [self._with_cluster(i) for i in good if i.question_key not in self._torn_questions]

    def faults(self) -> Iterator[Fault]:
        """Yield every row that contradicts another, both sides of each contradiction."""
        for identity, repeats in self._repeats.items():
            first = self._items[identity]
            field = _difference(first[0], repeats[0][0])
            for (item, line), other in [(first, repeats[0][0].row)] + [
                (repeat, first[0].row) for repeat in repeats
            ]:
                problem = _contradiction(field, other)
                yield Fault(item.row, line, field, problem, _value(item, field))
        for key, (item, line) in self._items.items():
            if item.question_key in self._torn_questions and key not in self._repeats:
                field, row = self._torn_questions[item.question_key]
                first = self._questions[item.question_key].row
                other = row if item.row == first else first
                problem = _question_contradiction(field, other)
                yield Fault(item.row, line, field, problem, _value(item, field))

    def left_out(self) -> Iterator[Item]:
        """Yield the items that contradictions leave out, each once."""
        for key, (item, _) in self._items.items():
            if key in self._repeats or item.question_key in self._torn_questions:
                yield item

    def _add_again(self, identity, first, item, line):
        known, at = first
        if identity in self._repeats or _difference(known, item):
            self._repeats.setdefault(identity, []).append((item, line))
            return
        self.folded_rows.append(item.row)
        if item.metadata != known.metadata:
            # What the repeats do not agree on is not a fact about the item.
            agreed = item.metadata.items()
            kept = {k: v for k, v in known.metadata.items() if (k, v) in agreed}
            self._items[identity] = (known._replace(metadata=kept), at)

    def _with_known_question(self, item):
        """The item under the first spelling of its question, which all its answers share."""
        known = self._questions.setdefault(item.question_key, item)
        if known.cluster is None and item.cluster is not None:
            known = self._questions[item.question_key] = known._replace(cluster=item.cluster)
        if item.cluster not in (None, known.cluster):
            self._torn_questions.setdefault(item.question_key, ("cluster", item.row))
        if item.question == known.question:
            return item
        if normalised(item.question) != normalised(known.question):
            self._torn_questions.setdefault(item.question_key, ("question", item.row))
            return item
        self.respelled_rows.append(item.row)
        return item._replace(question=known.question)

    def _with_cluster(self, item):
        cluster = self._questions[item.question_key].cluster
        return item if item.cluster == cluster else item._replace(cluster=cluster)


class StreamedItems:
    """Items in the order of the file, with three hashes of each in memory.

    Items need each other only where an identity occurs twice, or a question in two spellings or
    clusters. Those are read back and compared as a whole (`ItemGathering`); two that only share a
    hash are found there to differ.
    """

    def __init__(self):
        self._spool = ItemSpool()
        self._identities, self._questions, self._spellings = (array("q") for _ in range(3))

    def add(self, item: Item, line: int | None) -> str:
        """Take an item in; its identity is returned."""
        question = item.question_key
        own = item.own_id
        identity = answer_key(question, item.answer_model) if own is None else item_key(own)
        self._identities.append(hash(identity))
        self._questions.append(hash(question))
        self._spellings.append(hash((item.question, item.cluster)))
        self._spool.add(item, line)
        return identity

    def gathered(self) -> tuple[SpooledItems, ItemGathering]:
        """Every item without contradictions, and the comparison of those that repeat."""
        compared = ItemGathering()
        firsts: dict[str, int] = {}
        changed: dict[int, Item | None] = {}
        for place, (item, line) in self._doubtful():
            firsts.setdefault(compared.add(item, line), place)
            changed[place] = None
        changed.update((firsts[item.identity], item) for item in compared.items())
        return SpooledItems(self._spool, len(self._identities), changed), compared

    def _doubtful(self) -> Iterator[tuple[int, tuple[Item, int | None]]]:
        """The items that need each other, with their places."""
        doubtful = _repeated(self._identities) | _torn(self._questions, self._spellings)
        if doubtful.any():
            yield from ((n, row) for n, row in enumerate(self._spool.rows()) if doubtful[n])


class GradeGathering:
    """Grades by slot, collected from the rows of one file.

    With the `scale` of whole answers a judge's whole numbers off it are refused (`off_scale`).
    """

    def __init__(self, scale: Sequence[int] = ()):
        self._scale = scale
        self.folded_rows: list[int] = []
        self.lost: Counter[str] = Counter()
        self.left_out: list[Grade] = []
        self._grades: dict[tuple, tuple[Grade, int | None]] = {}
        self._repeats: dict[tuple, list[tuple[Grade, int | None]]] = {}

    def add(self, grade: Grade, line: int | None, item: object = None) -> None:
        """Take a grade in; `item` is what its key names, the key itself where left out."""
        slot = (item if item is not None else grade.item_key, *grade.slot[1:])
        first = self._grades.setdefault(slot, (grade, line))
        if first[0] is grade:
            return
        if slot not in self._repeats and _same_grade(first[0], grade):
            self.folded_rows.append(grade.row)
        else:
            self._repeats.setdefault(slot, []).append((grade, line))

    def grades(self, refused: Collection[str] = ()) -> list[Grade]:
        """Return every grade without contradictions, but none of the items `refused`."""
        off = self._off_scale()
        good = []
        for slot, (grade, _) in self._grades.items():
            if slot in self._repeats:
                self.lost[grade.grader] += 1 + len(self._repeats[slot])
                self.left_out += [grade, *(repeat for repeat, _ in self._repeats[slot])]
            elif grade.score in off.get(_judge(grade), ()):
                self.lost[grade.grader] += 1
                self.left_out.append(grade)
            elif grade.item_key not in refused:
                good.append(grade)
            else:
                self.lost[grade.grader] += 1
                self.left_out.append(grade)
        return good

    def faults(self) -> Iterator[Fault]:
        """Yield every row in which a grader contradicts itself, or a judge is off the scale."""
        for slot, repeats in self._repeats.items():
            first = self._grades[slot]
            yield _grade_fault(first, repeats[0][0])
            yield from (_grade_fault(repeat, first[0]) for repeat in repeats)
        off = self._off_scale()
        for slot, (grade, line) in self._grades.items():
            if slot not in self._repeats and grade.score in off.get(_judge(grade), ()):
                yield Fault(grade.row, line, "score", _off_scale_problem(grade.score, self._scale))

    def _off_scale(self) -> dict[tuple, set[float]]:
        """The refused numbers of each judge on each criterion."""
        given: dict[tuple, set[float]] = defaultdict(set)
        for grade, _ in self._grades.values():
            if self._scale and grade.grader_kind == "judge" and grade.score is not None:
                given[_judge(grade)].add(grade.score)
        return {one: off_scale(numbers, self._scale) for one, numbers in given.items()}


def _repeated(hashes: array) -> np.ndarray:
    """True where a hash occurs more than once."""
    _, group, count = np.unique(np.asarray(hashes), return_inverse=True, return_counts=True)
    return (count > 1)[group]


def _torn(groups: array, hashes: array) -> np.ndarray:
    """True for the members of a group whose hashes differ."""
    _, first, group = np.unique(np.asarray(groups), return_index=True, return_inverse=True)
    given = np.asarray(hashes)
    differs = given != given[first][group]
    return (np.bincount(group, differs, len(first)) > 0)[group]


def _difference(one, other):
    """The first field in which two records of one item differ, '' where they agree."""
    fields = ("answer", *_COMPARED)
    beside = (f for f in sorted(EXTRA_FIELDS) if one.metadata.get(f) != other.metadata.get(f))
    return next((f for f in fields if getattr(one, f) != getattr(other, f)), next(beside, ""))


def _value(item, field):
    """What an item says in a field, as an example of a fault."""
    known = getattr(item, field) if field in Item._fields else item.metadata.get(field)
    return one_line(known)


def _contradiction(field, row):
    what = said(field.replace("_", " "))
    return said(
        "this is the same item as in row {row} with a different {what}. Keep one of them, or "
        "distinguish them by item_id or answering model.",
        row=row,
        what=what,
    )


def _question_contradiction(field, row):
    return said(
        "the same question has another text in row {row}. Make them equal, or give the questions "
        "different question_ids."
        if field == "question"
        else "the same question has another cluster in row {row}. Make them equal, or give the "
        "questions different question_ids.",
        row=row,
    )


def off_scale(scores: Collection[float], scale: Sequence[int]) -> set[float]:
    """The numbers of one judge on one criterion that are refused.

    Whole numbers alone are scores of the scale, so that one off it is an error. Where fractions
    occur, the judge gives numbers of its own, and none is refused.
    """
    if any(float(one) % 1 for one in scores):
        return set()
    return {one for one in scores if one not in scale}


def _off_scale_problem(score: float, scale: Sequence[int]) -> str:
    """Say what to do about a judge's whole number off the scale."""
    return said(
        "the score {given} is not on the scale. Use {scores}, or, if the judge has its own range, "
        "import it as kind metric.",
        given=f"{score:g}",
        scores=", ".join(map(str, scale[:12])) + (", …" if len(scale) > 12 else ""),
    )


def _judge(grade):
    return grade.grader_kind == "judge" and (grade.criterion, grade.grader)


def _same_grade(one, other):
    return (one.score, one.status, one.reason) == (other.score, other.status, other.reason)


def _grade_fault(entry, other):
    grade, line = entry
    if (grade.score, grade.status) == (other.score, other.status):
        what = said("the same score with another reason")
    else:
        what = said(
            "{there} instead of {here}",
            there=other.status if other.score is None else other.score,
            here=grade.status if grade.score is None else grade.score,
        )
    problem = said(
        "{grader} also grades {criterion} of the same item in row {row}: {what}. Keep one of them, "
        "or number them in a column “repeat”."
        if grade.unit is None
        else "{grader} also grades {criterion} of the same unit in row {row}: {what}. Keep one of "
        "them, or number them in a column “repeat”.",
        grader=grade.grader,
        criterion=grade.criterion,
        row=other.row,
        what=what,
    )
    value = one_line(grade.status if grade.score is None else grade.score)
    return Fault(grade.row, line, "score", problem, value)
