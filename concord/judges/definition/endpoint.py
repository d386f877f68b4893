"""Endpoints of judges and embedding models, with the quirks of those servers."""

import ipaddress
import os
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlsplit, urlunsplit

from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator

from concord.definitions import Frozen, digest
from concord.messages import Problem, faults_of

OPENAI_URL = "https://api.openai.com/v1"
NO_EMBEDDING = "no embedding model: add [embedding] with model and base_url to the judge file"


class OwnPrice(Frozen):
    """The model's price in a judge file: USD per million tokens."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached: float | None = Field(default=None, ge=0, allow_inf_nan=False)


def _free_or_own(value: Any) -> Any:
    """Validate the price in a judge file: 0, or token prices; `false` is not 0."""
    if type(value) in (int, float) and value == 0:
        return 0
    if value is None or isinstance(value, OwnPrice):
        return value
    if isinstance(value, dict):
        try:
            return OwnPrice.model_validate(value)
        except ValidationError as error:  # as it is, it would name the types of the union, too
            raise ValueError(faults_of(error.errors())) from None
    raise ValueError("write 0 for a server of your own, or { input = 0.2, output = 0.6 }")


StatedPrice = Annotated[Literal[0] | OwnPrice | None, BeforeValidator(_free_or_own)]


class Endpoint(Frozen):
    """The endpoint of a judge: address, API key and quirks of the server.

    The key itself is never here: `api_key_env` names the environment variable that holds it.
    `cuts_long_prompts` marks a server that silently drops the beginning of a long prompt.
    `max_request_bytes` is the longest request that it takes. `timeout_s` bounds one attempt, in
    seconds. `requests_per_minute` and `tokens_per_minute` (of
    prompt and reply) are limits of a run below those of the account.
    """

    base_url: str | None = Field(default=None, title="Base URL")
    azure_endpoint: str | None = None
    api_version: str | None = None
    api_key_env: str = Field(
        default="OPENAI_API_KEY",
        title="Variable of the API key",
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
    )
    auth: Literal["bearer", "api-key", "x-api-key", "basic", "none"] | None = Field(
        default=None, title="Auth"
    )
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = Field(
        default="max_completion_tokens", title="Name of the reply limit"
    )
    system_role: Literal["system", "developer", "user"] = Field(
        default="system", title="Role of instructions"
    )
    proxy: str | None = None
    cuts_long_prompts: bool = False
    max_request_bytes: int | None = Field(default=None, gt=0)
    timeout_s: float = Field(default=120, title="Timeout, seconds", gt=0)
    requests_per_minute: float | None = Field(default=None, title="Requests per minute", gt=0)
    tokens_per_minute: float | None = Field(default=None, title="Tokens per minute", gt=0)

    @field_validator("base_url", "azure_endpoint", "proxy")
    @classmethod
    def _is_plain_url(cls, value):
        return value if value is None else _plain(value)

    @model_validator(mode="after")
    def _is_coherent(self):
        if (self.azure_endpoint is None) != (self.api_version is None):
            raise ValueError("azure_endpoint and api_version go together; give both or neither")
        if self.azure_endpoint is not None and self.base_url is not None:
            raise ValueError("give base_url or azure_endpoint, not both")
        return self

    def url(self) -> str:
        """The file's URL, else that in OPENAI_BASE_URL, else OpenAI's; no closing slash."""
        if self.azure_endpoint is not None:
            return f"{self.azure_endpoint}/openai?api-version={self.api_version}"
        if self.base_url is not None:
            return self.base_url
        try:
            return _plain(os.environ.get("OPENAI_BASE_URL") or OPENAI_URL)
        except ValueError as error:
            raise Problem(
                "OPENAI_BASE_URL: {error}. Correct the environment variable.", error=str(error)
            ) from None

    def address(self, path: str, model: str | None = None) -> str:
        """Return the address of a path and its query; at Azure below that of a model."""
        base, sign, version = self.url().partition("?")
        at = f"/deployments/{quote(model, safe='')}" if sign and model else ""
        return f"{base}{at}{path}{'&' if sign and '?' in path else sign}{version}"

    def is_local(self) -> bool:
        """True where the server is on this machine (localhost or a loopback address)."""
        host = urlsplit(self.url()).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    def auth_style(self) -> str:
        """Return how the key is sent: `none`, an `api-key` header (Azure), or a bearer token."""
        return self.auth or ("bearer" if self.azure_endpoint is None else "api-key")


def _plain(url: str) -> str:
    """An http(s) URL without closing slash; a ValueError where it holds more than a location."""
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("give a URL that begins with http:// or https:// and names a host")
    if parts.username or parts.password:
        raise ValueError(
            "the URL holds credentials; put them as user:password into the variable that "
            'api_key_env names and set auth = "basic"'
        )
    if parts.query or parts.fragment:
        raise ValueError("the URL ends in a query or fragment; remove it")
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))


class Embedding(Endpoint):
    """The embedding model, its price and its endpoint.

    There is no default server: a judge file without one embeds nothing.
    """

    model: str = Field(title="Model", min_length=1)
    price: StatedPrice = None

    @model_validator(mode="after")
    def _has_an_address(self):
        if self.base_url is None and self.azure_endpoint is None:
            raise ValueError("base_url: name the server of the embedding model")
        return self

    def identity(self) -> str:
        """Return the hash of model and address, which separates its vectors from others."""
        return digest([self.model, self.url()])

    def endpoint(self) -> Endpoint:
        """Return its endpoint, without the model."""
        return Endpoint(**self.model_dump(exclude={"model", "price"}))
