"""A proxy as it is commonly written: FastAPI in front, httpx behind. It only checks a key.

It is faster than many: one client for all requests, no access log, uvloop and httptools.
`python -m benchmarks.subjects.naive_proxy PORT UPSTREAM_PORT`.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import httpx
import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Request
from pydantic import BaseModel

UPSTREAM = sys.argv[2] if len(sys.argv) > 2 else ""
KEYS = {"benchmark": 1}


class PredictRequest(BaseModel):
    texts: list[str]


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=200)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{UPSTREAM}", limits=limits) as client:
        app.state.client = client
        yield


app = FastAPI(lifespan=lifespan)


async def caller(mlp_api_key: Annotated[str, Header()]) -> int:
    if mlp_api_key not in KEYS:
        raise HTTPException(401)
    return KEYS[mlp_api_key]


@app.post("/account/{account}/model/{model}/predict")
async def predict(
    account: str, model: str, body: PredictRequest, request: Request, caller_id: Annotated[int, Depends(caller)]
) -> dict[str, Any]:
    headers = {"z-account": account, "z-model": model, "z-caller": str(caller_id)}
    answer = await request.app.state.client.post("/predict", json=body.model_dump(), headers=headers)
    answer.raise_for_status()
    return answer.json()


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), access_log=False, log_level="warning")
