"""MLflow: a scorer with one feedback per criterion, as an assessment of an LLM judge.

`make_judge` writes the prompt around its instructions itself, so it would be another judge.
"""

from concord.judges.exporting.target import Target, of_requests, python
from concord.messages import said

TARGET = Target(
    "mlflow", said("a scorer of MLflow"), "judge.py", python("mlflow.jinja"), of_requests
)
