import uuid
from decimal import Decimal

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlpcore import registry
from mlpcore.quantities import bytes_of, milli_cpu_of, parse_quantity
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_contracts.events import InstanceConnected
from mlplace_testing.world import World

CONFIG = "/api/mlpcore/system-config"
DESCRIPTOR = """{"name": "Ner", "fittable": false, "schemaFiles": {"schema": "{}"}, "methods": {
    "predict": {"input": {"data": {"type": "T"}}, "output": {"type": "R"}},
    "ext": {}, "fit": {"input": {"train_data": {}}}}}"""


class TestSystemConfig:
    async def test_frontend_settings(self, client: httpx.AsyncClient, world: World) -> None:
        body = (await client.get(f"{CONFIG}/frontend-settings")).json()
        assert (body["currencyType"], body["isBillingEnabled"], body["isSystemAccount"]) == ("RUBLE", True, False)
        seen = await client.get(f"{CONFIG}/frontend-settings", headers=world.admin)
        assert seen.json()["isSystemAccount"] is True

    @pytest.mark.parametrize(
        ("environment", "given", "by_manager"),
        [
            ("development", None, False),
            ("production", None, True),
            ("production", "false", False),
            ("development", "true", True),
        ],
    )
    def test_manager_refills_in_production_unless_set(
        self, monkeypatch: pytest.MonkeyPatch, environment: str, given: str | None, by_manager: bool
    ) -> None:
        monkeypatch.setenv("MLP_ENVIRONMENT", environment)
        if given:
            monkeypatch.setenv("MLP_MLPCORE_REFILL_BY_MANAGER", given)
        url = "postgresql+asyncpg://mlpcore@localhost/mlpcore"
        assert MlpcoreSettings(database_url=url).refills_by_manager is by_manager

    @pytest.mark.parametrize(
        ("path", "expected"),
        [
            (f"{CONFIG}/captcha", {"enabled": False, "siteKey": ""}),
            ("/api/mlpcore/version", {"buildNumber": "0.1.0", "buildDate": "", "buildBranch": ""}),
        ],
    )
    async def test_captcha_and_version_are_fixed(self, client: httpx.AsyncClient, path: str, expected: object) -> None:
        assert (await client.get(path)).json() == expected

    async def test_enumerations_and_defaults_are_returned(self, client: httpx.AsyncClient) -> None:
        task_types = (await client.get(f"{CONFIG}/task-types")).json()
        assert {entry["name"] for entry in task_types} >= {"ner", "text2vec", "tts", "chat-completion", "file_base64"}
        assert "json/texts" in (await client.get(f"{CONFIG}/dataset-data-type")).json()
        defaults = (await client.get(f"{CONFIG}/model-defaults")).json()
        assert defaults["limits"]["memoryLimit"] == "500Mi"


class TestDescriptors:
    async def test_first_connection_sets_the_descriptor_and_the_owner_overrides_it(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        url = "/api/mlpcore/account/acme/model"
        made = (await client.post(url, json={"modelName": "m"}, headers=world.owner)).json()["id"]

        async def connect(text: str, account_id: int = 1000000001) -> None:
            event = InstanceConnected(
                instance_id=1, model_id=made["modelId"], account_id=account_id, gate="g", stream_id=uuid.uuid4(),
                occurred_at=state.clock.now(), hostname="h", sdk_version=2, image_name="", descriptor_json=text,
            )  # fmt: skip
            async with state.database.transaction() as session:
                consumer = next(
                    c for c in (make(state) for make in registry.CONSUMERS) if c.name == "mlpcore.descriptors"
                )
                await consumer.handle(session, [event])

        async def shown() -> dict[str, object]:
            answer: dict[str, object] = (await client.get(f"{url}/m/action-descriptor", headers=world.owner)).json()
            return answer

        for ignored in ("nonsense", "[]"):
            await connect(ignored)
        await connect(DESCRIPTOR, account_id=1000000002)
        assert (await shown())["methods"] == {}
        await connect(DESCRIPTOR)
        first = await shown()
        assert first["name"] == "Ner"
        assert list(first["methods"]) == ["predict"]  # type: ignore[call-overload]  # JSON of a known shape
        await connect(DESCRIPTOR.replace("Ner", "Other"))
        assert await shown() == first
        mine = first | {"name": "Mine"}
        await client.post(f"{url}/m/service-descriptor", json=mine, headers=world.owner)
        assert await shown() == mine


class TestQuantities:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("1", "1"),
            ("0.5", "0.5"),
            ("100m", "0.1"),
            ("1k", "1000"),
            ("1Ki", "1024"),
            ("8Gi", "8589934592"),
            ("1e3", "1000"),
        ],
    )
    def test_valid_quantity_is_read(self, text: str, value: str) -> None:
        assert parse_quantity(text) == Decimal(value)

    def test_quantities_are_rounded_up(self) -> None:
        assert (bytes_of("1500m"), milli_cpu_of("0.0001"), milli_cpu_of("2")) == (2, 1, 2000)

    @pytest.mark.parametrize(
        "text", ["", "0", "-1", "1 Gi", "1GiB", "Gi", "1e99", "9Ei9", "9999999Ei", "１", "nan", "1_0"]
    )
    def test_invalid_quantity_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match=r"quantity|positive|large"):
            parse_quantity(text)

    @given(st.text(max_size=40))
    def test_any_text_is_refused_or_a_positive_number_within_limits(self, text: str) -> None:
        try:
            value = parse_quantity(text)
        except ValueError:
            return
        assert 0 < value < 2**63
