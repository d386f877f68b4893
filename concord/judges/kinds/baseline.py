"""The embedded text model, which is trained on annotators' grades and sends nothing."""

from concord.judges.definition.model import WRITING, Judge


class Baseline(Judge, kind="baseline"):
    """The baseline of text features."""

    unused = frozenset({*WRITING, "model", "larger", "reading"})
    required = ("rubric",)
    written = ()
    asks_rubric = chats = batches = False
    computed, trained = "concord.judges.baseline.run", True

    def title(self) -> str:
        """Return that it has no prompt."""
        return "none"
