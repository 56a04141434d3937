"""`instructor` around OpenAI's client: objects of a class instead of texts, in each way that it has to ask for them."""

import asyncio

import instructor
import openai
from cases import API_KEY, BASE_URL, CHAT, run, said
from pydantic import BaseModel, Field

plain = openai.OpenAI(base_url=BASE_URL, api_key=API_KEY)


class Address(BaseModel):
    city: str


class Person(BaseModel):
    name: str
    age: int = Field(ge=0)
    addresses: list[Address]


def _ask(mode):
    client = instructor.from_openai(plain, mode=mode)
    return client.chat.completions.create(model=CHAT, messages=said("who?"), response_model=Person).model_dump()


def by_tools():
    return _ask(instructor.Mode.TOOLS)


def by_json():
    return _ask(instructor.Mode.JSON)


def by_json_schema():
    return _ask(instructor.Mode.JSON_SCHEMA)


def by_tools_async():
    async def ask():
        async with openai.AsyncOpenAI(base_url=BASE_URL, api_key=API_KEY) as unwrapped:
            client = instructor.from_openai(unwrapped)
            return await client.chat.completions.create(model=CHAT, messages=said("who?"), response_model=Person)

    return asyncio.run(ask()).model_dump()


def in_parts():
    client = instructor.from_openai(plain)
    parts = list(client.chat.completions.create_partial(model=CHAT, messages=said("who?"), response_model=Person))
    return {"parts": len(parts), "last": parts[-1].model_dump()}


def one_by_one():
    client = instructor.from_openai(plain)
    found = client.chat.completions.create_iterable(model=CHAT, messages=said("who?"), response_model=Address)
    return [address.model_dump() for address in found]


run(by_tools, by_json, by_json_schema, by_tools_async, in_parts, one_by_one)
