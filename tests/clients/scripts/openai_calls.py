"""OpenAI's client for Python, with its base URL and key set and nothing else."""

import asyncio
import base64
import io
import time

import openai
from cases import API_KEY, BASE_URL, CHAT, LIMITED_KEY, MODELS, RECORDING, TOOL, run, said

client = openai.OpenAI(base_url=BASE_URL, api_key=API_KEY)
without_retries = client.with_options(max_retries=0)
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
}


def chat():
    answer = client.chat.completions.create(model=CHAT, messages=said("good morning"), temperature=0.3)
    choice = answer.choices[0]
    return {
        "text": choice.message.content,
        "finish_reason": choice.finish_reason,
        "tokens": answer.usage.total_tokens,
        "model": answer.model,
        "object": answer.object,
        "has_request_id": bool(answer._request_id),
    }


def chat_in_parallel():
    async def calls():
        async with openai.AsyncOpenAI(base_url=BASE_URL, api_key=API_KEY) as parallel:
            calls = [parallel.chat.completions.create(model=CHAT, messages=said(f"{n}")) for n in range(20)]
            return [answer.choices[0].message.content for answer in await asyncio.gather(*calls)]

    return asyncio.run(calls())


def stream():
    chunks = list(
        client.chat.completions.create(
            model=CHAT, messages=said("good morning"), stream=True, stream_options={"include_usage": True}
        )
    )
    texts = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
    return {
        "text": "".join(texts),
        "parts": len([text for text in texts if text]),
        "tokens": chunks[-1].usage.total_tokens,
        "ids": len({chunk.id for chunk in chunks}),
    }


def stream_helper():
    with client.chat.completions.stream(model=CHAT, messages=said("good morning")) as events:
        kinds = {event.type for event in events}
        return {"text": events.get_final_completion().choices[0].message.content, "kinds": sorted(kinds)}


def tools():
    asked = said("what is the weather?")
    answer = client.chat.completions.create(model=CHAT, messages=asked, tools=[TOOL])
    call = answer.choices[0].message.tool_calls[0]
    told = {"role": "tool", "tool_call_id": call.id, "content": "sun"}
    messages = [*asked, answer.choices[0].message, told]
    second = client.chat.completions.create(model=CHAT, messages=messages, tools=[TOOL])
    return [call.function.name, call.function.arguments, second.choices[0].message.content]


def tools_in_stream():
    with client.chat.completions.stream(model=CHAT, messages=said("the weather?"), tools=[TOOL]) as events:
        for _ in events:
            pass
        call = events.get_final_completion().choices[0].message.tool_calls[0]
        return [call.function.name, call.function.arguments]


def schema():
    form = {"type": "json_schema", "json_schema": {"name": "person", "schema": PERSON}}
    answer = client.chat.completions.create(model=CHAT, messages=said("who?"), response_format=form)
    return answer.choices[0].message.content


def completion():
    return client.completions.create(model=CHAT, prompt="good morning").choices[0].text


def embeddings():
    answer = client.embeddings.create(model=MODELS["vectors"], input=["one two", "three"])
    plain = client.embeddings.create(model=MODELS["vectors"], input="one two", encoding_format="float")
    return [*(each.embedding for each in answer.data), plain.data[0].embedding]


def models():
    listed = {model.id for model in client.models.list()}
    return {"all": set(MODELS.values()) <= listed, "one": client.models.retrieve(CHAT).id}


def images():
    answer = client.images.generate(model=MODELS["pictures"], prompt="a cat", n=2, response_format="b64_json")
    return [image.b64_json for image in answer.data]


def speech():
    wav = client.audio.speech.create(model=MODELS["voice"], voice="any", input="hello").content
    pcm = client.audio.speech.create(model=MODELS["voice"], voice="any", input="hello", response_format="pcm").content
    sounds = {"pcm": base64.b64encode(pcm).decode(), "wav": base64.b64encode(wav[-len(pcm) :]).decode()}
    return {"begins": wav[:4].decode(), "header": len(wav) - len(pcm), **sounds}


def speech_in_parts():
    parts = client.audio.speech.with_streaming_response
    with parts.create(model=MODELS["voice"], voice="any", input="hello", response_format="pcm") as answer:
        return base64.b64encode(b"".join(answer.iter_bytes())).decode()


def transcription():
    recording = io.BytesIO(RECORDING)
    recording.name = "recording.wav"
    return client.audio.transcriptions.create(model=MODELS["ears"], file=recording, language="en").text


def wrong_key():
    client.with_options(api_key=f"{API_KEY[:-4]}0000").chat.completions.create(model=CHAT, messages=said("x"))


def wrong_model():
    client.chat.completions.create(model="nobody/nothing", messages=said("x"))


def wrong_request():
    client.chat.completions.create(model=CHAT, messages="x")


def absent_api():
    client.responses.create(model=CHAT, input="x")


def compressed_speech():
    client.audio.speech.create(model=MODELS["voice"], voice="any", input="hello", response_format="mp3")


def broken_model():
    without_retries.chat.completions.create(model=CHAT, messages=said("broken"))


def busy():
    without_retries.chat.completions.create(model=CHAT, messages=said("busy, python, without retries"))


def busy_with_retries():
    began = time.monotonic()
    answer = client.chat.completions.with_raw_response.create(model=CHAT, messages=said("busy, python, with retries"))
    waited = time.monotonic() - began
    return {"retries": answer.retries_taken, "waited": waited, "text": answer.parse().choices[0].message.content}


def limited_key():
    """Uses up the limit of a key, and waits for the next call as long as the platform says."""
    limited = without_retries.with_options(api_key=LIMITED_KEY)
    refused = None
    for _ in range(500):
        try:
            limited.chat.completions.create(model=CHAT, messages=said("x"))
        except openai.RateLimitError as error:
            refused = error
            break
    answer = limited.with_options(max_retries=5).chat.completions.create(model=CHAT, messages=said("again"))
    return {
        "code": refused.code,
        "type": refused.type,
        "retry_after": float(refused.response.headers["retry-after"]),
        "text": answer.choices[0].message.content,
    }


def gone():
    answer = client.chat.completions.create(model=CHAT, messages=said("who left?"))
    return int(answer.choices[0].message.content)


def one_more_than(before):
    deadline = time.monotonic() + 10
    while gone() == before and time.monotonic() < deadline:
        time.sleep(0.1)
    return gone() - before


def leaving():
    before = gone()
    with client.chat.completions.create(model=CHAT, messages=said("talk on"), stream=True) as chunks:
        heard = [next(chunks) for _ in range(5)]
    return {"heard": len(heard), "noticed": one_more_than(before)}


def impatient():
    before = gone()
    try:
        without_retries.with_options(timeout=1).chat.completions.create(model=CHAT, messages=said("talk on"))
    except openai.APITimeoutError as error:
        return {"raised": type(error).__name__, "noticed": one_more_than(before)}


run(
    chat, chat_in_parallel, stream, stream_helper, tools, tools_in_stream, schema, completion, embeddings, models, images,
    speech, speech_in_parts, transcription, wrong_key, wrong_model, wrong_request, absent_api, compressed_speech, broken_model,
    busy, busy_with_retries, limited_key, leaving, impatient,
)  # fmt: skip
