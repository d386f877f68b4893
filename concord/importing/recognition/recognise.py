"""Recognition of a tool's export by its shape, and the table of answers that it becomes.

All exports end in one form: a row per answer, with its grades as a list of objects in one column;
or, where the answers are elsewhere, a row per grade. JSON Lines and CSV are read in parts of some
lines, so that they may be of any size; a file that is one JSON value is read whole, up to a limit.
What an export holds is counted as it is read, before any of it is mapped or stored.
"""

import copy
import importlib
import json
import pkgutil
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import chain, islice
from pathlib import Path
from types import ModuleType
from typing import Any

from concord.importing import scores, tools
from concord.importing.columns import column_map
from concord.importing.fields import GRADE_FIELDS, ITEM_FIELDS
from concord.importing.readers import cells as of_cell
from concord.importing.readers import delimited, json_files, safe_reading
from concord.importing.readers.encoding import Guess
from concord.importing.readers.formats import checked, open_source, open_table
from concord.importing.readers.table import Record, Source, Table
from concord.importing.recognition.export import (
    Document,
    Findings,
    JudgeIdentity,
    LeftOut,
    ToolSource,
    nothing_to_import,
    objects,
)
from concord.importing.spec import replaced_words
from concord.messages import Problem, Said, counted, joined, on_command_line, said
from concord.resources import install
from concord.store.spool import Spool

# The column of a recognised export that holds the list of an answer's grades.
GRADES = "grades"
# Column of a grade -> field of the record.
OF_GRADE = {
    "grader": "grader",
    "kind": "grader_kind",
    "criterion": "criterion",
    "score": "score",
    "reason": "reason",
    "repeat": "repeat",
    "blind": "blind",
}
# Parsed, one JSON value takes four to six times as much memory as its file has bytes.
WHOLE_BYTES = 512 << 20
# Where marks are looked for: the header of a CSV file, or the first record of JSON.
_HEAD_BYTES, _RECORD_BYTES = 1 << 16, 8 << 20
# Beginnings of files in which no mark can be seen.
_PACKED = {b"PK": "zip", b"PAR1": "parquet"}
_LINES = 100
ZSTANDARD = 93
_IN_BOUNDS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# So many different values of a criterion are listed.
_VALUES = 12


@dataclass(frozen=True)
class Found:
    """The contents of an export, and how its table is read.

    Attributes:
        tool: The tool and the kind of file.
        of: `answers`, or `grades` of answers that are not in the export.
        words: The column map of the table.
        answers: The number of answers; 0 for an export of grades alone.
        answer_models: Answers by answering model; '' for no name.
        annotators: Grades by annotator.
        grades_by_judge: Grades by judge.
        grades_by_metric: Grades by metric.
        not_blind: Annotators' grades that were given where other scores are shown.
        judges: The identities of judges and metrics.
        values: Number of grades by their value, by criterion; the most frequent values.
        left_out: What is left out, and why.
        scores: The score that each word or number is read as, once the mapping is known.
    """

    tool: str
    of: str
    words: tuple[str, ...]
    answers: int
    answer_models: dict[str, int]
    annotators: dict[str, int]
    grades_by_judge: dict[str, int]
    grades_by_metric: dict[str, int]
    not_blind: int
    judges: tuple[JudgeIdentity, ...]
    values: dict[str, dict[str, int]]
    left_out: tuple[LeftOut, ...]
    scores: Mapping[str, float | None] = field(default_factory=dict)

    def kept(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Columns that are kept with each answer: the grades are read, and not kept as well."""
        return tuple(column for column in columns if column != GRADES)

    def with_words(self, more: Sequence[str]) -> tuple[str, ...]:
        """Return the words of the map, where more words replace those of the same fields.

        `score=` leaves out the grades.
        """
        alone = any(word.strip() == "score=" for word in more)
        words = [word for word in self.words if not (alone and f"={GRADES}." in word)]
        return replaced_words(words, more)

    def mapped(self, scores: Mapping[str, float | None]) -> "Found":
        """The same with the scores that words are read as."""
        return replace(self, scores=dict(scores))

    def mapping(self) -> Said | None:
        """Say which scores words are read as; None without such words."""
        pairs = [
            f"{word} = {'-' if score is None else f'{score:g}'}"
            for word, score in self.scores.items()
        ]
        text = said(
            "Scores of words: {pairs}. Other scores: --score WORD=SCORE.", pairs=", ".join(pairs)
        )
        return text if pairs else None

    def to_json(self) -> dict:
        """Return it for `--json`."""
        rows = {
            name: [one._asdict() for one in getattr(self, name)] for name in ("judges", "left_out")
        }
        shown = {key: one for key, one in vars(self).items() if key not in ("of", "words")}
        return shown | rows

    def sentences(self) -> Iterator[Said]:
        """Say what there is, one sentence for each kind of it."""
        if self.answers:
            yield said("{tool}: {n} by {names}.", tool=self.tool, n=counted(self.answers, "answer"),
                       names=_named(self.answer_models))  # fmt: skip
        else:
            yield said("{tool}: grades of answers that are imported elsewhere.", tool=self.tool)
        for what, names in (
            (said("Grades by annotators"), self.annotators),
            (said("Grades by judges"), self.grades_by_judge),
            (said("Values of metrics"), self.grades_by_metric),
            *(
                (said("Scores of {criterion}", criterion=name), one)
                for name, one in self.values.items()
            ),
        ):
            if names:
                yield said("{what}: {names}.", what=what, names=_named(names))
        if self.not_blind:
            yield said(
                "Not blind: {grades} by annotators, because the tool shows other scores next to "
                "the answer. They are stored, and excluded where a judge is compared with "
                "annotators. If the annotators saw no scores, say so when you map the "
                "columns{on_command_line}.",
                on_command_line=on_command_line("--map blind="),
                grades=counted(self.not_blind, "grade"),
            )
        for one in self.left_out:
            yield said("Left out: {what} ({count:,}), because {reason}.", **one._asdict())


def _named(counts: Mapping[str, int]) -> Said:
    shown = [
        said("{name} ({n:,})", name=name or said("no name"), n=n) for name, n in counts.items()
    ]
    more = len(shown) - _VALUES
    return joined(", ", [*shown[:_VALUES], said("{n:,} more", n=more) if more > 0 else ""])


def open_file(
    given: str | Path | bytes, name: str = "", *, worksheet: str | None = None, **how: Any
) -> Table:
    """The table of a file: of a recognised export, else as `formats.open_table` reads it.

    A `worksheet` that is named is read as it is: no export is looked for.

    Raises:
        Problem: as `open_table`; or the export has no answers, or none that can be imported.
    """
    found = None if worksheet else recognised(given, name, **how)
    return open_table(given, name, worksheet=worksheet, **how) if found is None else found


def open_found(
    given: str | Path,
    encoding: str | None = None,
    worksheet: str | None = None,
    mapped: Sequence[str] = (),
) -> tuple[Table, Found | None]:
    """The table of a file, and its contents where it is a recognised export.

    A file is read as any other where only then it has the columns that are `mapped`, as a map from
    before its tool was recognised names them.
    """
    table = open_file(given, encoding=encoding, worksheet=worksheet)
    if table.origin and mapped and not _has_columns(table, table.origin.with_words(mapped)):
        with suppress(Problem):
            plain = open_table(given, encoding=encoding)
            table = plain if _has_columns(plain, mapped) else table
    return table, table.origin


def _has_columns(table: Table, mapped: Sequence[str]) -> bool:
    try:
        return bool(column_map(table.columns, mapped))
    except Problem:
        return False


def refuse_grades(table: Table) -> None:
    """Raise a Problem for an export that holds grades of answers that are elsewhere."""
    if table.origin and table.origin.of == "grades":
        raise Problem(
            "{file} holds grades and no answers. Import the answers with these ids first, then "
            "this file under Import grades{on_command_line}.",
            on_command_line=on_command_line("`grades`"),
            file=table.source.name,
            fault_code="grades_alone",
        )


def found_in(table: Table) -> Found | None:
    """The contents of a recognised export; None for any other table."""
    return table.origin


def recognised(
    given: str | Path | bytes,
    name: str = "",
    *,
    encoding: str | None = None,
    max_bytes: int | None = None,
) -> Table | None:
    """The table of a file that is an export of a known tool; None for any other file."""
    source = open_source(given, name, max_bytes)
    head = _head(source)
    packed = next((form for magic, form in _PACKED.items() if head.startswith(magic)), None)
    likely = [
        one
        for one in sources()
        if (packed in one.forms if packed else all(mark.encode() in head for mark in one.marks))
    ]
    if not likely:
        return None
    head = head[:64]
    with safe_reading.reading(lambda: safe_reading.damaged(source.name)):
        try:
            form, guess, documents = _documents(source, head, packed, encoding)
            first = next(documents, None)
            if first is None:
                return None
            forms = {form, "jsonl"} if form == "json" else {form, first.form}
            fits = (one for one in likely if forms & {*one.forms} and one.recognises(first))
            if (tool := next(fits, None)) is None:
                return None
            if tool.refused:
                code, sentence = tool.refused
                raise Problem(sentence, file=source.name, fault_code=code)
            if guess and not (guess.chosen or guess.is_unicode):
                raise Problem(
                    "{file} ({tool}) is not UTF-8: it was saved again. Import the file as the tool "
                    "wrote it, or choose its encoding{on_command_line}.",
                    file=source.name,
                    tool=tool.title,
                    on_command_line=on_command_line("`--encoding`"),
                    fault_code="encoding",
                )
            documents = chain([first], documents)
            if tool.whole:
                _check_whole(source.name, source.size)
                parts = [*documents]
                if len(parts) > 1:
                    rows = [row for part in parts for row in objects(part.data)]
                    parts = [first._replace(data=rows)]
                documents = parts
            return checked(_table(source, form, guess, documents, tool))
        except json.JSONDecodeError:
            return None  # the reader of tables says where


@cache
def sources() -> tuple[ToolSource, ...]:
    """The declared sources, those of a tool in their order, by the names of the modules."""
    names = sorted(module.name for module in pkgutil.iter_modules(tools.__path__))
    modules = (importlib.import_module(f"{tools.__name__}.{name}") for name in names)
    return tuple(source for module in modules for source in module.SOURCES)


def _head(source: Source) -> bytes:
    """The beginning of a file, of JSON with its first record; UTF-16 (of PowerShell) as UTF-8."""
    with source.open() as file:
        head = file.read(_HEAD_BYTES)
        wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
        if wide or head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
            head += file.read(_RECORD_BYTES)
    return head.decode("utf-16", "ignore").encode() if wide else head


def _documents(
    source: Source, head: bytes, packed: str | None, encoding: str | None
) -> tuple[str, Guess | None, Iterator[Document]]:
    """The form of a file, its encoding and its documents, of which a tool is known by the first.

    Raises:
        Problem: it is one JSON value and too large, or an archive that cannot be read.
        json.JSONDecodeError: it is not valid JSON.
    """
    if packed == "zip":
        return "zip", None, _archive(source)
    if packed:
        from concord.importing.readers import parquet  # it takes long to import

        return "parquet", None, _of_rows(parquet.read(source, whole=True), "parquet")
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] not in (b"{", b"["):
        table = delimited.read(source, encoding)
        return "csv", table.encoding, _of_rows(table, "csv")
    guess = json_files.encoding_of(source, encoding)
    if _is_lines(source, guess):
        return "jsonl", guess, _of_lines(source, guess)
    _check_whole(source.name, source.size)
    data = json_files.document(json_files.text_of(source, guess), source.name)
    return "json", guess, iter([Document(source.name, data, "json")])


def _is_lines(source: Source, guess: Guess) -> bool:
    """True where the first line is an object of its own, and more lines follow it."""
    with delimited.open_text(source, guess, newline="\n") as file:
        lines = (line.removeprefix("\ufeff") for line in delimited.lines_of(file, source.name))
        lines = (line for line in lines if line.strip("\r\n\t "))
        try:
            first = delimited.decoding(source, guess, lambda: [*islice(lines, 2)])
            return len(first) == 2 and isinstance(json.loads(first[0]), dict)
        except (json.JSONDecodeError, RecursionError, Problem):
            return False
        except ValueError:  # a number that is too long, which its reader names
            return True


def _of_lines(source: Source, guess: Guess) -> Iterator[Document]:
    with delimited.open_text(source, guess, newline="\n") as file:
        lines = enumerate(delimited.lines_of(file, source.name), 1)
        while some := delimited.decoding(source, guess, lambda: [*islice(lines, _LINES)]):
            texts = ((n, line.removeprefix("\ufeff").strip()) for n, line in some)
            data = [json_files.document(text, f"{source.name}:{n}") for n, text in texts if text]
            yield Document(source.name, data, "json")


def _of_rows(table: Table, form: str) -> Iterator[Document]:
    records = (one for one in safe_reading.records(table) if one.fault is None)
    rows = (dict(zip(table.columns, record.cells, strict=False)) for record in records)
    while some := [*islice(rows, _LINES)]:
        yield Document(table.source.name, some, form)


def _check_whole(name: str, size: int) -> None:
    """Refuse one JSON value that would take too much memory."""
    if size > WHOLE_BYTES:
        has = f"{size >> 20:,} MB in one JSON value"
        raise safe_reading.too_large(name, has, f"{WHOLE_BYTES >> 20:,} MB")


def _archive(source: Source) -> Iterator[Document]:
    """An archive of JSON files with a `header.json`; none for any other."""

    def member(archive: zipfile.ZipFile, name: str) -> object:
        place = f"{source.name}/{name}"
        _check_whole(place, archive.getinfo(name).file_size)
        try:
            return json_files.document(unpacked(archive, name).decode("utf-8"), place)
        except NotImplementedError:
            raise Problem(
                "{file} is compressed in a way that this Python cannot read. For Zstandard install "
                "the extra ({install}). Or save the log as JSON and import that file: inspect log "
                "dump {file} > log.json",
                file=source.name,
                install=install("zstd"),
                fault_code="compression",
            ) from None

    def members(start: str) -> Iterator[object]:
        with source.open() as file, zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                if name.startswith(start) and name.endswith(".json"):
                    yield member(archive, name)

    try:
        with source.open() as file, zipfile.ZipFile(file) as archive:
            if "header.json" not in archive.namelist():
                return
            safe_reading.check_size(source, sum(one.file_size for one in archive.infolist()))
            header = member(archive, "header.json")
    except zipfile.BadZipFile:
        return  # the reader of tables says so
    yield Document(source.name, header, "zip", members)


def unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a member of a ZIP archive, unpacked to no more than it declares.

    `zipfile` unpacks most kinds of members whole before it looks at their size, so that a small
    hostile archive could take all memory. Only Deflate and Zstandard are read, both in bounds.

    Raises:
        NotImplementedError: This Python has no Zstandard, or the compression is another one.
        zipfile.BadZipFile: The member is damaged, or larger or smaller than it declares.
    """
    member = archive.getinfo(name)
    if member.compress_type in _IN_BOUNDS:
        with archive.open(member) as file:
            return file.read(member.file_size)
    zstandard = _zstandard() if member.compress_type == ZSTANDARD else None
    if zstandard is None:
        raise NotImplementedError(name)
    stored = copy.copy(member)
    stored.compress_type, stored.file_size = zipfile.ZIP_STORED, member.compress_size
    # That of the member is of its unpacked bytes; zipfile checks none where there is none.
    stored.CRC = None
    with archive.open(stored) as file:
        packed = file.read()
    try:
        data = zstandard.ZstdDecompressor().decompress(packed, member.file_size + 1)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(name) from error
    if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
        raise zipfile.BadZipFile(name)
    return data


def _zstandard() -> ModuleType | None:
    """Zstandard of Python 3.14, or of the extra `zstd` before; None without either."""
    for name in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            return importlib.import_module(name)
    return None


def _table(
    source: Source,
    form: str,
    guess: Guess | None,
    documents: Iterable[Document],
    tool: ToolSource,
) -> Table:
    """Return the table of an export, whose rows are kept in a temporary file."""
    findings, rows, is_graded = Findings(), Spool(), tool.of == "grades"
    names: dict[str, None] = {}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    values: dict[str, Counter[str]] = defaultdict(Counter)
    seen, of_grades = set(), set()
    for answer, grades in findings.answers(chain.from_iterable(map(tool.read, documents))):
        fields = dict(answer.fields)
        for grade in grades:
            of_grades.update(grade)
            kind, score = grade["kind"], grade["score"]
            counts[kind][grade.get("grader", "")] += 1
            counts["shown"][kind] += grade.get("blind") is False
            values[grade.get("criterion", "")][_value(score)] += 1
        if is_graded:
            made = [
                fields | {to: grade[of] for of, to in OF_GRADE.items() if of in grade}
                for grade in grades
            ]
        else:
            # An answer of several rows has its id in each.
            item = of_cell.shown(of_cell.of(fields.get("item_id")))
            if not item or item not in seen:
                counts["models"][of_cell.shown(of_cell.of(fields.get("answer_model")))] += 1
            seen.add(item)
            # An empty answer is an answer.
            own = {"answer": fields.get("answer") or ""}
            made = [_filled(answer.more) | _filled(fields) | own | _filled({GRADES: grades})]
        for row in made:
            names |= dict.fromkeys(row)
            rows.add({name: of_cell.of(value) for name, value in row.items()}, len(str(row)))
    if not rows:
        raise nothing_to_import(source.name, tool.title, findings.left_out())
    known = GRADE_FIELDS if is_graded else ITEM_FIELDS
    first = [field for field in known if field in names]
    others = [name for name in names if name not in (*first, GRADES)]
    columns = (*first, *others, *([GRADES] if GRADES in names else []))
    safe_reading.check_cells(source.name, len(rows), len(columns))
    if is_graded:
        words = [f"{field}={field}" for field in first]
    else:
        words = [f"{field}={field if field in first else ''}" for field in known]
        words += [f"{to}={GRADES}.{{n}}.{of}" for of, to in OF_GRADE.items() if of in of_grades]
    kinds = {
        name: dict(counts[name].most_common())
        for name in ("models", "annotator", "judge", "metric")
    }
    found = Found(
        tool.title,
        tool.of,
        tuple(words),
        counts["models"].total(),
        *kinds.values(),
        counts["shown"]["annotator"],
        tuple(findings.judges.values()),
        {name: dict(one.most_common(_VALUES)) for name, one in values.items()},
        findings.left_out(),
    )
    return Table(source, form, columns, lambda: records(rows, columns), guess, origin=found)


def records(rows: Iterable[Mapping], columns: Sequence[str]) -> Iterator[Record]:
    """Rows by column as the records of a table."""
    return (Record(n, None, tuple(map(row.get, columns))) for n, row in enumerate(rows, 1))


def _filled(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that are not empty; 0 and false are values."""
    return {
        name: one
        for name, one in values.items()
        if one is not None and one != "" and one != [] and one != {}
    }


@lru_cache(1024, typed=True)
def _value(score: Any) -> str:
    """A score as it is counted: 1.0 and 1 are the same number."""
    text = str(score).lower() if isinstance(score, bool) else str(score)
    return text if scores.number(text) is None else text.removesuffix(".0")
