from prometheus_client import Counter, Gauge

CACHE_LOOKS = Counter(
    "mlp_gateway_cache_calls_total",
    "Calls of models with a cache: `hit`, `followed` (got the answer of an equal call in progress), `miss`, "
    "or `unavailable` (the owner's database could not be asked)",
    ["outcome"],
)
CACHE_FAILURES = Counter(
    "mlp_gateway_cache_failures_total", "Failures of the databases of owners, by problem", ["problem"]
)
CACHE_DROPPED = Counter(
    "mlp_gateway_cache_dropped_total", "Answers that were not written to a cache: it is away, too slow, or refuses them"
)
CACHE_FOLLOWING = Gauge("mlp_gateway_cache_following_calls", "Calls that wait for the answer of an equal one")
