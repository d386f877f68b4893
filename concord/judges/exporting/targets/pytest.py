"""pytest: one test per answer, and one of the certificate's expiry."""

from concord.judges.exporting.target import Target, of_requests, python
from concord.messages import said

TARGET = Target(
    "pytest",
    said("a test file that reads answers.jsonl"),
    "test_judge.py",
    python("pytest.jinja"),
    of_requests,
)
