"""What a component in the browser receives."""

from concord.language.languages import ENGLISH
from concord.ui.components import payload


def test_a_component_is_sent_its_own_words_and_none_in_english(tmp_path, monkeypatch):
    page = tmp_path / "page.html"
    page.write_text("<p>\n Language\n</p>")
    monkeypatch.setattr(payload, "language", lambda: "ko")
    assert payload.words_of((page,)) == {"Language": "언어"}
    monkeypatch.setattr(payload, "language", lambda: ENGLISH)
    assert payload.words_of((page,)) == {}
