"""Columns that number answers or questions under any name, as `Case no`, `Nr.` or `番号`."""

from collections.abc import Sequence

from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import Profile
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import Cell

_NUMBER = known.listed(
    "id ids uid uuid guid no nr num number nummer numéro qnr qno "
    "编号 編號 编码 序号 序號 番号 識別子 번호 아이디 식별자"
)
_OF_QUESTION = known.QUESTION | known.listed("qnr qno frage 문항")
_NUMBERED = (
    known.listed(
        "case row item sample record example entry test task ticket request trace run "
        "fall antwort zeile lfd 案例 样本 題目 题目 项目 工单 件 ケース 項目 サンプル チケット "
        "항목 사례 샘플 티켓"
    )
    | known.ANSWER
    | _OF_QUESTION
)
_SIGNS = frozenset("#№")


def is_named(name: str) -> bool:
    """True for a name that says nothing but that it is a number, and of what."""
    parts = known.words(known.last(name))
    if not parts:
        return bool(_SIGNS.intersection(name))
    is_number = known.has(parts, _NUMBER) or bool(_SIGNS.intersection(name))
    return is_number and known.all_known(parts, _NUMBER | _NUMBERED)


def field(one: Profile, questions: Sequence[Cell], answers: Sequence[Cell]) -> str:
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
