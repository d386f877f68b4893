"""Inspect: a scorer with one value per criterion."""

from concord.judges.exporting.target import Target, of_requests, python
from concord.messages import said

TARGET = Target(
    "inspect", said("a scorer of Inspect"), "judge.py", python("inspect.jinja"), of_requests
)
