"""Fingerprints of requests with a key, and of predictions: large bodies are neither copied nor hashed on the loop."""

import hashlib
import threading

import pytest

from mlpgateway.call.large_json import LARGE_BYTES
from mlpgateway.entry.http.wire import identifying
from mlpgateway.entry.large_bodies.memory import SharedBody
from mlpgateway.features.idempotency import fingerprints
from mlpgateway.features.idempotency.fingerprints import fingerprint_of

SCOPE = {"path": "/p", "query_string": b"a=b"}


class TestFingerprint:
    @pytest.mark.parametrize("size", [3, LARGE_BYTES])
    async def test_is_the_hash_of_all_bytes_however_they_are_cut(self, size) -> None:
        body = b"x" * size
        whole = hashlib.sha256(b"/p?a=b\n" + body).hexdigest()
        for kept in (body, bytearray(body), SharedBody.of(body)):
            assert await fingerprint_of(identifying(SCOPE, kept)) == whole

    def test_body_is_not_copied_for_it(self) -> None:
        body = bytearray(b"x")
        shared = SharedBody.of(body)
        assert identifying(SCOPE, body)[-1] is body
        view = identifying(SCOPE, shared)[-1]
        assert isinstance(view, memoryview)
        assert view.obj is shared.view.obj

    @pytest.mark.parametrize("way", ["Prefer", "Idempotency-Key"])
    async def test_large_request_is_hashed_in_a_thread(self, world, kit, monkeypatch, way) -> None:
        threads: list[threading.Thread] = []
        digest = fingerprints._digest

        def noted(request: fingerprints.RequestParts) -> str:
            threads.append(threading.current_thread())
            return digest(request)

        monkeypatch.setattr(fingerprints, "_digest", noted)
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        headers = {**world.key(), way: "respond-async" if way == "Prefer" else "k"}
        assert (await world.predict(headers, '"' + "x" * LARGE_BYTES + '"')).is_success
        (thread,) = threads
        assert thread is not threading.current_thread()

    async def test_prediction_that_is_too_large_is_not_hashed(self, open_world, monkeypatch) -> None:
        monkeypatch.setattr(fingerprints, "_digest", None)
        async with open_world(kept_answer_bytes=50) as world:
            answer = await world.predict({**world.key(), "Prefer": "respond-async"}, f'"{"x" * 60}"')
            assert (answer.status_code, answer.json()["code"]) == (413, "mlp.gate.request_too_large")
