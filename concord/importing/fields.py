"""Fields of answers and of grades, each with the names that files give it."""

import re
import unicodedata
from functools import lru_cache

ITEM_FIELDS = {
    "item_id": "item_id id answer_id sample_id example_id uid",
    "question_id": "question_id qid query_id prompt_id",
    "cluster": "cluster cluster_id document document_id doc doc_id group_id",
    "question": "question user_input query prompt input instruction user_query question_text "
    "问题 問題 提问 質問 질문",
    "contexts": "context contexts ctx ctxs retrieved_contexts retrieved_context retrieval_context "
    "retrieved_ctxs passages passage documents docs chunks chunk retrieved_documents "
    "retrieved_docs retrieved_passages retrieved_chunks retrieved_nodes source_documents "
    "source_docs source_nodes supporting_documents search_results snippets "
    "上下文 文脈 コンテキスト 문맥",
    "context_ids": "context_ids retrieved_context_ids retrieved_ids retrieved_chunk_ids chunk_ids "
    "passage_ids",
    "document_ids": "document_ids context_doc_ids context_document_ids retrieved_doc_ids "
    "retrieved_document_ids",
    "answer": "answer response output completion prediction generation generated_answer "
    "actual_output model_answer model_output model_response answer_text 回答 答案 답변 대답",
    "answer_model": "answer_model answering_model model system model_name system_name "
    "模型 モデル 모델",
    "reference": "reference references ground_truth ground_truths expected_output "
    "expected_outcome expected_answer reference_answer gold_answer gold correct_answer "
    "golden_answer 参考答案 標準答案 参照 正解 정답",
    "reference_contexts": "reference_contexts reference_context gold_contexts gold_context "
    "gold_ctxs positive_ctxs ground_truth_contexts ground_truth_context expected_contexts",
    "relevant_ids": "relevant_ids reference_context_ids relevant_docs relevant_doc_ids "
    "relevant_document_ids relevant_documents relevant_context_ids relevant_chunk_ids gold_ids "
    "gold_doc_ids gold_document_ids gold_context_ids ground_truth_ids ground_truth_context_ids "
    "expected_ids expected_context_ids",
    "rubric": "rubric rubrics",
    "judge_date": "judge_date as_of_date",
    "turns": "turns history conversation chat_history messages",
    "synthetic": "synthetic is_synthetic",
}
GRADE_FIELDS = {
    "item_id": "item_id id answer_id sample_id example_id uid",
    "question_id": "question_id qid query_id prompt_id",
    "question": "question user_input query",
    "cluster": "cluster cluster_id document document_id doc doc_id group_id",
    "answer_model": "answer_model answering_model model system model_name system_name",
    "unit": "unit unit_text claim statement sentence entity chunk",
    "unit_id": "unit_id claim_id",
    "unit_number": "unit_number claim_number chunk_number",
    "unit_row": "unit_row",
    "list_row": "list_row",
    "criterion": "criterion criteria dimension aspect metric",
    "grader": "grader grader_name rater rater_name annotator evaluator grader_id rater_id "
    "annotator_id judge",
    "grader_kind": "grader_kind grader_type rater_kind rater_type annotator_kind "
    "annotator_type kind",
    "score": "score grade rating value",
    "label": "label verdict",
    "status": "status",
    "reason": "reason rationale explanation justification comment note",
    "quote": "quote evidence",
    "marked_passages": "marked_passages",
    "repeat": "repeat repetition trial",
    "blind": "blind is_blind",
    "seconds": "seconds duration_s time_s",
    "rubric_language": "rubric_language",
    "simulated": "simulated is_simulated",
    "probabilities": "probabilities p:",  # or one column per score, p:SCORE
    "outside_mass": "outside_mass",
    "probabilities_source": "probabilities_source",
}
# Names that say which answer, or who graded, only in a file where no better name says it.
OTHERWISE = {
    "item_id": "ticket ticket_id",
    "grader": "reviewer who labeler labeller assessor coder "
    "标注员 標註員 评分者 評分者 評価者 採点者 평가자 채점자 주석자",
}
REQUIRED = {"question", "answer"}
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
