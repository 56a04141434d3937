"""Fuzzes the four OpenAPI documents: no service may give an undocumented answer."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from hypothesis import given
from hypothesis import strategies as st
from schemathesis.core.result import Ok
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from standalone.documents import BUILDERS
from tests.security.frames import FUZZ, bounded
from tests.security.platform import Platform
from tests.security.samples import BY_NAME
from tests.security.tenants import Recipe, Tenant

pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(7200 if FUZZ else 300)]
SERVICES = tuple(BUILDERS)
CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance, response_headers_conformance]
AWAY = {"mlp.gate.no_active_instances", "mlp.gate.unavailable", "mlp-action.common.channel-closed-error"}
"""5xx codes that a gateway may return because the model has no instance. All others are defects."""
Operation = schemathesis.APIOperation[Any, Any, Any, Any]
Run = Callable[[Awaitable[httpx.Response]], httpx.Response]


@pytest.fixture(scope="package")
async def tenant(recipe: Recipe) -> Tenant:
    """A separate tenant, since the requests delete many of its objects."""
    return await recipe.tenant("stark")


@dataclass
class Who:
    """Signs in for each operation, since some end sessions, keys and rights."""

    recipe: Recipe
    tenant: Tenant

    async def session(self) -> Mapping[str, str]:
        return (await self.recipe.sign_in(self.tenant.owner.login, self.tenant.account_id)).headers

    async def key(self) -> Mapping[str, str]:
        owner = await self.recipe.sign_in(self.tenant.owner.login, self.tenant.account_id)
        return (await self.recipe.key(replace(self.tenant, owner=owner)))[1]

    async def superadmin(self) -> Mapping[str, str]:
        return (await self.recipe.person("fuzz@platform.example.org", superadmin=True)).headers


@cache
def schema_of(service: str) -> "schemathesis.BaseSchema":
    return schemathesis.openapi.from_dict(BUILDERS[service]().openapi())


def operations(service: str) -> list[Operation]:
    results = list(schema_of(service).get_all_operations())
    assert not [result for result in results if not isinstance(result, Ok)], "the document cannot be read"
    return [result.ok() for result in results if isinstance(result, Ok)]


async def send(platform: Platform, prepared: requests.PreparedRequest, headers: Mapping[str, str]) -> httpx.Response:
    """Send the bytes unchanged, except that the caller's credentials replace those of the case."""
    given = [(name, value) for name, value in prepared.headers.items() if name.lower() not in _OWN and _sendable(value)]
    async with platform.client() as client:
        request = httpx.Request(
            prepared.method or "GET",
            str(prepared.url),
            headers=[*given, *headers.items()],
            content=prepared.body.encode() if isinstance(prepared.body, str) else prepared.body,
        )
        answer = await client.send(request)
        await answer.aread()
    return answer


_OWN = {"mlp-api-key", "authorization", "cookie", "host", "content-length"}


def _sendable(value: str | bytes) -> bool:
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return text.isascii() and not any(character in text for character in "\r\n\0")


def judged(case: "schemathesis.Case", prepared: requests.PreparedRequest, answer: httpx.Response) -> None:
    if answer.status_code >= 500:
        body = answer.json() if answer.content else {}
        code = body.get("error", body).get("code")  # of an adapter, in OpenAI's format
        assert code in AWAY, (
            f"{answer.status_code} {answer.text[:300]}\n{prepared.method} {prepared.url} {prepared.body!r:.300}"
        )
    response = Response(
        status_code=answer.status_code,
        headers={name.lower(): [value] for name, value in answer.headers.items()},
        content=answer.content,
        request=prepared,
        elapsed=0.0,
        verify=False,
    )
    case.validate_response(response, checks=CHECKS)


class TestDocuments:
    @pytest.mark.parametrize("service", SERVICES)
    @pytest.mark.parametrize("how", ["session", "key", "superadmin"])
    def test_no_answer_is_undocumented(
        self, platform: Platform, recipe: Recipe, tenant: Tenant, service: str, how: str,
        session_runner: asyncio.Runner,
    ) -> None:  # fmt: skip
        who = Who(recipe, tenant)
        seen: dict[int, int] = {}
        for operation in operations(service):
            if (how == "superadmin") != ("/admin/" in operation.path):
                continue
            headers = session_runner.run(getattr(who, how)())
            self._fuzz(platform, tenant, operation, headers, session_runner, seen)
        assert not seen or set(seen) & {200, 404}, seen

    @staticmethod
    def _fuzz(
        platform: Platform, tenant: Tenant, operation: Operation,
        headers: Mapping[str, str], runner: asyncio.Runner, seen: dict[int, int],
    ) -> None:  # fmt: skip
        @bounded(ci=2, fuzz=300)
        @given(case=operation.as_strategy(), real=st.sampled_from([True, True, False]))
        def run(case: "schemathesis.Case", real: bool) -> None:
            if real:  # random ids name no existing object
                for name in case.path_parameters or {}:
                    if name in BY_NAME:
                        case.path_parameters[name] = BY_NAME[name](tenant)
            prepared = requests.Request(**case.as_transport_kwargs(base_url="http://platform.test")).prepare()
            answer = runner.run(send(platform, prepared, headers))
            seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
            judged(case, prepared, answer)

        run()


MALFORMED: Mapping[str, tuple[str, bytes]] = {
    "nothing": ("application/json", b""),
    "invalid UTF-8": ("application/json", b'{"name": "\xff\xfe"}'),
    "a lone surrogate": ("application/json", b'{"name": "\\ud800", "login": "\\udfff", "data": "\\ud800"}'),
    "NUL": ("application/json", b'{"name": "a\\u0000b", "login": "\\u0000", "token": "\\u0000"}'),
    "a huge integer": ("application/json", b'{"accountId": ' + b"9" * 5000 + b"}"),
    "beyond 64 bits": ("application/json", b'{"accountId": 9223372036854775808, "version": 1e400}'),
    "deep arrays": ("application/json", b"[" * 100_000),
    "deep objects": ("application/json", b'{"a":' * 50_000 + b"1" + b"}" * 50_000),
    "not a number": ("application/json", b'{"amountCurrency": NaN, "price": Infinity}'),
    "doubled names": ("application/json", b'{"name": "a", "name": {"b": 1}}'),
    "a list": ("application/json", b"[]"),
    "null": ("application/json", b"null"),
    "torn": ("application/json", b'{"name": "a'),
    "text": ("text/plain", b'{"name": "a"}'),
    "a form": ("application/x-www-form-urlencoded", b"name=a"),
    "parts": ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--'),
    "an unknown charset": ("application/json; charset=utf-7", b'{"name": "a"}'),
    "no type": ("", b'{"name": "a"}'),
}


class TestMalformedBodies:
    @pytest.mark.parametrize("service", SERVICES)
    async def test_malformed_bodies_get_a_documented_error(
        self, platform: Platform, recipe: Recipe, tenant: Tenant, service: str
    ) -> None:
        who = Who(recipe, tenant)
        wrong: list[str] = []
        for operation in operations(service):
            if not operation.body or operation.path.endswith("/server-heartbeat"):
                continue
            headers = await (who.superadmin() if "/admin/" in operation.path else who.session())
            path = operation.path.format(**{name: make(tenant) for name, make in BY_NAME.items()})
            for name, (kind, body) in MALFORMED.items():
                own = {**headers, **({"Content-Type": kind} if kind else {})}
                async with platform.client(own) as client:
                    answer = await client.request(operation.method.upper(), path, content=body)
                documented = set(operation.definition.raw["responses"])
                if str(answer.status_code) not in documented or (
                    answer.status_code >= 500 and answer.json()["code"] not in AWAY
                ):
                    wrong.append(f"{operation.label} with {name}: {answer.status_code} {answer.text[:150]}")
        assert not wrong, "\n".join(wrong)
