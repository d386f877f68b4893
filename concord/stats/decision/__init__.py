"""The decision whether judges are good enough, from sums per question to verdicts."""
