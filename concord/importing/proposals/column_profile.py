"""Profiles of columns: what the cells of each hold in the first records of a file."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from concord.importing import column_paths, list_cells
from concord.importing.proposals import name_words as known
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell, Damaged
from concord.text import rating_words

_NUMBER = re.compile(r"[-+]?(\d+[.,]?\d*|[.,]\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# Texts with more words than this on average are prose; of CJK every two characters count as one.
_PROSE_WORDS = 3.5
# Most words of a scale of words.
_MOST_WORDS = 12
# A column has few distinct values up to so many, and up to this share of its filled cells.
_FEW, _SHARE = 20, 0.5
# Labels are at most so many.
_LABELS = 5
_NUMBERING = known.listed(
    "id ids uid uuid guid no nr num number nummer numéro qnr qno "
    "编号 編號 编码 序号 序號 番号 識別子 번호 아이디 식별자"
)
_OF_QUESTION = known.QUESTION | known.listed("qnr qno frage 문항")
_NUMBERED = (
    known.listed(
        "case row item sample record example entry test task ticket request trace run ref "
        "fall antwort zeile lfd 案例 样本 題目 题目 项目 工单 件 ケース 項目 サンプル チケット "
        "항목 사례 샘플 티켓"
    )
    | known.ANSWER
    | _OF_QUESTION
)
_SIGNS = frozenset("#№")


@dataclass(frozen=True)
class Profile:
    """Profile of the values of a column.

    Attributes:
        name: The column, or the path into one.
        values: Its cells, one per record (per key and record for a path with a placeholder).
        texts: The texts among them that are not blank.
        numbers: The numbers, where every text is one; else empty.
        lists: How many cells are lists or objects.
        turns: How many are conversations.
    """

    name: str
    values: tuple[Cell, ...]
    texts: tuple[str, ...]
    numbers: tuple[float, ...]
    lists: int
    turns: int

    @property
    def filled(self) -> int:
        """Number of cells that are not blank."""
        return len(self.texts) + self.lists

    @property
    def distinct(self) -> int:
        """Number of different texts."""
        return len({*self.texts})

    @property
    def is_number(self) -> bool:
        """True where every text is a number."""
        return bool(self.numbers)

    @property
    def is_prose(self) -> bool:
        """True for texts of several words, most of them different ones."""
        if not self.texts or self.numbers or self.lists > len(self.texts):
            return False
        return sum(map(_length, self.texts)) > _PROSE_WORDS * len(self.texts)

    @property
    def is_list(self) -> bool:
        """True where lists or objects are most of what there is."""
        return self.lists > len(self.texts)

    @property
    def has_texts(self) -> bool:
        """True where contexts or references can be read from a cell at least."""
        for cell in self.values:
            with suppress(BadCell):
                if list_cells.contexts([cell]):
                    return True
        return False

    @property
    def is_few(self) -> bool:
        """True for a few short values that recur: names, labels or scores."""
        if len(self.texts) < 2 or self.lists or self.is_prose:
            return False
        short = max(map(len, self.texts)) <= 60
        few = self.distinct <= max(2, min(_FEW, _SHARE * len(self.texts)))
        return short and few

    @property
    def is_label(self) -> bool:
        """True for a few recurring values of one or two words: verdicts, classes, no answers."""
        is_short = all(_length(text) <= 2 and text[-1:].isalnum() for text in self.texts)
        few = self.distinct <= min(_LABELS, len(self.texts) / 2)
        return is_short and few and len(self.texts) > _LABELS

    @property
    def is_unique(self) -> bool:
        """True where no two cells are the same and none is blank."""
        return self.distinct == len(self.texts) == len(self.values) > 1


def profile(name: str, values: Iterable[Cell]) -> Profile:
    """The profile of a column's cells."""
    values = tuple(values)
    held = [column_paths.structured(cell) for cell in values]
    texts = tuple(c.strip() for c in held if isinstance(c, str) and c.strip())
    words = [text.replace(",", ".") for text in texts]
    are_numbers = bool(texts) and all(_NUMBER.fullmatch(text) for text in texts)
    numbers = tuple(float(word) for word in words if word.count(".") < 2) if are_numbers else ()
    return Profile(
        name,
        values,
        texts,
        numbers if len(numbers) == len(texts) else (),
        sum(isinstance(c, list | dict) for c in held),
        sum(isinstance(c, list) and list_cells.is_conversation(c) for c in held),
    )


def of_columns(columns: Sequence[str], records: Sequence[Sequence[Cell]]) -> Mapping[str, Profile]:
    """The profile of every column over the same records."""
    return {
        name: profile(name, (cells[place] for cells in records))
        for place, name in enumerate(columns)
    }


def are_ratings(texts: Sequence[str]) -> bool:
    """True where every word is one of the same usual scale, however few rows there are."""
    words = [*dict.fromkeys(texts)]
    if not 1 < len(words) <= _MOST_WORDS:
        return False
    found = rating_words.rated(words)
    return bool(found.scale) and not found.numbered and None not in found.scores.values()


def readable(one: Profile) -> tuple[Profile, float]:
    """The profile without texts that are no scores, and their share among its texts.

    Scores are whole numbers or words of a usual scale, whichever most of the texts are.
    """
    words = rating_words.rated(one.texts)
    rated = [] if words.numbered else [t for t in one.texts if words.scores[t] is not None]
    whole = [text for text in one.texts if text.removeprefix("-").isdecimal()]
    most = max(rated, whole, key=len)
    share = 1 - len(most) / len(one.texts) if one.texts else 0
    numbers = tuple(map(float, whole)) if most is whole else ()
    return replace(one, texts=tuple(most), numbers=numbers), share


def is_constant_within(values: Sequence[Cell], groups: Sequence[Cell]) -> bool:
    """True where a column has one value in each group, and more than one over all of them.

    Groups of one row tell nothing, so at least three groups of several rows are wanted.
    """
    by_group: dict[str, set[str]] = {}
    sizes: dict[str, int] = {}
    for value, group in zip(values, groups, strict=True):
        if not isinstance(value, Damaged) and not of_cell.is_blank(value):
            key = of_cell.shown(group)
            by_group.setdefault(key, set()).add(of_cell.shown(value))
            sizes[key] = sizes.get(key, 0) + 1
    several = [found for key, found in by_group.items() if sizes[key] > 1]
    varies = len(set().union(*several)) > 1 if several else False
    return len(several) >= 3 and varies and all(len(found) == 1 for found in several)


def is_within(values: Sequence[Cell], others: Sequence[Cell]) -> bool:
    """True where each value of a column goes with only one of another."""
    pairs = {*zip(map(of_cell.shown, values), map(of_cell.shown, others), strict=True)}
    return len(pairs) == len({*map(of_cell.shown, values)})


def without_templates(named: list[Profile]) -> list[Profile]:
    """Return the columns whose texts do not contain another's, as a prompt does the question."""
    return [
        one
        for one in named
        if not any(
            other.texts != one.texts
            and len(other.texts) == len(one.texts)
            and all(short in long for short, long in zip(other.texts, one.texts, strict=True))
            for other in named
        )
    ]


def asks(one: Profile) -> bool:
    """True where most texts end with a question mark."""
    return sum(text.endswith(("?", "？")) for text in one.texts) * 2 > len(one.texts)


def _length(text: str) -> float:
    """Words in a text; two characters of CJK count as one."""
    return len(_CJK.sub(" ", text).split()) + len(_CJK.findall(text)) / 2


def is_id(name: str) -> bool:
    """True for a name that says nothing but that it is a number, and of what."""
    parts = known.words(known.last(name))
    if not parts:
        return bool(_SIGNS.intersection(name))
    is_number = known.has(parts, _NUMBERING) or bool(_SIGNS.intersection(name))
    return is_number and known.all_known(parts, _NUMBERING | _NUMBERED)


def id_field(one: Profile, questions: Sequence[Cell], answers: Sequence[Cell]) -> str:
    """Return the field whose ids a column holds: `item_id`, `question_id`, or '' for neither.

    Args:
        one: The column.
        questions: The question of each record.
        answers: Its answer; none where each record holds several.
    """
    if len(one.texts) != len(one.values) or one.lists or one.is_prose:
        return ""
    ids = [of_cell.shown(cell).strip() for cell in one.values]
    asked = [of_cell.shown(cell).strip() for cell in questions]
    is_one_question = len({*zip(ids, asked, strict=True)}) == len({*ids})
    if not is_one_question:
        return ""
    of_question = known.has(known.words(one.name), _OF_QUESTION)
    is_one_id = len({*ids}) == len({*asked})
    if is_one_id and (of_question or not answers or not one.is_unique):
        return "question_id"
    if one.is_unique and answers and not of_question:
        return "item_id"
    texts = [of_cell.shown(cell).strip() for cell in answers]
    is_one_answer = bool(texts) and len({*zip(ids, texts, strict=True)}) == len({*ids})
    return "item_id" if is_one_answer and len({*ids}) < len(ids) else ""
