"""Embedding: the model that turns texts into vectors, at an endpoint of its own.

Nothing falls back to anybody's server: a judge file that names none embeds nothing.
"""

import os
from collections.abc import Mapping

from pydantic import Field, model_validator

from concord.judges.definition.endpoint import Endpoint, StatedPrice
from concord.messages import said
from concord.rubrics.model import digest

MISSING = said("no embedding model: add [embedding] with model and base_url to the judge file")


class Embedding(Endpoint):
    """The model, its price and where it is asked; the other keys are those of an endpoint."""

    model: str = Field(min_length=1)
    price: StatedPrice = None

    @model_validator(mode="after")
    def _has_an_address(self):
        if self.base_url is None and self.azure_endpoint is None:
            raise ValueError("base_url: name the server of the embedding model")
        return self

    def identity(self, environ: Mapping[str, str] = os.environ) -> str:
        """What tells its vectors from those of others: the hash of model and address."""
        return digest([self.model, self.url(environ)])

    def endpoint(self) -> Endpoint:
        """Where it is asked, without the model."""
        return Endpoint(**self.model_dump(exclude={"model", "price"}))
