"""Concord calibrates LLM judges against human annotators.

Begin with `calibrate` where judges' verdicts and annotators' labels are in one file: it stores
nothing. For a lasting study `import` answers, `sample` a set that people grade by its link, and
`run` judges within a budget in USD that the user names; `estimate` says what a run costs. Then read
`agreement` and `disagreements`. `choose` fixes its terms before it shows a result: agree on them
with the user first. Never grade in an annotator's place, and never quote a figure without its CI,
n, and the caveats beside it.
"""
