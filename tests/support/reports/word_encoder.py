"""An encoder of counted words, in the place of a cross-encoder."""

import re


class Words:
    """An encoder whose pieces are words, and which reads the scores of some metrics alone.

    Its logit is the weighted sum of the scores it reads in the text, plus a part for the length
    of the answer.
    """

    name, identity, knows_cjk, special = "words", "w1", False, 3

    def __init__(self, heeds, limit=512):
        self.heeds, self.limit, self.asked = heeds, limit, 0

    def count(self, text):
        return len(text.split())

    def cut(self, text, pieces):
        return " ".join(text.split()[:pieces])

    def score(self, pairs):
        self.asked += len(pairs)
        return [self._logit(answer) for _, answer in pairs]

    def _logit(self, text):
        body = text.partition("Faithfulness, whole answer:")[0]
        said = re.findall(r"the score of ([a-z, -]+) is (-?[\d.]+)\.", text)
        read = sum(self.heeds.get(title, 0) * float(value) for title, value in said)
        return read + len(body) / 1000
