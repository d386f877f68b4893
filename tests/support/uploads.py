"""Uploads on the sheets screen without a browser, and what it says about them."""

from streamlit.testing.v1 import AppTest


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
