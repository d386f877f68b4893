"""The price of a model."""

from concord.clock import today
from concord.judges.definition.prices import Price

# 2 USD a million in, a tenth of it from the server's cache, 10 out.
PRICE = Price(model="m", input=2, cached="0.2", output=10, date=today(), source="a test")
