"""openevals and LangSmith: an evaluator with one result per criterion.

`create_llm_as_judge` sends no settings and one score only, so it would be another judge.
"""

from concord.judges.exporting.target import Target, of_requests, python
from concord.messages import said

TARGET = Target(
    "openevals",
    said("an evaluator of openevals and LangSmith"),
    "judge.py",
    python("openevals.jinja"),
    of_requests,
)
