"""Family: which maker's line of models a name belongs to, for the self-preference probe."""

import re

from concord.store.graders import Grader

# A family and what its models' names begin with, after a maker's prefix such as `openai/`.
_FAMILIES = {
    "GPT": r"gpt|chatgpt|o[1-9](?![0-9])|davinci|text-davinci",
    "Claude": r"claude",
    "Gemini": r"gemini|gemma|palm|bard",
    "Llama": r"llama|meta-llama|vicuna|alpaca",
    "Mistral": r"mistral|mixtral|ministral|magistral|codestral",
    "Qwen": r"qwen|qwq",
    "DeepSeek": r"deepseek",
    "Grok": r"grok",
    "Command": r"command|aya|cohere",
    "Phi": r"phi-?[0-9]",
    "GLM": r"glm|chatglm",
    "Kimi": r"kimi|moonshot",
    "Nova": r"nova-|amazon-nova|titan",
}
_PATTERNS = {family: re.compile(starts) for family, starts in _FAMILIES.items()}


def family(model: str) -> str | None:
    """The family of a model's name; None where it is not known.

    A version, a size or a maker before a slash makes no difference.
    """
    bare = model.strip().lower().rsplit("/", 1)[-1].rsplit(".", 1)[-1]
    whole = model.strip().lower().rsplit("/", 1)[-1]
    for name, starts in _PATTERNS.items():
        if starts.match(whole) or starts.match(bare):
            return name
    return None


def of_judge(judge: Grader) -> str | None:
    """The family of the model that a judge asks; of imported grades, of the judge's name."""
    stored = judge.definition.get("judge")
    model = stored.get("model") if isinstance(stored, dict) else None
    return family(model or judge.name)
