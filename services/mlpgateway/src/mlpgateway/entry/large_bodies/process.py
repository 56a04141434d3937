"""The reading process: `python -m mlpgateway.entry.large_bodies.process FD`. FD is the socket to its gate."""

import contextlib
import mmap
import os
import resource
import socket
import sys
from typing import Final

from mlpgateway.call.json_bodies import (
    read_data,
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

READS: Final = {
    read.__name__: read for read in (read_data, read_method, read_predict, read_with_config, read_with_config_as_text)
}
_NICER: Final = 5
_MOST_MEMORY: Final = 1024 * 1024 * 1024
"""The memory for parsing one body stays below this; the bodies themselves are in shared memory."""


def main() -> None:
    """Serves requests until the gate closes the socket or ends."""
    os.nice(_NICER)  # calls have priority: a sender of megabytes can wait a little longer
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
    """Reads the body. The returned views keep the mapping open until they are gone."""
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
