// OpenAI's client for JavaScript, with its base URL and key set and nothing else. Prints the outcome of each case.
import OpenAI, { toFile } from "openai";

const { BASE_URL: baseURL, API_KEY: apiKey, LIMITED_KEY: limitedKey } = process.env;
const models = JSON.parse(process.env.MODELS);
const client = new OpenAI({ baseURL, apiKey });
const withoutRetries = client.withOptions({ maxRetries: 0 });
const said = (content) => [{ role: "user", content }];
const ask = (text, more = {}, caller = client) =>
  caller.chat.completions.create({ model: models.chat, messages: said(text), ...more });
const textOf = (answer) => answer.choices[0].message.content;
const tool = {
  type: "function",
  function: {
    name: "weather",
    description: "Tells the weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

const gone = async () => Number(textOf(await ask("who left?")));

async function oneMoreThan(before) {
  const deadline = Date.now() + 10_000;
  while ((await gone()) === before && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
  return (await gone()) - before;
}

const cases = {
  async chat() {
    const answer = await ask("good morning", { temperature: 0.3 });
    return {
      text: textOf(answer),
      finish_reason: answer.choices[0].finish_reason,
      tokens: answer.usage.total_tokens,
      model: answer.model,
      object: answer.object,
      has_request_id: Boolean(answer._request_id),
    };
  },

  async chat_in_parallel() {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, number) => ask(`${number}`)));
    return answers.map(textOf);
  },

  async stream() {
    const chunks = [];
    for await (const chunk of await ask("good morning", { stream: true, stream_options: { include_usage: true } })) {
      chunks.push(chunk);
    }
    const texts = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta.content ?? ""));
    return {
      text: texts.join(""),
      parts: texts.filter(Boolean).length,
      tokens: chunks.at(-1).usage.total_tokens,
      ids: new Set(chunks.map((chunk) => chunk.id)).size,
    };
  },

  async tools() {
    const asked = said("what is the weather?");
    const answer = await client.chat.completions.create({ model: models.chat, messages: asked, tools: [tool] });
    const { message } = answer.choices[0];
    const [call] = message.tool_calls;
    const messages = [...asked, message, { role: "tool", tool_call_id: call.id, content: "sun" }];
    const second = await client.chat.completions.create({ model: models.chat, messages, tools: [tool] });
    return [call.function.name, call.function.arguments, textOf(second)];
  },

  async tools_in_stream() {
    const stream = client.chat.completions.stream({ model: models.chat, messages: said("the weather?"), tools: [tool] });
    const [call] = (await stream.finalChatCompletion()).choices[0].message.tool_calls;
    return [call.function.name, call.function.arguments];
  },

  async schema() {
    const properties = { name: { type: "string" }, age: { type: "integer" } };
    const schema = { type: "object", properties, required: ["name", "age"] };
    return textOf(await ask("who?", { response_format: { type: "json_schema", json_schema: { name: "person", schema } } }));
  },

  async completion() {
    return (await client.completions.create({ model: models.chat, prompt: "good morning" })).choices[0].text;
  },

  async embeddings() {
    const answer = await client.embeddings.create({ model: models.vectors, input: ["one two", "three"] });
    const about = { model: models.vectors, input: "one two", encoding_format: "float" };
    const plain = await client.embeddings.create(about);
    return [...answer.data, plain.data[0]].map((each) => each.embedding);
  },

  async models() {
    const listed = new Set();
    for await (const model of client.models.list()) listed.add(model.id);
    const one = await client.models.retrieve(models.chat);
    return { all: Object.values(models).every((name) => listed.has(name)), one: one.id };
  },

  async images() {
    const about = { model: models.pictures, prompt: "a cat", n: 2, response_format: "b64_json" };
    const answer = await client.images.generate(about);
    return answer.data.map((image) => image.b64_json);
  },

  async speech() {
    const say = async (more) => {
      const answer = await client.audio.speech.create({ model: models.voice, voice: "any", input: "hello", ...more });
      return Buffer.from(await answer.arrayBuffer());
    };
    const [wav, pcm] = [await say({}), await say({ response_format: "pcm" })];
    const header = wav.length - pcm.length;
    const sounds = { pcm: pcm.toString("base64"), wav: wav.subarray(header).toString("base64") };
    return { begins: wav.subarray(0, 4).toString(), header, ...sounds };
  },

  async transcription() {
    const file = await toFile(Buffer.from(process.env.RECORDING, "base64"), "recording.wav");
    return (await client.audio.transcriptions.create({ model: models.ears, file, language: "en" })).text;
  },

  wrong_key: () => ask("x", {}, client.withOptions({ apiKey: `${apiKey.slice(0, -4)}0000` })),
  wrong_model: () => ask("x", { model: "nobody/nothing" }),
  wrong_request: () => ask("x", { messages: "x" }),
  absent_api: () => client.responses.create({ model: models.chat, input: "x" }),
  compressed_speech: () =>
    client.audio.speech.create({ model: models.voice, voice: "any", input: "hello", response_format: "mp3" }),
  broken_model: () => ask("broken", {}, withoutRetries),
  busy: () => ask("busy, javascript, without retries", {}, withoutRetries),

  async busy_with_retries() {
    const began = Date.now();
    const text = textOf(await ask("busy, javascript, with retries"));
    return { waited: (Date.now() - began) / 1000, text };
  },

  async limited_key() {
    const limited = withoutRetries.withOptions({ apiKey: limitedKey });
    let refused;
    for (let call = 0; call < 500 && !refused; call += 1) {
      try {
        await ask("x", {}, limited);
      } catch (error) {
        if (!(error instanceof OpenAI.RateLimitError)) throw error;
        refused = error;
      }
    }
    const answer = await ask("again", {}, limited.withOptions({ maxRetries: 5 }));
    const retryAfter = Number(refused.headers.get("retry-after"));
    return { code: refused.code, type: refused.type, retry_after: retryAfter, text: textOf(answer) };
  },

  async leaving() {
    const before = await gone();
    let heard = 0;
    for await (const _ of await ask("talk on", { stream: true })) {
      heard += 1;
      if (heard === 5) break;
    }
    return { heard, noticed: await oneMoreThan(before) };
  },

  async impatient() {
    const before = await gone();
    try {
      await ask("talk on", {}, withoutRetries.withOptions({ timeout: 1000 }));
    } catch (error) {
      return { raised: error.constructor.name, noticed: await oneMoreThan(before) };
    }
    return null;
  },
};

const outcomes = {};
for (const [name, run] of Object.entries(cases)) {
  try {
    outcomes[name] = { returned: await run() };
  } catch (error) {
    outcomes[name] = {
      raised: error.constructor.name,
      status: error.status ?? null,
      code: error.code ?? null,
      retry_after: error.headers?.get?.("retry-after") ?? null,
      text: String(error).slice(0, 500),
      trace: String(error.stack).slice(0, 1500),
    };
  }
}
console.log(JSON.stringify(outcomes));
