"""Forwards conversations to any OpenAI-compatible endpoint."""

import json
import os
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx

import mlplace
from mlplace_examples.chat_types import ChatCompletionConfig, ChatCompletionRequest, ChatCompletionResult

_CONNECT_SECONDS, _ANSWER_SECONDS = 10.0, 300.0
_MOST_ERROR = 2000


class OpenAiProxy:
    """`OPENAI_BASE_URL` and `OPENAI_API_KEY` name the endpoint; `OPENAI_MODEL` is the default model.

    With custom billing, a unit is a token as the endpoint counts it.
    """

    def __init__(self) -> None:
        settings = _settings(os.environ)
        self._model = os.environ.get("OPENAI_MODEL") or None
        self._client = httpx.AsyncClient(
            base_url=settings["OPENAI_BASE_URL"].rstrip("/") + "/",
            headers={"Authorization": f"Bearer {settings['OPENAI_API_KEY']}"},
            timeout=httpx.Timeout(_ANSWER_SECONDS, connect=_CONNECT_SECONDS),
        )

    async def predict(
        self, data: ChatCompletionRequest, context: mlplace.Context, config: ChatCompletionConfig | None = None
    ) -> AsyncIterator[ChatCompletionResult]:
        """Parts as the endpoint sends them, or its whole answer as the only part."""
        manner = {} if config is None else config.model_dump(exclude_none=True)
        body = manner | data.model_dump(exclude_none=True, exclude_unset=True)
        if self._model is not None:
            body.setdefault("model", self._model)
        if body.get("stream"):
            body["stream_options"] = {"include_usage": True, **body.get("stream_options", {})}
        async with self._client.stream("POST", "chat/completions", json=body) as answer:
            if answer.is_error:
                raise await _error(answer)
            if not body.get("stream"):
                yield _billed(json.loads(await answer.aread()), context)
                return
            async for line in answer.aiter_lines():
                text = line.removeprefix("data:").strip()
                if line.startswith("data:") and text != "[DONE]":
                    yield _billed(json.loads(text), context)


def _settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Raises mlplace.SettingsError."""
    found = {name: environment.get(name, "") for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY")}
    missing = [name for name, value in found.items() if not value]
    if missing:
        raise mlplace.SettingsError(f"{' and '.join(missing)} must be set")
    return found


def _billed(result: dict[str, Any], context: mlplace.Context) -> ChatCompletionResult:
    usage = result.get("usage")
    if usage:
        context.bill(int(usage.get("total_tokens", 0)), {name: n for name, n in usage.items() if isinstance(n, int)})
    return result  # type: ignore[return-value]  # checked by the type of the answer


async def _error(answer: httpx.Response) -> mlplace.MlpError:
    """The endpoint's message and status, except for errors about this model's own key, which are not the caller's."""
    text = (await answer.aread()).decode(errors="replace")[:_MOST_ERROR]
    own = answer.status_code in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}
    status = httpx.codes.BAD_GATEWAY if own else answer.status_code
    message = "the endpoint refused this service" if own else text
    return mlplace.MlpError("openai_proxy.refused", message, status=status)
