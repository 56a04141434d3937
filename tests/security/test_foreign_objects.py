"""Another account's object gets the same answer as a missing one, and no foreign request changes it."""

import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from dataclasses import replace
from itertools import count

import pytest

from tests.security.callers import Answer, Headers, ask
from tests.security.hostile_requests import Request, ghost, request_for
from tests.security.platform import RUNNING, SERVICES, Platform
from tests.security.routes import Route, all_routes
from tests.security.samples import BY_NAME, SAMPLES
from tests.security.tenants import Tenant

pytestmark = pytest.mark.timeout(600)
_numbers = count(1)
_OF_THE_ANSWER = ("z-requestid", "x-request-id", "content-length", "date")
_OWN = frozenset({"account", "accountId"})
_MOVES_BY_ITSELF = {
    "last_seen_at", "last_activity_at", "version", "updated_at", "recorded_at", "last_heartbeat_at", "occurred_at",
    "connected", "stream_id", "gate",
}  # fmt: skip
_NOT_OF_TENANTS = {"outbox", "inbox", "dead_letter", "alembic_version", "attempts", "gate_members", "gate_member"}


def of_tenants(route: Route) -> bool:
    return not (route.inside or route.is_a("Superadmin") or route.is_a("OwnCredential"))


def pairs(route: Route, me: Tenant, foreign: Tenant) -> Iterator[tuple[str, Request, Request]]:
    """The same hostile request twice: about another account's object, and about a missing one."""
    sample = SAMPLES[route.service][route.operation]
    nobody = ghost(foreign)
    if route.is_a("CallsModels"):  # names of accounts are public: they are in URLs of the catalogue
        nobody = replace(nobody, name=foreign.name, account_id=foreign.account_id)
    if route.parameters and not sample.shown:
        yield "path", request_for(route, me, path=foreign), request_for(route, me, path=nobody)
        if "account" in route.parameters:
            names = [replace_name(route, request_for(route, me, path=it), it) for it in (foreign, nobody)]
            yield "name", names[0], names[1]
    if set(route.parameters) - _OWN and set(route.parameters) & _OWN:
        mine = {"name": me.name, "account_id": me.account_id}
        theirs, nobodys = (request_for(route, me, path=replace(it, **mine)) for it in (foreign, nobody))
        if theirs != nobodys:  # otherwise the path names no object of an account
            yield "own account, foreign object", theirs, nobodys
    if request_for(route, me, other=foreign) != request_for(route, me, other=nobody):
        yield "query and body", request_for(route, me, other=foreign), request_for(route, me, other=nobody)


def replace_name(route: Route, request: Request, whose: Tenant) -> Request:
    """Use the account's short name instead of its number."""
    path = request.path.replace(f"/account/{BY_NAME['account'](whose)}", f"/account/{whose.name}")
    return replace(request, path=path, named=request.named | {whose.name})


def told(answer: Answer, request: Request) -> tuple[int, Mapping[str, str], str]:
    """What a caller can distinguish, without text from the request itself."""
    headers = {name: value for name, value in answer.headers.items() if name not in _OF_THE_ANSWER}
    text = re.sub(r'"requestId":"[^"]*"', "", answer.text)
    for said in sorted(request.named, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(said)}(?!\w)", "<said>", text)
    return answer.status, headers, text


async def counted(platform: Platform, route: Route, request: Request, headers: Headers) -> tuple[Answer, int]:
    name = f"counted-{next(_numbers)}"
    token = RUNNING.set(name)
    try:
        answer = await ask(platform, route, request, headers)
    finally:
        RUNNING.reset(token)
    return answer, platform.statements.get(name, 0)


class TestIndistinguishable:
    @pytest.mark.parametrize("how", ["session", "key"])
    async def test_foreign_and_missing_objects_get_the_same_answer_with_the_same_work(
        self, platform: Platform, acme: Tenant, globex: Tenant, how: str
    ) -> None:
        headers = acme.owner.headers if how == "session" else acme.key
        wrong: list[str] = []
        compared = 0
        for route in filter(of_tenants, all_routes()):
            if SAMPLES[route.service][route.operation].anew:
                continue
            for kind, foreign, missing in pairs(route, acme, globex):
                compared += 1
                verdict = await self._verdict(platform, route, kind, foreign, missing, headers)
                if verdict:
                    wrong.append(f"{route.name} ({kind}): {verdict}")
        assert compared > 150
        if wrong:
            pytest.fail("\n".join(wrong))

    @staticmethod
    async def _verdict(
        platform: Platform, route: Route, kind: str, foreign: Request, missing: Request, headers: Headers
    ) -> str:
        """Empty if nothing distinguishes the two. Counts may differ once, just after a cache was emptied."""
        work: list[tuple[int, int]] = []
        for _ in range(4):
            one, statements = await counted(platform, route, foreign, headers)
            two, as_many = await counted(platform, route, missing, headers)
            if one.status < 300 and two.status < 300 and allowed(route, kind):
                return ""
            if one.status < 300:
                return f"{one.status} {one.text[:150]}"
            if told(one, foreign) != told(two, missing):
                return f"{one.status} {one.text[:150]} / {two.status} {two.text[:150]}"
            if statements == as_many:
                return ""
            work.append((statements, as_many))
        return f"statements tell them apart: {work}"


def allowed(route: Route, kind: str) -> bool:
    """Whether success reveals nothing: lists that omit foreign objects, and ids that are ignored."""
    sample = SAMPLES[route.service][route.operation]
    return bool(sample.accepts) if kind == "query and body" else route.open_to_all and not route.parameters


@pytest.fixture
async def untouched(platform: Platform, globex: Tenant) -> AsyncGenerator[None]:
    before = await rows_of(platform, globex)
    assert sum(map(len, before.values())) > 20
    yield
    after = await rows_of(platform, globex)
    assert {table: rows for table, rows in after.items() if rows != before[table]} == {}


async def rows_of(platform: Platform, tenant: Tenant) -> dict[str, list[str]]:
    """Every row about the tenant in the four databases, without columns that change by themselves."""
    found: dict[str, list[str]] = {}
    for service in SERVICES:
        async with platform.database(service) as database:
            columns = await database.fetch(
                "SELECT table_name, array_agg(column_name::text) AS names FROM information_schema.columns "
                "WHERE table_schema NOT IN ('pg_catalog', 'information_schema') GROUP BY table_name"
            )
            for table, names in columns:
                where = _belongs(table, set(names))
                if where:
                    rows = await database.fetch(
                        f"SELECT to_jsonb(t) - $1::text[] AS row FROM {table} t WHERE {where}",
                        sorted(_MOVES_BY_ITSELF), [str(tenant.account_id), str(tenant.model_id), str(tenant.instance_id)],
                    )  # fmt: skip
                    found[f"{service}.{table}"] = sorted(str(row["row"]) for row in rows)
    return found


def _belongs(table: str, columns: set[str]) -> str | None:
    """Condition on the account, or on its model or instance. $2 holds the three ids."""
    if table in _NOT_OF_TENANTS:
        return None
    for place, names in enumerate(
        (("account_id", "payer_account_id", "owner_account_id"), ("model_id",), ("instance_id",)), 1
    ):
        for name in names:
            if name in columns:
                return f"{name}::text = ($2::text[])[{place}]"
    return None


class TestNothingChanges:
    @pytest.mark.parametrize("how", ["session", "key", "lowest role"])
    async def test_hostile_requests_change_no_rows(
        self, platform: Platform, acme: Tenant, globex: Tenant, untouched: None, how: str
    ) -> None:
        routes = [route for route in all_routes() if route.method != "GET" and not route.is_a("OwnCredential")]
        headers = {"session": acme.owner.headers, "key": acme.key, "lowest role": globex.member.headers}[how]
        me = globex if how == "lowest role" else acme
        for route in routes:
            sample = SAMPLES[route.service][route.operation]
            if sample.anew or (how == "lowest role" and not changes_the_account(route)):
                continue
            own = request_for(route, me, path=acme, other=acme)
            for path, other in ((globex, acme), (globex, globex), (acme, globex)):
                request = request_for(route, me, path=path, other=other)
                if request != own:
                    await ask(platform, route, request, headers)


def changes_the_account(route: Route) -> bool:
    return any(word in policy for policy in route.policies for word in ("write", "DEVELOPER", "Superadmin", "Internal"))
