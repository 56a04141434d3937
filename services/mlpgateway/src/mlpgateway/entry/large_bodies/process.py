"""The reading process: `python -m mlpgateway.entry.large_bodies.process FD`. FD is the socket to its gate."""

import contextlib
import mmap
import os
import resource
import socket
import sys
from typing import Final

from mlpgateway.call.json_bodies import (
    read_fields,
    read_method,
    read_predict,
    read_with_config,
    read_with_config_as_text,
)
from mlpgateway.entry.large_bodies.messages import (
    Finding,
    Question,
    Refused,
    fields_without_texts,
    receive,
    refused,
    send,
    without_texts,
)
from mlplace_kit.errors import DomainError

READS: Final = {read.__name__: read for read in (read_method, read_predict, read_with_config, read_with_config_as_text)}
_NICER: Final = 5
_MOST_MEMORY: Final = 1024 * 1024 * 1024
"""What is built of a body takes less; bodies themselves lie in memory of their own."""


def main() -> None:
    """Until the gate closes the socket, by its own end as well."""
    os.nice(_NICER)  # calls go on meanwhile: who sends megabytes can wait a little longer than they
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
    with socket.socket(fileno=int(sys.argv[1])) as gate, contextlib.suppress(EOFError, ConnectionError):
        while True:
            _, descriptors, _, _ = socket.recv_fds(gate, 1, 1)
            if not descriptors:
                return
            try:
                question = Question(*receive(gate))
                finding = _read(question, descriptors[0])
            finally:
                os.close(descriptors[0])
            send(gate, finding)


def _read(question: Question, descriptor: int) -> Finding:
    """The views that a reader returns keep the mapping; it goes with them."""
    whole = memoryview(mmap.mmap(descriptor, question.size, prot=mmap.PROT_READ))
    try:
        if question.reads == read_fields.__name__:
            return fields_without_texts(read_fields(whole), whole)
        return without_texts(READS[question.reads](whole, question.query), whole)
    except DomainError as error:
        return refused(error)
    except MemoryError:
        return Refused(None, "it holds too many values")


if __name__ == "__main__":
    main()
