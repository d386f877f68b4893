"""DeepEval: a metric of one's own, from 0 to 1, that passes where no criterion fails.

`GEval` writes its own prompt, so it would be another judge.
"""

from concord.judges.exporting.carried import Carried
from concord.judges.exporting.target import Target, of_requests, python
from concord.messages import said


def _differences(carried: Carried) -> list[str]:
    found = of_requests(carried)
    if "turns" in carried.shown:
        found.append(said("A test case has no earlier turns: the prompt says that there are none."))
    if "reference" in carried.shown:
        found.append(said("A test case has one reference at most, its expected output."))
    return found


TARGET = Target(
    "deepeval", said("a metric of DeepEval"), "judge.py", python("deepeval.jinja"), _differences
)
