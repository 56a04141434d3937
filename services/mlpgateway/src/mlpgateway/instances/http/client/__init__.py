"""An HTTP/1.1 client for instances: bytes pass unchanged, nothing is followed, decompressed or guessed.

An instance is not trusted: an answer that is not valid, or that can be read in two ways, ends its connection, and so
does every byte that was not asked for. A pool holds the connections to one instance, and is used in two ways.

Coroutines, for calls that may wait::

    response = await exchange(pool, Request("POST", "/predict", headers, body))
    try:
        while piece := await response.piece():
            ...
    finally:
        await response.close()

Callbacks, for calls that must not::

    connection = pool.take()  # None: take the way above
    connection.send(head_of(request, pool.authority), body, handler)

`handler` is an `AnswerHandler`: `head(status, headers, length)`, `part(data)` any number of times, then `end()`; or
`failed(error)` at any point. `send` and `cancel` return the connection to the pool or close it: nothing else is to be
called. `connection.pause_reading()` and `resume_reading()` pass on that the reader is slow. If `failed` gets a
`ConnectionLostError` with `is_stale`, a repeatable request may be sent once more.
"""
