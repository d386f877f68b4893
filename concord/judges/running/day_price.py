"""The price of a run's requests on the day they are sent."""

import datetime

from concord import clock
from concord.judges.definition import prices
from concord.judges.definition.judge_price import price_of
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Price


class DayPrice:
    """The prices of a judge's models, read once and looked up once a day: a run may pass midnight.

    `batch_of` is the day a batch was submitted, whose prices apply; None for live replies.
    """

    def __init__(self, judge: Judge, batch_of: datetime.date | None = None):
        self._judge, self._batch_of = judge, batch_of
        self._prices, self._found = prices.load(), {}

    def of(self, model: str) -> Price | None:
        """The price of a model on the day; None where it is unknown."""
        # By model: a prompt that went to the larger model has that model's price.
        key = model, self._batch_of or clock.today()
        if key not in self._found:
            found = price_of(self._prices, self._judge, key[1], model)
            self._found[key] = prices.batched(found) if self._batch_of else found
        return self._found[key]
