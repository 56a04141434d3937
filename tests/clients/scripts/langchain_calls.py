"""LangChain's models for OpenAI: ChatOpenAI and OpenAIEmbeddings."""

import asyncio

from cases import API_KEY, BASE_URL, CHAT, MODELS, run
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel

model = ChatOpenAI(model=CHAT, base_url=BASE_URL, api_key=API_KEY)


class Person(BaseModel):
    """Somebody."""

    name: str
    age: int


@tool
def weather(city: str) -> str:
    """Tells the weather of a city."""
    return f"sun in {city}"


def invoke():
    answer = model.invoke([SystemMessage("Be brief."), HumanMessage("good morning")])
    return {"text": answer.content, "tokens": answer.usage_metadata["total_tokens"], **_about(answer)}


def _about(answer):
    return {name: answer.response_metadata[name] for name in ("finish_reason", "model_name")}


def invoke_async():
    return asyncio.run(model.ainvoke("good morning")).content


def stream():
    parts = [part.content for part in model.stream("good morning") if part.content]
    return {"text": "".join(parts), "parts": len(parts)}


def stream_with_usage():
    whole = None
    for part in model.stream("good morning", stream_usage=True):
        whole = part if whole is None else whole + part
    return whole.usage_metadata["total_tokens"]


def batch():
    return [answer.content for answer in model.batch([f"{number}" for number in range(10)])]


def tools():
    with_tool = model.bind_tools([weather])
    question = HumanMessage("what is the weather?")
    called = with_tool.invoke([question])
    (call,) = called.tool_calls
    told = ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"])
    return [call["name"], call["args"], with_tool.invoke([question, called, told]).content]


def structured():
    methods = ("function_calling", "json_schema")
    return [model.with_structured_output(Person, method=method).invoke("who?").model_dump() for method in methods]


def embeddings():
    """Without `check_embedding_ctx_length` LangChain sends texts, not the tokens of a model of OpenAI."""
    about = {"model": MODELS["vectors"], "base_url": BASE_URL, "api_key": API_KEY}
    made = OpenAIEmbeddings(**about, check_embedding_ctx_length=False)
    return [*made.embed_documents(["one two", "three"]), made.embed_query("one two")]


def wrong_key():
    ChatOpenAI(model=CHAT, base_url=BASE_URL, api_key=f"{API_KEY[:-4]}0000").invoke("x")


def busy():
    ChatOpenAI(model=CHAT, base_url=BASE_URL, api_key=API_KEY, max_retries=0).invoke("busy, langchain, without retries")


def busy_with_retries():
    return model.invoke("busy, langchain, with retries").content


run(
    invoke, invoke_async, stream, stream_with_usage, batch, tools, structured, embeddings, wrong_key, busy,
    busy_with_retries,
)  # fmt: skip
