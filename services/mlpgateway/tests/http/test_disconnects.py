"""From when on the gateway looks for disconnects. `warm/test_leaving_early.py` says what callers pay who leave before."""

import asyncio

import pytest

from mlpgateway.entry.http.wire import WhileConnected


class LoopTime:
    """The running loop's time, which stands still between two calls of `passes`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._now = asyncio.get_running_loop().time()
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: self._now)

    async def passes(self, seconds: float) -> None:
        """Lets what is due run to its end."""
        self._now += seconds
        for _ in range(10):
            await asyncio.sleep(0)


async def has_left() -> dict[str, str]:
    return {"type": "http.disconnect"}


class TestWhileConnected:
    async def test_disconnect_is_noticed_from_50_ms_on(self, monkeypatch) -> None:
        time, reached = LoopTime(monkeypatch), []
        with WhileConnected(has_left):
            await time.passes(0.049)
            reached.append("49 ms")
            await time.passes(0.002)
            reached.append("51 ms")
        assert reached == ["49 ms"]

    async def test_block_that_ends_before_is_not_cancelled_later(self, monkeypatch) -> None:
        time = LoopTime(monkeypatch)
        with WhileConnected(has_left):
            await time.passes(0.049)
        await time.passes(1)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
