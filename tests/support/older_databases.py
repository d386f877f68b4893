"""Databases as older versions left them."""

from concord.store.database import open_store
from concord.store.schema import migrations


def made_before(step, tmp_path, monkeypatch):
    """A database with an annotator that lacks a step and those after it."""
    steps = migrations.STEPS[: migrations.STEPS.index(step)]
    with monkeypatch.context() as before:
        before.setattr("concord.store.database.STEPS", steps)
        with open_store(tmp_path / "mine.db") as store, store.write():
            store.insert("graders", kind="person", name="Ana", created_at="2026-11-01T09:00:00Z")
    return tmp_path / "mine.db"
