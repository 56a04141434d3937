"""The metrics of mlpcore."""

from prometheus_client import Counter, Gauge, Histogram

TASK_WORKS = Gauge("mlp_core_task_works", "Works of I/O steps that are in progress in this process", ["kind", "step"])
TASK_WORKS_ENDED = Counter(
    "mlp_core_task_works_ended_total",
    "Works of I/O steps that have ended: applied, failed, stopped, lost, unwritten or given_back",
    ["kind", "step", "outcome"],
)
TASK_WORK_SECONDS = Histogram(
    "mlp_core_task_work_seconds",
    "Time from the start of a work to its end, whatever its outcome",
    ["kind", "step"],
    buckets=(0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14400),
)
