"""promptfoo: an assertion in Python, which sends the requests itself.

`llm-rubric` takes `pass` and `score` from the top of a reply, and cannot delimit the texts by a
code of their own: it would be another judge.
"""

from concord.judges.exporting.carried import Carried
from concord.judges.exporting.target import Target, of_requests, python
from concord.messages import said


def _differences(carried: Carried) -> list[str]:
    return [
        *of_requests(carried),
        said("promptfoo cuts a line end at the end of a variable, and renders {{ }} inside it."),
        said("A variable that is a list needs the option disableVarExpansion: true."),
    ]


TARGET = Target(
    "promptfoo",
    said("a Python assertion of promptfoo"),
    "judge.py",
    python("promptfoo.jinja"),
    _differences,
)
