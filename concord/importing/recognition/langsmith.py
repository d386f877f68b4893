"""A feedback of LangSmith as a grade, for its exports of feedback and of runs."""

from collections.abc import Mapping

from concord.importing.recognition.export import Findings, ToolGrade, part, text
from concord.messages import said

_KINDS = {
    "app": "annotator", "model": "judge", "evaluator": "judge", "auto_eval": "judge",
    "api": "judge",
}  # fmt: skip


def grade(feedback: Mapping, findings: Findings) -> ToolGrade | None:
    """The grade that a feedback is; None for one that is left out."""
    source, name = feedback.get("feedback_source"), text(feedback.get("key"))
    kind, score = _KINDS.get(text(part(source, "type"))), feedback.get("score")
    score = feedback.get("value") if score is None else score
    if feedback.get("comparative_experiment_id"):
        findings.leave_out(said("feedback"), said("it is a preference between two runs"))
        return None
    if kind is None or score is None or isinstance(score, dict | list):
        findings.leave_out(said("feedback"), said("it has no known source or no single value"))
        return None
    about, comment = part(source, "metadata"), text(feedback.get("comment"))
    if kind == "annotator":
        who = text(part(source, "user_name") or part(source, "user_id"))
        return ToolGrade(kind, who or kind, name, score, comment, blind=False)
    scorer = text(part(about, "evaluator_name")) or f"LangSmith {text(source['type'])}"
    judge = findings.judge(scorer, text(part(about, "model")), version=text(part(about, "version")))
    return ToolGrade(kind, judge, name, score, comment)
