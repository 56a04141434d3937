import gzip
import re
from collections.abc import AsyncGenerator
from typing import Annotated

import httpx
import pytest
import structlog
from fastapi import APIRouter, Depends, FastAPI, Header, Query, Request
from pydantic import Field
from starlette.types import Message, Scope

from mlplace_contracts.enums import Feature, KeyPermission, Role
from mlplace_kit.clock import ManualClock
from mlplace_kit.errors import NotFound
from mlplace_kit.wire import Input, StoredText
from mlplace_runtime.auth.authenticator import Authenticator, CookieNames
from mlplace_runtime.db.database import Database
from mlplace_runtime.service import Runtime
from mlplace_runtime.web.app import attach, create_app
from mlplace_runtime.web.policy import (
    Access,
    InSelectedAccount,
    Internal,
    Member,
    MemberById,
    Public,
    Scraper,
    SessionOnly,
    SignedIn,
    Superadmin,
)
from mlplace_runtime.web.unserved_headers import asks_for_background
from mlplace_testing.identities import Identities
from mlplace_testing.web import client_for, operation_names_used_twice, routes_without_policy

router = APIRouter()


class Thing(Input):
    name: Annotated[str, Field(min_length=1)]
    price: Annotated[int, Field(ge=0)] = 0


def _account_of(access: Access) -> int | None:
    return access.grant.account_id if access.grant else None


@router.get("/open")
async def open_route(access: Annotated[Access, Depends(Public())]) -> str:
    return access.principal.kind


@router.get("/search")
async def search_route(
    access: Annotated[Access, Depends(Public())], name: Annotated[StoredText, Query(max_length=5)]
) -> str:
    return name


@router.get("/signed")
async def signed_route(access: Annotated[Access, Depends(SignedIn())]) -> int | None:
    return _account_of(access)


@router.post("/person")
async def person_route(access: Annotated[Access, Depends(SessionOnly())]) -> int | None:
    return access.principal.user_id


@router.get("/selected")
async def selected_route(access: Annotated[Access, Depends(InSelectedAccount(KeyPermission.READ))]) -> int | None:
    return _account_of(access)


@router.get("/account/{account}/read")
async def read_route(access: Annotated[Access, Depends(Member(KeyPermission.READ))]) -> int | None:
    return _account_of(access)


@router.post("/once")
async def once_route(
    access: Annotated[Access, Depends(Public())],
    key: Annotated[StoredText | None, Header(alias="Idempotency-Key", max_length=255)] = None,
) -> str | None:
    del access
    return key


@router.post("/account/{account}/write")
async def write_route(
    body: Thing, access: Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]
) -> str:
    return f"{body.name} in {access.account.account_name}"


@router.get("/account/{account}/flagged")
async def flagged_route(
    access: Annotated[Access, Depends(Member(KeyPermission.READ, feature=Feature.MODEL_ADMIN))],
) -> int | None:
    return _account_of(access)


@router.get("/money/{accountId}")
async def money_route(access: Annotated[Access, Depends(MemberById(KeyPermission.READ))]) -> int | None:
    return _account_of(access)


@router.get("/admin")
async def admin_route(access: Annotated[Access, Depends(Superadmin())]) -> int | None:
    return access.principal.user_id


@router.get("/internal/x")
async def internal_route(access: Annotated[Access, Depends(Internal())]) -> str:
    return access.principal.kind


@router.get("/scraped", dependencies=[Depends(Scraper())])
async def scraped_route() -> None: ...


@router.get("/missing", dependencies=[Depends(Public())])
async def missing_route() -> None:
    raise NotFound(entity="thing")


@router.post("/raw", dependencies=[Depends(Public())])
async def raw_route(request: Request) -> int:
    return len(b"".join([piece async for piece in request.stream()]))


@router.get("/broken", dependencies=[Depends(Public())])
async def broken_route() -> None:
    raise RuntimeError("a secret detail")


@pytest.fixture
def app(identities: Identities, clock: ManualClock) -> FastAPI:
    made = create_app(name="test", title="Test", version="1", routers=[router])
    database = Database("postgresql+asyncpg://nobody@/nothing?host=/nowhere", application_name="test")
    attach(made, Runtime("test", database, identities.authenticator, identities, clock, dict))
    return made


@pytest.fixture
async def client(app: FastAPI) -> AsyncGenerator[httpx.AsyncClient]:
    async with client_for(app, max_body_bytes=1000) as opened:
        yield opened


class TestReadiness:
    async def test_a_service_without_its_database_is_not_ready(self, client: httpx.AsyncClient) -> None:
        answer = await client.get("/health/ready")
        assert (answer.status_code, answer.json()["missing"]) == (503, {"database": "does not answer"})


class TestHeadersThatAskForMore:
    @pytest.mark.parametrize(
        ("header", "named"),
        [
            (("Idempotency-Key", "one"), "Idempotency-Key"),
            (("Idempotency-Key", ""), "Idempotency-Key"),
            (("Prefer", "wait=5, Respond-Async"), "Prefer: respond-async"),
            (("MLP-Webhook", "https://example.org"), "MLP-Webhook"),
            (("mlp-webhook-events", "completed"), "MLP-Webhook-Events"),
        ],
    )
    async def test_what_a_route_does_not_serve_is_refused(
        self, client: httpx.AsyncClient, identities: Identities, header: tuple[str, str], named: str
    ) -> None:
        owner = identities.user(identities.account(1000000001, "acme"))
        answer = await client.post("/account/acme/write", headers=[*owner.items(), header], json={"name": "a"})
        assert (answer.status_code, answer.json()["args"]) == (400, {"header": named})
        assert (await client.get("/search?name=a", headers=[header])).status_code == 200

    async def test_a_route_that_declares_the_key_serves_it(self, client: httpx.AsyncClient) -> None:
        assert (await client.post("/once", headers={"Idempotency-Key": "one"})).json() == "one"
        refused = await client.post("/once", headers={"Prefer": "respond-async"})
        assert refused.status_code == 400
        two = await client.post("/once", headers=[("Idempotency-Key", "one"), ("Idempotency-Key", "two")])
        assert (two.status_code, list(two.json()["args"])) == (400, ["Idempotency-Key"])

    @pytest.mark.parametrize("text", ['\\"', '"', "\\", 'a"', '\\\\"'])
    def test_a_long_preference_is_read_once(self, text: str) -> None:
        """A reader that tries each quote again to the end would take hours."""
        assert not asks_for_background('wait="respond-async' + text * 1_000_000)
        assert not asks_for_background('respond-async=x;"' + text * 1_000_000)

    async def test_other_preferences_may_be_ignored(self, client: httpx.AsyncClient) -> None:
        assert (await client.post("/once", headers={"Prefer": "wait=5, return=minimal"})).status_code == 200


class TestKeys:
    @pytest.mark.parametrize(("header", "form"), [("MLP-API-KEY", "{}"), ("Authorization", "Bearer {}")])
    async def test_two_keys_are_refused_with_their_header(
        self, client: httpx.AsyncClient, identities: Identities, header: str, form: str
    ) -> None:
        acme = identities.account(1000000001, "acme")
        one, other = (form.format(identities.api_key(acme)["MLP-API-KEY"]) for _ in range(2))
        assert (await client.get("/signed", headers=[(header, one), (header, one)])).status_code == 200
        refused = await client.get("/signed", headers=[(header, one), (header, other)])
        assert (refused.status_code, refused.json()["args"]) == (
            400,
            {header: "was sent with two different values; send one"},
        )


class TestPolicies:
    async def test_each_policy_admits_exactly_its_callers(
        self, client: httpx.AsyncClient, identities: Identities
    ) -> None:
        acme, other = identities.account(1000000001, "acme"), identities.account(1000000002, "other")
        callers = {
            "anonymous": {},
            "owner": identities.user(acme),
            "user": identities.user(acme, role=Role.USER),
            "stranger": identities.user(other),
            "featured": identities.user(acme, features=[Feature.MODEL_ADMIN]),
            "admin": identities.user(superadmin=True),
            "key": identities.api_key(acme),
            "predict key": identities.api_key(acme, permissions=[KeyPermission.PREDICT]),
            "wrong key": {"MLP-API-KEY": "1000000001.1." + "x" * 40},
            "service": identities.internal,
        }
        expected = {
            "/open": "200 200 200 200 200 200 200 200 401 200",
            "/signed": "401 200 200 200 200 200 200 403 401 401",
            "/selected": "401 200 200 200 200 403 200 403 401 401",
            "/account/acme/read": "401 200 200 403 200 200 200 403 401 401",
            "/account/1000000001/read": "401 200 200 403 200 200 200 403 401 401",
            "/account/acme/flagged": "401 403 403 403 200 200 403 403 401 401",
            "/account/nobody/read": "401 403 403 403 403 403 403 403 401 401",
            "/money/1000000001": "401 200 200 403 200 200 200 403 401 401",
            "/admin": "401 403 403 403 403 200 403 403 401 401",
            "/internal/x": "401 401 401 401 401 401 401 401 401 200",
            "/scraped": "401 401 401 401 401 401 401 401 401 200",
        }
        found = {}
        for path in expected:
            answers = [await client.get(path, headers=headers) for headers in callers.values()]
            found[path] = " ".join(str(answer.status_code) for answer in answers)
        assert found == expected

    async def test_metrics_are_read_with_the_token_for_them_and_nothing_else_is(
        self, app: FastAPI, client: httpx.AsyncClient, identities: Identities, clock: ManualClock
    ) -> None:
        scraper, other = {"Authorization": "Bearer " + "m" * 32}, {"Authorization": "Bearer " + "n" * 32}
        assert (await client.get("/scraped", headers=scraper)).status_code == 401  # the installation has no token
        authenticator = Authenticator(
            sessions=identities,
            keys=identities,
            cookies=CookieNames(secure=False),
            internal_token="i" * 32,
            metrics_token="m" * 32,
        )
        attach(app, Runtime("test", app.state.runtime.database, authenticator, identities, clock, dict))
        assert (await client.get("/scraped", headers=scraper)).status_code == 200
        assert (await client.get("/scraped", headers=other)).status_code == 401
        assert (await client.get("/internal/x", headers=scraper)).status_code == 401
        assert (await client.get("/signed", headers=scraper)).status_code == 401

    async def test_a_foreign_account_looks_like_a_missing_one(
        self, client: httpx.AsyncClient, identities: Identities
    ) -> None:
        identities.account(1000000002, "other")
        headers = identities.user(identities.account(1000000001, "acme")) | {"Z-requestId": "same"}
        foreign = await client.get("/account/other/read", headers=headers)
        missing = await client.get("/account/nothing/read", headers=headers)
        assert (foreign.status_code, foreign.content) == (missing.status_code, missing.content)
        assert foreign.json()["code"] == "account.access.denied"

    async def test_a_foreign_selected_account_is_ignored(
        self, client: httpx.AsyncClient, identities: Identities
    ) -> None:
        identities.account(1000000002, "other")
        headers = identities.user(identities.account(1000000001, "acme"))
        cookie = headers["Cookie"].replace("SELECTED_ACCOUNT=1000000001", "SELECTED_ACCOUNT=1000000002")
        answer = await client.get("/selected", headers={"Cookie": cookie})
        assert answer.json()["code"] == "account.not_selected"

    @pytest.mark.parametrize(
        ("sent", "status"),
        [
            ({"Sec-Fetch-Site": "cross-site"}, 403),
            ({"Sec-Fetch-Site": "same-site"}, 403),
            ({"Origin": "https://evil.example"}, 403),
            ({"Origin": "null"}, 403),
            ({"Origin": "http://["}, 403),
            ({"Origin": ""}, 403),
            ({"Origin": "http://testserver"}, 200),
            ({"Sec-Fetch-Site": "same-origin"}, 200),
            ({}, 200),
        ],
    )
    async def test_unsafe_requests_with_a_session_are_accepted_from_the_same_site_only(
        self, client: httpx.AsyncClient, identities: Identities, sent: dict[str, str], status: int
    ) -> None:
        headers = identities.user(identities.account(1000000001, "acme")) | sent
        assert (await client.post("/person", headers=headers)).status_code == status

    async def test_a_key_is_refused_by_session_only_routes(
        self, client: httpx.AsyncClient, identities: Identities
    ) -> None:
        headers = identities.api_key(identities.account(1000000001, "acme"))
        assert (await client.post("/person", headers=headers)).status_code == 403

    async def test_every_route_has_a_policy_and_a_unique_name(self, app: FastAPI) -> None:
        assert routes_without_policy(app) == []
        assert operation_names_used_twice(app) == []

    async def test_a_route_without_a_policy_is_found(self, app: FastAPI) -> None:
        app.add_api_route("/naked", broken_route)
        assert routes_without_policy(app) == ["['GET'] /naked"]


class TestErrors:
    @pytest.mark.parametrize(
        ("content", "code", "args"),
        [
            (b'{"name": "", "price": 1}', "mlp.core.validation_error", {"name"}),
            (b'{"name": "a", "price": -1}', "mlp.core.validation_error", {"price"}),
            (b'{"name": "a", "extra": 1}', "mlp.core.validation_error", {"extra"}),
            (b"{}", "mlp.core.validation_error", {"name"}),
            (b"{nonsense", "mlp.core.malformed_request", {"reason"}),
            (b'{"name": "\xff"}', "mlp.core.malformed_request", {"reason"}),
            (b'{"name": "a", "price": NaN}', "mlp.core.malformed_request", {"reason"}),
            (b'{"name": "\\ud800"}', "mlp.core.malformed_request", {"reason"}),
            ('{"name": "a"}'.encode("utf-16"), "mlp.core.malformed_request", {"reason"}),
            (b"[" * 1000, "mlp.core.malformed_request", {"reason"}),
            (b'{"name": "a"} x', "mlp.core.malformed_request", {"reason"}),
            (b'\xef\xbb\xbf{"name": "", "price": 1}', "mlp.core.validation_error", {"name"}),
        ],
    )
    async def test_bad_input_names_the_field(
        self, client: httpx.AsyncClient, identities: Identities, content: bytes, code: str, args: set[str]
    ) -> None:
        headers = identities.user(identities.account(1000000001, "acme")) | {"Content-Type": "application/json"}
        answer = await client.post("/account/acme/write", headers=headers, content=content)
        body = answer.json()
        assert (answer.status_code, body["code"], set(body["args"])) == (400, code, args)
        assert body["status"] == 400
        assert body["requestId"] == answer.headers["Z-requestId"]

    async def test_a_text_that_is_too_long_is_counted_in_characters(self, client: httpx.AsyncClient) -> None:
        answer = await client.get("/search", params={"name": "abcdef"})
        assert answer.json()["args"] == {"name": "Value should have at most 5 characters"}

    async def test_a_huge_body_is_refused_before_it_is_read(
        self, client: httpx.AsyncClient, identities: Identities
    ) -> None:
        headers = identities.user(identities.account(1000000001, "acme")) | {"Content-Type": "application/json"}
        answer = await client.post("/account/acme/write", headers=headers, content=b"x" * 1001)
        assert answer.json()["code"] == "mlp.gate.request_too_large"

    @pytest.mark.parametrize("coding", ["gzip", "br", "deflate, gzip", "GZIP", "identity,gzip"])
    async def test_a_compressed_body_is_refused(
        self, client: httpx.AsyncClient, identities: Identities, coding: str
    ) -> None:
        owner = identities.user(identities.account(1000000001, "acme"))
        headers = owner | {"Content-Type": "application/json", "Content-Encoding": coding}
        answer = await client.post("/account/acme/write", headers=headers, content=gzip.compress(b'{"name": "a"}'))
        assert (answer.status_code, answer.json()["code"]) == (415, "mlp.core.content_encoding_not_supported")
        assert "Content-Encoding" in answer.json()["message"]

    async def test_each_field_with_codings_counts(self, client: httpx.AsyncClient, identities: Identities) -> None:
        owner = identities.user(identities.account(1000000001, "acme"))
        codings = [("Content-Encoding", "identity"), ("Content-Encoding", "gzip")]
        answer = await client.post("/account/acme/write", headers=[*owner.items(), *codings], content=b"x")
        assert answer.status_code == 415

    @pytest.mark.parametrize("coding", ["identity", "Identity, identity", ""])
    async def test_a_body_that_is_not_compressed_may_say_so(
        self, client: httpx.AsyncClient, identities: Identities, coding: str
    ) -> None:
        owner = identities.user(identities.account(1000000001, "acme"))
        headers = owner | {"Content-Type": "application/json", "Content-Encoding": coding}
        answer = await client.post("/account/acme/write", headers=headers, content=b'{"name": "a", "price": 1}')
        assert answer.status_code != 415
        assert (await client.get("/search", headers={"Content-Encoding": "gzip"})).status_code != 415

    async def test_a_body_without_a_length_is_counted(self, client: httpx.AsyncClient, identities: Identities) -> None:
        async def pieces() -> AsyncGenerator[bytes]:
            for _ in range(11):
                yield b"x" * 100

        headers = identities.user(identities.account(1000000001, "acme")) | {"Content-Type": "application/json"}
        answer = await client.post("/account/acme/write", headers=headers, content=pieces())
        assert answer.status_code == 413

    async def test_a_client_that_disconnects_within_its_body_is_no_internal_error(self, app: FastAPI) -> None:
        came: list[Message] = [
            {"type": "http.request", "body": b'{"half', "more_body": True},
            {"type": "http.disconnect"},
        ]
        sent: list[Message] = []

        async def receive() -> Message:
            return came.pop(0)

        async def send(message: Message) -> None:
            sent.append(message)

        scope: Scope = {
            "type": "http", "http_version": "1.1", "method": "POST", "path": "/raw", "raw_path": b"/raw",
            "query_string": b"", "headers": [], "scheme": "http", "server": ("test", 80), "client": ("127.0.0.1", 1),
        }  # fmt: skip
        with structlog.testing.capture_logs() as logs:
            await app(scope, receive, send)
        assert [entry["event"] for entry in logs] == ["client_disconnected"]
        assert sent[0]["status"] == 400

    async def test_unexpected_errors_reveal_nothing(self, client: httpx.AsyncClient) -> None:
        answer = await client.get("/broken")
        assert answer.status_code == 500
        assert "secret" not in answer.text

    @pytest.mark.parametrize(
        ("method", "path", "status", "code"),
        [
            ("GET", "/nowhere", 404, "mlp.core.route_not_found"),
            ("DELETE", "/open", 405, "mlp.core.method_not_allowed"),
            ("GET", "/missing", 404, "mlp.core.not_found"),
        ],
    )
    async def test_every_refusal_has_the_common_error_format(
        self, client: httpx.AsyncClient, method: str, path: str, status: int, code: str
    ) -> None:
        answer = await client.request(method, path)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert set(answer.json()) == {"code", "message", "status", "args", "requestId"}

    async def test_an_unsafe_request_id_is_replaced(self, client: httpx.AsyncClient) -> None:
        assert (await client.get("/open", headers={"Z-requestId": "abc-1"})).headers["Z-requestId"] == "abc-1"
        assert (await client.get("/open", headers={"Z-requestId": "a b\tc"})).headers["Z-requestId"] != "a b\tc"


class TestDocs:
    async def test_the_page_needs_no_other_site(self, client: httpx.AsyncClient) -> None:
        page = await client.get("/api/test/docs")
        assert page.status_code == 200
        addresses = re.findall(r'(?:src|href)="([^"]+)"', page.text)
        assert len(addresses) == 3
        for address in addresses:
            assert (await client.get(address)).status_code == 200, address


class TestOpenApi:
    async def test_documents_errors_and_no_422(self, app: FastAPI) -> None:
        operation = app.openapi()["paths"]["/account/{account}/write"]["post"]
        assert "422" not in operation["responses"]
        assert operation["responses"]["403"]["content"]["application/json"]["schema"]["$ref"].endswith("ErrorBody")
        assert [parameter["name"] for parameter in operation["parameters"]] == ["account"]
