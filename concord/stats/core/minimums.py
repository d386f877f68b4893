"""Minimum sizes: how much of what a figure takes before it is given.

Each meaning has one name and one number, here alone; docs/statistics.md has them in a table. Most
are from simulation: below them an interval or a test misses its level.
"""

# Effective questions (or documents, where several questions share one).
QUESTION_FLOOR = 10  # an interval
APPROXIMATE_BELOW = 20  # an interval without the mark "approximate"; a bootstrap, a rank set
VERDICT_FLOOR = 20  # a verdict on a judge
OVERLAP_FLOOR = 10  # of two annotators: the human ceiling as a condition
PILOT_FLOOR = 40  # any forecast; of two judges a plan from them, else from assumptions
CEILING_PILOT_FLOOR = 200  # of two annotators: the same, where the human ceiling is a condition
DISCORDANT_FLOOR = 5  # on which two differ: a jackknife of the difference, else an exact bound
BIN_FLOOR = 10  # a further bin of the reliability diagram; scores of which a judge is sure

# Answers.
PAIR_FLOOR = 30  # a chance-corrected figure
ORDINAL_VERDICT_FLOOR = 60  # a verdict on quadratic kappa or tau-b
ANNOTATOR_FLOOR = 30  # shared with others: whether an annotator's scores equal a judge's
ANSWERS_FLOOR = 20  # of an annotator: an alert; shared with others: a note of a shift
ALT_TEST_FLOOR = 30  # shared with others, of each annotator: the alternative annotator test
BIAS_FLOOR = 30  # a bias test; of self-preference by own and by other models each
METRIC_FLOOR = 30  # a rank correlation, an AUC or a threshold of a metric
EACH_SIDE_FLOOR = 5  # that pass, and that fail: an AUC or a threshold
LABEL_FLOOR = 30  # graded by annotators: a corrected mean
RATE_FLOOR = 30  # that annotators pass, and that they fail: the Rogan-Gladen correction
CLASS_FLOOR = 10  # that pass, and that fail: balanced accuracy as a condition, or deciding
SURE_FLOOR = 30  # of which a judge is sure: the share of them that annotators agree with
FAILING_FLOOR = 10  # that failed: their recall, or the precision of the verdicts, in writing

# Annotators and answering models.
ALT_TEST_ANNOTATORS = 3  # the alternative annotator test
ORDER_FLOOR = 5  # tau-b between two rankings
