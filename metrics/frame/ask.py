"""Ask: one request of a measure to a model, with the form of the reply and how it is read."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from judges.measuring.unmeasured import Unreadable as Unreadable
from judges.request import strict


class Ask(NamedTuple):
    """One request, apart from the model and its settings.

    Attributes:
        name: What it is for, as it is stored; the same request is asked once per judge and content.
        system: The unchanging message: the task, the rules and the form of the reply.
        user: The texts of the item, fenced.
        form: JSON schema properties of the reply object.
        sample: A reply as it should be for this very request; it fills previews and rehearsals.
        read: Takes the reply object to what the measure wants; raises Unreadable.
        vote: Tells separate replies to the very same request apart.
    """

    name: str
    system: str
    user: str
    form: Mapping[str, Any]
    sample: Mapping[str, Any]
    read: Callable[[Mapping[str, Any]], Any]
    vote: int = 1

    def schema(self) -> dict[str, Any]:
        """The strict JSON schema of the reply."""
        return strict(dict(self.form))


REPLY = """\
# Reply
Reply with one JSON object of this form and nothing else:

$form"""


def reply_form(skeleton: Any) -> str:
    """The last block of a system message: the form of the reply, also for servers without schema.

    What stands for a value is a word that could be no reply, so that an echo counts for nothing.
    """
    return REPLY.replace("$form", json.dumps(skeleton, ensure_ascii=False))
