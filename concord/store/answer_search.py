"""Search of a sheet's answers: a page of those that pass the filters, in a wanted order.

Search, filters and order are evaluated by SQLite over all rows; only the answers of one page are
returned. A scan reads the table `answer_texts`: the answers without their contexts, which are most
of a sheet.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from concord.messages import Problem, joined
from concord.store import items
from concord.store.database import Store

# Filters by who graded an answer, and by whether its score is known.
ANNOTATED, NOT_ANNOTATED, JUDGED, NOT_JUDGED = "annotated", "unannotated", "judged", "unjudged"
GOLD = "gold"
GRADED = (ANNOTATED, NOT_ANNOTATED, JUDGED, NOT_JUDGED, GOLD)
# Orders; `FILE` is the order of import.
FILE, QUESTION, MODEL, LENGTH = "file", "question", "model", "length"
ORDERS = (FILE, QUESTION, MODEL, LENGTH)
COLUMN = "column:"  # begins the order by a column of the file
MOST_LETTERS = 1000  # of a search; SQLite refuses patterns of more than 50,000 bytes
SHOWN = 300  # characters of a question and an answer in a list
_MAPPED = 2_000_000_000  # bytes
_SMALL_ASCII = str.maketrans(ascii_uppercase, ascii_lowercase)


class AnswerFilter(NamedTuple):
    """Search, filters and order; '' takes all.

    `search` is sought in question, answer and own ids; `annotator` has graded the answer. `where`
    are columns of the file with the value each must have; '' is a missing or empty value. `order`
    is one of `ORDERS`, or `COLUMN` and a column of the file; missing values stay last, also when
    `descending`.
    """

    search: str = ""
    model: str = ""
    graded: str = ""
    where: tuple[tuple[str, str], ...] = ()
    order: str = FILE
    descending: bool = False
    annotator: str = ""


class Answer(NamedTuple):
    """An answer in a list; `question` and `answer` are cut to `SHOWN` characters.

    Ids are the file's own, but for `id`; '' where it has none. `name` is what the answer is called
    everywhere. `length` is in characters of the whole answer; `columns` are the further columns of
    the file, as text.
    """

    id: int
    name: str
    own_id: str
    question_id: str
    question: str
    answer_model: str
    answer: str
    length: int
    contexts: int
    columns: dict[str, str]


class AnswerPage(NamedTuple):
    """A page of answers, and how many pass the filters in all."""

    total: int
    answers: tuple[Answer, ...]


class ColumnValue(NamedTuple):
    """A value of a column of the file, '' where missing or empty, and its number of answers."""

    text: str
    answers: int


def find(
    store: Store, sheet_id: int, wanted: AnswerFilter, size: int, offset: int = 0
) -> AnswerPage:
    """Return `size` answers from `offset` on, and the number of all that pass the filters.

    A Problem where the search is longer than `MOST_LETTERS`, or a filter or order is unknown.
    """
    values: dict[str, object] = {"sheet": sheet_id, "size": size, "offset": offset}
    conditions = _conditions(wanted, values)
    with _mapped(store):
        total, ids = _page(store, wanted, conditions, values)
        return AnswerPage(total, _answers(store, sheet_id, ids))


def columns(store: Store, sheet_id: int) -> tuple[str, ...]:
    """Return the file's own columns that at least one answer of a sheet has, sorted."""
    with _mapped(store):
        names = store.column(
            """select distinct e.key from answer_texts i, json_each(i.metadata) e
            where i.sheet_id = ?""",
            (sheet_id,),
        )
    # SQLite would sort the names of all answers.
    return tuple(sorted(names))


def values(store: Store, sheet_id: int, column: str, most: int) -> tuple[ColumnValue, ...]:
    """Return the values of a column of the file, those of most answers first, at most `most`."""
    bound = {"sheet": sheet_id, "most": most}
    text = f"coalesce({_text(column, 'column', bound)}, '')"
    with _mapped(store):
        rows = store.rows(
            f"""select {text} as value, count(*) as answers from answer_texts i
            where i.sheet_id = :sheet group by value order by answers desc, value limit :most""",
            bound,
        )
    return tuple(ColumnValue(row["value"], row["answers"]) for row in rows)


@contextmanager
def _mapped(store: Store) -> Iterator[None]:
    """Read the database through memory mapping, which halves the time of a scan."""
    store.row(f"pragma mmap_size = {_MAPPED}")
    try:
        yield
    finally:
        # Switched off again: a mapped file that another program truncates would crash the process.
        store.row("pragma mmap_size = 0")


def _page(
    store: Store, wanted: AnswerFilter, conditions: list[str], values: dict[str, object]
) -> tuple[int, list[int]]:
    """Return how many answers pass and the ids of one page, in one scan."""
    key, joined_with, order = _order(wanted, values)
    where = " and ".join(["i.sheet_id = :sheet", *conditions])
    # All answers are counted by an index; those that pass filters are kept, to be counted as well.
    once, counted = "materialized", "hit"
    if not conditions:
        counted = "answer_texts where sheet_id = :sheet"
        once = once if wanted.order.startswith(COLUMN) else "not materialized"
    page = f"""select hit.id as id from hit {joined_with} order by {order}, hit.id
        limit :size offset :offset"""
    row = store.row(
        f"""with hit as {once}
        (select i.item_id as id, {key} as key from answer_texts i where {where})
        select (select count(*) from {counted}) as total,
        (select json_group_array(id) from ({page})) as ids""",
        values,
    )
    return row["total"], json.loads(row["ids"])


def _order(wanted: AnswerFilter, values: dict[str, object]) -> tuple[str, str, str]:
    """Return the sort key of an answer, what else is read of those found, and the order."""
    way = "desc" if wanted.descending else "asc"
    keys = {FILE: "i.item_id", MODEL: "i.answer_model", LENGTH: "i.length"}
    if wanted.order in keys:
        # An order that knows of nulls takes twice as long, and only a model can be missing.
        missing = " nulls last" if wanted.order == MODEL else ""
        return keys[wanted.order], "", f"key {way}{missing}"
    if wanted.order == QUESTION:
        # Texts are read of the answers found alone; SQLite keeps the first of them as it goes.
        question = "cross join questions q on q.id = hit.key"
        return "i.question_id", question, f"q.text collate nocase {way}, q.id {way}"
    if not wanted.order.startswith(COLUMN):
        raise Problem(
            "“{order}” is not a sort order. Choose one of: {orders}, or {column}NAME.",
            order=wanted.order,
            orders=joined(", ", ORDERS),
            column=COLUMN,
        )
    key = _value(wanted.order.removeprefix(COLUMN), "ordered", values)
    number = """case when typeof(key) <> 'text' then key when key glob '[-+.0-9]*'
        and key not glob '*[^0-9.eE+-]*' then cast(key as real) end"""
    return key, "", f"{number} {way} nulls last, nullif(key, '') {way} nulls last"


def _conditions(wanted: AnswerFilter, values: dict[str, object]) -> list[str]:
    conditions = []
    if wanted.model:
        values["model"] = wanted.model
        conditions.append("i.answer_model = :model")
    for place, (column, value) in enumerate(wanted.where):
        values[f"value{place}"] = value
        conditions.append(
            f"coalesce({_text(column, f'column{place}', values)}, '') = :value{place}"
        )
    if wanted.graded:
        conditions.append(_graded(wanted.graded))
    if wanted.annotator:
        values["annotator"] = wanted.annotator
        conditions.append(_GRADED_BY)
    if wanted.search.strip():
        conditions.append(_search(wanted.search.strip(), values))
    return conditions


_GRADED_BY = """exists (select 1 from grades g where g.item_id = i.item_id
    and g.status <> 'withdrawn'
    and g.grader_id in (select m.id from graders r join graders m on r.id in (m.id,
    m.merged_into) where r.kind = 'person' and r.name = :annotator)
    and g.id not in (select supersedes from grades where supersedes is not null))"""


_IS_GOLD = """exists (select 1 from gold_answers t where t.item_id = i.item_id and t.is_in
    and not exists (select 1 from gold_answers later where later.set_id = t.set_id
    and later.item_id = t.item_id and later.version = t.version and later.id > t.id))"""


def _graded(by: str) -> str:
    """Return the condition of a filter by grades on an answer `i`."""
    if by not in GRADED:
        raise Problem(
            "“{by}” is not a filter by grades. Choose one of: {all}.",
            by=by,
            all=joined(", ", GRADED),
        )
    if by == GOLD:
        return _IS_GOLD
    kind = "person" if by in (ANNOTATED, NOT_ANNOTATED) else "judge"
    found = f"""exists (select 1 from grades g where g.item_id = i.item_id and g.status = 'scored'
        and g.grader_id in (select id from graders where kind = '{kind}')
        and g.id not in (select supersedes from grades where supersedes is not null))"""
    return found if by in (ANNOTATED, JUDGED) else f"not {found}"


def _search(search: str, values: dict[str, object]) -> str:
    """Return the condition that the question, the answer or an own id contains a text."""
    if len(search) > MOST_LETTERS:
        raise Problem("Search for at most {n:,} characters; shorten the text.", n=MOST_LETTERS)
    try:
        search.encode()
    except UnicodeEncodeError:  # half a character, which no stored text contains
        return "0"
    contains = _contains(search, values)
    questions = " or ".join(part.format("q.text") for part in contains)
    ids = " or ".join(part.format("q.own_id") for part in contains)
    own = [part.format(column) for column in ("i.answer", "i.own_id") for part in contains]
    return (
        f"({' or '.join(own)} or i.question_id in (select q.id from questions q"
        f" where q.sheet_id = :sheet and ({questions} or {ids})))"
    )


def _contains(search: str, values: dict[str, object]) -> list[str]:
    """Return conditions on a column `{0}`, one of which holds where it contains a text.

    SQLite ignores the case of a-z only, so of other letters lower case, upper case and capitals are
    tried. CJK and other texts without case are compared as they are, which is faster.
    """
    without_case = search.lower() == search.upper() and not search.isascii()
    if without_case or "\0" in search:  # a pattern would end at the NUL
        values["search"] = search
        return ["instr({0}, :search)"]
    cases = (search, search.lower(), search.upper(), search.title(), search.capitalize())
    different = {text.translate(_SMALL_ASCII): text for text in reversed(cases)}
    conditions = []
    for place, text in enumerate(different.values()):
        values[f"like{place}"] = f"%{_escaped(text)}%"
        conditions.append(f"{{0}} like :like{place} escape '\\'")
    return conditions


def _escaped(text: str) -> str:
    for sign in "\\%_":
        text = text.replace(sign, f"\\{sign}")
    return text


def _value(column: str, name: str, values: dict[str, object], of: str = "value") -> str:
    """Return the SQL for the value, or type, of a column of the file; null where lacking."""
    values[name] = column
    return f"(select e.{of} from json_each(i.metadata) e where e.key = :{name})"


def _text(column: str, name: str, values: dict[str, object]) -> str:
    """Return the SQL for the same as text; true and false are written out."""
    value, kind = (_value(column, name, values, of) for of in ("value", "type"))
    return f"iif({kind} in ('true', 'false'), {kind}, cast({value} as text))"


def _answers(store: Store, sheet_id: int, ids: list[int]) -> tuple[Answer, ...]:
    rows = store.rows(
        """select i.id, coalesce(i.own_id, '') as own_id, coalesce(q.own_id, '') as question_id,
        substr(q.text, 1, :shown) as question, coalesce(i.answer_model, '') as answer_model,
        substr(i.answer, 1, :shown) as answer, length(i.answer) as length,
        json_array_length(i.contexts) as contexts, i.metadata
        from items i join questions q on q.id = i.question_id where i.id in
        (select value from json_each(:ids))""",
        {"shown": SHOWN, "ids": json.dumps(ids)},
    )
    names = items.names_of(store, sheet_id, ids)
    found = {}
    for row in map(dict, rows):
        given = json.loads(row.pop("metadata"))
        columns = {name: as_text(value) for name, value in given.items()}
        found[row["id"]] = Answer(**row, name=names[row["id"]], columns=columns)
    return tuple(found[item_id] for item_id in ids)


def as_text(value: object) -> str:
    """Return a value of the file's own column as text; '' for none."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
