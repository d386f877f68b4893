import ast

import pytest

from concord.reports.document import Column, Table
from concord.resources import ROOT
from concord.stats.core.estimate import Estimate
from concord.ui import style
from concord.ui.render import translated_rows, unrounded


def luminance(colour: str) -> float:
    """Relative luminance of a hex colour, WCAG 2.2."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


LOOKS = [style.ANNOTATORS, style.BASELINE, *map(style.look, range(3))]


def test_no_judge_has_the_colour_or_the_shape_of_annotators():
    for look in map(style.look, range(21)):
        assert look.colour != style.ANNOTATORS.colour
        assert look.symbol != style.ANNOTATORS.symbol


@pytest.mark.parametrize("look", LOOKS)
def test_every_mark_stands_out_on_both_grounds(look):
    assert contrast(look.outline, "#fdfcfa") >= 3  # WCAG 1.4.11 for graphical objects
    assert contrast(look.colour, "#16191d") >= 3


def test_a_column_of_numbers_and_texts_is_text_which_arrow_can_send():
    frame = translated_rows([{"hours": 1.5, "n": 3}, {"hours": "no number", "n": 4}])
    assert frame["hours"].tolist() == ["1.5", "no number"] and frame["n"].tolist() == [3, 4]


def test_a_file_has_fractions_and_says_so_in_its_heads():
    columns = (
        Column("exact [95% CI]", "share", in_file="exact"),
        Column("difference, points", "points", in_file="difference"),
    )
    table = Table("t", columns, ((Estimate(0.75, 0.7, 0.8), Estimate(-0.164, -0.2, -0.1)),))
    (row,) = unrounded(table).to_dict("records")
    assert (row["exact"], row["exact low"], row["exact high"]) == (0.75, 0.7, 0.8)
    assert (row["difference"], row["difference low"]) == (-0.164, -0.2)


SOURCES = {
    path: ast.parse(path.read_text("utf-8")) for path in (ROOT / "concord/ui").rglob("*.py")
} | {path: ast.parse(path.read_text("utf-8")) for path in (ROOT / "pages").glob("*.py")}
PICKERS = {"date_input", "time_input", "datetime_input"}
TYPED = {"text_input", "text_area", "number_input", "number_field", "slider"}
# There a form is held back by the browser until its numbers are within their ends.
IN_FORMS = {"certificate.py", "model_form.py", "judge_form.py"}


def called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def test_no_field_drops_what_is_typed_into_it():
    for path, tree in SOURCES.items():
        used = {called(node) for node in ast.walk(tree)}
        assert not used & PICKERS, f"{path.name}: a picker drops a typed date on Tab; take text"
        if path.name not in IN_FORMS | {"widgets.py"}:
            assert "number_input" not in used, f"{path.name}: take widgets.number_field"


def test_no_button_carries_what_a_field_said_when_it_was_drawn():
    """A press right after typing comes with the new text, but calls with the old arguments."""
    for path, tree in SOURCES.items():
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            fields = {
                target.id
                for node in ast.walk(function)
                if isinstance(node, ast.Assign) and called(node.value) in TYPED
                for target in node.targets
                if isinstance(target, ast.Name)
            }
            carried = {
                name.id
                for node in ast.walk(function)
                if isinstance(node, ast.Call)
                for keyword in node.keywords
                if keyword.arg == "args"
                for name in ast.walk(keyword.value)
                if isinstance(name, ast.Name)
            }
            where = f"{path.name}, {function.name}"
            assert not fields & carried, f"{where}: read the field's key when the button is pressed"
