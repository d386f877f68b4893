"""Answers and grades of one file: repeats fold, and rows that contradict each other are left out.

Rows are on disk and hashes of them in memory; only rows that contradict each other are read back to
be compared as a whole.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from functools import partial
from itertools import compress
from typing import Any

import numpy as np

from concord.importing.columns import ColumnMap
from concord.importing.faults import ranges
from concord.importing.scores import shown_scale
from concord.messages import on_command_line, said
from concord.model import EXTRA_FIELDS, BadRow, Grade, Item, answer_key, item_key
from concord.rubrics.model import Rubric
from concord.store.spool import Selected, Spool
from concord.text.normal_form import normalised

FAULTS = {
    "two_contents": "rows {rows} are the same item with a different {what}. Keep one of them, "
    "distinguish them by item_id or answering model, or number the answers{on_command_line}.",
    "two_questions": "rows {rows} have one question with another {what}. Make them equal, or give "
    "the questions different question_ids.",
    "two_grades": "{grader} grades {criterion} of the same answer or unit differently in rows "
    "{rows}. Keep one of them, or number them in a column “repeat”.",
    "off_scale": "the score {given} is not on the scale. Use a score of {scale}, or, if the judge "
    "has its own range, import it as kind metric.",
}


class _Stage:
    """Answers or grades, and of each a hash of its key, which may occur once.

    Of a million keys two share a hash with a chance of 3 in 100 million.

    Attributes:
        bad: The rows that contradict each other, once they are compared.
        folded: How many rows repeat an earlier one.
    """

    def __init__(self, kind: type[tuple]):
        self.bad: list[BadRow] = []
        self.folded = 0
        # Plain tuples are stored, and made again, in half the time.
        self._of = partial(tuple.__new__, kind)
        self._spool: Spool[tuple] = Spool()
        self._keys = array("q")

    def _chosen(self, mask: np.ndarray) -> Iterator[tuple[int, Any]]:
        """What a mask has, with its place; nothing is read where it has nothing."""
        every = enumerate(map(self._of, self._spool))
        return compress(every, mask.tobytes()) if mask.any() else iter(())

    def _kept(self, mask: np.ndarray, changed: Mapping[int, Any]) -> Selected:
        """What a mask has; some of it changed, by its place."""

        def bodies() -> Iterator[Any]:
            plain = map(self._of, self._spool)
            return (changed.get(n, one) for n, one in enumerate(plain)) if changed else plain

        return Selected(bodies, mask.tobytes())

    def _compared(self, contents: Callable[[Any], tuple]) -> tuple[np.ndarray, ...]:
        """The place of each row's first of its key, and masks of its repeats and of torn keys.

        The rows of a key repeat the first where all have the same contents, and are torn else.
        """
        first = _firsts(self._keys)
        again = first != np.arange(len(first))
        hashes, repeated = np.zeros(len(first), np.int64), again.copy()
        repeated[first[again]] = True
        for place, body in self._chosen(repeated):
            hashes[place] = hash(repr(contents(body)))  # as printed: -1 and -2 have one hash
        torn = _torn(first, hashes)
        return first, again & ~torn, torn

    def _refuse(self, row: Any, column: str | None, code: str, **why: Any) -> None:
        self.bad.append(BadRow(row.row, column, said(FAULTS[code], fault_code=code, **why)))


def _firsts(keys: array) -> np.ndarray:
    """The place of the first row of each row's key."""
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return first[group]


def _torn(first: np.ndarray, hashes: np.ndarray) -> np.ndarray:
    """True for all rows of the keys whose hashes differ."""
    torn = np.zeros(len(first), bool)
    torn[first[hashes != hashes[first]]] = True
    return torn[first]


class AnswerStage(_Stage):
    """Answers: those of one identity must agree, and those of one question in text and cluster.

    Attributes:
        refused: The identities of answers that are left out because rows contradict each other.
        respelled: How many rows spell a question in another way than its first row.
    """

    def __init__(self):
        super().__init__(Item)
        self._questions, self._asked = array("q"), array("q")
        self._contexts: tuple = ()
        self.refused: set[str] = set()
        self.respelled = 0

    def add(self, item: Item) -> str:
        """Take an answer in; its identity is returned."""
        characters = len(item.answer)
        if item.contexts is not self._contexts:  # answers to one question share theirs
            self._contexts = item.contexts
            characters += sum([len(one.text) for one in item.contexts])
        self._spool.add(tuple(item), characters)
        question, own = item.question_key, item.own_id
        identity = answer_key(question, item.answer_model) if own is None else item_key(own)
        self._keys.append(hash(identity))
        self._questions.append(hash(question))
        self._asked.append(hash((item.question, item.cluster)))
        return identity

    def compared(self, columns: ColumnMap) -> Selected[Item]:
        """Return the answers that contradict nothing, each once.

        Of repeats, the metadata that all agree on is kept.
        """
        _, again, torn = self._compared(lambda item: item[:-1])
        torn |= _torn(_firsts(self._questions), np.asarray(self._asked))
        again &= ~torn
        self.folded = int(again.sum())
        questions: dict[str, list[Item]] = defaultdict(list)
        alike: dict[str, list[tuple[int, Item]]] = defaultdict(list)
        for place, item in self._chosen(torn):
            asked = questions[item.question_key]
            first = asked[0].question if asked else item.question
            if item.question != first and normalised(item.question) == normalised(first):
                self.respelled += 1
                item = item._replace(question=first)
            asked.append(item)
            alike[item.identity].append((place, item))
        differing = {key: _differing(asked, _of_question) for key, asked in questions.items()}
        changed = {}
        for identity, same in alike.items():
            (place, first), items = same[0], [item for _, item in same]
            code, rows, what = "two_contents", items, _differing(items, _of_answer)
            column = what if first.own_id is None else "item_id"
            if not what:
                code, rows = "two_questions", questions[first.question_key]
                what = column = differing[first.question_key]
            if not what:
                agreed = [one.metadata.items() for one in items]
                metadata = {k: v for k, v in agreed[0] if all((k, v) in one for one in agreed)}
                changed[place] = first._replace(metadata=metadata)
                self.folded += len(items) - 1
                continue
            self.refused.add(identity)
            why = {"rows": ranges([one.row for one in rows]), "what": what.replace("_", " ")}
            why["on_command_line"] = on_command_line("--number-answers")
            named = columns.column(column)
            for one in items:
                self._refuse(one, named, code, **why)
        kept = ~(torn | again)
        kept[[*changed]] = True
        return self._kept(kept, changed)


def _differing(items: list[Item], facts: Callable[[Item], dict[str, Any]]) -> str:
    """The first of some facts in which answers differ; '' where they agree."""
    first, *rest = map(facts, items)
    return next((name for name in first if any(one[name] != first[name] for one in rest)), "")


def _of_question(item: Item) -> dict[str, Any]:
    """What must be equal in the records of one question."""
    return {"question": item.question, "cluster": item.cluster}


def _of_answer(item: Item) -> dict[str, Any]:
    """What must be equal in the records of one answer, the answer first."""
    extra = {field: item.metadata.get(field) for field in sorted(EXTRA_FIELDS)}
    given = {"answer": item.answer, **item._asdict(), **extra}
    return {name: one for name, one in given.items() if name not in ("own_id", "row", "metadata")}


class GradeStage(_Stage):
    """Grades: a grader grades a criterion of an answer once per repeat.

    A judge's whole numbers off the scale of a rubric of whole answers are refused, unless it gives
    fractions on that criterion: it then has numbers of its own.
    """

    def __init__(self, rubrics: Collection[Rubric] = ()):
        super().__init__(Grade)
        whole = [rubric for rubric in rubrics if not rubric.units]
        self._scales = {str.__str__(c.name): one.scale for one in whole for c in one.criteria}
        self._off: set[tuple[str, str]] = set()
        self._fractional: set[tuple[str, str]] = set()

    def add(self, grade: Grade, item: Hashable = None) -> None:
        """Take a grade in; `item` is what its key names, the key itself where left out."""
        self._spool.add(tuple(grade), len(grade.reason) + len(grade.quote))
        key = grade.item_key if item is None else item
        self._keys.append(hash((key, *grade.slot[1:])))
        if grade.grader_kind == "judge" and self._is_off(grade):
            own = self._fractional if grade.score % 1 else self._off
            own.add((grade.criterion, grade.grader))

    def _is_off(self, grade: Grade) -> bool:
        scale = self._scales.get(grade.criterion)
        return bool(scale) and grade.score is not None and grade.score not in scale

    def compared(self, columns: ColumnMap, refused: Collection[str] = ()) -> Selected[Grade]:
        """Return the grades that contradict nothing, each once, but none of the items `refused`."""
        first, again, torn = self._compared(_given)
        self.folded = int(again.sum())
        alike: dict[int, list[Grade]] = defaultdict(list)
        for place, grade in self._chosen(torn):
            alike[first[place]].append(grade)

        def refuse(grade: Grade, code: str, **why: Any) -> None:
            self._refuse(grade, grade.column or columns.column("score"), code, **why)

        for grades in alike.values():
            rows = ranges([grade.row for grade in grades])
            for one in grades:
                refuse(one, "two_grades", grader=one.grader, criterion=one.criterion, rows=rows)
        kept, off = ~(torn | again), self._off - self._fractional
        for place, grade in self._chosen(kept) if off or refused else ():
            is_judge = grade.grader_kind == "judge" and (grade.criterion, grade.grader) in off
            if is_judge and self._is_off(grade):
                scale = shown_scale(self._scales[grade.criterion])
                refuse(grade, "off_scale", given=f"{grade.score:g}", scale=scale)
            elif grade.item_key not in refused:
                continue
            kept[place] = False
        return self._kept(kept, {})


def _given(grade: Grade) -> tuple:
    """Return what must be equal where a grade is repeated; 2 and 2.0 are."""
    score = None if grade.score is None else grade.score.as_integer_ratio()
    return score, grade.status, grade.reason, grade.distribution
