"""Secrets do not leak. Runs last, after all hostile requests of this folder."""

import asyncio
import hashlib
import re
from pathlib import Path

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.security.callers import Cast, ask
from tests.security.hostile_requests import request_for
from tests.security.platform import ENVELOPE_KEY, HASH_SECRET, INTERNAL_TOKEN, SERVICES, Platform
from tests.security.routes import all_routes
from tests.security.samples import SAMPLES
from tests.security.tenants import PASSWORD, Person, Recipe, Tenant

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def canaries(recipe: Recipe, globex: Tenant, cast: Cast) -> list[str]:
    return [PASSWORD, INTERNAL_TOKEN, HASH_SECRET.decode(), ENVELOPE_KEY.hex(), *recipe.secrets]


class TestSecrets:
    async def test_logs_spans_and_tables_contain_none(
        self, platform: Platform, canaries: list[str], log_file: Path, spans: InMemorySpanExporter, globex: Tenant,
        acme: Tenant, admin: Person,
    ) -> None:  # fmt: skip
        assert len(canaries) > 20
        for route in all_routes():  # requests of the owner and of a stranger leave traces too
            if not SAMPLES[route.service][route.operation].anew and route.method == "GET":
                for headers in (globex.owner.headers, globex.key, acme.key, admin.headers):
                    await ask(platform, route, request_for(route, globex), headers)
        places = {
            "log": await asyncio.to_thread(log_file.read_text),
            "spans": "\n".join(span.to_json() for span in spans.get_finished_spans()),
        }
        assert len(places["spans"]) > 1_000
        for service in SERVICES:
            places |= await tables(platform, service)
        assert any("outbox" in place for place in places)
        found = {(place, secret[:12]) for place, text in places.items() for secret in canaries if secret in text}
        assert found == set()

    async def test_no_answer_contains_a_stored_secret(
        self, platform: Platform, globex: Tenant, admin: Person, cast: Cast
    ) -> None:
        """Not to the owner, members, read-only keys, administrators or strangers."""
        planted = re.compile(rf"canary-[a-z-]+-{globex.name}")
        shown = []
        for route in all_routes():
            if route.method != "GET" or route.inside:
                continue
            for headers in (globex.owner.headers, globex.member.headers, globex.key, cast.read_key, admin.headers, {}):
                answer = await ask(platform, route, request_for(route, globex), headers)
                if found := planted.findall(answer.text):
                    shown.append((route.name, found))
        assert shown == []

    async def test_a_password_is_stored_only_as_a_slow_hash(self, platform: Platform, globex: Tenant) -> None:
        async with platform.database("accountsadmin") as database:
            stored = await database.fetchval("SELECT password_hash FROM users WHERE id = $1", globex.owner.user_id)
        assert str(stored).startswith("$argon2id$")

    async def test_no_answer_contains_a_password_hash(self, platform: Platform, globex: Tenant, admin: Person) -> None:
        async with platform.database("accountsadmin") as database:
            rows = await database.fetch("SELECT password_hash FROM users")
            sessions = await database.fetch("SELECT token_hash FROM sessions")
        hashes = [str(row[0]) for row in (*rows, *sessions)]
        assert rows
        assert sessions
        shown = []
        for route in all_routes():
            if route.method != "GET" or route.inside:
                continue
            for headers in (globex.owner.headers, admin.headers):
                answer = await ask(platform, route, request_for(route, globex), headers)
                if "argon2" in answer.text or any(stored in answer.text for stored in hashes):
                    shown.append(route.name)
        assert shown == []

    async def test_no_plain_digest_of_a_secret_is_stored(self, platform: Platform, canaries: list[str]) -> None:
        """A copy of the tables must not allow guesses to be checked without the installation's hash secret."""
        digests = {
            hashlib.new(name, secret.encode()).hexdigest() for name in ("md5", "sha1", "sha256") for secret in canaries
        }
        for service in SERVICES:
            for place, text in (await tables(platform, service)).items():
                assert not [digest for digest in digests if digest in text], place


async def tables(platform: Platform, service: str) -> dict[str, str]:
    """Every row of every table as text."""
    async with platform.database(service) as database:
        names = await database.fetch(
            "SELECT format('%I.%I', table_schema, table_name) FROM information_schema.tables "
            "WHERE table_schema NOT IN ('pg_catalog', 'information_schema')"
        )
        return {
            f"{service}.{name}": "\n".join(str(row[0]) for row in await database.fetch(f"SELECT t::text FROM {name} t"))
            for (name,) in names
        }
