"""Answers to search in."""

from concord.model import Item

QUOTED = 'a "quoted" \\ column'
ROWS = (
    # own id, question, answer, model, columns
    ("a1", "How are filters changed?", "Close the valve.", "atlas", {"team": "A", "level": "10"}),
    ("a2", "How are filters changed?", "100% of it, or more", "birch", {"team": "B", "level": "9"}),
    ("b1", "黑洞是什么？", "黑洞是时空的区域。", "atlas", {"team": "A", QUOTED: "yes"}),
    (
        "b2",
        "黑洞是什么？",
        "École a_b 😀 'quoted' \"twice\"",
        "birch",
        {"done": True, "level": "x"},
    ),
    ("c1", "An empty answer?", "", None, {"team": "", "level": "2.5", QUOTED: 'n"o'}),
)


def item(row: tuple, number: int) -> Item:
    own, question, answer, model, columns = row
    about = (own, None, None, question, (), answer, model)
    return Item(*about, (), (), None, False, columns, number)
