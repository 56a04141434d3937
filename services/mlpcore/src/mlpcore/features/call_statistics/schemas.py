from mlplace_kit.wire import Output


class CallStatisticsData(Output):
    """The calls of the last `days` days.

    `medianLatencyMs` is right within 10 %; null: no call has a latency. `calls` are the answered and the failed ones:
    they say how much the other figures tell. `successRate` is the answered part of all calls, from 0 to 1; refusals of
    the gate and wrong requests do not count.
    """

    days: int
    median_latency_ms: int | None
    success_rate: float
    calls: int
    failed_calls: int
