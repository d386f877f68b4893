"""Grade items with an exported judge as DeepEval runs a metric; needs `deepeval`.

In a folder with judge.py and items.json; the scores are written into scores.json.
"""

import json
from pathlib import Path

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.test_case import LLMTestCase
from judge import Judge

SCORES = []  # DeepEval copies the metric for each case


class Kept(Judge):
    """The metric, which keeps the scores of every criterion."""

    def measure(self, test_case, *args, **kwargs):
        try:
            return super().measure(test_case)
        finally:
            SCORES.append((test_case.name, self.score_breakdown))


if __name__ == "__main__":
    items = json.loads(Path("items.json").read_text(encoding="utf-8"))
    cases = [
        LLMTestCase(
            name=str(number),
            input=one["question"],
            actual_output=one["answer"],
            expected_output=one["reference"][0] if one["reference"] else None,
            retrieval_context=one["contexts"],
        )
        for number, one in enumerate(items)
    ]
    evaluate(
        cases,
        metrics=[Kept()],
        async_config=AsyncConfig(run_async=True),
        cache_config=CacheConfig(write_cache=False),
        display_config=DisplayConfig(print_results=False, show_indicator=False),
    )
    found = dict(SCORES)
    scores = [found[str(number)] for number in range(len(items))]
    Path("scores.json").write_text(json.dumps(scores), encoding="utf-8")
