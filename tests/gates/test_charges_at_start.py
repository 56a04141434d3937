"""What calls cost that come to a gate that is starting: another gate serves some of them, the others are refused."""

import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from itertools import count

import aiohttp
import grpc
import httpx
import pytest

from mlplace_contracts.events import InstanceChanged
from mlplace_gateproto import codes
from mlplace_gateproto.gate_pb2_grpc import GateStub
from mlplace_kit.clock import SystemClock
from mlplace_kit.credentials import KeyedHasher, new_credential
from mlplace_kit.passes import PagePass
from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer
from mlplace_testing.identities import Identities
from mlplace_testing.waiting import eventually
from tests.crashes.billing_records import BillingRecords
from tests.crashes.installation import MODEL, OWNER, PAYER, SECRET, Gate
from tests.gates.conftest import OpensPlatform
from tests.settlement.entries import BACKGROUND, FAILING, KEYED, STREAMING
from tests.settlement.installation import identity_app
from tests.settlement.instance import Instance, Turn
from tests.settlement.paths import PREDICT, Path
from tests.settlement.scripts import answers
from tests.settlement.ways import WAYS, Rpc, metadata_of, over_http, request_of, streamed

_PRICE, _MONEY = 1000, 10**6
_PATIENCE = 60.0
_HASHER = KeyedHasher(bytes.fromhex(SECRET))
_IN_ANY_FORM = json.dumps({
    "choices": [{"index": 0, "message": {"content": "hi"}}], "data": [], "audio_base64": "AAAA", "text": "hi",
    "alternatives": [{"text": "hi"}],
})  # fmt: skip
_CALLS: Mapping[str, Path | Rpc] = {
    **{name: WAYS[name] for name in FAILING},
    **{f"{name}, streamed": streamed(name) for name in STREAMING},
}
_FINDING_MODELS = ("openaiCompletions", "openaiEmbeddings", "openaiTranscriptions")
"""Adapters that find their model before they call it."""
_REFUSED = {name: way for name, way in _CALLS.items() if name.startswith(_FINDING_MODELS)}
_SERVED = {name: way for name, way in _CALLS.items() if name not in _REFUSED}
_OF_A_FORM = ("openaiChatCompletions", "openaiImages", "openaiSpeech", "tts", "processSynthesis", "processRecognition")
"""Entries whose answers have a form of their own."""


async def _in_any_form(turn: Turn) -> None:
    await turn.answer(_IN_ANY_FORM)


@dataclass
class Starting:
    """A gate without the bus, beside one that has read all topics. The model's only instance is connected to the latter."""

    gate: Gate
    serving: Gate
    records: BillingRecords
    instance: Instance
    key: str
    owner: int = OWNER
    model: int = MODEL
    numbers: "count[int]" = field(default_factory=lambda: count(1))

    async def refusal(self, way: Path | Rpc) -> tuple[int, str]:
        """Calls the gate that is starting. Returns the status and the code of the error; 200 and nothing without one."""
        if isinstance(way, Path):
            answer = await self.post(way, self.gate)
            return answer.status_code, _code_in(answer)
        async with grpc.aio.insecure_channel(self.gate.grpc) as channel:
            code, status = await way(GateStub(channel), self, {})
        return status or 200, code

    async def post(self, way: Path, gate: Gate, **headers: str) -> httpx.Response:
        """Uses the payer's key. `headers` have underscores for hyphens."""
        url = way.url(gate.process.url, self.owner, self.model)
        named = {"MLP-API-KEY": self.key, **{name.replace("_", "-"): value for name, value in headers.items()}}
        async with httpx.AsyncClient(timeout=_PATIENCE, trust_env=False) as client:
            return await client.request(way.method, url, headers=named, **way.content(self.owner, self.model))

    async def charges(self) -> list[int]:
        """Returns what each call was charged until now. mlpbilling charges the usage of a payer in its order."""
        last = f"last-{next(self.numbers)}"
        self.instance.script = answers
        assert (await self.post(PREDICT, self.serving, Z_requestId=last)).status_code == httpx.codes.OK
        await eventually(self.records.request_ids, until=lambda found: last in found, seconds=_PATIENCE)
        return [*(await self.records.charged()).values()]


def _code_in(answer: httpx.Response) -> str:
    """The code of the error, also at the end of a stream; empty when there is none."""
    if answer.is_success:
        return codes.INTERNAL_ERROR if codes.INTERNAL_ERROR in answer.text else ""
    body = answer.json()
    return body.get("error", body)["code"]


@pytest.fixture(scope="module")
async def core() -> AsyncGenerator[str]:
    """The address of an mlpcore that knows no keys: without an answer of it each call would be refused with 503."""
    listener = listen("127.0.0.1", 0)
    server = HttpServer(identity_app(Identities(_HASHER, SystemClock())), listener)
    await server.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    await server.stop()


@pytest.fixture(scope="module")
async def starting(open_platform: OpensPlatform, core: str) -> AsyncGenerator[Starting]:
    async with open_platform(charges=True) as platform:
        installation = platform.installation
        await installation.billing().start()
        await installation.refill(PAYER, _MONEY)
        key = await installation.publish_model(price_nano=_PRICE)
        serving, gate = installation.gate(), installation.gate(start_seconds="0.2")
        await serving.process.start()
        token = new_credential(account_id=OWNER, object_id=MODEL).text
        await installation.publish(
            InstanceChanged(
                version=1, instance_id=1, model_id=MODEL, account_id=OWNER, token_hash=_HASHER.digest(token),
                accepts_connections=True,
            )
        )  # fmt: skip
        instance = Instance(serving.grpc, token, answers)
        await instance.connected()
        gate.process.environment |= {"MLP_BUS": "kafka://127.0.0.1:9", "MLP_MLPCORE_URL": core}
        await gate.process.start("/health/live")
        async with installation.billing_records() as records:
            made = Starting(gate, serving, records, instance, key)
            await eventually(lambda: made.refusal(PREDICT), until=lambda found: found == (200, ""), seconds=_PATIENCE)
            yield made
        await instance.close()


class TestServedByAnotherGate:
    @pytest.mark.parametrize("name", _SERVED)
    async def test_call_is_charged_once(self, starting: Starting, name: str) -> None:
        before, asked = len(await starting.charges()), len(starting.instance.turns)
        starting.instance.script = _in_any_form
        assert await starting.refusal(_SERVED[name]) == (200, "")
        assert len(starting.instance.turns) == asked + 1
        # The last one is of `charges` itself.
        assert (await starting.charges())[before:] == [_PRICE, _PRICE]

    @pytest.mark.parametrize("name", _OF_A_FORM)
    async def test_answer_without_the_form_of_its_entry_is_charged_though_it_fails(
        self, starting: Starting, name: str
    ) -> None:
        before = len(await starting.charges())
        assert await starting.refusal(_SERVED[name]) == (502, codes.INTERNAL_ERROR)
        assert (await starting.charges())[before:] == [_PRICE, _PRICE]


class TestRefused:
    """Each test refuses calls of the gate that is starting: nothing reaches the instance, and nothing is charged."""

    @pytest.fixture(autouse=True)
    async def nothing_charged(self, starting: Starting) -> AsyncGenerator[None]:
        before, asked = len(await starting.charges()), len(starting.instance.turns)
        yield
        assert len(starting.instance.turns) == asked
        assert (await starting.charges())[before:] == [_PRICE]
        assert starting.gate.on_the_disk == 0

    async def _refused(self, starting: Starting, way: Path, **headers: str) -> None:
        answer = await starting.post(way, starting.gate, **headers)
        assert (answer.status_code, _code_in(answer)) == (503, "mlp.core.unavailable")
        assert answer.headers["Retry-After"] == "1"

    @pytest.mark.parametrize("name", _REFUSED)
    async def test_adapter_that_finds_its_model(self, starting: Starting, name: str) -> None:
        way = _REFUSED[name]
        assert isinstance(way, Path)
        await self._refused(starting, way)

    async def test_calls_with_an_idempotency_key(self, starting: Starting) -> None:
        for name in KEYED:
            if isinstance(way := WAYS[name], Path):
                await self._refused(starting, way, Idempotency_Key="once")

    async def test_call_with_an_idempotency_key_over_grpc(self, starting: Starting) -> None:
        async with grpc.aio.insecure_channel(starting.gate.grpc) as channel:
            metadata = metadata_of({"Idempotency_Key": "once"})
            answer = await GateStub(channel).process(request_of(starting), metadata=metadata)
        assert (answer.error.status, answer.error.code) == (503, "mlp.core.unavailable")
        assert answer.headers["Retry-After"] == "1"

    async def test_predictions(self, starting: Starting) -> None:
        for name in BACKGROUND:
            await self._refused(starting, over_http(name), Prefer="respond-async")

    @pytest.mark.parametrize("name", ["tryWithoutSigningIn", "httpInterface"])
    async def test_call_of_a_visitor_and_request_that_is_passed_on(self, starting: Starting, name: str) -> None:
        await self._refused(starting, over_http(name))

    async def test_request_of_a_page(self, starting: Starting) -> None:
        now = SystemClock().now()
        made = PagePass.until(now, account_id=PAYER, owner_id=OWNER, model_id=MODEL).signed(_HASHER)
        async with httpx.AsyncClient(trust_env=False) as page:
            answer = await page.post(f"{starting.gate.process.url}/api/mlpgateway/application/{made}/x", json={})
        assert (answer.status_code, _code_in(answer)) == (503, "mlp.core.unavailable")
        assert answer.headers["Retry-After"] == "1"

    async def test_websocket(self, starting: Starting) -> None:
        url = over_http("httpInterface").url(starting.gate.process.url, OWNER, MODEL)
        async with aiohttp.ClientSession() as session:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(url, headers={"MLP-API-KEY": starting.key})
        assert refused.value.status == httpx.codes.SERVICE_UNAVAILABLE
        assert refused.value.headers is not None
        assert refused.value.headers["Retry-After"] == "1"
