"""Write LangSmith feedback and runs with the SDK's own models, as `model_dump(mode="json")` does.

Usage: write_langsmith.py FOLDER
"""

import json
import sys
from datetime import datetime
from pathlib import Path
from uuid import UUID

from langsmith.schemas import Feedback, FeedbackSourceBase, Run

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


RUNS = [  # number, the run it is within, question, answer, error, averages
    (1, None, "When does the pump start?", "At 40 °C.", None, None),
    (2, None, "When does the pump stop?", "Never.", None, {"correctness": {"n": 1, "avg": 0}}),
    (3, 1, "Retrieve.", "Page 3.", None, None),
    (4, None, "Broken?", None, "Timeout", None),
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
    runs = [
        Run(
            id=uuid(number), name="pump-bot", run_type="chain", start_time=AT, end_time=AT,
            inputs={"question": question}, outputs=answer and {"output": answer}, error=error,
            parent_run_id=uuid(within), session_id=uuid(1), trace_id=uuid(within or number),
            extra={"metadata": {"ls_model_name": "atlas"}}, feedback_stats=averages,
        ).model_dump(mode="json")
        for number, within, question, answer, error, averages in RUNS
    ]  # fmt: skip
    runs[0]["feedback"] = written[:2]
    text = json.dumps(runs, indent=1, ensure_ascii=False)
    (Path(folder) / "langsmith_runs.json").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1])
