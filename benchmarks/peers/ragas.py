"""ragas: `evaluate` with a rubric score and `max_workers` of its run configuration."""

import math

REPLY = '{"feedback": "The answer names the valve and when it is closed.", "score": 4}'
SCORE = 4.0


def judge(asked) -> list[float | None]:
    """A score for every answer; None where ragas has NaN."""
    from openai import AsyncOpenAI
    from ragas import EvaluationDataset, RunConfig, evaluate
    from ragas.llms import llm_factory
    from ragas.metrics import RubricsScore

    rows = [{"user_input": row["question"], "response": row["answer"]} for row in asked.answers]
    levels = ("not at all", "hardly", "half", "almost", "wholly")
    rubric = {
        f"score{number}_description": f"{asked.criterion} This holds {level}."
        for number, level in enumerate(levels, 1)
    }
    result = evaluate(
        EvaluationDataset.from_list(rows),
        metrics=[RubricsScore(name="filter", rubrics=rubric)],
        llm=llm_factory("m", client=AsyncOpenAI(base_url=asked.url, api_key="none")),
        run_config=RunConfig(max_workers=asked.in_flight),
        show_progress=False,
    )
    return [
        None if math.isnan(score["filter"]) else float(score["filter"]) for score in result.scores
    ]
