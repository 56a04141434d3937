"""A minimal HTTP proxy: raw ASGI in front, aiohttp behind, bytes passed on as they come.

It has no features, like `bare_proxy`. `python -m benchmarks.subjects.bare_http_proxy PORT UPSTREAM_PORT`.
"""

import sys

import aiohttp

from benchmarks.subjects.raw_asgi import Message, Receive, Send, body_of, run, serve

_PASSED_ON = {b"content-type", b"content-length"}


class BareHttpProxy:
    def __init__(self, session: aiohttp.ClientSession, upstream: int) -> None:
        self._session = session
        self._address = f"http://127.0.0.1:{upstream}"

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        body = await body_of(receive)
        async with self._session.request(scope["method"], self._address + scope["path"], data=body) as answer:
            headers = [(name.lower(), value) for name, value in answer.raw_headers if name.lower() in _PASSED_ON]
            await send({"type": "http.response.start", "status": answer.status, "headers": headers})
            async for chunk, _ in answer.content.iter_chunks():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def main(port: int, upstream: int) -> None:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as session:
        await serve(BareHttpProxy(session, upstream), port)


if __name__ == "__main__":
    run(main(int(sys.argv[1]), int(sys.argv[2])))
