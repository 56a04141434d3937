"""The text that Prometheus reads, as its own client library understands it."""

import asyncio

from fastapi import Response
from prometheus_client.parser import text_string_to_metric_families
from starlette.responses import StreamingResponse

from mlplace_runtime.telemetry.exposition import family, histogram, labels, text_response


class TestText:
    def test_values_and_labels_are_read_as_they_were(self) -> None:
        hostile = 'a"b\\c\nd} 5 # é'
        series = [(labels({"account": hostile, "model": ""}), 2.5)]
        text = "".join(family("mlp_x_total", "counter", "What it is", series))
        (found,) = text_string_to_metric_families(text)
        assert (found.name, found.type, found.documentation) == ("mlp_x", "counter", "What it is")
        (sample,) = found.samples
        assert (sample.name, sample.labels, sample.value) == ("mlp_x_total", {"account": hostile, "model": ""}, 2.5)

    def test_unknown_values_have_no_line(self) -> None:
        series = [(labels({"a": "1"}), None), (labels({"a": "2"}), 0), ("", 1e-7)]
        text = "".join(family("mlp_x", "gauge", "x", series))
        (found,) = text_string_to_metric_families(text)
        assert [(sample.labels, sample.value) for sample in found.samples] == [({"a": "2"}, 0), ({}, 1e-7)]

    def test_histogram_has_buckets_sum_and_count(self) -> None:
        text = "".join(histogram("mlp_x", "x", [(labels({"a": "1"}), [("0.5", 1), ("+Inf", 3)], 7.5)]))
        (found,) = text_string_to_metric_families(text)
        assert found.type == "histogram"
        assert [(sample.name, sample.labels.get("le"), sample.value) for sample in found.samples] == [
            ("mlp_x_bucket", "0.5", 1),
            ("mlp_x_bucket", "+Inf", 3),
            ("mlp_x_sum", None, 7.5),
            ("mlp_x_count", None, 3),
        ]


class TestAnswer:
    async def test_has_the_type_that_prometheus_expects(self) -> None:
        answer = text_response(iter(["mlp_x 1\n", "", "mlp_y 2\n"]))
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert await body_of(answer) == b"mlp_x 1\nmlp_y 2\n"

    async def test_the_loop_goes_on_between_pieces(self) -> None:
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        beside = asyncio.create_task(other())
        text = await body_of(text_response(family("mlp_x", "gauge", "x", ((f'a="{n}"', n) for n in range(5_000)))))
        beside.cancel()
        assert text.count(b"\n") == 5_002
        assert turns >= 10


async def body_of(answer: Response) -> bytes:
    assert isinstance(answer, StreamingResponse)
    pieces = [piece async for piece in answer.body_iterator]
    return b"".join(piece for piece in pieces if isinstance(piece, bytes))
