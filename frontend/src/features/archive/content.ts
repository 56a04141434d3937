/** The contents of a record for display: JSON texts are shown as JSON. */
export function readable(text: string): string {
  try {
    return JSON.stringify(
      JSON.parse(text, (_name, value: unknown) => inner(value)),
      null,
      2,
    );
  } catch {
    return text;
  }
}

/** Replaces the text in `{json: "…", type}` by its JSON value. */
function inner(value: unknown): unknown {
  if (!isContent(value)) return value;
  try {
    return JSON.parse(value.json) as unknown;
  } catch {
    return value.json;
  }
}

function isContent(value: unknown): value is { json: string; type: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'json' in value &&
    typeof value.json === 'string' &&
    'type' in value &&
    Object.keys(value).length === 2
  );
}
