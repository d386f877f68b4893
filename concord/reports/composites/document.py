"""The documents of composites: by chosen weights, by fitted weights, by a cross-encoder; a gate."""

from collections.abc import Iterable, Sequence

from concord.language.grade_statuses import status_words
from concord.messages import counted, joined, message_of, said
from concord.reports.cells import reasons, written
from concord.reports.composites.composite_figures import Correlation, ModelMean
from concord.reports.composites.composite_table import MappedMetric
from concord.reports.composites.composites import Composites
from concord.reports.composites.cross_encoding import CJK, CUT, PLAIN_CUT
from concord.reports.composites.encoded_composite import YES, Encoded
from concord.reports.composites.fitted_composite import Fitted
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.gates.regression_gate import BETTER, SAME, UNSURE, WORSE, Regression
from concord.reports.metrics.metric_records import edited_sentence
from concord.stats.core.estimate import Estimate

_SIMULATED = said("The annotators are simulated.")
_ABSENT = said("Not included because they have no values here: {metrics}.")
_WEIGHTED = {
    True: said("Mean composite {mean}, from 0 to 1, on {answers}."),
    False: said("No composite by the chosen weights: {why}."),
}
_FITTED = {
    "none": said("No weights fitted: {why}."),
    "better": said(
        "Fitted weights rank answers more like annotators than the chosen weights do (difference "
        "in Spearman's correlation {ahead})."
    ),
    "worse": said(
        "Fitted weights rank answers less like annotators than the chosen weights do (difference "
        "in Spearman's correlation {ahead})."
    ),
    "unrelated": said(
        "No evidence that fitted weights predict the annotators' composite (Spearman's correlation "
        "{spearman}, out of fold)."
    ),
    "open": said(
        "Cannot tell whether fitted weights rank answers more like annotators than the chosen "
        "weights do."
    ),
}
_OUT_OF_FOLD = said("Cross-validated in {folds} folds of questions: {answers} in {clusters}.")
_ENCODED = {
    True: said("{judge} responds to every metric it is given."),
    False: said("{judge} does not respond as expected to {n} of {metrics}."),
}
_REGRESSION = {
    WORSE: said("{new} is worse than {old}: difference {difference} on {questions}."),
    BETTER: said("{new} is better than {old}: difference {difference} on {questions}."),
    SAME: said(
        "{new} is equivalent to {old} at a margin of {margin:g}: difference {difference} on "
        "{questions}."
    ),
    UNSURE: said(
        "Cannot tell whether {new} is worse than {old}: difference {difference} on {questions}."
    ),
}
_FLAGS = {
    CUT: said("The answer was cut so that the statements fit: {answers}."),
    PLAIN_CUT: said("The answer without statements was cut too: {answers}."),
    CJK: said(
        "The vocabulary of the cross-encoder is English and the text is not, so most of it is "
        "unknown to the model: {answers}."
    ),
}
_CAVEAT = said(
    "A cross-encoder is trained to judge how well a passage fits a question, not to read “the "
    "score is 0.7”."
)


def documents(found: Composites) -> tuple[Document, ...]:
    """Return what is shown of the composites of a sheet."""
    return weighted(found), fitted(found.fitted), encoded(found.encoded)


def weighted(found: Composites) -> Document:
    """Return what is shown of the composite by chosen weights."""
    one = found.weighted
    return Document(
        said(
            _WEIGHTED[one.mean.value is not None],
            mean=written(one.mean, "number"),
            answers=counted(one.n, "answer"),
            why=one.mean.why_none,
        ),
        (_SIMULATED if found.simulated else "",),
        (
            _weights(one.weights),
            _correlations([(said("composite and annotators' composite"), one.annotators)]),
            _models(one.models),
            _excluded(one.left_out),
        ),
        (
            *_reasons(*([] if one.mean.value is None else [one.mean]), one.annotators.estimate),
            _ONCE if len(one.left_out) > 1 else "",
            said(_ABSENT, metrics=joined("; ", one.absent)) if one.absent else "",
        ),
    )


def fitted(found: Fitted) -> Document:
    """Return what is shown of the fitted weights."""
    headline = said(
        _FITTED[_verdict(found)],
        why=found.why_none,
        ahead=written(found.ahead, "difference"),
        spearman=written(found.spearman, "number"),
    )
    if found.why_none:
        return Document(headline)
    figures = (
        (said("Spearman's correlation with annotators"), written(found.spearman, "number")),
        (said("difference from the chosen weights"), written(found.ahead, "difference")),
        (said("mean absolute error, points"), written(found.mae, "number")),
        (said("that of the annotators' mean alone"), written(found.constant_mae, "number")),
    )
    parts = (
        (Column(said("metric")), lambda w: w.title),
        (Column(said("judge")), lambda w: w.judge),
        (Column(said("points from worst to best"), "precise"), lambda w: w.weight),
        (Column(said("lowest of the folds"), "precise"), lambda w: w.least),
        (Column(said("highest of the folds"), "precise"), lambda w: w.most),
    )
    how = said(
        _OUT_OF_FOLD,
        answers=counted(found.n, "answer"),
        clusters=counted(found.questions, "cluster"),
        folds=found.folds,
    )
    return Document(
        headline,
        (how,),
        (
            Table("fit", (Column(said("out of fold")), Column(said("estimate"))), figures),
            table_of("fitted", found.weights, parts, said("Fitted weights")),
        ),
        _reasons(found.spearman, found.ahead, found.mae, found.constant_mae),
    )


def _verdict(found: Fitted) -> str:
    if found.why_none:
        return "none"
    if found.spearman.value is not None and (found.spearman.low or 0.0) <= 0:
        return "unrelated"
    low, high = found.ahead.low, found.ahead.high
    if low is None or low <= 0 <= high:
        return "open"
    return "better" if low > 0 else "worse"


def encoded(found: Encoded) -> Document:
    """Return what is shown of a cross-encoder's scores."""
    if found.why_none:
        return Document(message_of(found.why_none))
    deaf = sum(one.responds != YES for one in found.sensitivity)
    parts = (
        (Column(said("metric")), lambda s: s.title),
        (Column(said("logit, worst to best"), "precise"), lambda s: s.change),
        (Column(said("rises on"), "share"), lambda s: s.right_way),
        (Column(said("moves in the list"), "points"), lambda s: s.ranks),
        (Column(said("responds")), lambda s: s.responds),
    )
    correlations = (
        (said("score and annotators' composite"), found.annotators),
        (said("score without statements and annotators' composite"), found.plain_annotators),
        (said("difference"), found.ahead),
    )
    flags = (said(_FLAGS[flag], answers=counted(n, "answer")) for flag, n in found.flags.items())
    return Document(
        said(
            _ENCODED[not deaf],
            judge=found.judge,
            n=deaf,
            metrics=counted(len(found.sensitivity), "metric"),
        ),
        (
            said(
                "Mean logit {mean} on {answers}, over {metrics}.",
                mean=written(found.mean, "number"),
                answers=counted(found.n, "answer"),
                metrics=found.over,
            ),
        ),
        (
            table_of("response", found.sensitivity, parts, said("Response to each metric")),
            _correlations(correlations),
            _models(found.models),
            _excluded({status_words(why): n for why, n in found.left_out.items()}),
        ),
        (_CAVEAT, *flags, *_reasons(found.mean, found.annotators.estimate, found.ahead.estimate)),
    )


def ranked(found: Encoded) -> Table:
    """Return a row per answer, best first, with its place by the score without statements."""
    parts = (
        (Column(said("place"), "count"), lambda one: one.place),
        (Column(said("place without statements"), "count"), lambda one: one.plain_place),
        (Column(said("answer")), lambda one: str(one.item)),
        (Column(said("answering model")), lambda one: one.answer_model),
        (Column(said("logit"), "precise"), lambda one: one.logit),
        (Column(said("logit without statements"), "precise"), lambda one: one.plain_logit),
        (Column(said("as 0-1 (expit)"), "precise"), lambda one: one.expit),
    )
    return table_of("order", found.ranked, parts)


def regression(found: Regression) -> Document:
    """Return what is shown of a new run compared with a baseline."""
    parts = (
        (Column(said("questions in both"), "count"), lambda one: one.n),
        (Column(said("new run only"), "count"), lambda one: one.only_new),
        (Column(said("baseline only"), "count"), lambda one: one.only_baseline),
        (Column(said("difference"), "difference"), lambda one: one.difference),
        (Column(said("margin"), "precise"), lambda one: one.margin),
    )
    return Document(
        said(
            _REGRESSION[found.verdict],
            new=found.new,
            old=found.baseline,
            margin=found.margin,
            difference=written(found.difference, "difference"),
            questions=counted(found.n, "question"),
        ),
        (),
        (table_of("gate", [found], parts),),
        (*_reasons(found.difference), edited_sentence(found.list_edited)),
    )


def _reasons(*figures: Estimate) -> tuple[str, ...]:
    """Return why figures or their intervals are undefined, each reason once."""
    return reasons(one.why_none for one in figures)


def _weights(weights: Sequence[MappedMetric]) -> Table:
    parts = (
        (Column(said("metric")), lambda one: one.title),
        (Column(said("judge")), lambda one: one.judge),
        (Column(said("weight"), "share"), lambda one: one.weight),
        (
            Column(said("value mapped to 0"), "precise"),
            lambda one: one.from_[1 if one.turned else 0],
        ),
        (
            Column(said("value mapped to 1"), "precise"),
            lambda one: one.from_[0 if one.turned else 1],
        ),
        (Column(said("clipped values"), "count"), lambda one: one.clipped),
    )
    return table_of("weights", weights, parts, said("Weights"))


def _correlations(found: Iterable[tuple[str, Correlation]]) -> Table:
    columns = (
        Column(said("Spearman's correlation of")),
        Column(said("estimate"), "number"),
        Column(said("answers"), "count"),
    )
    rows = ((of, one.estimate, one.n) for of, one in found if one.n)
    return Table("correlation", columns, tuple(rows))


def _models(models: Sequence[ModelMean]) -> Table:
    parts = (
        (Column(said("answering model")), lambda one: one.answer_model),
        (Column(said("mean"), "number"), lambda one: one.estimate),
        (Column(said("answers"), "count"), lambda one: one.n),
    )
    return table_of("models", models if len(models) > 1 else (), parts)


_ONCE = said("An excluded answer that lacks several values is counted under the first metric only.")


def _excluded(left_out: dict[str, int]) -> Table:
    columns = (Column(said("excluded because")), Column(said("answers"), "count"))
    return Table("excluded", columns, tuple(left_out.items()))
