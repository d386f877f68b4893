"""Fields of screens, as they are written: nothing that is typed can count other than it is shown.

Why it must be so is driven in a browser in tests/browser/test_fields.py.
"""

import ast

from concord.resources import ROOT

SOURCES = {
    path: ast.parse(path.read_text("utf-8")) for path in (ROOT / "concord/ui").rglob("*.py")
} | {path: ast.parse(path.read_text("utf-8")) for path in (ROOT / "pages").glob("*.py")}
PICKERS = {"date_input", "time_input", "datetime_input"}
TYPED = {"text_input", "text_area", "number_input", "number_field", "slider"}
# There a form is held back by the browser until its numbers are within their ends.
IN_FORMS = {"certificate_write.py"}


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
