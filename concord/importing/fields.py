"""Fields of answers and of grades, each with the names that files give it."""

import re
import unicodedata
from functools import lru_cache


def _names(table: str) -> dict[str, str]:
    return dict(line.split(": ") for line in table.splitlines())


# A field per line, with its names.
ITEM_FIELDS = _names("""\
item_id: item_id id answer_id sample_id example_id uid
question_id: question_id qid query_id prompt_id
cluster: cluster cluster_id document document_id doc doc_id group_id
question: question user_input query prompt input instruction user_query question_text \
问题 問題 提问 質問 질문 frage pregunta domanda
contexts: context contexts ctx ctxs retrieved_contexts retrieved_context retrieval_context \
retrieved_ctxs passages passage documents docs chunks chunk retrieved_documents retrieved_docs \
retrieved_passages retrieved_chunks retrieved_nodes source_documents source_docs source_nodes \
supporting_documents search_results snippets 上下文 文脈 コンテキスト 문맥
context_ids: context_ids retrieved_context_ids retrieved_ids retrieved_chunk_ids chunk_ids \
passage_ids
document_ids: document_ids context_doc_ids context_document_ids retrieved_doc_ids \
retrieved_document_ids
answer: answer response output completion prediction generation generated_answer actual_output \
model_answer model_output model_response answer_text 回答 答案 답변 대답 antwort réponse respuesta \
risposta
answer_model: answer_model answering_model model system model_name system_name 模型 モデル 모델
reference: reference references ground_truth ground_truths expected_output expected_outcome \
expected_answer reference_answer gold_answer gold correct_answer golden_answer gt_answer 参考答案 \
標準答案 参照 正解 정답 musterantwort referenz référence
reference_contexts: reference_contexts reference_context gold_contexts gold_context gold_ctxs \
positive_ctxs ground_truth_contexts ground_truth_context expected_contexts
relevant_ids: relevant_ids reference_context_ids relevant_docs relevant_doc_ids \
relevant_document_ids relevant_documents relevant_context_ids relevant_chunk_ids gold_ids \
gold_doc_ids gold_document_ids gold_context_ids ground_truth_ids ground_truth_context_ids \
expected_ids expected_context_ids
rubric: rubric rubrics
judge_date: judge_date as_of_date
turns: turns history conversation chat_history messages
synthetic: synthetic is_synthetic""")
# Probabilities may have a column per score too, `p:SCORE`.
GRADE_FIELDS = _names("""\
item_id: item_id id answer_id sample_id example_id uid
question_id: question_id qid query_id prompt_id
question: question user_input query
cluster: cluster cluster_id document document_id doc doc_id group_id
answer_model: answer_model answering_model model system model_name system_name
unit: unit unit_text claim statement sentence entity chunk
unit_id: unit_id claim_id
unit_number: unit_number claim_number chunk_number
unit_row: unit_row
criterion: criterion criteria dimension aspect metric
grader: grader grader_name rater rater_name annotator evaluator grader_id rater_id annotator_id \
judge reviewer labeler labeller assessor coder \
标注员 標註員 评分者 評分者 評価者 採点者 평가자 채점자 주석자
grader_kind: grader_kind grader_type rater_kind rater_type annotator_kind annotator_type kind
score: score grade rating value
label: label verdict
status: status
reason: reason rationale explanation justification comment note
quote: quote evidence
repeat: repeat repetition trial
blind: blind is_blind
simulated: simulated is_simulated
probabilities: probabilities p:
outside_mass: outside_mass
probabilities_source: probabilities_source""")
# Fields of grades that a file of answers may have too, once they are mapped.
OF_PROBABILITIES = ("probabilities", "outside_mass", "probabilities_source")
BESIDE_ANSWERS = (
    *("criterion", "grader", "grader_kind", "score", "reason", "repeat", "blind"),
    *OF_PROBABILITIES,
)
# Fields that say something else in each row.
NO_CONSTANT = {"item_id", "question_id", "question", "answer", "turns", "score", "unit", "unit_id"}
SEVERAL = {"contexts", "reference", "reference_contexts", "probabilities"}
# Fields of a file of grades of units alone: they identify the part of an answer.
OF_UNITS = ("unit", "unit_id", "unit_number")
# Fields that say which answer a grade is for.
OF_ANSWERS = ("item_id", "question_id", "question")


@lru_cache(maxsize=256)  # the criterion of every grade is compared by it
def folded(name: str) -> str:
    """A column name without case, width, spaces and joining marks."""
    return re.sub(r"[\s_\-.]+", "", unicodedata.normalize("NFKC", name).casefold())


def _listed(spelled: str) -> frozenset[str]:
    return frozenset(spelled.split())


# Words in a column's name that say who graded; a number behind a word is the grader's.
GRADER_WORDS = {
    "annotator": _listed(
        "human humans annotator annotators rater raters grader graders reviewer expert crowd "
        "assessor coder labeler labeller gold 人工 专家 專家 标注员 標註員 评分者 評価者 평가자"
    ),
    "judge": _listed(
        "judge llm gpt gpt4o claude gemini llama mistral mixtral qwen deepseek prometheus geval "
        "autograder openai 大模型"
    ),
}
# Words that say no more than that a column holds grades, and those of usual criteria.
SCORE_WORDS = _listed(
    "score scores grade grades rating ratings label labels verdict value eval 评分 评价 评估 得分 "
    "标注 標註 評分 評価 점수 평가"
)
CRITERIA = _listed(
    "correctness accuracy faithfulness groundedness relevance relevancy helpfulness completeness "
    "coverage fluency coherence consistency readability clarity conciseness quality harmlessness "
    "safety overall informativeness usefulness style tone precision recall fidelity truthfulness "
    "factuality adequacy grammar toxicity politeness empathy factual answer context"
)
# Names of metrics of Concord, ragas, DeepEval and Phoenix that are not also criteria of people.
METRIC_NAMES = _listed(
    "agent_goal_accuracy answer_accuracy answer_correctness answer_relevance answer_relevancy "
    "answer_similarity argument_correctness aspect_coherent aspect_concise aspect_correct "
    "aspect_critic aspect_harmful aspect_malicious average_precision bertscore bias bleu chrf "
    "citation_faithfulness code_readability context_entities_recall context_entity_recall "
    "context_precision context_precision_by_ids context_precision_by_likeness context_recall "
    "context_recall_by_ids context_recall_by_likeness context_recall_by_sentence "
    "context_relevance context_relevancy context_utilization contextual_precision "
    "contextual_recall contextual_relevancy conversation_completeness conversation_relevancy "
    "document_precision document_recall document_relevance edit_likeness exact_match f1 em "
    "fact_support factual_correctness faithful_rate faithfulness faithfulness_with_hhem "
    "goal_accuracy hallucination harmfulness hit_k hit_rate instance_rubrics item_rubric "
    "json_correctness knowledge_retention levenshtein llm_context_precision_with_reference "
    "llm_context_precision_without_reference llm_context_recall llm_sql_equivalence "
    "maliciousness matches_regex meteor misuse mrr mrr_k multi_modal_faithfulness "
    "multi_modal_relevance ndcg ndcg_k noise_sensitivity noise_sensitivity_irrelevant "
    "noise_sensitivity_relevant non_advice non_llm_context_precision_with_reference "
    "non_llm_context_recall non_llm_string_similarity nv_accuracy nv_context_relevance "
    "nv_response_groundedness pattern_match pii_detection pii_leakage plan_adherence "
    "plan_quality precision_k prompt_alignment qa_correctness recall_k refusal relevance_rate "
    "response_groundedness response_relevancy retrieval_relevance role_adherence role_violation "
    "rouge rouge1 rouge2 rougel semantic_similarity step_efficiency string_presence "
    "string_present string_similarity summarization supported_by_source task_completion "
    "tool_call_accuracy tool_correctness tool_invocation tool_response_handling tool_selection "
    "topic_adherence toxicity turn_relevancy user_friction user_frustration "
    "vera_answer_relevance vera_faithfulness vera_retrieval_precision vera_retrieval_recall"
)
