"""Six formats become the same table; what is not a sheet is named as what it is."""

import datetime
import io
import json
import re

import openpyxl
import pyarrow
import pyarrow.parquet
import pytest

from concord.importing.readers.cells import Damaged
from concord.importing.readers.formats import open_table
from concord.importing.recognition import open_file
from concord.messages import Problem
from concord.text.encoding import choose, detect
from tests.support.exports import CASES


def table(text, name="sheet.csv", **options):
    return open_table(text if isinstance(text, bytes) else text.encode(), name, **options)


def cells(opened):
    return [list(record.cells) for record in opened.records()]


def workbook(rows, **more) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for title, others in more.items():
        sheet = book.create_sheet(title)
        for row in others:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def parquet(**columns) -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


QUOTED = 'two\nlines, ""quoted""'
OBJECTS = [{"id": "007", "answer": "NA"}, {"id": 7, "answer": None}, {"id": 7.50, "answer": True}]
READ = [["007", "NA"], ["7", None], ["7.5", "true"]]
LONG = "字" * 1_000_000
SHEET = [
    ("id", "n", "b", "d", "t"),
    (7, 7.0, True, datetime.date(2024, 5, 1), "x"),
    (None,) * 5,
    ("007", 2.5, None, None, " NA "),
]
# Text of a file, its name, and the columns and cells that are read.
FILES = [
    *(
        (
            f'id{mark}answer\n007{mark}NA\n1e3{mark}null\nNone{mark}"{QUOTED}"\n8{mark}\n',
            name,
            "id answer",
            [["007", "NA"], ["1e3", "null"], ["None", 'two\nlines, "quoted"'], ["8", ""]],
        )
        for mark, name in [(",", "a.csv"), (";", "a.csv"), ("\t", "a.tsv"), ("\t", "a.csv")]
    ),
    *(
        (
            f'id,answer{end}1,"a\r\nb"{end}{end}2,c{end}',
            "a.csv",
            "id answer",
            [["1", "a\r\nb"], ["2", "c"]],
        )
        for end in ["\n", "\r\n", "\r"]
    ),
    ("answer\nso, and so, or so\n", "a.csv", "answer", None),
    ('id\tanswer\n"a" b\tc\n', "a.tsv", "id answer", [['"a" b', "c"]]),
    (f'id,answer\n1,"{LONG}"\n', "a.csv", "id answer", [["1", LONG]]),
    ("id,answer\n1,x,,\n", "a.csv", "id answer", [["1", "x"]]),
    (",answer\n0,x\n", "a.csv", "column_1 answer", [["0", "x"]]),
    *(
        (json.dumps(found), "s.json", "id answer", READ)
        for found in [
            OBJECTS,
            {"data": OBJECTS},
            {"version": 2, "rows": OBJECTS},
        ]
    ),
    (
        '[{"id": 7.0, "x": 1e3, "c": ["a", {"n": 1.5}, 1e999], "z": NaN}]',
        "s.json",
        "id x c z",
        [["7.0", "1e3", ["a", {"n": 1.5}, "1e999"], None]],
    ),
    *(
        (
            '{"id": 1, "a": "x\u2028y"}\n\n{"id": 2, "b": "z"}\n',
            name,
            "id a b",
            [["1", "x\u2028y", None], ["2", None, "z"]],
        )
        for name in ["s.jsonl", "s.json", "s.ndjson"]
    ),
    (
        workbook(SHEET),
        "s.xlsx",
        "id n b d t",
        [["7", "7", "TRUE", "2024-05-01", "x"], ["007", "2.5", None, None, " NA "]],
    ),
    (
        parquet(
            id=[7, None],
            f=[1.5, float("nan")],
            s=["007", "NA"],
            c=[["a", "b"], []],
            d=[{"id": "x"}, None],
            t=[datetime.datetime(2024, 5, 1, 12), None],
        ),
        "s.parquet",
        "id f s c d.id t",
        [
            ["7", "1.5", "007", ["a", "b"], "x", "2024-05-01T12:00:00"],
            [None, None, "NA", [], None, None],
        ],
    ),
]


@pytest.mark.parametrize(("text", "name", "columns", "rows"), FILES)
def test_text_survives_in_every_shape_of_a_file(text, name, columns, rows):
    opened = table(text, name)
    assert opened.columns == tuple(one.replace("_", " ") for one in columns.split())
    assert rows is None or cells(opened) == cells(opened) == rows  # again on a second pass


@pytest.mark.parametrize(
    ("name", "text", "rows"),
    [
        ("a.csv", f'id,answer\n1,2\nNone,"{QUOTED}"\n8,\n', [1, 2, 3]),
        ("a.jsonl", '{"id": 1}\n\n{"id": 2}\n', [1, 2]),
        ("s.xlsx", workbook(SHEET), [2, 4]),
    ],
)
def test_rows_are_counted_below_the_header_or_as_the_spreadsheet_does(name, text, rows):
    assert [one.row for one in table(text, name).records()] == rows


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.csv", "id,answer\n1\n2,x\n", "wrong_width"),
        ("a.csv", "id,answer\n1,2,3\n2,x\n", "wrong_width"),
        ("a.csv", 'id,answer\n1,"a"b\n2,x\n', "misquoted"),
        ("a.jsonl", '{"id": "2", "a": "x"}\n{"id": 2,\n', "not_json"),
        ("a.jsonl", '{"id": "2", "a": "x"}\n[1]\n', "not_an_object"),
        ("a.jsonl", '{"id": "2", "a": "x"}\n{"id": 1, "id": 2}\n', "key_twice"),
    ],
)
def test_a_malformed_row_is_named_and_the_other_is_read(name, text, code):
    good, bad = sorted(table(text, name).records(), key=lambda one: one.fault is not None)
    assert (bad.fault.code, good.fault, good.cells) == (code, None, ("2", "x"))


def test_a_chosen_encoding_overrides_the_guess():
    data = "問題,答\n北京,大\n".encode("cp949")
    assert table(data, encoding="cp949").columns == ("問題", "答")


@pytest.mark.parametrize(
    "found",
    [
        {key: [o[key] for o in OBJECTS] for key in ("id", "answer")},
        {key: {str(n): o[key] for n, o in enumerate(OBJECTS)} for key in ("id", "answer")},
        {"columns": ["id", "answer"], "data": [list(o.values()) for o in OBJECTS]},
        {"q1": {"question": "Q", "chunks": [{"text": "T"}]}},
        [OBJECTS, OBJECTS],
    ],
)
def test_json_of_another_shape_than_objects_in_a_list_is_refused(found):
    with pytest.raises(Problem) as refused:
        table(json.dumps(found), "s.json")
    assert refused.value.code == "not_an_object"


def test_titles_above_and_remarks_beside_a_worksheet_are_refused():
    rows = [("Export",), ("question", "answer"), ("Why?", "So.")]
    wide = [("question", "answer"), ("Why?", "So.", "a remark")]
    assert [one.fault.code for one in open_table(workbook(rows), "s.xlsx").records()] == [
        "wrong_width"
    ] * 2
    (row,) = open_table(workbook(wide), "s.xlsx").records()
    assert row.fault.code == "wrong_width"


def test_a_foreign_letter_far_down_a_large_file_decides_its_encoding():
    told = "これは文字コードを調べるためのテストです"
    data = b"id,answer\n" + b"1,plain\n" * 200_000 + f"2,{told}\n".encode("cp932")
    opened = table(data)
    assert opened.encoding == "cp932"
    *_, last = opened.records()
    assert last.cells == ("2", told)


def test_the_worksheet_with_the_most_data_is_read_where_none_is_named():
    data = [("question", "answer"), *((f"Q{n}", "A") for n in range(5))]
    book = workbook([("About",), ("Made by us.",)], Data=data, Less=data[:3])
    opened = table(book, "s.xlsx")
    assert (opened.worksheet, len(cells(opened))) == ("Data", 5)
    assert table(workbook(data, Data=data), "s.xlsx").worksheet == "Sheet"


def test_a_formula_without_a_stored_result_is_not_an_empty_cell():
    opened = table(workbook([("id", "n"), (1, "=A2+1")]), "s.xlsx")
    (record,) = opened.records()
    assert record.cells[0] == "1"
    assert isinstance(record.cells[1], Damaged)
    assert "formula" in record.cells[1].problem


def test_a_file_too_large_for_the_browser_is_refused(tmp_path):
    path = tmp_path / "big.csv"
    with path.open("wb") as file:
        file.write(b"id,answer\n1,x\n")
        file.truncate(2 * 1024**3)
    with pytest.raises(Problem) as refused:
        open_table(path, max_bytes=200 * 1024**2)
    assert refused.value.code == "too_large"


def test_labels_of_a_dataset_are_their_names():
    features = {"label": {"names": ["bad", "good"], "_type": "ClassLabel"}}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    file = io.BytesIO()
    made = pyarrow.table({"label": [1, -1, 7]}).replace_schema_metadata(metadata)
    pyarrow.parquet.write_table(made, file)
    (good,), (none,), (damaged,) = cells(table(file.getvalue(), "train.parquet"))
    assert (good, none, type(damaged)) == ("good", None, Damaged)


CHINESE = "id,question,answer\n1,如何重置密码？,请点击设置页面，然后选择“重置”，系统会发送邮件。\n"
JAPANESE = "RAGとは、検索と生成を組み合わせる方法です。It is fine.\n"
KOREAN = "id,질문,답변\n1,환불 기간은 며칠입니까?,30일 이내에 가능합니다. 영수증이 필요합니다.\n"
WESTERN = ["café olé, naïve", "größer, schön und süß", "“it’s” – fine", "Ärger?,Öl."]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(CHINESE, "gb18030"), (JAPANESE, "cp932"), (JAPANESE, "euc_jp"), (KOREAN, "cp949")]
    + [(text, "cp1252") for text in WESTERN],
)
def test_an_encoding_that_alone_reads_as_text_is_taken(text, encoding):
    assert detect(text.encode(encoding)) == encoding


@pytest.mark.parametrize(
    "data",
    [
        "北京".encode("gb18030"),
        "大韓民國의 수도는 서울. ".encode("cp949") * 4,
        "東京大學的歷史，請說明這個問題。".encode("big5") * 4,
        "Został ktoś, kto był źle".encode("cp1250"),
        "Příliš žluťoučký kůň".encode("cp1250"),
        "Привет, как дела".encode("cp1251"),
        "café olé, naïve".encode() + b" \xe9",
        KOREAN.encode("cp949") + b"\xff\n",
        bytes(range(1, 256)),
    ],
)
def test_an_encoding_in_doubt_is_asked_for(data):
    with pytest.raises(Problem) as asked:
        detect(data)
    assert asked.value.code == "encoding_uncertain"


@pytest.mark.parametrize("text", [CHINESE, JAPANESE, KOREAN, "plain\n", *WESTERN])
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig"])
def test_utf_8_proves_itself(text, codec):
    assert detect(text.encode(codec)) == "utf-8-sig"


@pytest.mark.parametrize(
    "text", ["id,a\nhello,world\n", "问题,回答\n一,二\n", "質問,答\nこれ,何\n"]
)
@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_told_by_its_mark_and_in_json(text, codec):
    data = text.encode(codec)
    if codec == "utf-16":
        assert data.decode(detect(data)) == text
    else:
        with pytest.raises(Problem):
            detect(data)
    rows = json.dumps([{"answer": text}], ensure_ascii=False).encode(codec)
    (record,) = open_table(rows, "s.json").records()
    assert record.cells == (text,)


def test_a_stray_nul_does_not_make_a_file_utf_16():
    assert detect(b"q,a\n\x00,\x001\n") == "utf-8-sig"


@pytest.mark.parametrize("name", ["one_stray_byte.csv", "one_stray_byte.json"])
@pytest.mark.parametrize("read", [open_table, open_file])
def test_a_stray_byte_in_utf_8_is_named_with_its_place(name, read):
    data = (CASES / name).read_bytes()
    line, rest = next((n, one) for n, one in enumerate(data.split(b"\n"), 1) if not _is_utf_8(one))
    with pytest.raises(Problem) as refused:
        list(read(CASES / name).records())
    named, byte, place = re.findall(r"0x..|\d+", refused.value.args[0].values["where"])
    assert (int(named), rest[int(place) - 1]) == (line, int(byte, 16))
    assert list(read(CASES / name, encoding="cp1252").records())


def _is_utf_8(data):
    return data.decode("utf-8", "replace").count("\ufffd") == 0


@pytest.mark.parametrize(
    "said, codec",
    [
        ("utf8", "utf-8-sig"),
        ("GBK", "gb18030"),
        ("gb2312", "gb18030"),
        ("Shift-JIS", "cp932"),
        ("EUC-KR", "cp949"),
        ("utf-16-le", "utf-16-le"),
        ("latin-1", "cp1252"),
    ],
)
def test_the_user_may_choose(said, codec):
    assert choose(said) == codec


@pytest.mark.parametrize(("part", "others"), [(None, 1), ("grades", 1), ("tasks", 1)])
def test_lists_beside_the_one_that_is_read_are_named(part, others):
    data = {"tasks": [{"question": "Why?", "answer": "So."}], "grades": [{"score": 1}], "n": 2}
    table = open_table(json.dumps(data).encode(), "s.json", worksheet=part)
    assert len(table.skipped) == others
    del data["grades"]
    assert not open_table(json.dumps(data).encode(), "s.json").skipped
