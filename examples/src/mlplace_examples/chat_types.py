"""The types of the task type `chat-completion`, used by both chat models."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict


class ChatMessage(BaseModel):
    """`content` is a text, or a list of parts of which those of the type `text` are read."""

    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "marker", "tool"]
    content: str | list[dict[str, Any]] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(str(part.get("text", "")) for part in self.content if part.get("type") == "text")
        return self.content or ""


class Function(BaseModel):
    model_config = ConfigDict(extra="allow")

    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)


class Tool(BaseModel):
    model_config = ConfigDict(extra="allow")

    type: Literal["function"] = "function"
    function: Function


class ChatCompletionRequest(BaseModel):
    model_config = ConfigDict(extra="allow")

    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=1000)]
    model: str | None = None
    stream: bool = False
    tools: list[Tool] | None = None


class ChatCompletionConfig(BaseModel):
    """Defaults: values of the request override these."""

    model_config = ConfigDict(extra="allow")

    model: str | None = None
    stream: bool | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    tools: list[Tool] | None = None


class ChatCompletionResult(TypedDict):
    """Each of `choices` has a `message`, or a `delta` in the parts of a streamed answer."""

    id: NotRequired[str]
    object: NotRequired[str]
    created: NotRequired[int]
    model: NotRequired[str]
    choices: list[dict[str, Any]]
    usage: NotRequired[dict[str, int]]
