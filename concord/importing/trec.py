"""TREC files: relevance judgements (qrels) and retrieved documents (a run), joined to questions.

Both are joined to a table by question id, so that the rest of the import reads one table.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from concord.importing.columns import column_map, opened
from concord.importing.fields import folded
from concord.importing.readers import safe_reading
from concord.importing.readers.cells import Cell
from concord.importing.readers.delimited import decoding, guessed, lines_of, open_text
from concord.importing.readers.source import open_source
from concord.importing.readers.table import Record, Table
from concord.messages import Problem, counted, said

RELEVANT_FROM = 1
_TOPICS = {"id": "question_id", "text": "question"}  # as BEIR spells them
_QRELS = said("four: question, 0, document, relevance")
_RUN = said("six: question, Q0, document, rank, score, run")


class Hit(NamedTuple):
    """One document that a run retrieved for a question."""

    document: str
    rank: int
    score: float


class Qrels(NamedTuple):
    """Relevant documents by question id; empty where all were judged irrelevant."""

    name: str
    relevant: Mapping[str, list[str]]


class Run(NamedTuple):
    """Retrieved documents by question id, best first; `tag` is the run's own name.

    Ranks order the documents; `disagree` counts the questions whose scores would order them
    otherwise, as trec_eval does.
    """

    name: str
    retrieved: Mapping[str, list[Hit]]
    tag: str
    disagree: int


def read_qrels(
    given: str | Path | bytes, relevant_from: int = RELEVANT_FROM, name: str = ""
) -> Qrels:
    """Return the relevant documents of every judged question: those of at least that relevance.

    `given` is a path, or the bytes of a file of that `name`.

    Raises:
        Problem: An invalid line, or a document with two different judgements.
    """
    judged: dict[str, dict[str, int]] = {}
    source = open_source(given, name)
    for line, parts in _lines(source, 4, _QRELS):
        question, document = parts[0], parts[2]
        relevance = _number(parts[3], int, source.name, line, said("relevance"))
        before = judged.setdefault(question, {}).setdefault(document, relevance)
        if before != relevance:
            raise Problem(
                "Line {line} of {file}: document {document} has relevance {relevance} for "
                "question {question}, but {before} in an earlier line. Keep one of them.",
                line=line,
                file=source.name,
                document=document,
                relevance=relevance,
                question=question,
                before=before,
                fault_code="two_grades",
            )
    relevant = {
        question: [document for document, how in documents.items() if how >= relevant_from]
        for question, documents in judged.items()
    }
    return Qrels(source.name, relevant)


def read_run(given: str | Path | bytes, name: str = "") -> Run:
    """Return the documents a run retrieved; `given` and `name` are as for `read_qrels`.

    Raises:
        Problem: An invalid line, or several runs in one file.
    """
    retrieved: dict[str, list[Hit]] = {}
    tag, source = None, open_source(given, name)
    for line, parts in _lines(source, 6, _RUN):
        rank = _number(parts[3], int, source.name, line, said("rank"))
        score = _number(parts[4], float, source.name, line, said("score"))
        retrieved.setdefault(parts[0], []).append(Hit(parts[2], rank, score))
        if tag not in (None, parts[5]):
            raise Problem(
                "Line {line} of {file} belongs to the run {run}, the lines above to {tag}. Use "
                "one file per run.",
                line=line,
                file=source.name,
                run=parts[5],
                tag=tag,
                fault_code="several_runs",
            )
        tag = parts[5]
    ordered = {one: sorted(hits, key=lambda hit: hit.rank) for one, hits in retrieved.items()}
    disagree = sum(_falls_and_rises(hits) for hits in ordered.values())
    return Run(source.name, ordered, tag or "", disagree)


def joined(
    table: Table, words: Sequence[str] = (), qrels: Qrels | None = None, run: Run | None = None
) -> Table:
    """Add the relevant ids of qrels and the contexts of a run to a table, by question id.

    With a run, a table of questions becomes an answer sheet with empty answers. The contexts have
    an id and no text. A question missing from the run has no contexts; an unjudged one has no
    relevant ids.

    Raises:
        Problem: No column of question ids, no id in common, or the table has contexts already.
    """
    table = _topics(table, words)
    mapped = column_map(table.columns, words)
    table = opened(table, mapped)
    column = mapped.column("question_id")
    if column is None:
        raise Problem(
            "TREC files name questions by their ids, and no column is recognised as the question "
            "id. Say which one it is, as in --map question_id=COLUMN",
            on_screen=said(
                "TREC files name questions by their ids, and no column is recognised as the "
                "question id. Call that column “question_id” in the file.",
            ),
            fault_code="no_column",
        )
    place, more, notes = table.columns.index(column), {}, []
    ids = {str(record.cells[place] or "").strip() for record in table.records()}
    if qrels is not None:
        _check_free(mapped, "relevant_ids", qrels.name)
        more["relevant_ids"] = {one: list(found) for one, found in qrels.relevant.items()}
        notes.append(_met(qrels.name, ids, qrels.relevant))
    if run is not None:
        _check_free(mapped, "contexts", run.name)
        more["contexts"] = {
            one: [_context(hit, rank) for rank, hit in enumerate(hits, 1)]
            for one, hits in run.retrieved.items()
        }
        notes += [_met(run.name, ids, run.retrieved), *_order(run)]
        everywhere = {"answer_model": run.tag, "answer": ""}
        for field, cell in everywhere.items():
            if mapped.column(field) is None and not mapped.answers:
                more[field] = dict.fromkeys(ids, cell)
    return _with(table, place, more, notes)


def _topics(table: Table, words: Sequence[str]) -> Table:
    """A table of questions under the names that are recognised; a header may be missing."""
    mapped = column_map(table.columns, words) if not words else None
    if mapped is None or mapped.column("question") or mapped.ambiguous:
        return table
    names = [_TOPICS.get(folded(column), column) for column in table.columns]
    if {"question_id", "question"} <= {*names}:
        return replace(table, columns=tuple(names))
    if len(names) == 2 and table.format in ("csv", "tsv"):
        first = Record(1, 1, table.columns)
        rest = table.records
        return replace(
            table,
            columns=("question_id", "question"),
            records=lambda: chain([first], (one._replace(row=one.row + 1) for one in rest())),
        )
    return table


def _with(table, place, more, notes) -> Table:
    columns = (*table.columns, *more)

    def records() -> Iterator[Record]:
        for record in table.records():
            if record.fault is not None:
                yield record
                continue
            question = str(record.cells[place] or "").strip()
            added: tuple[Cell, ...] = tuple(found.get(question) for found in more.values())
            yield record._replace(cells=(*record.cells, *added))

    return replace(table, columns=columns, records=records, joins=(*table.joins, *notes))


def _context(hit: Hit, rank: int) -> dict:
    return {"doc_id": hit.document, "text": "", "rank": rank}


def _met(name: str, ids: set[str], found: Mapping[str, object]) -> str:
    known = ids & found.keys()
    if not known:
        raise Problem(
            "No question of {name} is in the sheet: {name} has ids such as {theirs}, the sheet "
            "has ids such as {ours}. Check the question ids.",
            name=name,
            theirs=next(iter(found), "–"),
            ours=min(ids, default="–"),
            fault_code="no_question",
        )
    left = len(found) - len(known)
    without = len(ids) - len(known)
    joined_now = counted(len(known), "question")
    return said(
        "{name}: {joined_now} matched, {left} not in the sheet; {without} of the sheet not "
        "matched.",
        name=name,
        joined_now=joined_now,
        left=left,
        without=without,
    )


def _order(run: Run) -> list[str]:
    if not run.disagree:
        return []
    return [
        said(
            "{file}: ranks and scores order {questions} differently. The ranks are used; trec_eval "
            "uses the scores.",
            file=run.name,
            questions=counted(run.disagree, "question"),
        )
    ]


def _falls_and_rises(hits: Sequence[Hit]) -> bool:
    scores = [hit.score for hit in hits]
    return scores != sorted(scores, reverse=True)


def _check_free(mapped, field: str, name: str) -> None:
    if column := mapped.column(field):
        raise Problem(
            "The sheet already has {field}, in the column “{column}”. Leave out {name}, or the "
            "column, with --map {field}=",
            field=field,
            column=column,
            name=name,
            on_screen=said(
                "The sheet already has {field}, in the column “{column}”. Remove {name}, or the "
                "column from the file.",
                field=field,
                column=column,
                name=name,
            ),
            fault_code="mapped_twice",
        )


def _lines(source, width: int, form: str) -> Iterator[tuple[int, list[str]]]:
    with safe_reading.reading(lambda: safe_reading.damaged(source.name)):
        guess = guessed(source, None)
        with open_text(source, guess, newline="\n") as file:
            lines = decoding(source, guess, lambda: list(lines_of(file, source.name)))
    for number, line in enumerate(lines, 1):
        parts = line.removeprefix("\ufeff").split()
        if parts and len(parts) != width:
            raise Problem(
                "Line {number} of {file} has {count} columns, not {form}. Correct it.",
                number=number,
                file=source.name,
                count=len(parts),
                form=form,
                fault_code="wrong_width",
            )
        if parts:
            yield number, parts


def _number(word: str, kind: type, name: str, line: int, what: str):
    try:
        return kind(word)
    except ValueError:
        raise Problem(
            "Line {line} of {name}: the {what} “{word}” is not a number. Correct it.",
            line=line,
            name=name,
            what=what,
            word=word,
            fault_code="not_number",
        ) from None
