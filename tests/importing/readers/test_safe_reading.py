"""Files that anybody may have made: whatever is wrong is one sentence, in bounded time and memory.

The fuzz test changes small good files and every file that ever failed. A file that fails it from
now on belongs into `FAILED`.
"""

import io
import json
import resource
import signal
import time
import zipfile
from collections.abc import Callable
from contextlib import contextmanager
from datetime import date
from random import Random

import openpyxl
import pyarrow
import pyarrow.parquet
import pytest

from concord import metrics
from concord.exporting import exported_tables
from concord.exporting.exported_tables import restored
from concord.importing import answer_file as sheet_file
from concord.importing import recognition
from concord.importing.readers import cells as readers_cells
from concord.importing.readers import documents, safe_reading
from concord.messages import Problem
from concord.rubrics import model as rubrics
from tests.support.files import pdf_file

FILES, SECONDS, MEMORY = 1_000, 2, 2 << 30
SHARED = (
    b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    b"<si><t>%s</t></si></sst>"
)
TODAY = date(2026, 1, 1)
QUESTION, ANSWER = "What is it?", "A thing, as is well known."
ROWS = [
    {"id": "7", "question": QUESTION, "answer": ANSWER, "contexts": ["one", "two"], "score": 2},
    {"id": "8", "question": "Größe?", "answer": "-1", "contexts": ["", "drei"], "score": None},
]


class TooSlow(BaseException):
    """A file that takes longer than it may; no reader takes it for damage."""


def csv_file(mark: str = ",") -> bytes:
    cells = [mark.join(ROWS[0])]
    for row in ROWS:
        quoted = (json.dumps(value, ensure_ascii=False) for value in row.values())
        cells.append(mark.join('"' + text.replace('"', '""') + '"' for text in quoted))
    return "\r\n".join(cells).encode()


def parquet_file(**columns) -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


def small_workbook() -> bytes:
    """A workbook without the parts that hold no values, of which openpyxl writes many."""
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in [[*ROWS[0], "day"], *([str(v) for v in one.values()] + [TODAY] for one in ROWS)]:
        book.active.append(row)
    book.save(file)

    def changed(name: str, old: bytes) -> bytes | None:
        if "theme" in name or "docProps/core" in name:
            return None
        if "docProps" in name:
            return SHARED % b"day"
        old = old.replace(
            b"application/vnd.openxmlformats-officedocument.extended-properties+xml",
            b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml",
        )
        return old.replace(b't="inlineStr"><is><t>day</t></is>', b't="s"><v>0</v>')

    return repacked(file.getvalue(), changed)


def repacked(data: bytes, changed: Callable[[str, bytes], bytes | None], **how) -> bytes:
    """A workbook with other content in its parts, or without them."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", **how) as new:
        for name in old.namelist():
            if (content := changed(name, old.read(name))) is not None:
                new.writestr(name, content)
    return file.getvalue()


def with_rows(xml: bytes, kind: str = "worksheets/sheet1.xml", **how) -> bytes:
    """A workbook whose worksheet, or other part, is this; `how` it is packed."""

    def changed(name: str, old: bytes) -> bytes:
        if kind not in name:
            return old
        begin, end = old.index(b"<sheetData>") + 11, old.index(b"</sheetData>")
        return old[:begin] + xml + old[end:]

    return repacked(GOOD["xlsx"], changed, **how)


def locked(data: bytes) -> bytes:
    """A workbook whose parts say that they are encrypted."""
    out = bytearray(data)
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = out.find(magic)
        while place >= 0:
            out[place + offset] |= 1
            place = out.find(magic, place + 4)
    return bytes(out)


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def row(more: str, **values) -> bytes:
    start = json.dumps({"question": QUESTION, "answer": ANSWER} | values)
    return f"{start[:-1]}, {more}}}".encode()


GOOD = {
    "csv": csv_file(),
    "tsv": csv_file("\t"),
    "json": json.dumps({"data": ROWS}, indent=1).encode(),
    "jsonl": "\n".join(map(json.dumps, ROWS)).encode(),
    "parquet": parquet_file(
        **{key: [one[key] for one in ROWS] for key in ROWS[0]},
        day=[date(2026, 1, 1), None],
        raw=[b"\x00\xff", b"a"],
    ),
    "xlsx": small_workbook(),
}
# Each of these ended in a traceback, or took minutes or all the memory there is.
FAILED = {
    "csv": {
        "a header of 70,000 characters": b"question,answer," + b"x" * 70_000 + b"\na,b,c\n",
        "a numbered column of 5,000 digits": b"question,answer,context_%s\na,b,c\n" % (b"1" * 5000),
        "a hexadecimal number of 9,000 digits": b"question,answer,relevant_ids,contexts\n"
        b"a,b,[0x%s],[0x%s]\n" % (b"f" * 9000, b"f" * 9000),
        "20,000 columns": ",".join(["question", "answer", *map(str, range(20_000))]).encode()
        + b"\na,b"
        + b",c" * 20_000,
    },
    "tsv": {"a header of 70,000 characters": b"question\tanswer\t" + b"x" * 70_000 + b"\na\tb\tc"},
    "json": {
        **{f"nested {n} deep": b"[" + row(f'"a": {nested(n)}') + b"]" for n in (500, 900, 980)},
        "unpaired surrogate in a key": b"[" + row('"\\ud800": 1') + b"]",
        "names that are no text": b'{"columns": [["a"], null], "data": [["x", "y"]]}',
        "the same name twice": b'{"columns": ["a", "a"], "data": [["x", "y"]]}',
        "100,000 keys, one twice": b"[{%s}]"
        % b",".join(b'"k%d": 1' % (n % 99_999) for n in range(100_000)),
        "20,000 keys": json.dumps([{f"k{n}": n for n in range(20_000)}]).encode(),
        "6,000 rows of 6,000 columns": json.dumps([{f"k{n}": 1} for n in range(6_000)]).encode(),
        "6,000 columns of 6,000 rows": json.dumps(
            {f"c{n}": {f"r{n}": 1} for n in range(6_000)}
        ).encode(),
    },
    "jsonl": {
        **{f"nested {n} deep": row(f'"a": {nested(n)}') for n in (500, 900, 980)},
        "unpaired surrogate in a key": row('"\\ud800": 1'),
        "unpaired surrogate in a call": json.dumps(
            {
                "turns": [
                    {
                        "role": "user",
                        "content": "a",
                        "tool_calls": [{"name": "f", "args": {"\ud800": 1}}],
                    },
                    {"role": "assistant", "content": "b"},
                ]
            }
        ).encode(),
        "calls that are no list": b'{"turns": [{"role": "user", "content": "a", "tool_calls": 5},'
        b' {"role": "assistant", "content": "b"}]}',
    },
    "parquet": {
        "a date after the year 9999": parquet_file(
            question=[QUESTION], answer=pyarrow.array([10**7], pyarrow.date32())
        ),
        "a duration of ages": parquet_file(
            question=[QUESTION], answer=pyarrow.array([2**62], pyarrow.duration("s"))
        ),
        "a time of ages": parquet_file(
            question=[QUESTION], answer=pyarrow.array([2**62], pyarrow.timestamp("us"))
        ),
        "30 million rows": parquet_file(
            question=pyarrow.DictionaryArray.from_arrays(
                pyarrow.array([0] * 1_000_000, pyarrow.int8()), ["a"]
            ).cast(pyarrow.string()),
            **{f"c{n}": pyarrow.nulls(1_000_000) for n in range(30)},
        ),
    },
    "xlsx": {
        "encrypted": locked(GOOD["xlsx"]),
        "compressed by LZMA": repacked(
            GOOD["xlsx"], lambda name, old: old, compression=zipfile.ZIP_LZMA
        ),
        "an index of a text that is not there": with_rows(
            b'<row r="1"><c r="A1" t="s"><v>99</v></c></row>'
        ),
        "an attribute that is not known": repacked(
            GOOD["xlsx"],
            lambda name, old: old.replace(b"<sheets>", b'<sheets odd="1">').replace(
                b"<workbookPr", b'<workbookPr odd="1"'
            ),
        ),
        "a formula without a result": with_rows(b'<row r="1"><c r="A1"><f>1+1</f></c></row>'),
        "a row far below": with_rows(b'<row r="1000000000"><c r="A1"><v>1</v></c></row>'),
        "a style that is no number": with_rows(b'<row r="1"><c r="A1" s="x"><v>1</v></c></row>'),
    },
    "toml": {
        "nested 5,000 deep": b"scale = " + nested(5_000).encode(),
        "a number of 5,000 digits": b"scale = [%s]" % (b"1" * 5_000),
        "no UTF-8": b'name = "\xff\xfe"',
        "unpaired surrogate": b'name = "\\ud800"',
    },
    "pdf": {"nothing": b"%PDF-1.4 and then nothing"},
    "html": {
        "80,000 comments that are not closed": b"<!--" * 80_000,
        "80,000 tags that are not closed": b"<a b=c " * 80_000,
        "80,000 values that are not closed": b"<a b='" * 80_000,
        "a character of 5,000 digits": b"a &#%s;" % (b"1" * 5_000),
    },
}
GOOD |= {
    "toml": b'name = "a"\ntitle = "A"\nscale = [0, 1]\n[[criteria]]\nname = "c"\nweight = 1.0\n'
    b'question = "Is it?"\nlevels = [{score = 0, meaning = "no"}, {score = 1, meaning = "yes"}]\n',
    "pdf": pdf_file("The harbour opens at six in the morning and closes at nine. " * 5),
    "html": b"<html><head><meta charset='utf-8'><style>a{}</style></head><body><p class=\"a>b\">A"
    b" &amp; b<script>if (a < b) {}</script><!-- no --></p><svg><text>x</text></svg></body></html>",
}


@contextmanager
def bounded(seconds: float):
    """Stop what takes more of the processor's time, or more than `MEMORY` besides what is held."""

    def stop(*_):
        raise TooSlow(f"longer than {seconds} seconds")

    with open("/proc/self/statm") as now:
        held = int(now.read().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGPROF, stop)
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, limits[1]))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def taken_in(data: bytes, kind: str, name: str) -> object:
    """What the app makes of a file: all that stands between the bytes and the database."""
    if kind == "toml":
        return rubrics.parse(data.decode(errors="surrogateescape"), name)
    if kind == "pdf":
        return documents.pdf_text(data)
    if kind == "html":
        return documents.text_of(data.decode(errors="replace"))
    read = sheet_file.load(data, name)
    assert read.table.columns == tuple(map(readers_cells.text, read.table.columns))
    stored = json.dumps([item._asdict() for item in read.items], ensure_ascii=False).encode()
    if read.refusal():
        raise read.refusal()
    return stored


def outcome(data: bytes, kind: str) -> str:
    """The sentence that refuses a file, '' where it is taken; whatever else is raised is raised."""
    try:
        taken_in(data, kind, f"sheet.{kind}")
    except Problem as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize(
    ("kind", "what"), [(kind, what) for kind, files in FAILED.items() for what in files]
)
def test_no_file_that_ever_failed_ends_in_a_traceback(kind, what):
    with bounded(30):
        started = time.process_time()
        said = outcome(FAILED[kind][what], kind)
        assert time.process_time() - started < 10
    assert said == "" or said.rstrip().endswith((".", "?", ")"))


def test_a_damaged_metric_or_export_is_one_sentence(sheet, store, tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.py").write_bytes(b"# -*- coding: latin-1 -*-\n# \xe9\nMEASURE = 1\n")
    monkeypatch.setenv("CONCORD_METRICS", str(tmp_path / "own"))
    with pytest.raises(Problem, match=r"mine.py"):
        metrics.available()
    exported_tables.export(store, tmp_path / "out", every=True)
    path = tmp_path / "out" / "questions.parquet"
    table = pyarrow.parquet.read_table(path)
    broken = pyarrow.array([b"\xff"] * len(table), pyarrow.binary()).view(pyarrow.string())
    column = table.column_names.index("text")
    pyarrow.parquet.write_table(table.set_column(column, "text", broken), path)
    with pytest.raises(Problem, match="damaged"), restored(tmp_path / "out"):
        pass


HEADER = b'<row><c t="str"><v>question</v></c><c t="str"><v>answer</v></c></row>'
# Made when they are tested: hundreds of megabytes.
BOMBS = {
    "a cell in the last column of each row": lambda: (
        HEADER
        + b'<row><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c><c r="XFD1"><v>3</v></c></row>'
        * 30_000
    ),
    "a header that ends in the last column": lambda: (
        b'<row><c r="XFD1"><v>3</v></c></row>' + b'<row><c r="A1"><v>1</v></c></row>' * 30_000
    ),
    "a text of 300 MB": lambda: (
        b'<row><c t="inlineStr"><is><t>%s</t></is></c></row>' % (b"a" * 300_000_000)
    ),
    "two million rows": lambda: HEADER + b"<row/>" * 2_000_000,
    "a row of ten million cells": lambda: b"<row>%s</row>" % (b"<c/>" * 10_000_000),
    "a tag of ten million attributes": lambda: b"<row %s/>" % (b'a="" ' * 10_000_000),
    "a text of 10 MB in each row": lambda: b'<row><c t="s"><v>0</v></c></row>' * 2_000,
}


@pytest.mark.parametrize("what", BOMBS)
def test_a_small_workbook_that_unpacks_to_very_much_is_refused_or_read_at_once(what):
    packed = {"compression": zipfile.ZIP_DEFLATED, "compresslevel": 1}
    data = with_rows(BOMBS[what](), **packed)
    if what == "a text of 10 MB in each row":
        long = SHARED % (b"a" * 10_000_000)
        data = repacked(data, lambda name, old: long if b"<sst" in old else old, **packed)
    assert len(data) < 2_000_000
    with bounded(20):
        outcome(data, "xlsx")


@pytest.mark.parametrize("kind", GOOD)
def test_no_changed_file_ends_in_a_traceback(kind):
    """Bytes are changed, cut and doubled; in a workbook within its parts, or hardly any is read."""
    failed = [data for data in FAILED.get(kind, {}).values() if len(data) < 20_000]
    started = time.process_time()
    for number in range(FILES):
        random = Random(f"{kind} {number}")
        data = GOOD[kind] if number % 10 or not failed else random.choice(failed)
        changed = changed_workbook if kind == "xlsx" and random.random() < 0.8 else mutated
        found = changed(data, random)
        try:
            with bounded(SECONDS):
                outcome(found, kind)
        except (Exception, TooSlow) as fault:
            pytest.fail(f"file {number} of {kind}, {found[:300]!r}: {fault!r}")
    assert time.process_time() - started < 30


def mutated(data: bytes, random: Random) -> bytes:
    out = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 5, 20])):
        place = random.randrange(len(out) + 1)
        end = min(len(out), place + random.choice([1, 1, 2, 4, 8, 64]))
        out[place:end] = random.choice(
            [
                bytes([random.randrange(256)]),
                b"",
                bytes(out[place:end]) * 2,
                random.randbytes(4),
                random.choice(TOKENS),
                bytes(out[(start := random.randrange(len(out) + 1)) : start + 40]),
            ]
        )
    return bytes(out)


TOKENS = [b'"', b"'", b"[", b"]", b"{", b"}", b",", b"\t", b"\n", b"\r", b"\0", b"\xff", b"\xc3"]
TOKENS += [b"\\ud800", b"null", b"NaN", b"1e999", b"-1", b"9" * 30, b"9" * 5_000, b"[" * 200]
TOKENS += [
    b"<row/>",
    b"<c/>",
    b"&#0;",
    b"]]>",
    b"<!--",
    b'r="XFD1"',
    b'r="9999999"',
    b"\xef\xbb\xbf",
]


def changed_workbook(data: bytes, random: Random) -> bytes:
    """A workbook of which one part is changed."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            chosen = random.choice(archive.namelist())
        return repacked(data, lambda name, old: mutated(old, random) if name == chosen else old)
    except (RuntimeError, NotImplementedError):
        return mutated(data, random)


@pytest.mark.parametrize("head", ['{"evalId": 1, "results": {"results": [', '{"rows": ['])
def test_json_of_too_many_values_is_refused_before_it_is_parsed(monkeypatch, head):
    """Of an export as of any table: a value may take fifty times its text."""
    monkeypatch.setattr(safe_reading, "CELLS", 1000)
    tail = "]}}" if head.count("{") == 2 else "]}"
    file = (head + ",".join(["{}"] * 1000) + tail).encode()
    with pytest.raises(Problem, match=r"a\.json has about 2,00. values .* the limit is 200\."):
        recognition.open_file(file, "a.json")
    safe_reading.check_values("a.json", ",".join(['{"question": "Where is it?"}'] * 300))
