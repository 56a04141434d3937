"""Calls that services fail are counted for statistics; refusals and wrong requests are not."""

import pytest

from mlpgateway.call.transport import InstanceError
from mlpgateway.errors.calls import (
    CallerSilent,
    CallerTimeout,
    InstanceStartTimeout,
    NothingAnswered,
    PredictTimeout,
    QueueFull,
)
from mlpgateway.errors.gate import ChannelClosed
from mlpgateway.instances.peers.messages import error_of, failed_with
from mlpgateway.policy.failed_calls import is_fault_of_service
from mlplace_contracts.events import CallsFailed
from mlplace_kit.errors import AccessDenied, DomainError
from mlplace_testing.events import published


def of_instance(status: int) -> InstanceError:
    return InstanceError(code="x", message="m", status=status, details={}, headers={})


def of_another_gate(error: DomainError) -> DomainError:
    """Returns the error as a gate gets it that has forwarded the call."""
    passed = error_of(failed_with(error))
    assert isinstance(passed, DomainError)
    return passed


class TestFault:
    @pytest.mark.parametrize(
        ("error", "expected"),
        [
            (of_instance(500), True),
            (of_instance(503), True),
            (of_instance(400), False),
            (of_instance(422), False),
            (PredictTimeout(seconds="1"), True),
            (CallerTimeout(seconds="1"), False),
            (CallerSilent(seconds="1"), False),
            (of_another_gate(PredictTimeout(seconds="1")), True),
            (of_another_gate(ChannelClosed(reason="lost")), True),
            (of_another_gate(NothingAnswered()), True),
            (of_another_gate(of_instance(500)), True),
            (of_another_gate(of_instance(400)), False),
            (of_another_gate(QueueFull()), False),
            (InstanceStartTimeout(seconds="1"), True),
            (NothingAnswered(), True),
            (QueueFull(), False),
            (AccessDenied(), False),
        ],
    )
    def test_only_failures_of_the_service_count(self, error: DomainError, expected: bool) -> None:
        assert is_fault_of_service(error) is expected


class TestCounts:
    async def test_failures_are_written_as_one_event_per_model(self, world, kit) -> None:
        key = world.key()
        world.instance(kit.fails(of_instance(500)))
        for _ in range(3):
            assert (await world.predict(key)).status_code == 500
        assert (await world.predict({})).status_code == 401
        for written in world.components.failed.write():
            await written
        event = (await published(world.components.database, CallsFailed))[0]
        assert (event.account_id, event.model_id, event.count) == (kit.ACME, kit.MODEL, 3)
        assert world.components.failed.write() == []

    async def test_wrong_request_and_answered_call_do_not_count(self, world, kit) -> None:
        key = world.key()
        twin = world.instance(kit.fails(of_instance(400)))
        assert (await world.predict(key)).status_code == 400
        twin._script = kit.echo
        assert (await world.predict(key)).status_code == 200
        assert world.components.failed.write() == []
