/** What a record holds, as people read it: contents that are JSON become a part of it. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, (_name, value: unknown) => inner(value)), null, 2);
  } catch {
    return text;
  }
}

/** `{json: "…", type}`: the text as the value that it holds. */
function inner(value: unknown): unknown {
  if (!isContent(value)) return value;
  try {
    return JSON.parse(value.json) as unknown;
  } catch {
    return value.json;
  }
}

function isContent(value: unknown): value is { json: string; type: unknown } {
  return typeof value === 'object' && value !== null && 'json' in value && typeof value.json === 'string' && 'type' in value && Object.keys(value).length === 2;
}
