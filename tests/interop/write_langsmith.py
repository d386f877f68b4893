"""Write LangSmith feedback with the SDK's own models, as `model_dump(mode="json")` has it.

Usage: write_langsmith.py FOLDER
"""

import json
import sys
from datetime import datetime
from pathlib import Path
from uuid import UUID

from langsmith.schemas import Feedback, FeedbackSourceBase

AT = datetime(2026, 11, 1, 10)
EVALUATOR = {"model": "gpt-4.1-mini", "evaluator_name": "grader"}
GIVEN = [  # run, score, value, comment, source, model of an evaluator, user, pair
    (1, 1, None, "Right.", "app", {}, 1, None),
    (1, 0.8, None, "It fits.", "model", EVALUATOR, None, None),
    (2, 0, None, None, "app", {}, 2, None),
    (2, None, "wrong", None, "evaluator", {}, None, None),
    (2, 1, None, None, "app", {}, 1, 1),
    (2, None, None, "Look again.", "app", {}, 1, None),
    (None, 1, None, None, "app", {}, 1, None),
]


def uuid(number):
    return number and UUID(int=number)


def main(folder):
    written = [
        Feedback(
            id=uuid(number), created_at=AT, modified_at=AT, run_id=uuid(run), trace_id=uuid(run),
            key="correctness", score=score, value=value, comment=comment, session_id=uuid(1),
            comparative_experiment_id=uuid(pair),
            feedback_source=FeedbackSourceBase(type=source, metadata=about, user_id=uuid(user)),
        ).model_dump(mode="json")
        for number, (run, score, value, comment, source, about, user, pair) in enumerate(GIVEN, 1)
    ]  # fmt: skip
    (Path(folder) / "langsmith.json").write_text(json.dumps(written, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
