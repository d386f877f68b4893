"""Plain Python: a module with `grade`, which needs the openai package alone."""

from concord.judges.exporting.target import Target, of_requests, python
from concord.messages import said

TARGET = Target("python", said("a Python module"), "judge.py", python("python.jinja"), of_requests)
