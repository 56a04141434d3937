"""The list of models of an account that has ten thousand."""

from benchmarks.content import Content, fill_catalogue
from benchmarks.figures.rounds import Figure, Size, Subject, interleaved
from benchmarks.load.generators import Generators
from benchmarks.platform_stack import Stack, wait

ROWS = 10_000
PAGE = 20
_CONCURRENCY = (1, 8)


def measure(stack: Stack, content: Content, generators: Generators, size: Size) -> Figure:
    rows = max(size.of(ROWS), 100)
    wait(fill_catalogue(stack, content, rows=rows))
    base = f"/api/mlpcore/account/{content.owner_id}/model?size={PAGE}"
    headers = {"MLP-API-KEY": content.owner_key}
    deep = [rows // PAGE - 1 - n for n in range(5)]
    asked = {
        "first page": [f"{base}&page={n}" for n in range(3)],
        "last pages": [f"{base}&page={n}" for n in deep],
        "sorted by display name, a page in the middle": [f"{base}&page={rows // PAGE // 2}&sort=displayName,asc"],
        "search by name": [f"{base}&modelField={n}" for n in ("service-99", "number%2012", "77", "nothing-like-it")],
        "one task type": [f"{base}&taskType={name}" for name in ("ner", "tts", "chat")],
        "public catalogue, first page": [f"/api/mlpcore/models?size={PAGE}"],
    }
    with stack.measuring("mlpcore") as core:
        subjects = [
            Subject(name, core.port, (core.process.pid,), tuple(paths), headers, json_body="", method="GET")
            for name, paths in asked.items()
        ]
        found = interleaved(generators, subjects, size, concurrency=_CONCURRENCY)
    return Figure("listing", found, extra={"rows_in_list": rows, "page_size": PAGE})
