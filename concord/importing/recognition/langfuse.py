"""A score of Langfuse as a grade, for its exports of scores and of traces."""

from collections.abc import Mapping

from concord.importing.recognition.export import Findings, Json, ToolGrade, text
from concord.messages import said

_KINDS = {"ANNOTATION": "annotator", "EVAL": "judge", "API": "judge"}
_NO_GRADES = {"TEXT", "CORRECTION"}
_BOOLEAN = {"1": "true", "1.0": "true", "0": "false", "0.0": "false"}


def grade(score: Mapping, findings: Findings) -> ToolGrade | None:
    """The grade that a score is; None for one that is left out."""
    kind = _KINDS.get(text(score.get("source")).upper())
    value = _value(score)
    if text(score.get("dataType")).upper() in _NO_GRADES:
        findings.leave_out(said("scores"), said("they are texts or corrections, not grades"))
        return None
    if kind is None or value is None:
        findings.leave_out(said("scores"), said("they have no known source or no value"))
        return None
    name, comment = text(score.get("name")), text(score.get("comment"))
    if kind == "annotator":
        who = text(score.get("authorUserName")) or text(score.get("authorUserId"))
        return ToolGrade(kind, who or kind, name, value, comment, blind=False)
    about = score.get("metadata") if isinstance(score.get("metadata"), dict) else {}
    sort = "Langfuse" if text(score.get("source")).upper() == "EVAL" else "API"
    judge = findings.judge(sort, text(about.get("model")), version=text(about.get("version")))
    return ToolGrade(kind, judge, name, value, comment)


def _value(score: Mapping) -> Json:
    """The category, the truth, or the number; None for none."""
    value = score.get("stringValue")
    if value in (None, ""):
        value = score.get("value")
    if text(score.get("dataType")).upper() == "BOOLEAN" and text(value) in _BOOLEAN:
        return _BOOLEAN[text(value)]
    return None if value == "" else value
