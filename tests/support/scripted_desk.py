"""A desk whose replies are scripted: it runs a metric without a model and notes what is asked."""

import asyncio

from concord import metrics
from concord.metrics.prompts.inputs import Inputs, Undefined, Verdict
from concord.model import Unit


class ScriptedDesk:
    """Replies come by the ask's name: a reply object, a list of them in order, or a function.

    `labels` scripts verdicts more shortly: by rubric name, the scores of its units in the order
    they are asked about; None leaves a unit out of the reply. `vectors` gives embeddings by text.
    """

    def __init__(self, replies=None, units=None, labels=None, vectors=None):
        self.replies, self.vectors = dict(replies or {}), vectors or {}
        self.asked, self._ids = [], 0
        self.kept = {}
        for kind, texts in (units or {}).items():
            self.kept[kind] = [self._unit(kind, text, n) for n, text in enumerate(texts)]
        self.labels = {name: list(scores) for name, scores in (labels or {}).items()}
        self.said = {}

    def _unit(self, kind, text, position, parent=None):
        self._ids += 1
        return Unit(self._ids, kind, text, position, parent)

    async def ask(self, ask):
        self.asked.append(ask)
        if ask.name in self.labels:
            return ask.read(self._labelled(ask))
        reply = self.replies.get(ask.name)
        if reply is None:
            raise Undefined("failed", f"Nothing is scripted for {ask.name}.")
        if isinstance(reply, list):
            reply = reply.pop(0)
        return ask.read(reply(ask) if callable(reply) else reply)

    def _labelled(self, ask):
        from concord.metrics.prompts import verdicts as prompts_verdicts

        levels = {
            level.score: level.label
            for level in prompts_verdicts.rubric(ask.name).criteria[0].levels
        }
        verdicts = []
        for sample in ask.sample["verdicts"]:
            score = self.labels[ask.name].pop(0)
            if score is not None:
                verdicts.append({**sample, "reason": "It is so.", "verdict": levels[score]})
        return {"verdicts": verdicts}

    async def embed(self, texts):
        return [self.vectors[text] for text in texts]

    def units(self, kind):
        return self.kept.get(kind)

    async def keep_units(self, kind, cells, by_rule):
        self.kept[kind] = [self._unit(kind, *cell) for cell in cells]
        return self.kept[kind]

    def verdicts(self, rubric, units):
        known = self.said.get(rubric.name, {})
        return {unit.id: known[unit.id] for unit in units if unit.id in known}

    async def keep_verdicts(self, rubric, verdicts):
        assert all(isinstance(verdict, Verdict) for verdict in verdicts.values())
        self.said.setdefault(rubric.name, {}).update(verdicts)


def measured(metric, item, desk, **switches):
    """The outcome of a metric at a desk."""
    return asyncio.run(
        metric.metric(item, Inputs(item, desk or ScriptedDesk(), metric.chosen(switches)))
    )


def value(name, item):
    """The number of a metric that asks no model."""
    return measured(metrics.named(name), item, ScriptedDesk()).value
