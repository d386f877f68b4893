"""Words in names of columns: which of them speak of answers, references, graders or scores."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

# Letters of a name at most.
_NAME = 60


def listed(spelled: str) -> frozenset[str]:
    """The words of a list, parted by spaces."""
    return frozenset(spelled.split())


REFERENCE = listed(
    "reference references ref gold golden gt truth expected ideal correct target key "
    "groundtruth musterantwort referenz sollantwort référence referencia "
    "参考 標準 正解 정답 参考答案 标准答案 標準答案 正确答案 預期答案 预期答案 模範解答"
)
QUESTION = listed(
    "question query prompt instruction input questions frage fragen pregunta domanda 问题 質問 질문"
)
ANSWER = listed(
    "answer answers response responses reply output outputs completion completions "
    "prediction predictions predicted pred preds generation generations generated hypothesis "
    "candidate candidates antwort antworten réponse réponses respuesta respuestas risposta "
    "回答 答案 답변"
)
CONTEXT = listed(
    "context contexts ctx ctxs passage passages chunk chunks document documents docs evidence "
    "snippet snippets "
    "retrieved source sources kontext kontexte quelle quellen contexte contexto "
    "上下文 文脈 문맥 片段 段落 文档 文檔 文書 문서"
)
GRADER = listed(
    "annotator annotators rater raters grader graders evaluator evaluators judge labeler "
    "labeller reviewer assessor coder worker 标注员 标注者 评分者 評価者 評価員 평가자"
)
# In a list of grades, who gave each is also called so.
WHO = GRADER | listed("user users author authors identifier completed email")
# What forms call the column of who filled them in.
RESPONDENT = listed(
    "your name full first last email mail e address username user respondent participant "
    "ihr dein vollständiger adresse nutzername benutzername teilnehmer votre nom tu nombre"
)
HUMAN = listed(
    "human humans annotator rater grader reviewer expert crowd assessor coder labeler labeller "
    "人工 专家 專家 標注員 标注员 标注者 评分者 评审 老师 老師 先生 女士 "
    "評価者 評価員 人間 さん 평가자 주석자 선생님"
)
JUDGE = listed(
    "judge llm gpt gpt3 gpt4 gpt4o claude gemini llama mistral mixtral qwen deepseek "
    "prometheus geval autograder openai ai automatic suggestion suggestions 裁判 大模型 審査モデル"
)
# Words that follow the name of a model.
RELEASES = listed(
    "mini nano turbo preview pro flash lite sonnet opus haiku tiny small medium large big"
)
SCORE = listed(
    "score scores grade grades rating ratings label labels verdict value prob probability "
    "评分 分数 得分 評価 採点 判定 スコア 점수 채점 판정 평가"
)
# Words of names of metrics, and whole names of those of Concord, ragas, DeepEval and Phoenix. What
# people grade too, as correctness or relevance, is not among them.
METRIC = listed("rouge rouge1 rouge2 rougel bleu meteor bertscore chrf f1 em ter levenshtein")
METRIC_NAMES = listed(
    "agent_goal_accuracy answer_accuracy answer_correctness answer_relevance answer_relevancy "
    "answer_similarity argument_correctness aspect_coherent aspect_concise aspect_correct "
    "aspect_critic aspect_harmful aspect_malicious average_precision bias citation_faithfulness "
    "code_readability context_entities_recall context_entity_recall context_precision "
    "context_precision_by_ids context_precision_by_likeness context_recall context_recall_by_ids "
    "context_recall_by_likeness context_recall_by_sentence context_relevance context_relevancy "
    "context_utilization contextual_precision contextual_recall contextual_relevancy "
    "conversation_completeness conversation_relevancy document_precision document_recall "
    "document_relevance edit_likeness exact_match fact_support factual_correctness "
    "faithful_rate faithfulness faithfulness_with_hhem goal_accuracy hallucination harmfulness "
    "hit_k hit_rate instance_rubrics item_rubric json_correctness knowledge_retention "
    "llm_context_precision_with_reference llm_context_precision_without_reference "
    "llm_context_recall llm_sql_equivalence maliciousness matches_regex misuse mrr mrr_k "
    "multi_modal_faithfulness multi_modal_relevance ndcg ndcg_k noise_sensitivity "
    "noise_sensitivity_irrelevant noise_sensitivity_relevant non_advice "
    "non_llm_context_precision_with_reference non_llm_context_recall non_llm_string_similarity "
    "nv_accuracy nv_context_relevance nv_response_groundedness pattern_match pii_detection "
    "pii_leakage plan_adherence plan_quality precision_k prompt_alignment qa_correctness "
    "recall_k refusal relevance_rate response_groundedness response_relevancy "
    "retrieval_relevance role_adherence role_violation rubric rubrics semantic_similarity "
    "step_efficiency string_presence string_present string_similarity summarization summary "
    "supported_by_source task_completion tool_call_accuracy tool_correctness tool_invocation "
    "tool_response_handling tool_selection topic_adherence toxicity turn_relevancy "
    "user_friction user_frustration vera_answer_relevance vera_faithfulness "
    "vera_retrieval_precision vera_retrieval_recall"
)
_AROUND_METRIC = SCORE | listed("at metric ragas deepeval phoenix")
MEAN = listed("mean avg average averaged 平均 平均分 평균")
MODEL = listed(
    "model models system systems engine generator assistant bot llm provider modell modelle modèle "
    "modelo modello 模型 モデル 모델"
)
# Where only scores have the name, these mean no more than that it is one; `note` is a remark too.
GRADE_WORDS = SCORE | listed("note noten bewertung wertung nota voto punkte puntuación punteggio")
# In brackets behind what was graded these are no grader's name.
UNITS = listed("point points pts punkte 分 满分 滿分 点 點 満点 점 만점")
CRITERION = listed("criterion criteria dimension aspect metric")
REASON = listed(
    "reason reasons rationale explanation justification comment comments feedback note "
    "begründung kommentar kommentare bemerkung bemerkungen anmerkung commentaire comentario "
    "理由 原因 评语 評語 コメント 이유"
)
ID = listed("id ids uid uuid name email no nr number")
# Keys of what is around a text.
WORDS_OF_PARTS = listed(
    "text string content body message role type kind category language object finish title "
    "source usage start end format"
)
# Names of columns whose small numbers are not scores.
NO_SCORE = listed(
    "id ids rank count counts len length token tokens latency time duration second "
    "seconds ms cost price year month day date age index idx position place turn turns "
    "page pages seed temperature n num chars words top k version row line size batch fold "
    "split cached status code failure"
)
# Criteria by the names that are usual for them.
CRITERIA = listed(
    "correctness accuracy faithfulness groundedness relevance relevancy helpfulness "
    "completeness coverage fluency coherence consistency readability clarity conciseness "
    "quality harmlessness safety overall informativeness usefulness style tone precision "
    "recall fidelity truthfulness factuality adequacy grammar toxicity politeness empathy "
    "准确 流畅 正确 相关 完整 正确性 准确性 準確性 流畅性 流畅度 "
    "相关性 有用性 完整性 连贯性 忠实性 总体质量 "
    "正確性 正確さ 流暢さ 流暢性 関連性 網羅性 一貫性 有用さ 忠実性 総合評価 "
    "정확성 유창성 관련성 유용성 완전성 일관성 충실성"
)
# Words that go with a criterion, as in `factual correctness` and `context relevance`.
ASPECTS = (
    listed(
        "factual semantic lexical topical grammatical linguistic logical general final total "
        "content language topic task intent citation retrieval instruction instructions "
        "following user dialogue conversation turn summary text sentence claim"
    )
    | ANSWER
    | CONTEXT
    | QUESTION
    | REFERENCE
)
RATINGS = listed(
    "yes no true false pass fail passed failed good bad ok okay correct incorrect wrong "
    "right partial partially useful useless helpful unhelpful relevant irrelevant "
    "supported unsupported excellent poor fair acceptable unacceptable 👍 👎 是 否 好 差"
)


# What Inspect and promptfoo call grades by a model: `model_graded_qa`, `model-graded-closedqa`.
_MODEL_GRADED = re.compile(r"model[_-]graded[_-](qa|fact|closedqa|factuality)", re.IGNORECASE)
_MODE = re.compile(r"\([^()]*=[^()]*\)$")
_CJK = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_CJK_SCORE = "|".join(word for word in SCORE if not word.isascii())


def words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case: parted by marks and by a change of case or script.

    Digits stay with their word, and placeholders are left out.
    """
    return tuple(word.casefold() for word in spelled(name))


def spelled(name: str) -> tuple[str, ...]:
    """The words of a name as they are spelled."""
    plain = unicodedata.normalize("NFKC", re.sub(r"\{[^{}]*\}", " ", name))
    plain = _MODEL_GRADED.sub("llm", plain)
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", plain)
    parted = re.sub(rf"(?<={_CJK})(?=[A-Za-z])|(?<=[A-Za-z0-9])(?={_CJK})", " ", parted)
    parted = re.sub(rf"(?<={_CJK})(?=(?:{_CJK_SCORE})(?![^\W_]))", " ", parted)
    return tuple(re.findall(r"[^\W_]+", parted))


def meant(name: str) -> str:
    """A name of a grade column without the words that say only that it holds grades."""
    return " ".join(word for word in spelled(name) if word.casefold() not in GRADE_WORDS) or name


def is_metric(name: str) -> bool:
    """True for the name of a usual metric, as `Answer Relevancy`, `recall@5` or `x(mode=f1)`."""
    plain = words(_MODE.sub("", last(name)))
    parts = ["k" if word.isdigit() else word for word in plain if word not in _AROUND_METRIC]
    return has(plain, METRIC) or "_".join(parts) in METRIC_NAMES


def last(path: str) -> str:
    """The last key of a path; a name without dots is its own."""
    return path.rpartition(".")[2] or path


def significant_words(name: str) -> tuple[str, ...]:
    """The words of the last key, or of the one before where that says only that it is a text."""
    before, _, key = name.rpartition(".")
    return words(last(before if before and key in ("text", "content") else name))


def slug(parts: tuple[str, ...]) -> str:
    """Words as the name of a criterion, in letters of ASCII; as its title where it has others."""
    if not "".join(parts).isascii():
        return " ".join(parts)
    made = "_".join(parts)
    return made if made[:1].isalpha() else f"criterion_{made}".strip("_")


def has(parts: tuple[str, ...], known: frozenset[str]) -> bool:
    """True where one of the words is known, with or without a number behind it.

    Chinese, Japanese and Korean compounds are not parted: the last word says what they are.
    """
    plain = (part.rstrip("0123456789") for part in parts)
    return any(
        part in known or one in known or one.endswith(_of_cjk(known))
        for part, one in zip(parts, plain, strict=True)
    )


@cache
def _of_cjk(known: frozenset[str]) -> tuple[str, ...]:
    return tuple(word for word in known if not word.isascii())


def all_known(parts: tuple[str, ...], known: frozenset[str]) -> bool:
    """True where there are words and every one is known."""
    return bool(parts) and all(has((part,), known) for part in parts)


def naming(lists: Sequence[list], names: frozenset[str]) -> str:
    """The key under which each object of the lists holds a name of its own; '' for none."""
    parts = [part for cell in lists for part in cell]
    if not parts or not all(isinstance(part, dict) for part in parts):
        return ""
    for key in parts[0]:
        if not has(words(key), names | {"name"}):
            continue
        called = [[part.get(key) for part in cell] for cell in lists]
        if all(are_names(one) for one in called):
            return key
    return ""


def are_names(held: Sequence[object]) -> bool:
    """True for short texts, all of them different."""
    return len({*map(str, held)}) == len(held) and all(
        isinstance(one, str) and 0 < len(one.strip()) <= _NAME for one in held
    )
