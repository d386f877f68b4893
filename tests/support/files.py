"""Files made for a test.

A PDF built by hand.

Texts that a spreadsheet would run, and texts that look like them.

Nested objects as files of JSON may hold them, for fuzzing.

Texts of documents to draft questions from.

Uploads on the sheets screen without a browser, and what it says about them.
"""

import csv
import io
from pathlib import Path

from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest


def csv_bytes(*rows) -> bytes:
    """Rows as the bytes of a CSV file."""
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue().encode()


def written(folder: Path, name: str, text: str) -> Path:
    """A new text file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def pdf_file(text):
    """A PDF of one page with one line of text, or of none."""
    stream = f"BT /F1 12 Tf 10 100 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 900 200] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(out)
    return out + b"xref\n0 6\n0000000000 65535 f \n" + table + end


LIVE = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "＝1+1", "＋1", "－1", "＠a"]
TEXTS = [*LIVE, *("'" + text for text in LIVE), "''=1", "'quoted'", "' =1", "plain", "5", "a=b"]


ROWS = [
    {
        "qid": f"q{n}",
        "question": f"What is meant by {n}?",
        "gt_answer": f"The number that comes after {n - 1}.",
        "answers": {
            model: {"answer_string": f"{model} says that {n} is a number.", "human_score": n % 3}
            for model in ("alpha", "beta-2.1")
        },
    }
    for n in range(8)
]

KEYS = st.sampled_from(["question", "answer", "a", "b.c", "gpt-4.1", "", "text", "0", "é", "x y"])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=6), st.just("Why?")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
OBJECTS = st.lists(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), min_size=1, max_size=6)


QUESTIONS = [f"What is number {n} of all about?" for n in range(12)]
ANSWERS = [f"Number {n} is about the things that come {n} places behind." for n in range(12)]
HARBOUR = "The harbour opens at six in the morning. Boats wait until the signal is green. "


def give(app: AppTest, text: str | bytes, name: str = "answers.csv") -> AppTest:
    content = text.encode() if isinstance(text, str) else text
    return app.file_uploader[0].set_value([(name, content, "text/csv")]).run()


def press(app: AppTest, key: str) -> AppTest:
    return app.button(key=key).click().run()


def words(app: AppTest) -> str:
    kinds = (app.header, app.subheader, app.markdown, app.caption, app.success, app.info, app.error)
    return " ".join(element.value for kind in kinds for element in (*kind, *app.warning))


def without(app: AppTest):
    """The box that says to import the good rows without the bad ones."""
    return next(box for box in app.checkbox if "and skip" in box.label)
