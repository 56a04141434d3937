from prometheus_client import CollectorRegistry, Histogram, generate_latest

from mlplace_runtime.telemetry.timings import Timings

_BUCKETS = (0.001, 0.25, 1, 2.5)
_VALUES = {"a": (0.0005, 0.001, 0.3, 0.3, 7.0), "b": (2.5,)}


def _without_birth(text: bytes) -> list[bytes]:
    """Removes the creation times, which the library also exports."""
    return [line for line in text.splitlines() if b"_created" not in line]


class TestTimings:
    def test_are_exported_like_the_librarys_histograms(self) -> None:
        ours, theirs = CollectorRegistry(), CollectorRegistry()
        timings = Timings("took_seconds", "What it took", ["stage"], buckets=_BUCKETS, registry=ours)
        histogram = Histogram("took_seconds", "What it took", ["stage"], buckets=_BUCKETS, registry=theirs)
        for stage, values in _VALUES.items():
            for value in values:
                timings.labels(stage).observe(value)
                histogram.labels(stage).observe(value)
        assert _without_birth(generate_latest(ours)) == _without_birth(generate_latest(theirs))

    def test_a_duplicate_name_is_refused(self) -> None:
        registry = CollectorRegistry()
        Timings("took_seconds", "What it took", buckets=_BUCKETS, registry=registry)
        try:
            Timings("took_seconds", "Once more", buckets=_BUCKETS, registry=registry)
        except ValueError:
            return
        raise AssertionError("two metrics of one name")
