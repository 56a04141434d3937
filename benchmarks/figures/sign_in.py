"""Sign-in, which is slow on purpose: each one checks a password with argon2id over 64 MiB."""

import json

from benchmarks.content import LOGIN, PASSWORD
from benchmarks.figures.rounds import Figure, Size, Subject, interleaved
from benchmarks.load.generators import Generators
from benchmarks.platform_stack import Stack

_CONCURRENCY = (1, 4)


def measure(stack: Stack, generators: Generators, size: Size) -> Figure:
    with stack.measuring("accountsadmin") as service:
        subject = Subject(
            "sign-in",
            service.port,
            (service.process.pid,),
            ("/api/accountsadmin/c/authorization/login",),
            json_body=json.dumps({"login": LOGIN, "password": PASSWORD}),
        )
        return Figure("sign_in", interleaved(generators, [subject], size, concurrency=_CONCURRENCY))
