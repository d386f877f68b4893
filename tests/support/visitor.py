"""A visitor who speaks the websocket protocol of the screens: no browser, and so no manners.

It sends what a browser sends (`BackMsg`) and reads what the server shows (`ForwardMsg`), so it can
ask for any screen in any order and say whatever no screen offers.

A provider that signs people in by OpenID Connect, on this machine and without asking them.

Who grades what in a team.
"""

import asyncio
import json
import time
from typing import Any, Self
from urllib.parse import parse_qs

from google.protobuf.message import Message
from joserfc import jwt
from joserfc.jwk import RSAKey
from pytest_httpserver import HTTPServer
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from werkzeug import Request, Response

from tests.support.grading_room import HIDDEN
from tests.support.patience import PATIENT_S

XSRF = "_streamlit_xsrf"  # which a browser sends twice, so that it is its own page that sends it


class Visitor:
    """One tab; use it as an asynchronous context manager.

    Attributes:
        session: Streamlit's own id of the tab.
        elements: What stands on the screen, by place.
        pane: What the component of the screen was last handed, with its `id` and `fragment`.
        told_at: When it was, by the clock that only counts up, in seconds.
    """

    def __init__(self, url: str, cookie: str = "", **headers: str):
        self._url = f"ws{url.removeprefix('http')}/_stcore/stream"
        self._headers = headers | ({"Cookie": cookie} if cookie else {})
        held = (pair.strip().partition("=") for pair in cookie.split(";"))
        self._xsrf = [token for name, _, token in held if name == XSRF]
        self._socket: ClientConnection | None = None
        self._page, self._query = "", ""
        self.session, self.pane, self.told_at = "", {}, 0.0
        self.elements: dict[tuple[int, ...], Message] = {}

    async def __aenter__(self) -> Self:
        self._socket = await connect(
            self._url,
            subprotocols=["streamlit", *self._xsrf],
            additional_headers=self._headers,
            max_size=None,
            open_timeout=PATIENT_S,
            proxy=None,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()

    async def visit(self, path: str) -> str:
        """Open a screen by its path and query; returns all that is on it, as text."""
        name, _, self._query = path.strip("/").partition("?")
        self._page, self.elements, self.pane = name, {}, {}
        ask = BackMsg()
        ask.rerun_script.page_name, ask.rerun_script.query_string = self._page, self._query
        await self._socket.send(ask.SerializeToString())
        await self._until_idle()
        return self.text()

    async def say(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Hand the component's batch to the server; returns what it hands back."""
        ask = BackMsg()
        ask.rerun_script.page_name, ask.rerun_script.query_string = self._page, self._query
        ask.rerun_script.fragment_id = self.pane["fragment"]
        state = ask.rerun_script.widget_states.widgets.add()
        state.id, state.json_value = self.pane["id"], json.dumps({"batch": batch})
        await self._socket.send(ask.SerializeToString())
        await self._until_idle()
        return self.pane["data"]

    async def close_by(self, message: bytes | str) -> int | None:
        """Say what the server ends the connection for; returns the code with which it does."""
        try:
            await self._socket.send(message)
            while True:
                await asyncio.wait_for(self._socket.recv(), PATIENT_S)
        except ConnectionClosed as ended:
            return ended.rcvd.code if ended.rcvd else None

    def text(self) -> str:
        """All that is on the screen."""
        return "\n".join(str(element) for element in self.elements.values())

    async def _until_idle(self) -> None:
        """Hear until the script has run, also where it sent the visitor on to another screen."""
        running = True
        while running:
            heard = await self._hear()
            if heard.WhichOneof("type") == "script_finished":
                running = heard.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN

    async def _hear(self) -> ForwardMsg:
        heard = ForwardMsg()
        heard.ParseFromString(await asyncio.wait_for(self._socket.recv(), PATIENT_S))
        if heard.WhichOneof("type") == "new_session":
            self.session = heard.new_session.initialize.session_id
        elif heard.WhichOneof("type") == "delta":
            self._shown(heard)
        return heard

    def _shown(self, heard: ForwardMsg) -> None:
        if heard.delta.WhichOneof("type") != "new_element":
            return
        element = heard.delta.new_element
        self.elements[tuple(heard.metadata.delta_path)] = element
        if element.WhichOneof("type") == "bidi_component":
            said = element.bidi_component
            if said.component_name.endswith(HIDDEN):
                return
            data = json.loads(said.json or said.mixed.json)
            self.told_at = time.perf_counter()
            self.pane = {"id": said.id, "fragment": heard.delta.fragment_id, "data": data}


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


SECRET = "atlas"  # the answering model, which no grader sees


NAMES = ("Ann", "Bo", "Cleo")


def put_in(store, set_id, grader_id, joins):
    with store.write():
        store.insert(
            "set_graders",
            set_id=set_id,
            grader_id=grader_id,
            joins=joins,
            given_by="Lea",
            created_at="2026-01-01T00:00:00.000Z",
        )
