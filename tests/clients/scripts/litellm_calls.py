"""LiteLLM's library, with its provider for servers that speak OpenAI's API."""

import asyncio
import base64
import io

import litellm
from cases import API_KEY, BASE_URL, CHAT, MODELS, RECORDING, TOOL, run, said

litellm.telemetry = False


def _to(model, **more):
    return {"model": f"openai/{model}", "api_base": BASE_URL, "api_key": API_KEY, **more}


def completion():
    answer = litellm.completion(**_to(CHAT), messages=said("good morning"), temperature=0.3)
    return {"text": answer.choices[0].message.content, "tokens": answer.usage.total_tokens, "model": answer.model}


def completion_async():
    return asyncio.run(litellm.acompletion(**_to(CHAT), messages=said("good morning"))).choices[0].message.content


def stream():
    asked = {"stream": True, "stream_options": {"include_usage": True}}
    chunks = list(litellm.completion(**_to(CHAT), messages=said("good morning"), **asked))
    texts = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    whole = litellm.stream_chunk_builder(chunks)
    return {"text": "".join(texts), "parts": len(texts), "tokens": whole.usage.total_tokens}


def tools():
    asked = {"messages": said("what is the weather?"), "tools": [TOOL]}
    (call,) = litellm.completion(**_to(CHAT), **asked).choices[0].message.tool_calls
    return [call.function.name, call.function.arguments]


def embedding():
    answer = litellm.embedding(**_to(MODELS["vectors"]), input=["one two", "three"])
    return [each["embedding"] for each in answer.data]


def image():
    answer = litellm.image_generation(**_to(MODELS["pictures"]), prompt="a cat")
    return answer.data[0].b64_json


def speech():
    said = litellm.speech(**_to(MODELS["voice"]), voice="any", input="hello", response_format="pcm")
    return base64.b64encode(said.content).decode()


def transcription():
    recording = io.BytesIO(RECORDING)
    recording.name = "recording.wav"
    return litellm.transcription(**_to(MODELS["ears"]), file=recording, language="en", response_format="json").text


def wrong_key():
    litellm.completion(**_to(CHAT, api_key=f"{API_KEY[:-4]}0000"), messages=said("x"))


def wrong_model():
    litellm.completion(**_to("nobody/nothing"), messages=said("x"))


def wrong_request():
    litellm.completion(**_to("nothing"), messages=said("x"))


def busy():
    litellm.completion(**_to(CHAT), messages=said("busy, litellm, without retries"), num_retries=0, max_retries=0)


def busy_with_retries():
    asked = said("busy, litellm, with retries")
    return litellm.completion(**_to(CHAT), messages=asked, num_retries=2).choices[0].message.content


run(
    completion, completion_async, stream, tools, embedding, image, speech, transcription, wrong_key, wrong_model,
    wrong_request, busy, busy_with_retries,
)  # fmt: skip
