"""mlflow: `mlflow.genai.evaluate` with `make_judge`, its limits lifted."""

import os

REPLY = '{"result": 4, "rationale": "The answer names the valve and when it is closed."}'
SCORE = 4.0


def judge(asked) -> list[float | None]:
    """A score for every answer.

    As it comes, mlflow paces itself and its sqlite store stalls with so many workers; so the limits
    are lifted and its pool is made large, by its documented variables.
    """
    os.environ["MLFLOW_GENAI_EVAL_MAX_WORKERS"] = str(asked.in_flight)
    os.environ["MLFLOW_GENAI_EVAL_PREDICT_RATE_LIMIT"] = "0"
    os.environ["MLFLOW_GENAI_EVAL_SCORER_RATE_LIMIT"] = "0"
    os.environ["MLFLOW_SQLALCHEMYSTORE_POOL_SIZE"] = str(2 * asked.in_flight)
    os.environ["OPENAI_API_KEY"] = "none"
    import mlflow
    from mlflow.genai.judges import make_judge

    mlflow.set_tracking_uri("sqlite:///mlflow.db")
    scorer = make_judge(
        name="filter",
        instructions=f"Question: {{{{ inputs }}}}\nAnswer: {{{{ outputs }}}}\nRate from 1 to 5 how "
        f"far this holds: {asked.criterion}",
        model="openai:/m",
        base_url=f"{asked.url}/chat/completions",
        feedback_value_type=int,
    )
    rows = [
        {"inputs": {"question": a["question"]}, "outputs": {"answer": a["answer"]}}
        for a in asked.answers
    ]
    table = mlflow.genai.evaluate(data=rows, scorers=[scorer]).result_df
    return [float(value) if value == value else None for value in table["filter/value"]]
