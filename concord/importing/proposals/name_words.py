"""Words in names of columns: which of them speak of answers, references, graders or scores."""

import re
import unicodedata


def _words(spelled: str) -> frozenset[str]:
    return frozenset(spelled.split())


REFERENCE = _words(
    "reference references ref gold golden gt truth expected ideal correct target key "
    "groundtruth 参考 標準 正解 정답"
)
QUESTION = _words("question query prompt instruction input questions 问题 質問 질문")
ANSWER = _words(
    "answer answers response responses reply output outputs completion completions "
    "prediction predictions generation generations generated hypothesis 回答 答案 답변"
)
CONTEXT = _words(
    "context contexts passage passages chunk chunks document documents docs evidence "
    "retrieved source sources 上下文 文脈 문맥"
)
GRADER = _words(
    "annotator annotators rater raters grader graders evaluator evaluators judge labeler "
    "labeller reviewer assessor coder worker"
)
HUMAN = _words("human humans annotator rater grader reviewer expert crowd assessor coder")
JUDGE = _words(
    "judge llm gpt gpt3 gpt4 gpt4o claude gemini llama mistral mixtral qwen deepseek "
    "prometheus autograder openai ai automatic"
)
METRIC = _words("rouge rouge1 rouge2 rougel bleu meteor bertscore chrf f1 em ter")
MEAN = _words("mean avg average averaged")
MODEL = _words("model system engine assistant bot llm provider 模型 モデル 모델")
SCORE = _words(
    "score scores grade grades rating ratings label labels verdict value "
    "评分 分数 得分 評価 スコア 점수"
)
CRITERION = _words("criterion criteria dimension aspect metric")
REASON = _words("reason reasons rationale explanation justification comment comments feedback note")
ID = _words("id ids uid uuid name email no nr number")
# What a small number in a column may be that is no score.
NO_SCORE = _words(
    "id ids rank count counts len length token tokens latency time duration second "
    "seconds ms cost price year month day date age index idx position place turn turns "
    "page pages seed temperature n num chars words top k version row line size batch fold "
    "split"
)
# Criteria by the names that are usual for them.
CRITERIA = _words(
    "correctness accuracy faithfulness groundedness relevance relevancy helpfulness "
    "completeness coverage fluency coherence consistency readability clarity conciseness "
    "quality harmlessness safety overall informativeness usefulness style tone precision "
    "recall"
)
RATINGS = _words(
    "yes no true false pass fail passed failed good bad ok okay correct incorrect wrong "
    "right partial partially useful useless helpful unhelpful relevant irrelevant "
    "supported unsupported excellent poor fair acceptable unacceptable 👍 👎 是 否 好 差"
)


def words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case: parted by marks and by a change of case.

    Digits stay with their word, and placeholders are left out.
    """
    plain = unicodedata.normalize("NFKC", re.sub(r"\{[^{}]*\}", " ", name))
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", plain)
    return tuple(re.findall(r"[^\W_]+", parted.casefold()))


def last(path: str) -> str:
    """The last key of a path; a name without dots is its own."""
    return path.rpartition(".")[2] or path


def slug(parts: tuple[str, ...]) -> str:
    """Words as the name of a criterion: it begins with a letter of ASCII and has no others."""
    made = re.sub(r"[^a-z0-9]+", "_", "_".join(parts)).strip("_")
    return made if made[:1].isalpha() else f"criterion_{made}".strip("_")


def has(parts: tuple[str, ...], known: frozenset[str]) -> bool:
    """True where one of the words is known, with or without a number behind it."""
    return any(part in known or part.rstrip("0123456789") in known for part in parts)


def all_in(parts: tuple[str, ...], known: frozenset[str]) -> bool:
    """True where there are words and every one is known."""
    return bool(parts) and all(has((part,), known) for part in parts)
