"""Files in Python that send the requests themselves: for a tool, for pytest, or for any script.

The tools' own LLM judges would be other judges: GEval of DeepEval and `make_judge` of MLflow write
a prompt around the instructions, `create_llm_as_judge` of openevals sends no settings and one score
only, and `llm-rubric` of promptfoo takes `pass` and `score` from the top of a reply and cannot
delimit the texts by a code of their own.
"""

from collections.abc import Callable

from concord.judges.exporting.carried import Carried
from concord.judges.exporting.target import Target, of_requests, python
from concord.messages import said


def _of_deepeval(carried: Carried) -> list[str]:
    found = of_requests(carried)
    if "turns" in carried.shown:
        found.append(said("A test case has no earlier turns: the prompt says that there are none."))
    if "reference" in carried.shown:
        found.append(said("A test case has one reference at most, its expected output."))
    return found


def _of_promptfoo(carried: Carried) -> list[str]:
    return [
        *of_requests(carried),
        said("promptfoo cuts a line end at the end of a variable, and renders {{ }} inside it."),
        said("A variable that is a list needs the option disableVarExpansion: true."),
    ]


def _script(
    name: str,
    title: str,
    differences: Callable[[Carried], list[str]] = of_requests,
    file: str = "judge.py",
) -> Target:
    return Target(name, title, file, python(f"{name}.jinja"), differences)


TARGETS = (
    _script("deepeval", said("a metric of DeepEval"), _of_deepeval),
    _script("inspect", said("a scorer of Inspect")),
    _script("mlflow", said("a scorer of MLflow")),
    _script("openevals", said("an evaluator of openevals and LangSmith")),
    _script("promptfoo", said("a Python assertion of promptfoo"), _of_promptfoo),
    # One test per answer, and one of the certificate's expiry.
    _script("pytest", said("a test file that reads answers.jsonl"), file="test_judge.py"),
    _script("python", said("a Python module")),
)
