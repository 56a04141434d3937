"""The metrics of mlpcore."""

from prometheus_client import Counter, Gauge, Histogram

INSTANCES_WAITING = Gauge("mlp_core_instances_waiting", "Instances that waited for a server at the last pass")
INSTANCES_PLACED = Counter("mlp_core_instances_placed_total", "Instances that got a server")
INSTANCES_REFUSED = Counter(
    "mlp_core_instances_refused_total",
    "Instances that got no server, counted when they begin to wait and when the cause changes",
    ["reason"],
)
INSTANCES_EVICTED = Counter("mlp_core_instances_evicted_total", "Instances that ended for another one", ["scope"])
PLACEMENT_SECONDS = Histogram(
    "mlp_core_placement_pass_seconds",
    "Time of a pass over the waiting instances of a resource group, with its transaction",
    buckets=(0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
)
RENT_SECONDS = Histogram(
    "mlp_core_rent_comparison_seconds",
    "Time to compare rents with running allocations, with the wait for another process that does it",
    buckets=(0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
)
SCALING_DECISIONS = Counter(
    "mlp_core_scaling_decisions_total",
    "Decisions about the number of instances of AUTOMATIC models that changed it or were kept from it",
    ["kind", "reason"],
)
SCALING_MODELS = Counter("mlp_core_scaling_models_total", "Times that an AUTOMATIC model was looked at")
SCALING_GATES_LEFT_OUT = Gauge(
    "mlp_core_scaling_gates_left_out",
    "Live gates without a report for five minutes, whose calls autoscaling no longer waits for",
)
SCALING_SECONDS = Histogram(
    "mlp_core_scaling_pass_seconds",
    "Time to look at a batch of AUTOMATIC models, with the changes of their numbers",
    buckets=(0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
)
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
LICENSE_EXPIRES = Gauge(
    "mlp_core_license_expires_timestamp_seconds",
    "End of the licence in Unix time; 0 if none is needed, -1 if there is no valid one",
)
