"""Kinds of callers as request headers, and what a route must answer them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import httpx

from mlplace_testing.waiting import eventually
from tests.security.hostile_requests import Request, request_for
from tests.security.platform import Platform
from tests.security.routes import Route
from tests.security.tenants import Person, Recipe, Tenant

Headers = Mapping[str, str]
_GARBAGE_KEY = f"1000000001.1.{'x' * 40}"


@dataclass(frozen=True)
class Cast:
    """`dead_keys` and `dead_sessions` are invalid for various reasons; other credentials are valid and the tenant's."""

    dead_keys: Mapping[str, Headers]
    dead_sessions: Mapping[str, Headers]
    read_key: Headers
    predict_key: Headers
    write_key: Headers
    limited_key: Headers
    """May call only the tenant's second model."""
    closed: Tenant
    """Of a blocked account: its owner with a session, and a key."""
    plain: Tenant
    """Of an account without any feature."""


async def cast_of(platform: Platform, recipe: Recipe, tenant: Tenant, admin: Person) -> Cast:
    second = [{"accountId": tenant.account_id, "modelId": tenant.second_model_id}]
    closed = await _light(platform, recipe, tenant, "hooli")
    plain = await _light(platform, recipe, tenant, "umbrella", features=False)
    cast = Cast(
        dead_keys={
            "a made-up key": {"MLP-API-KEY": _GARBAGE_KEY},
            "a key in no form": {"Authorization": "Bearer ' OR 1=1 --"},
            "a revoked key": await _revoked_key(platform, recipe, tenant),
            "an expired key": await _expired_key(platform, recipe, tenant),
        },
        dead_sessions={
            "nobody": {},
            "a made-up session": {"Cookie": f"SESSION_ID={'x' * 43}; SELECTED_ACCOUNT={tenant.account_id}"},
            "a session that signed out": await _signed_out(platform, recipe, tenant),
            "an expired session": await _expired_session(platform, recipe, tenant),
            "a blocked user": await _blocked_user(platform, recipe, tenant, admin),
        },
        read_key=(await recipe.key(tenant, "read"))[1],
        predict_key=(await recipe.key(tenant, "predict"))[1],
        write_key=(await recipe.key(tenant, "write"))[1],
        limited_key=(await recipe.key(tenant, allowedServices=second))[1],
        closed=closed,
        plain=plain,
    )
    await _as(platform, admin, "POST", f"/api/accountsadmin/admin/accounts/{closed.account_id}/block")
    return cast


async def _as(platform: Platform, person: Person, method: str, path: str) -> None:
    async with platform.client(person.headers) as client:
        (await client.request(method, path)).raise_for_status()


async def _light(platform: Platform, recipe: Recipe, like: Tenant, name: str, *, features: bool = True) -> Tenant:
    """An account with one owner and a key. All other ids are those of the tenant `like`."""
    owner = await recipe.person(f"owner@{name}.example.org", account=name)
    tenant = replace(like, name=name, account_id=owner.account_id, owner=owner)
    await recipe.configure_account(tenant.account_id, features=features)
    number, headers = await recipe.key(tenant)
    return replace(tenant, key_id=number, key=headers)


async def _revoked_key(platform: Platform, recipe: Recipe, tenant: Tenant) -> Headers:
    number, headers = await recipe.key(tenant)
    await _as(platform, tenant.owner, "DELETE", f"/api/mlpcore/account/{tenant.account_id}/token/{number}")
    return headers


async def _expired_key(platform: Platform, recipe: Recipe, tenant: Tenant) -> Headers:
    """The shortest possible lifetime, until it ends: gates know the end from the event, services from the table.

    It asks for a missing model, since a call of an existing one would wait for an instance.
    """
    _, headers = await recipe.key(tenant, temporary=True, maxLifetime=1, maxLifetimePeriod="SECOND")

    async def status() -> int:
        async with platform.client(headers) as client:
            path = f"/api/mlpgateway/account/{tenant.name}/model/none/predict"
            return (await client.post(path, json="x")).status_code

    await eventually(status, until=lambda code: code == 401)
    return headers


async def _signed_out(platform: Platform, recipe: Recipe, tenant: Tenant) -> Headers:
    person = await recipe.sign_in(tenant.owner.login, tenant.account_id)
    await _as(platform, person, "POST", "/api/accountsadmin/c/authorization/logout")
    return person.headers


async def _expired_session(platform: Platform, recipe: Recipe, tenant: Tenant) -> Headers:
    person = await recipe.sign_in(tenant.owner.login, tenant.account_id)
    async with platform.database("accountsadmin") as database:
        await database.execute(
            "UPDATE sessions SET expires_at = now() - interval '1 s' WHERE id = $1", person.session_id
        )
    return person.headers


async def _blocked_user(platform: Platform, recipe: Recipe, tenant: Tenant, admin: Person) -> Headers:
    person = await recipe.person(f"blocked@{tenant.name}.example.org")
    await recipe.join(person, tenant.account_id, tenant.owner, "OWNER")
    person = await recipe.sign_in(person.login, tenant.account_id)
    await _as(platform, admin, "POST", f"/api/accountsadmin/admin/users/{person.user_id}/block")
    return person.headers


@dataclass(frozen=True)
class Answer:
    status: int
    headers: httpx.Headers
    text: str
    body: object


async def ask(platform: Platform, route: Route, request: Request, headers: Headers) -> Answer:
    """Through the edge, or directly to the service for routes that the edge hides."""
    app = platform.apps[route.service] if route.inside else platform.edge
    query = {name: str(value) for name, value in request.query.items()}
    kind = {"Content-Type": "text/plain"} if request.text else {}
    async with platform.client({**headers, **kind}, app=app) as client:
        text = str(request.body) if request.text and request.body is not None else None
        body = None if request.text else request.body
        answer = await client.request(request.method, request.path, params=query, content=text, json=body)
    is_json = answer.headers.get("content-type", "").startswith("application/json") and answer.content
    return Answer(answer.status_code, answer.headers, answer.text, answer.json() if is_json else None)


async def refusals(
    platform: Platform, routes: list[Route], tenant: Tenant, headers: Headers, *, expected: frozenset[int]
) -> list[str]:
    """Routes that answer a request about the tenant's objects differently than expected.

    Fails if there are no routes.
    """
    assert routes, "no route is concerned: the matrix looks at the wrong ones"
    wrong: list[str] = []
    for route in routes:
        answer = await ask(platform, route, request_for(route, tenant), headers)
        if answer.status not in expected or not _refused(answer):
            wrong.append(
                f"{route.method} {route.path} ({', '.join(route.policies)}): {answer.status} {answer.text[:160]}"
            )
    return wrong


def _refused(answer: Answer) -> bool:
    """In the platform's error format, or in OpenAI's for adapters, and nothing else."""
    if not isinstance(answer.body, dict):
        return False
    told = answer.body.get("error", {})
    own = set(answer.body) == {"code", "message", "status", "args", "requestId"}
    return own or (set(answer.body) == {"error"} and set(told) == {"message", "type", "param", "code"})
