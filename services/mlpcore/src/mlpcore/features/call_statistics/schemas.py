from mlplace_kit.wire import Output


class CallStatisticsData(Output):
    """The calls of the last `days` days. Null: unknown, or too few calls. Only the owner sees numbers of calls.

    `medianLatencyMs` is right within 10 %. `successRate` is the answered part of all calls, from 0 to 1; refusals of
    the gate and wrong requests do not count.
    """

    days: int
    median_latency_ms: int | None
    success_rate: float | None
    calls: int | None
    failed_calls: int | None
