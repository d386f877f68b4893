"""Files in Python that send the requests themselves: for a tool, for pytest, or for any script.

The tools' own LLM judges would be other judges: GEval of DeepEval and `make_judge` of MLflow write
a prompt around the instructions, `create_llm_as_judge` of openevals sends no settings and one score
only, and `llm-rubric` of promptfoo takes `pass` and `score` from the top of a reply and cannot
delimit the texts by a code of their own.
"""

from concord.judges.exporting.target import Target, python

_TITLES = {
    "deepeval": "a metric of DeepEval",
    "inspect": "a scorer of Inspect",
    "mlflow": "a scorer of MLflow",
    "openevals": "an evaluator of openevals and LangSmith",
    "promptfoo": "a Python assertion of promptfoo",
    # One test per answer, and one of the certificate's expiry.
    "pytest": "a test file that reads answers.jsonl",
    "python": "a Python module",
}
TARGETS = tuple(
    Target(
        name, title, "test_judge.py" if name == "pytest" else "judge.py", python(f"{name}.jinja")
    )
    for name, title in _TITLES.items()
)
