"""Compares what the platform has recorded with the process table. Each method lists what is wrong."""

from collections import Counter
from collections.abc import Iterator

from tests.chaos.installation import Installation
from tests.chaos.orders import MODELS, Orders
from tests.chaos.processes import instance_processes

_INSTANCES = """
    SELECT i.instance_id, i.state, coalesce(i.phase, ''), i.server_id, m.name, i.waiting_reason
    FROM instance i JOIN model m ON m.model_id = i.model_id
    WHERE i.state <> 'DELETED' ORDER BY 1
"""
WRONG_ALLOCATIONS = """
    SELECT i.instance_id, i.state, i.server_id, a.instance_id, a.server_id, a.milli_cpu, a.ram_mb, a.disk_mb
    FROM (SELECT * FROM instance WHERE state <> 'DELETED' AND server_id IS NOT NULL) i
    FULL JOIN allocation a ON a.instance_id = i.instance_id
    WHERE i.instance_id IS NULL OR a.instance_id IS NULL OR a.server_id <> i.server_id
    OR a.account_id <> i.account_id OR a.milli_cpu <> 100 OR a.disk_mb <> 100
"""
_UNFINISHED_TASKS = """
    SELECT job_id, kind, status, coalesce(step_key, ''), data FROM job WHERE status IN ('IDLE', 'RUN', 'REVERTING')
"""
_ALLOCATED = "SELECT server_id, count(*), sum(milli_cpu), sum(ram_mb), sum(disk_mb) FROM allocation GROUP BY 1"
_HELD = "SELECT account_id, held_nano FROM balance WHERE held_nano <> 0"
_SILENT = "SELECT name FROM server WHERE last_heartbeat_at IS NULL OR last_heartbeat_at < now() - interval '10 seconds'"
_DEAD = "SELECT count(*) FROM dead_letter"
_SERVICES = ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling")


class Records:
    def __init__(self, installation: Installation, orders: Orders) -> None:
        self._installation = installation
        self._orders = orders

    def unsettled(self) -> list[str]:
        """What is not yet, or never will be, as people have ordered it."""
        return [*self._instances(), *self._processes(), *self._allocations(), *self._servers(), *self._tasks()]

    def _instances(self) -> Iterator[str]:
        for model in MODELS:
            requested, statuses = self._orders.requested(model), self._orders.statuses(model)
            if requested not in self._orders.possible[model]:
                yield f"{requested} of {model} are requested, not {self._orders.possible[model]}"
            if statuses != ["RUNNING"] * requested:
                yield f"{requested} of {model} are requested, there are {statuses}"
        for row in self._rows(_INSTANCES):
            if row[1:3] != ["STARTED", "RUNNING"]:
                yield f"instance {row}"

    def _processes(self) -> Iterator[str]:
        """One run of each live instance, and no run of another."""
        live = {int(row[0]) for row in self._rows(_INSTANCES)}
        processes = instance_processes(self._installation.folder)
        runs = Counter(number for number, _ in {(process.instance_id, process.run) for process in processes})
        for number in live | runs.keys():
            if runs[number] != (1 if number in live else 0):
                yield f"instance {number} is {'live' if number in live else 'unknown'} and has {runs[number]} runs"

    def _allocations(self) -> Iterator[str]:
        for row in self._rows(WRONG_ALLOCATIONS):
            yield f"allocation {row}"

    def _servers(self) -> Iterator[str]:
        """The owner is shown what the rows say, and all servers report."""
        allocated = {int(row[0]): [int(value) for value in row[1:]] for row in self._rows(_ALLOCATED)}
        for server in self._orders.servers():
            told = server["allocated"]
            assert isinstance(told, dict)
            shown = [server["instances"], told["milliCpu"], told["ramMb"], told["diskMb"]]
            if server["status"] != "RUNNING" or shown != allocated.get(int(str(server["serverId"])), [0, 0, 0, 0]):
                yield f"server {server}"

        for row in self._rows(_SILENT):
            yield f"server {row} is silent"

    def _tasks(self) -> Iterator[str]:
        for row in self._rows(_UNFINISHED_TASKS):
            yield f"task {row}"

    def unpaid(self) -> list[str]:
        """Money that is held although nobody calls, and events that nobody could handle."""
        held = [f"held {row}" for row in self._installation.query("mlpbilling", _HELD)]
        dead = {service: self._installation.query(service, _DEAD) for service in _SERVICES}
        return [*held, *(f"dead letters of {service}: {rows}" for service, rows in dead.items() if rows != [["0"]])]

    def occupied(self) -> list[str]:
        """What is left of the instances after all were stopped."""
        processes = [f"process {process}" for process in instance_processes(self._installation.folder)]
        rows = [f"instance {row}" for row in self._rows(_INSTANCES)]
        return [*processes, *rows, *(f"allocated {row}" for row in self._rows(_ALLOCATED)), *self._servers()]

    def _rows(self, statement: str) -> list[list[str]]:
        return self._installation.query("mlpcore", statement)
