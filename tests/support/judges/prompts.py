"""A judge, a rubric and an answer, and the prompt that they make."""

from concord.judges.definition.model import parse
from concord.judges.prompting.prompt import messenger
from concord.model import Context, Item
from concord.rubrics.model import parse as parse_rubric

RUBRIC_TEXT = """
name = "r"
title = "R"
scale = [0, 1, 2]
shown = ["question", "contexts"]
[[criteria]]
name = "correctness"
weight = 0.6
question = "Is it right?"
  [[criteria.levels]]
  score = 0
  meaning = "Wrong throughout."
    [[criteria.levels.examples]]
    question = "How far is the moon?"
    context = "The moon is 384,400 km away."
    answer = "Not far."
    why = "No distance is given."
    [[criteria.levels.examples]]
    question = "How big is the moon?"
    answer = "Big."
    why = "No size is given."
  [[criteria.levels]]
  score = 1
  meaning = "Partly right."
  [[criteria.levels]]
  score = 2
  meaning = "All right."
[[criteria]]
name = "readability"
weight = 0.4
question = "Does it read well?"
  [[criteria.levels]]
  score = 0
  meaning = "Unreadable."
  [[criteria.levels]]
  score = 1
  meaning = "Bumpy."
  [[criteria.levels]]
  score = 2
  meaning = "Smooth."
"""
RUBRIC = parse_rubric(RUBRIC_TEXT, "r.toml")
ANSWER_ONLY = parse_rubric(RUBRIC_TEXT.replace('["question", "contexts"]', "[]"), "r.toml")


def judge(more=""):
    """A judge under the rubric r."""
    return parse(f'name = "j"\nmodel = "m"\nrubric = "r"\n{more}', "j.toml")


def item(**more):
    """An answer with secrets in the fields that no prompt shows."""
    given = {
        "own_id": "id-of-item",
        "question_id": "id-of-question",
        "cluster": None,
        "question": "When was it built?",
        "contexts": (Context("c1", "doc-9", "It was built in 1889.", 1),),
        "answer": "In 1889.",
        "answer_model": "model-under-test",
        "reference": ("1889",),
        "reference_contexts": ("secret context",),
        "turns": None,
        "synthetic": False,
        "metadata": {"note": "secret note"},
        "row": 1,
    }
    return Item(**{**given, **more})


def messages(judge_, rubric, it, part="", shots=()):
    return messenger(judge_, rubric, part, shots)(it)


def text(judge_, rubric=RUBRIC, it=None, part="", shots=()):
    """All messages of a prompt."""
    return "\n".join(m["content"] for m in messages(judge_, rubric, it or item(), part, shots))
