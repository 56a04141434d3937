"""A gate in its own process, for measurements: `python memory_subject.py`. Prints its port; ends with its input."""

import asyncio
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import structlog

from mlpgateway.call.call import Caller
from mlpgateway.membership.in_memory import GatesInMemory
from mlpgateway.shares.share import Holder
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.errors import NotAuthorized


class OneKey:
    """Satisfies Holders: knows exactly one key."""

    async def holder(self, caller: Caller) -> Holder:
        if caller.credential != "k":
            raise NotAuthorized
        return 5


def _twins() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gate_twins", Path(__file__).parent / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["gate_twins"] = module
    spec.loader.exec_module(module)
    return module


async def _serve() -> None:
    twins = _twins()
    hasher = KeyedHasher(b"k" * 32)
    run = twins.gate_runner(hasher, twins.Instances(hasher), twins.Connections(), GatesInMemory(), OneKey())
    async with run() as gate:
        sys.stdout.write(gate.address.rpartition(":")[2] + "\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    asyncio.run(_serve())
