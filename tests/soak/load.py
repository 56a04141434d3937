"""Mixed load: ordinary requests of callers, browsers and instances, and their failures."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import grpc.aio
import httpx

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.soak.instance import Instance
from tests.soak.people import Stage

_CALLERS = 4
_PAUSE_SECONDS = 0.01
_LOST = {502, 503, 504}  # while the instance reconnects


class UnexpectedAnswer(Exception):
    """The platform gave an answer that the load cannot explain."""


class Load:
    """Runs for `seconds`; `done` counts finished actions by kind."""

    def __init__(self, stage: Stage, instance: Instance) -> None:
        self._stage = stage
        self._instance = instance
        self.done: Counter[str] = Counter()

    @property
    def calls(self) -> int:
        return self.done.total()

    async def run(self, seconds: float) -> None:
        async with AsyncExitStack() as stack:
            limits = httpx.Limits(max_connections=50)
            http = await stack.enter_async_context(
                httpx.AsyncClient(base_url=self._stage.url, timeout=60, limits=limits)
            )
            http.headers["MLP-API-KEY"] = self._stage.caller_key
            channel = await stack.enter_async_context(grpc.aio.insecure_channel(self._stage.gate))
            owner = await stack.enter_async_context(self._stage.signed_in(self._stage.owner))
            stub = GateStub(channel)
            work: list[tuple[float, Callable[[], Awaitable[str]]]] = [
                *[(_PAUSE_SECONDS, lambda: self._unary(http))] * _CALLERS,
                *[(_PAUSE_SECONDS, lambda: self._stream(http))] * _CALLERS,
                *[(_PAUSE_SECONDS, lambda: self._over_grpc(stub))] * 2,
                (0.05, lambda: self._leave_a_stream(http)),
                (0.05, lambda: self._leave_a_call(http)),
                (0.05, lambda: self._leave_over_grpc(stub)),
                (0.05, lambda: self._error(http)),
                (0.05, lambda: self._wrong_key(http)),
                (0.2, lambda: self._time_out(stub)),
                (0.5, self._sign_in_and_out),
                (0.05, lambda: self._look_around(http)),
                (0.3, lambda: self._key(owner, http)),
                (2.0, self._reconnect),
            ]
            ends = asyncio.get_running_loop().time() + seconds
            async with asyncio.TaskGroup() as group:
                for pause, once in work:
                    group.create_task(self._repeat(ends, pause, once))

    async def _repeat(self, ends: float, pause: float, once: Callable[[], Awaitable[str]]) -> None:
        while asyncio.get_running_loop().time() < ends:
            self.done[await once()] += 1
            await asyncio.sleep(pause)

    async def _unary(self, http: httpx.AsyncClient) -> str:
        answer = await http.post(f"{self._stage.path}/predict", content=_asking("echo"))
        _expect(answer, 200, *_LOST)
        return "unary"

    async def _stream(self, http: httpx.AsyncClient) -> str:
        body = {"data": _asking("parts")}
        async with http.stream("POST", f"{self._stage.path}/predict-with-config-v2-stream", json=body) as answer:
            lines = [line async for line in answer.aiter_lines()]
            _expect(answer, 200, *_LOST)
        return "stream" if lines else "empty stream"

    async def _leave_a_stream(self, http: httpx.AsyncClient) -> str:
        body = {"data": _asking("parts")}
        async with http.stream("POST", f"{self._stage.path}/predict-with-config-v2-stream", json=body) as answer:
            async for _ in answer.aiter_lines():
                break
        return "stream left"

    async def _leave_a_call(self, http: httpx.AsyncClient) -> str:
        try:
            async with asyncio.timeout(0.2):
                await http.post(f"{self._stage.path}/predict", content=_asking("wait"))
        except TimeoutError:
            return "call left"
        return "call lost its instance"

    async def _over_grpc(self, stub: GateStub) -> str:
        answer = await stub.process(self._request("echo"))  # pyright: ignore[reportGeneralTypeIssues]  of an aio channel
        if answer.WhichOneof("body") != "predict" and answer.error.status not in _LOST:
            raise UnexpectedAnswer(str(answer))
        parts = [part async for part in stub.processResponseStream(self._request("parts"))]  # type: ignore[attr-defined]  # aio
        return "gRPC" if parts else "empty gRPC"

    async def _leave_over_grpc(self, stub: GateStub) -> str:
        call = stub.processResponseStream(self._request("parts"))
        await call.read()  # type: ignore[attr-defined]  # of an aio channel
        call.cancel()
        return "gRPC left"

    async def _error(self, http: httpx.AsyncClient) -> str:
        _expect(await http.post(f"{self._stage.path}/predict", content=_asking("fail")), 400, *_LOST)
        return "error"

    async def _wrong_key(self, http: httpx.AsyncClient) -> str:
        wrong = {"MLP-API-KEY": "1000000001.1.nonsense"}
        _expect(await http.post(f"{self._stage.path}/predict", content=_asking("echo"), headers=wrong), 401)
        return "refusal"

    async def _time_out(self, stub: GateStub) -> str:
        request = self._request("wait")
        request.timeoutSec = 1
        answer = await stub.process(request)  # pyright: ignore[reportGeneralTypeIssues]  of an aio channel
        if answer.WhichOneof("body") != "error":
            raise UnexpectedAnswer(str(answer))
        return "time-out"

    async def _sign_in_and_out(self) -> str:
        async with self._stage.signed_in(self._stage.caller) as browser:
            _expect(await browser.get("/api/mlpcore/account"), 200)
            _expect(await browser.post("/api/accountsadmin/c/authorization/logout"), 200)
        return "sign-in"

    async def _look_around(self, http: httpx.AsyncClient) -> str:
        for path in (
            "models",
            "models/featured",
            "catalog-category",
            f"account/{self._stage.owner.account}/model/soak",
        ):
            _expect(await http.get(f"/api/mlpcore/{path}"), 200)
        _expect(await http.get(f"/api/mlpbilling/account/{self._stage.caller_id}/balance/short"), 200)
        return "look"

    async def _key(self, owner: httpx.AsyncClient, http: httpx.AsyncClient) -> str:
        tokens = f"/api/mlpcore/account/{self._stage.owner_id}/token"
        made = await owner.post(tokens, json={"name": "soak", "permissions": ["predict", "read"]})
        _expect(made, 200)
        key = {"MLP-API-KEY": made.json()["token"]}
        _expect(await http.post(f"{self._stage.path}/predict", content=_asking("echo"), headers=key), 200, *_LOST)
        _expect(await owner.delete(f"{tokens}/{made.json()['token'].split('.')[1]}"), 200)
        return "key"

    async def _reconnect(self) -> str:
        self._instance.leave()
        return "reconnect"

    def _request(self, what: str) -> pb.ClientRequestProto:
        stage = self._stage
        request = pb.ClientRequestProto(account=stage.owner.account, model="soak", authToken=stage.caller_key)
        request.predict.data.json = _asking(what)
        return request


def _asking(what: str) -> str:
    return json.dumps({"do": what, "text": "Иван Петров приехал из Казани" * 4}, ensure_ascii=False)


def _expect(answer: httpx.Response, *statuses: int) -> None:
    if answer.status_code not in statuses:
        text = answer.text if answer.is_closed else ""
        raise UnexpectedAnswer(f"{answer.request.url} answered {answer.status_code}: {text[:500]}")
