"""Answers to browse."""

from streamlit.testing.v1 import AppTest

from concord.model import Context, Item

EVIL = "<script>alert(1)</script>"


def item(number: int) -> Item:
    contexts = (Context("c1", "manual.pdf", f"{EVIL} Long. " * 60, 1), Context("", "", "Short.", 2))
    answer = f"Answer {number} {'黑洞' if number % 2 else EVIL}"
    columns = {"team": "AB"[number % 2], "size": number, EVIL: EVIL}
    about = (f"a{number}", f"q{number // 2}", "doc", f"Question {number // 2}?", contexts, answer)
    turns = ({"role": "user", "content": "Earlier?"},)
    return Item(*about, "xy"[number % 2], ("The reference.",), (), turns, False, columns, number)


def checked(app: AppTest) -> AppTest:
    assert not app.exception
    return app
