"""What the demo creates, and how long a start waits for its services."""

import asyncio
import json
import re
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from mlpcore.features.data_images.schemas import DataImageData
from mlpcore.features.server_templates.schemas import CreateUpdateServerTemplateData
from mlpcore.system_account import SYSTEM_ACCOUNT
from mlplace_runtime.internal_client import InternalClient
from mlplace_testing.http_server import answering
from standalone.demo.bootstrap_client import BootstrapClient
from standalone.demo.bucket_files import BUCKET_FILES
from standalone.demo.content import DEMO_USERS, SERVICES, DemoUser
from standalone.demo.datasets import DATASETS
from standalone.demo.russian import RUSSIAN, in_russian, translation_for, unchanged
from standalone.demo.server_templates import SERVER_TEMPLATES
from standalone.demo.setup import Demo
from standalone.demo.state import DemoState

_NAMES = [service.name for service in SERVICES if service.running]


def _platform(states: dict[str, list[str | None]]) -> AbstractContextManager[str]:
    """Answers each request for a model with its next state, the last one for ever; None: there is no such model."""

    def answer(path: str, _authorization: str, _body: bytes) -> tuple[int, bytes]:
        left = states[path.rpartition("/")[2]]
        state = left.pop(0) if len(left) > 1 else left[0]
        return 503 if state == "" else 404 if state is None else 200, json.dumps({"state": state}).encode()

    return answering(answer)


class TestWaitUntilRunning:
    @pytest.mark.parametrize("state", ["RUNNING", "INACTIVE", "REMOVING", "SLEEPING", None])
    async def test_waits_for_what_starts_and_for_nothing_else(self, tmp_path: Path, state: str | None) -> None:
        """A service that somebody has stopped must not delay each later start by a minute."""
        states: dict[str, list[str | None]] = {name: ["RUNNING"] for name in _NAMES}
        states[_NAMES[0]] = ["", "STARTING", "STARTING", state]
        with _platform(states) as address:
            demo = Demo(
                address=address,
                bootstrap_client=BootstrapClient(InternalClient({}, "token")),
                state_file=tmp_path / "demo.json",
                currency="RUBLE",
            )
            async with asyncio.timeout(60):
                await demo.wait_until_running(DemoState(api_key="key"))
        assert states[_NAMES[0]] == [state]


class _Bootstrap(BootstrapClient):
    """Has every user and account already."""

    def __init__(self) -> None:
        super().__init__(InternalClient({}, "token"))
        self.users: list[DemoUser] = []

    async def ensure_user(self, user: DemoUser, *, password: str) -> int:
        self.users.append(user)
        return 5

    async def configure_account(self, account_id: int, **_settings: object) -> None: ...

    async def refill(self, account_id: int, *, nano: int, currency: str) -> None: ...


_SAID = {"accountId": 5, "token": "key", "objects": [], "folders": []}
"""What the platform answers to everything else."""


class TestLanguage:
    @pytest.mark.parametrize(
        ("environment", "translate"),
        [
            ({"LANG": "ru_RU.UTF-8"}, in_russian),
            ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "ru"}, in_russian),
            ({"LANG": "ru_RU.UTF-8", "LC_ALL": ""}, in_russian),
            ({"LANG": "ru_RU.UTF-8", "LC_ALL": "C.UTF-8"}, unchanged),
            ({}, unchanged),
        ],
    )
    def test_the_demo_has_the_language_of_the_machine(self, environment: dict[str, str], translate: object) -> None:
        assert translation_for(environment) is translate

    def test_each_text_is_translated_or_russian_already(self) -> None:
        texts = [service.display_name for service in SERVICES] + [service.description for service in SERVICES]
        texts += [user.display_name for user in DEMO_USERS] + [dataset.description for dataset in DATASETS]
        texts += [text for template in SERVER_TEMPLATES for text in (template.name, template.description)]
        assert [text for text in texts if not re.search("[а-яё]", in_russian(text))] == []
        assert RUSSIAN.keys() <= set(texts)

    async def test_models_users_and_datasets_have_it(self, tmp_path: Path) -> None:
        sent: list[tuple[str, dict[str, str]]] = []

        def answer(path: str, _authorization: str, body: bytes) -> tuple[int, bytes]:
            if body.startswith(b"{"):
                sent.append((path.rpartition("/")[2], json.loads(body)))
            if path.endswith(("/image", "/example")):
                return 200, json.dumps({"records": [], "id": {"imageId": 1, "accountId": 5}}).encode()
            if "/model/" in path and not body:
                return 404, b"{}"
            return 409 if path.endswith("/dataset") else 200, json.dumps(_SAID).encode()

        bootstrap = _Bootstrap()
        with answering(answer) as address:
            demo = Demo(
                address=address,
                bootstrap_client=bootstrap,
                state_file=tmp_path / "demo.json",
                currency="RUBLE",
                services=SERVICES[:1],
                translate=in_russian,
            )
            await demo.ensure()
        (model,) = [body for path, body in sent if path == "model"]
        assert (model["displayName"], model["modelName"]) == ("Приветствие", "greeting")
        assert model["shortDescription"].startswith("Приветствует")
        assert [body["description"] for path, body in sent if path == "dataset"] == [
            in_russian(dataset.description) for dataset in DATASETS
        ]
        assert [user.display_name for user in bootstrap.users] == [in_russian(user.display_name) for user in DEMO_USERS]


class TestDataImages:
    @pytest.mark.parametrize("status", [200, 409])
    async def test_the_demo_has_one_that_everybody_sees_and_keeps_one_of_its_name(
        self, tmp_path: Path, status: int
    ) -> None:
        sent: list[bytes] = []

        def answer(path: str, _authorization: str, body: bytes) -> tuple[int, bytes]:
            if path.endswith("/data-image"):
                sent.append(body)
                return status, b"{}"
            if path.endswith("/dataset"):
                return 409, b"{}"
            return 200, json.dumps(_SAID).encode()

        with answering(answer) as address:
            file = tmp_path / "demo.json"
            demo = Demo(address=address, bootstrap_client=_Bootstrap(), state_file=file, currency="RUBLE", services=())
            assert (await demo.ensure()).api_key == "key"
        (body,) = sent
        made = DataImageData.model_validate_json(body)
        assert (made.name, made.access_mode) == ("time-zones", "public")


class TestServerTemplates:
    @pytest.mark.parametrize("status", [200, 409])
    async def test_the_platform_publishes_some_and_keeps_those_of_their_names(
        self, tmp_path: Path, status: int
    ) -> None:
        sent: list[tuple[str, bytes]] = []

        def answer(path: str, _authorization: str, body: bytes) -> tuple[int, bytes]:
            if path.endswith("/server/template"):
                sent.append((path, body))
                return status, b"{}"
            if path.endswith("/dataset"):
                return 409, b"{}"
            return 200, json.dumps(_SAID).encode()

        with answering(answer) as address:
            file = tmp_path / "demo.json"
            demo = Demo(address=address, bootstrap_client=_Bootstrap(), state_file=file, currency="RUBLE", services=())
            assert (await demo.ensure()).api_key == "key"
        made = [CreateUpdateServerTemplateData.model_validate_json(body) for _, body in sent]
        assert {path for path, _ in sent} == {f"/api/mlpcore/account/{SYSTEM_ACCOUNT}/server/template"}
        assert [template.name for template in made] == [template.name for template in SERVER_TEMPLATES]
        assert all(template.public_price == 0 and template.public_price_period for template in made)
        assert all(template.currency and template.capacity for template in made)


class TestBucketFiles:
    @pytest.mark.parametrize("folders", [[], [{"name": "own", "prefix": "own/"}]])
    async def test_the_demo_fills_an_empty_bucket(self, tmp_path: Path, folders: list[dict[str, str]]) -> None:
        sent: list[bytes] = []

        def answer(path: str, _authorization: str, body: bytes) -> tuple[int, bytes]:
            if path.endswith("/s3/content"):
                sent.append(body)
            if path.endswith(("/dataset", "/data-image")):
                return 409, b"{}"
            return 200, json.dumps({**_SAID, "folders": folders}).encode()

        with answering(answer) as address:
            file = tmp_path / "demo.json"
            demo = Demo(address=address, bootstrap_client=_Bootstrap(), state_file=file, currency="RUBLE", services=())
            await demo.ensure()
        assert sent == ([] if folders else [each.content.encode() for each in BUCKET_FILES])
