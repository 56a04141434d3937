"""Answers that are stored are measured first, and large ones are stored as the bytes that came."""

from collections.abc import AsyncGenerator

import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.large_json import LARGE_BYTES, LargeText, body_within, payload_of
from mlpgateway.call.transport import InstanceRequest
from mlplace_testing.waiting import eventually

MOST = LARGE_BYTES + 100


class TestBody:
    @pytest.mark.parametrize(
        ("payload", "body"),
        [
            (Payload(json="é"), b"\xc3\xa9"),
            (Payload(protobuf=b"\x00\xff"), b"\x00\xff"),
            (Payload(), b""),
            (payload_of("é" * LARGE_BYTES), b"\xc3\xa9" * LARGE_BYTES),
        ],
        ids=["text", "bytes", "nothing", "large text"],
    )
    def test_of_a_payload_is_its_bytes_up_to_the_limit(self, payload, body) -> None:
        assert body_within(payload, len(body)) == body
        assert not body or body_within(payload, len(body) - 1) is None


class TestLargeAnswer:
    @pytest.fixture
    def decoded(self, monkeypatch) -> list[int]:
        """The sizes of large texts that were made strings."""
        sizes: list[int] = []

        def decode(payload: LargeText) -> str:
            sizes.append(len(payload.source.view))
            return str(payload.source.view, "utf-8")

        monkeypatch.setattr(LargeText, "json", property(decode))
        return sizes

    @pytest.mark.parametrize("size", [MOST, MOST + 1])
    async def test_is_never_decoded(self, open_world, kit, decoded, size) -> None:
        text = '"' + "x" * (size - 2) + '"'

        async def script(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            yield Answer(payload_of(text), {})

        async with open_world(kept_answer_bytes=MOST) as world:
            world.know(kit.model_changed(billing=kit.CALLS))
            world.instance(script)
            key = world.key()
            answer = await world.predict({**key, "Idempotency-Key": "one"})
            assert (answer.status_code, answer.text == text) == ((200, True) if size == MOST else (502, False))
            made = (await world.predict({**key, "Prefer": "respond-async"})).json()
            await world.components.entry_points.runner.look()

            async def shown() -> dict:
                return (await world.client.get(made["urls"]["get"], headers=key)).json()

            done = await eventually(shown, until=lambda found: found["completedAt"] is not None, seconds=60)
            assert done["status"] == ("succeeded" if size == MOST else "failed")
        assert decoded == []
