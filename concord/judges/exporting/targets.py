"""Targets: the tools that a judge can be exported for, each a template of the file it reads.

Values of a judge are written to a file as literals only: whatever a prompt or a name holds, it
cannot leave its quotation marks. The files send Concord's requests themselves.
"""

from functools import cache, partial
from pathlib import Path
from pprint import pformat
from typing import NamedTuple
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from concord.judges.definition.model import FUNCTION
from concord.judges.exporting.carried import Carried
from concord.judges.prompting import delimiters, reply
from concord.messages import Problem, joined


class Target(NamedTuple):
    """A tool and its file.

    Attributes:
        title: What the file is, in a few words.
        file: The file's name, by default; its template is `NAME.jinja`.
    """

    name: str
    title: str
    file: str = "judge.py"

    def write(self, carried: Carried) -> str:
        """Return the file's text."""
        keys = carried.calls[0]["body"]
        template = _environment().get_template(f"{self.name}.jinja")
        text = template.render(
            judge=carried.judge,
            rubric=carried.rubric,
            about=carried.about(),
            calls=carried.calls,
            host=urlsplit(carried.judge.url()).hostname,
            key=next(key for key in ("messages", "input", "state") if key in keys),
        )
        return text.rstrip() + "\n"


TARGETS = {
    one.name: one
    for one in (
        Target("inspect", "a scorer of Inspect"),
        Target("mlflow", "a scorer of MLflow"),
        Target("openevals", "an evaluator of openevals and LangSmith"),
        Target("promptfoo", "a Python assertion of promptfoo"),
        Target("pytest", "a test file that reads answers.jsonl", "test_judge.py"),
        Target("python", "a Python module"),
    )
}


def named(name: str) -> Target:
    """Return the target of that name; a Problem that lists them otherwise."""
    if name not in TARGETS:
        raise Problem(
            "There is no export for “{name}”. Name one of: {names}.",
            name=name,
            names=joined(", ", TARGETS),
        )
    return TARGETS[name]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        autoescape=False,  # the files are no HTML; every value is written as a literal
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["literal"] = partial(pformat, width=96, sort_dicts=False)
    environment.globals |= {
        "function": FUNCTION,
        "unfinished": sorted(reply.FILTERED | reply.CUT_OFF | reply.BROKEN_OFF),
        "opening": delimiters.OPENING.pattern,
        "closing": delimiters.CLOSING.pattern,
        "token": delimiters.CHAT_TOKEN.pattern,
        "thought": reply.THOUGHT.pattern,
        "thinking": reply.THINKING.pattern,
    }
    return environment
