"""Templates of servers: an account's own ones, and those that the platform has published."""

import asyncio
from typing import Any

import httpx
import pytest

from mlpcore.state import CoreState
from mlplace_contracts.enums import KeyPermission
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

CORE = "/api/mlpcore/account"
TEMPLATES = f"{CORE}/acme/server/template"
PLATFORM = f"{CORE}/1/server/template"
GROUP = f"{CORE}/acme/resource-groups/mine"
YAML = "provider: hosting_server\nlabels: {zone: a}\nmaxInstances: 3\n"
CAPACITY = {"cpu": "4", "memory": "8Gi", "disk": "100Gi", "gpuModels": []}
WHOLE = {
    "name": "Small one",
    "type": "HOSTING_SERVER",
    "description": "for tests",
    "rawConfiguration": YAML,
    "capacity": {"cpu": "4", "memory": "8Gi", "disk": "100Gi", "gpuModels": ["A100", "A100"]},
    "tarifficationPrice": 1.000000001,
    "tarifficationPeriod": "HOUR",
    "costPrice": 0.5,
    "internalTemplateName": "vendor-4x8",
    "username": "root",
    "publicPrice": None,
    "publicPricePeriod": None,
    "currency": "RUBLE",
}
PUBLIC = {"publicPrice": 7, "publicPricePeriod": "DAY"}


async def make(
    client: httpx.AsyncClient, headers: dict[str, str], url: str = TEMPLATES, **fields: object
) -> httpx.Response:
    return await client.post(url, json={**WHOLE, **fields}, headers=headers)


async def made(
    client: httpx.AsyncClient, headers: dict[str, str], url: str = TEMPLATES, **fields: object
) -> dict[str, Any]:
    answer = await make(client, headers, url, **fields)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def read(client: httpx.AsyncClient, headers: dict[str, str], url: str) -> Any:
    answer = await client.get(url, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def named(client: httpx.AsyncClient, headers: dict[str, str], url: str) -> list[str]:
    return [template["name"] for template in await read(client, headers, url)]


@pytest.fixture
async def group(client: httpx.AsyncClient, world: World) -> str:
    answer = await client.post(f"{CORE}/acme/resource-groups", json={"name": "mine"}, headers=world.owner)
    assert answer.status_code == 200, answer.text
    return GROUP


class TestCreate:
    async def test_owner_reads_back_all_that_was_sent(self, client: httpx.AsyncClient, world: World) -> None:
        shown = await made(client, world.owner)
        assert {name: shown[name] for name in WHOLE} == WHOLE
        assert shown["ownerId"] == world.acme.account_id
        assert await read(client, world.owner, TEMPLATES) == [shown]

    async def test_little_is_enough(self, client: httpx.AsyncClient, world: World) -> None:
        body = {"name": "least", "type": "HOSTING_SERVER", "rawConfiguration": YAML}
        answer = await client.post(TEMPLATES, json=body, headers=world.owner)
        assert answer.status_code == 200, answer.text
        shown = answer.json()
        assert (shown["description"], shown["tarifficationPrice"], shown["capacity"]) == ("", 0, None)

    @pytest.mark.parametrize(
        ("fields", "path"),
        [({"name": ""}, "name"), ({"name": "  "}, "name"), ({"name": "x" * 65}, "name"), ({"name": "a\nb"}, "name"),
         ({"type": "DOCKER"}, "type"), ({"type": "KUBERNETES"}, "type"), ({"type": "VAST_AI"}, "type"),
         ({"type": "SHARED_RESOURCE_QUOTA"}, "type"), ({"type": "other"}, "type"),
         ({"rawConfiguration": "provider: other"}, "rawConfiguration.provider"),
         ({"rawConfiguration": "a: &b 1\nc: *b"}, "rawConfiguration"), ({"rawConfiguration": "x" * 70_000}, "rawConfiguration"),
         ({"capacity": {**CAPACITY, "cpu": "many"}}, "capacity.cpu"), ({"capacity": {**CAPACITY, "memory": "0"}}, "capacity.memory"),
         ({"capacity": {"cpu": "1"}}, "capacity.memory"), ({"capacity": {**CAPACITY, "gpuModels": ["x"] * 65}}, "capacity.gpuModels"),
         ({"tarifficationPrice": -1}, "tarifficationPrice"), ({"costPrice": 10**9}, "costPrice"),
         ({"tarifficationPeriod": "WEEK"}, "tarifficationPeriod"), ({"currency": "EURO"}, "currency"),
         ({"username": "x" * 129}, "username"), ({"description": "x" * 1025}, "description"), ({"more": 1}, "more")],
    )  # fmt: skip
    async def test_invalid_field_is_refused(
        self, client: httpx.AsyncClient, world: World, fields: dict[str, object], path: str
    ) -> None:
        refused = await make(client, world.owner, **fields)  # type: ignore[arg-type]  # a body that is wrong on purpose
        assert (refused.status_code, refused.json()["code"]) == (400, "mlp.core.validation_error")
        assert path in refused.json()["args"], refused.text

    @pytest.mark.parametrize("kind", ["DOCKER", "VAST_AI"])
    async def test_type_without_a_provider_is_named(self, client: httpx.AsyncClient, world: World, kind: str) -> None:
        refused = await make(client, world.owner, type=kind)
        assert [violation["rule"] for violation in refused.json()["violations"]] == ["hosting_only"]

    async def test_concurrent_creations_with_one_name_succeed_once(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        answers = await asyncio.gather(*(make(client, world.owner) for _ in range(4)))
        assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
        refused = next(answer for answer in answers if answer.status_code == 409).json()
        assert refused["code"] == "mlp.core.name_already_exists"
        assert refused["args"] == {"entity": "a server template", "name": "Small one"}
        await made(client, world.stranger, f"{CORE}/globex/server/template")

    async def test_concurrent_creations_do_not_exceed_the_limit(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        object.__setattr__(state.settings, "server_templates_per_account", 3)
        answers = await asyncio.gather(*(make(client, world.owner, name=f"t{n}") for n in range(6)))
        assert sorted(answer.status_code for answer in answers) == [200] * 3 + [403] * 3
        refused = next(answer for answer in answers if answer.status_code == 403).json()
        assert refused["code"] == "mlp.core.server_template_limit_exceeded"
        assert refused["args"] == {"limit": "3", "used": "3"}


class TestChange:
    async def test_update_replaces_the_whole(self, client: httpx.AsyncClient, world: World) -> None:
        first = await made(client, world.owner)
        body = {"name": "other", "type": "HOSTING_SERVER", "rawConfiguration": "provider: hosting_server"}
        answer = await client.post(f"{TEMPLATES}/{first['id']}", json=body, headers=world.owner)
        assert answer.status_code == 200, answer.text
        shown = answer.json()
        assert (shown["id"], shown["name"]) == (first["id"], "other")
        assert (shown["costPrice"], shown["capacity"], shown["username"]) == (None, None, None)
        assert await read(client, world.owner, TEMPLATES) == [shown]

    async def test_invalid_or_taken_values_change_nothing(self, client: httpx.AsyncClient, world: World) -> None:
        first = await made(client, world.owner)
        await made(client, world.owner, name="taken")
        path = f"{TEMPLATES}/{first['id']}"
        assert (await make(client, world.owner, path, name="taken")).status_code == 409
        assert (await make(client, world.owner, path, rawConfiguration="{")).status_code == 400
        assert (await read(client, world.owner, TEMPLATES))[0] == first

    async def test_deleted_one_is_gone(self, client: httpx.AsyncClient, world: World) -> None:
        path = f"{TEMPLATES}/{(await made(client, world.owner))['id']}"
        assert (await client.delete(path, headers=world.owner)).status_code == 200
        assert await read(client, world.owner, TEMPLATES) == []
        assert (await client.delete(path, headers=world.owner)).status_code == 404
        assert (await make(client, world.owner, path)).status_code == 404


class TestPublic:
    async def test_others_see_a_published_template_without_what_is_the_platforms_own(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        mine = await made(client, world.admin, PLATFORM, **PUBLIC)
        assert (mine["costPrice"], mine["username"], mine["tarifficationPrice"]) == (0.5, "root", 1.000000001)
        (shown,) = await read(client, world.owner, f"{TEMPLATES}/public")
        assert (shown["id"], shown["ownerId"], shown["publicPrice"]) == (mine["id"], 1, 7)
        assert (shown["tarifficationPrice"], shown["tarifficationPeriod"]) == (7, "DAY")
        assert (shown["costPrice"], shown["username"], shown["internalTemplateName"]) == (None, None, None)
        assert "1.000000001" not in str(shown)
        assert await read(client, world.owner, TEMPLATES) == []

    async def test_without_a_public_price_nobody_else_sees_it(self, client: httpx.AsyncClient, world: World) -> None:
        mine = await made(client, world.admin, PLATFORM)
        assert await read(client, world.owner, f"{TEMPLATES}/public") == []
        path = f"{TEMPLATES}/{mine['id']}/availability"
        assert (await client.get(path, headers=world.owner)).status_code == 404
        await made(client, world.admin, f"{PLATFORM}/{mine['id']}", **{**PUBLIC, "publicPrice": 0})
        assert await named(client, world.owner, f"{TEMPLATES}/public") == ["Small one"]
        assert (await client.get(path, headers=world.owner)).status_code == 200

    async def test_lists_one_type_or_all(self, client: httpx.AsyncClient, world: World) -> None:
        await made(client, world.admin, PLATFORM, **PUBLIC)
        public = f"{TEMPLATES}/public?groupType="
        assert await named(client, world.owner, f"{public}HOSTING_SERVER") == ["Small one"]
        assert await named(client, world.owner, f"{public}VAST_AI") == []
        refused = await client.get(f"{public}other", headers=world.owner)
        assert (refused.status_code, list(refused.json()["args"])) == (400, ["groupType"])

    async def test_only_the_platform_publishes(self, client: httpx.AsyncClient, world: World) -> None:
        refused = await make(client, world.owner, **PUBLIC)
        assert (refused.status_code, list(refused.json()["args"])) == (400, ["publicPrice"])
        for headers in (world.owner, world.user):
            answer = await make(client, headers, PLATFORM, **PUBLIC)
            assert (answer.status_code, answer.json()["code"]) == (403, "account.access.denied")

    async def test_public_price_needs_period_and_currency(self, client: httpx.AsyncClient, world: World) -> None:
        refused = await make(client, world.admin, PLATFORM, publicPrice=1, currency=None)
        assert (refused.status_code, sorted(refused.json()["args"])) == (400, ["currency", "publicPricePeriod"])


class TestAvailability:
    async def test_hosting_servers_have_no_bound(self, client: httpx.AsyncClient, world: World) -> None:
        own = (await made(client, world.owner))["id"]
        public = (await made(client, world.admin, PLATFORM, **PUBLIC))["id"]
        for number in (own, public):
            found = await read(client, world.owner, f"{TEMPLATES}/{number}/availability")
            assert found == {"available": True, "serversCount": None}

    async def test_foreign_template_is_like_a_missing_one(self, client: httpx.AsyncClient, world: World) -> None:
        foreign = (await made(client, world.stranger, f"{CORE}/globex/server/template"))["id"]
        answers = [
            await client.get(f"{TEMPLATES}/{number}/availability", headers=world.owner) for number in (foreign, 999_999)
        ]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].json()["args"] == answers[1].json()["args"]


class TestOfGroup:
    async def test_own_ones_come_first(self, client: httpx.AsyncClient, world: World, group: str) -> None:
        await made(client, world.admin, PLATFORM, name="a public one", **PUBLIC)
        await made(client, world.admin, PLATFORM, name="not published")
        await made(client, world.owner, name="my own")
        await made(client, world.stranger, f"{CORE}/globex/server/template", name="foreign")
        url = f"{group}/server/template"
        assert await named(client, world.owner, url) == ["my own", "a public one"]
        (_, public) = await read(client, world.owner, url)
        assert (public["costPrice"], public["username"]) == (None, None)

    async def test_group_must_be_the_accounts_own(self, client: httpx.AsyncClient, world: World) -> None:
        for name in ("missing", "default"):
            answer = await client.get(f"{CORE}/acme/resource-groups/{name}/server/template", headers=world.owner)
            assert (answer.status_code, answer.json()["code"]) == (404, "mlp.core.not_found")


class TestServers:
    """Servers that are made from a template."""

    async def add(self, client: httpx.AsyncClient, headers: dict[str, str], **fields: object) -> httpx.Response:
        return await client.post(f"{GROUP}/server", json={"serverName": "s1", **fields}, headers=headers)

    async def added(self, client: httpx.AsyncClient, headers: dict[str, str], **fields: object) -> dict[str, Any]:
        answer = await self.add(client, headers, **fields)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    @pytest.mark.usefixtures("group")
    async def test_takes_configuration_description_and_prices(self, client: httpx.AsyncClient, world: World) -> None:
        number = (await made(client, world.owner))["id"]
        server = await self.added(client, world.owner, templateId=number)
        assert (server["rawConfiguration"], server["description"], server["templateId"]) == (YAML, "for tests", number)
        assert (server["tarifficationPrice"], server["tarifficationPeriod"]) == (1.000000001, "HOUR")
        assert (server["costPrice"], server["currency"]) == (0.5, "RUBLE")
        assert server["templateCapacity"] == WHOLE["capacity"]
        (use,) = (await read(client, world.owner, f"{GROUP}/capacity"))["servers"]
        assert use["maxInstances"] == 3

    @pytest.mark.usefixtures("group")
    async def test_of_a_public_one_gets_the_public_price_and_no_cost(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        number = (await made(client, world.admin, PLATFORM, **PUBLIC))["id"]
        server = await self.added(client, world.owner, templateId=number)
        assert (server["tarifficationPrice"], server["tarifficationPeriod"], server["costPrice"]) == (7, "DAY", None)
        assert "root" not in str(server)
        assert "vendor" not in str(server)

    @pytest.mark.usefixtures("group")
    async def test_what_the_request_says_counts_first(self, client: httpx.AsyncClient, world: World) -> None:
        number = (await made(client, world.owner))["id"]
        own = {"rawConfiguration": "provider: hosting_server\ndescription: mine", "costPrice": 3}
        server = await self.added(client, world.owner, templateId=number, tarifficationPrice=0, **own)
        assert (server["rawConfiguration"], server["description"]) == (own["rawConfiguration"], "mine")
        assert (server["tarifficationPrice"], server["tarifficationPeriod"], server["costPrice"]) == (0, None, 3)

    @pytest.mark.usefixtures("group")
    async def test_empty_configuration_is_that_of_the_template(self, client: httpx.AsyncClient, world: World) -> None:
        number = (await made(client, world.owner))["id"]
        server = await self.added(client, world.owner, templateId=number, rawConfiguration="")
        assert server["rawConfiguration"] == YAML

    @pytest.mark.usefixtures("group")
    async def test_keeps_what_it_took_when_the_template_changes_and_ends(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        number = (await made(client, world.owner))["id"]
        await self.added(client, world.owner, templateId=number)
        before = await read(client, world.owner, f"{GROUP}/server")
        await made(client, world.owner, f"{TEMPLATES}/{number}", tarifficationPrice=99, capacity=None)
        assert (await client.delete(f"{TEMPLATES}/{number}", headers=world.owner)).status_code == 200
        assert await read(client, world.owner, f"{GROUP}/server") == before
        assert before[0]["templateId"] == number

    @pytest.mark.usefixtures("group")
    async def test_foreign_and_unpublished_templates_are_like_missing_ones(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        foreign = (await made(client, world.stranger, f"{CORE}/globex/server/template"))["id"]
        hidden = (await made(client, world.admin, PLATFORM))["id"]
        for number in (foreign, hidden, 999_999):
            refused = await self.add(client, world.owner, templateId=number, rawConfiguration=YAML)
            assert (refused.status_code, refused.json()["args"]) == (400, {"templateId": "not found"})
        assert await read(client, world.owner, f"{GROUP}/server") == []

    @pytest.mark.usefixtures("group")
    async def test_needs_a_configuration_or_a_template(self, client: httpx.AsyncClient, world: World) -> None:
        refused = await self.add(client, world.owner)
        assert (refused.status_code, refused.json()["args"]) == (400, {"rawConfiguration": "is required"})
        server = await self.added(client, world.owner, rawConfiguration=YAML)
        assert (server["templateId"], server["templateCapacity"], server["currency"]) == (None, None, None)


class TestOfModel:
    @pytest.fixture
    async def model(self, client: httpx.AsyncClient, publisher: World) -> str:
        """A model whose instances need 1 core, 2 GiB of memory and 10 GiB of disk."""
        limits = {"cpuRequest": "1", "memoryLimit": "2Gi", "ephemeralDiskLimit": "10Gi"}
        body = {"modelName": "m", "hostingType": "HOSTING_SERVER", "resourceLimits": limits}
        answer = await client.post(f"{CORE}/acme/model", json=body, headers=publisher.owner)
        assert answer.status_code == 200, answer.text
        return f"{CORE}/acme/model/m"

    async def limit(self, client: httpx.AsyncClient, world: World, model: str, **limits: object) -> None:
        needed = {"cpuRequest": "1", "memoryLimit": "2Gi", "ephemeralDiskLimit": "10Gi", **limits}
        answer = await client.post(model, json={"modelName": "m", "resourceLimits": needed}, headers=world.owner)
        assert answer.status_code == 200, answer.text

    async def fits(
        self, client: httpx.AsyncClient, world: World, model: str, count: int | None = None, **template: object
    ) -> bool:
        """Whether a template with these values is listed; it is deleted then."""
        number = (await made(client, world.owner, **{**WHOLE, "capacity": CAPACITY, **template}))["id"]
        query = "" if count is None else f"?count={count}"
        listed = await read(client, world.owner, f"{model}/templates{query}")
        assert (await client.delete(f"{TEMPLATES}/{number}", headers=world.owner)).status_code == 200
        return [found["id"] for found in listed] == [number]

    @pytest.mark.parametrize(
        ("amount", "enough", "little"),
        [("cpu", "4", "3999m"), ("memory", "8Gi", "8191Mi"), ("disk", "40Gi", "40959Mi"), ("memory", "8589934592", "8589934591")],
    )  # fmt: skip
    async def test_each_amount_must_suffice_for_all_instances(
        self, client: httpx.AsyncClient, publisher: World, model: str, amount: str, enough: str, little: str
    ) -> None:
        open_ended = "provider: hosting_server"
        for value, fits in ((enough, True), (little, False)):
            capacity = {**CAPACITY, amount: value}
            found = await self.fits(client, publisher, model, 4, capacity=capacity, rawConfiguration=open_ended)
            assert found is fits

    async def test_counts_one_unless_asked_for_more(
        self, client: httpx.AsyncClient, publisher: World, model: str
    ) -> None:
        assert await self.fits(client, publisher, model)
        assert await self.fits(client, publisher, model, 3)
        assert not await self.fits(client, publisher, model, 4)  # maxInstances of the configuration
        for count in (0, 1001, 2**40):
            refused = await client.get(f"{model}/templates?count={count}", headers=publisher.owner)
            assert (refused.status_code, list(refused.json()["args"])) == (400, ["count"])
        assert await read(client, publisher.owner, f"{model}/templates?count=1000") == []

    async def test_without_a_capacity_it_is_not_listed(
        self, client: httpx.AsyncClient, publisher: World, model: str
    ) -> None:
        assert not await self.fits(client, publisher, model, capacity=None)

    async def test_labels_of_the_configuration_count(
        self, client: httpx.AsyncClient, publisher: World, model: str
    ) -> None:
        await self.limit(client, publisher, model, serverLabels={"zone": "a"})
        assert await self.fits(client, publisher, model)
        assert not await self.fits(client, publisher, model, rawConfiguration="provider: hosting_server")

    async def test_each_instance_needs_gpus_of_its_models(
        self, client: httpx.AsyncClient, publisher: World, model: str
    ) -> None:
        two = {"capacity": {**CAPACITY, "gpuModels": ["A100", "a100", "T4"]}}
        await self.limit(client, publisher, model, gpuRequested=True, gpuModels=["a100"])
        assert [await self.fits(client, publisher, model, count, **two) for count in (1, 2, 3)] == [True, True, False]
        assert not await self.fits(client, publisher, model)
        await self.limit(client, publisher, model, gpuRequested=True, gpuMemoryLimitMb=1000)
        assert [await self.fits(client, publisher, model, count, **two) for count in (3, 4)] == [True, False]

    async def test_the_cheapest_comes_first(self, client: httpx.AsyncClient, publisher: World, model: str) -> None:
        for name, price, period in (
            ("dear", 5, "MINUTE"), ("per day", 24, "DAY"), ("per hour", 1.5, "HOUR"), ("no period", 0.1, None), ("free", 0, None),
        ):  # fmt: skip
            await made(client, publisher.owner, name=name, tarifficationPrice=price, tarifficationPeriod=period)
        await made(client, publisher.admin, PLATFORM, name="public", publicPrice=30, publicPricePeriod="DAY")
        await made(client, publisher.admin, PLATFORM, name="hidden")
        found = await named(client, publisher.owner, f"{model}/templates")
        assert found == ["free", "per day", "public", "per hour", "dear", "no period"]
        (public,) = [t for t in await read(client, publisher.owner, f"{model}/templates") if t["name"] == "public"]
        assert (public["costPrice"], public["username"]) == (None, None)

    async def test_missing_model_and_limited_key_are_refused(
        self, client: httpx.AsyncClient, publisher: World, model: str, identities: Identities
    ) -> None:
        missing = await client.get(f"{CORE}/acme/model/nothing/templates", headers=publisher.owner)
        assert missing.status_code == 404
        number = (await read(client, publisher.owner, model))["id"]["modelId"]
        narrow = identities.api_key(publisher.acme, allowed_models=(number,))
        assert (await client.get(f"{model}/templates", headers=narrow)).status_code == 403
        assert (await client.get(f"{model}/templates", headers=publisher.user)).status_code == 403


class TestAccess:
    async def test_only_developers_of_the_account(
        self, client: httpx.AsyncClient, world: World, identities: Identities, group: str
    ) -> None:
        number = (await made(client, world.owner))["id"]
        reader = identities.api_key(world.acme, permissions=[KeyPermission.READ])
        narrow = identities.api_key(world.acme, allowed_models=(1,))
        reads = [TEMPLATES, f"{TEMPLATES}/public", f"{TEMPLATES}/{number}/availability", f"{group}/server/template"]
        for headers, may_read, may_write in (
            (reader, 200, 403), (narrow, 403, 403), (world.user, 403, 403), (world.stranger, 403, 403), ({}, 401, 401),
        ):  # fmt: skip
            assert {(await client.get(url, headers=headers)).status_code for url in reads} == {may_read}
            assert (await make(client, headers, name="n")).status_code == may_write
            assert (await make(client, headers, f"{TEMPLATES}/{number}")).status_code == may_write
            assert (await client.delete(f"{TEMPLATES}/{number}", headers=headers)).status_code == may_write
        assert [found["id"] for found in await read(client, world.owner, TEMPLATES)] == [number]

    async def test_foreign_template_is_not_found_in_the_own_account(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        foreign = (await made(client, world.stranger, f"{CORE}/globex/server/template"))["id"]
        public = (await made(client, world.admin, PLATFORM, **PUBLIC))["id"]
        for number in (foreign, public, 999_999):
            changed = await make(client, world.owner, f"{TEMPLATES}/{number}")
            deleted = await client.delete(f"{TEMPLATES}/{number}", headers=world.owner)
            assert (changed.status_code, deleted.status_code) == (404, 404)
            assert changed.json()["args"] == {"entity": "server template"}
        assert await named(client, world.stranger, f"{CORE}/globex/server/template") == ["Small one"]
