"""A provider that signs people in by OpenID Connect, on this machine and without asking them."""

import json
import time
from urllib.parse import parse_qs

from joserfc import jwt
from joserfc.jwk import RSAKey
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

ANA = "ana@example.org"

CLIENT = "concord"


class Provider:
    """A provider at a local server; `claims` is what it says of whoever comes.

    Attributes:
        url: Where its description is.
        claims: Of the annotator; what is None is left out.
    """

    def __init__(self, server: HTTPServer):
        self._key = RSAKey.generate_key(2048, {"kid": "1"})
        self._at, self._nonce = server.url_for("").rstrip("/"), ""
        self.url = f"{self._at}/.well-known/openid-configuration"
        self.claims: dict = {}
        server.expect_request("/.well-known/openid-configuration").respond_with_json(
            {
                "issuer": self._at,
                "authorization_endpoint": f"{self._at}/authorize",
                "token_endpoint": f"{self._at}/token",
                "jwks_uri": f"{self._at}/keys",
                "id_token_signing_alg_values_supported": ["RS256"],
            }
        )
        keys = {"keys": [self._key.as_dict(private=False)]}
        server.expect_request("/keys").respond_with_json(keys)
        server.expect_request("/authorize").respond_with_handler(self._authorize)
        server.expect_request("/token").respond_with_handler(self._token)

    def _authorize(self, request: Request) -> Response:
        self._nonce = request.args["nonce"]
        back = f"{request.args['redirect_uri']}?code=1&state={request.args['state']}"
        return Response(status=302, headers={"Location": back})

    def _token(self, request: Request) -> Response:
        assert parse_qs(request.get_data(as_text=True))["code"] == ["1"]
        now = int(time.time())
        said = {"iss": self._at, "aud": CLIENT, "sub": "1", "nonce": self._nonce}
        said |= {"iat": now, "exp": now + 600} | self.claims
        said = {key: value for key, value in said.items() if value is not None}
        token = jwt.encode({"alg": "RS256", "kid": "1"}, said, self._key)
        told = {"access_token": "a", "token_type": "Bearer", "id_token": token}
        return Response(json.dumps(told), content_type="application/json")
