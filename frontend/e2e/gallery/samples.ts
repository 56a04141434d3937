/** How much there is: nothing, a normal day, or far more and far longer than anyone designed for. */
export type State = 'empty' | 'typical' | 'crowded';

export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  minimum?: number;
}

const ROWS: Record<State, number> = { empty: 0, typical: 4, crowded: 60 };
const ROWS_INSIDE = 5;
const DEEPEST = 8;
const LONG = ' with a name that is much longer than the place that anyone had in mind for it';
const HOUR = 3_600_000;
/** The moment at which all pages are read: pictures of the same code are equal. */
export const NOW = Date.UTC(2026, 10, 24, 12);
const LAST = NOW - HOUR / 3;
const FUTURE = /(expire|until|next|ends|left)/i;

/** Words of the field, by what the name of a property ends with. */
const WORDS: [RegExp, readonly string[]][] = [
  [/taskType$/i, ['ner', 'text-classification', 'embeddings', 'asr', 'tts']],
  [/(login|mail|email)$/i, ['ada@example.org', 'charles@example.org', 'grace@example.org']],
  [/(accountName|author|payer|shortName)$/i, ['acme', 'demo', 'north-lab', 'charite']],
  [/(displayName|title)$/i, ['Names in news', 'Speech to text', 'Similar sentences', 'Tone of a review']],
  [
    /description$/i,
    ['Finds people, places and companies in a text, and says where.', 'Turns a recording into text, with times.'],
  ],
  [/(language|languages)$/i, ['ru', 'en', 'de', 'fr']],
  [/(url|address|link)$/i, ['https://example.org/service']],
  [/(name|key)$/i, ['ner-ru', 'speech', 'similar', 'tone']],
  [/^image$/, ['registry.example.org/acme/ner:1.4.2', 'registry.example.org/acme/speech:2.0.1']],
  [/^(sourcePath|targetPath|mountPath)$/, ['/models', '/lexicons', '/voices']],
  [/^source$/, ['REFILL_FROM_INCOME', 'REQUEST_FROM_AA']],
  [/^status$/, ['DONE', 'PENDING', 'FAILED']],
  [/(version|tag)$/i, ['1.4.2', '1.5.0']],
  [/(message|text|comment|reason)$/i, ['The instance answered after 1.2 s.', 'The image was pulled.']],
];
/** Words of these repeat in a list; others are different in each row, as names are. */
const SETS = /^(taskType|source|status)$|(description|message|text|comment|reason|url|address|link)$/i;
const NUMBERS: [RegExp, (seed: number) => number][] = [
  [/(id|Id)$/, (seed) => 1 + seed],
  [/(timestamp|lastActivity|startTime|endTime)$/, (seed) => LAST - seed * HOUR],
  [/(amount|balance|currency|cost|price|sum|total)/i, (seed) => 1234.5 + seed * 17.25],
  [/(percent|percentage)$/i, (seed) => (seed * 13) % 101],
  [/(port)$/i, () => 8080],
];

/** Makes a value of a schema of the OpenAPI documents. The same arguments make the same value. */
export class Samples {
  /** Arrays around the value that is being made: those inside a row are short. */
  private arrays = 0;

  constructor(
    private readonly schemas: Record<string, Schema>,
    private readonly state: State,
  ) {}

  of(schema: Schema, name = '', seed = 0, depth = 0): unknown {
    if (depth > DEEPEST) return null;
    if (schema.$ref) return this.of(this.schemas[schema.$ref.replace(/^.*\//, '')] ?? {}, name, seed, depth + 1);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[seed % schema.enum.length];
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => this.of(part, name, seed, depth + 1)));
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return this.chosen(choices, name, seed, depth);
    switch (schema.type) {
      case 'array':
        return this.rows(schema.items ?? {}, name, seed, depth);
      case 'object':
        return this.object(schema, seed, depth);
      case 'string':
        return this.text(schema, name, seed);
      case 'integer':
        return Math.round(this.number(name, seed));
      case 'number':
        return this.number(name, seed);
      case 'boolean':
        return this.state !== 'empty' && !/(removed|deleted|deprecated|blocked|hidden|inactive)$/i.test(name);
      default:
        return null;
    }
  }

  private rows(items: Schema, name: string, seed: number, depth: number): unknown[] {
    const length = this.arrays > 0 ? Math.min(ROWS[this.state], ROWS_INSIDE) : ROWS[this.state];
    this.arrays += 1;
    const made = Array.from({ length }, (_, at) => this.of(items, name, seed + at, depth + 1));
    this.arrays -= 1;
    return made;
  }

  private chosen(choices: Schema[], name: string, seed: number, depth: number): unknown {
    const real = choices.filter(({ type }) => type !== 'null');
    if (this.state === 'empty' && real.length < choices.length) return null;
    return this.of(real[0] ?? {}, name, seed, depth + 1);
  }

  private object(
    { properties = {}, additionalProperties }: Schema,
    seed: number,
    depth: number,
  ): Record<string, unknown> {
    const made = Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, this.of(schema, name, seed, depth + 1)]),
    );
    if (typeof additionalProperties === 'object' && this.state !== 'empty')
      made['sample'] = this.of(additionalProperties, 'name', seed, depth + 1);
    return made;
  }

  private text({ format }: Schema, name: string, seed: number): string {
    const moment = FUTURE.test(name) ? NOW + (seed + 12) * 24 * HOUR : LAST - seed * HOUR;
    if (format === 'date-time' || /(At|time|date|timestamp)$/i.test(name)) return new Date(moment).toISOString();
    if (format === 'date') return new Date(LAST - seed * 24 * HOUR).toISOString().slice(0, 10);
    if (/(amount|cost|price|balance|sum|total)/i.test(name)) return this.number(name, seed).toFixed(2);
    const words = WORDS.find(([ending]) => ending.test(name))?.[1] ?? ['sample'];
    const round = Math.floor(seed / words.length);
    const word = `${words[seed % words.length]}${round > 0 && !SETS.test(name) ? `-${round}` : ''}`;
    const spoken = /(displayName|title|description|message|text|comment|reason)$/i.test(name);
    return this.state === 'crowded' && spoken ? word + LONG : word;
  }

  private number(name: string, seed: number): number {
    if (this.state === 'empty' && !/(id|Id)$/.test(name)) return 0;
    const value = NUMBERS.find(([ending]) => ending.test(name))?.[1](seed) ?? 3 + (seed % 7);
    return this.state === 'crowded' && /(amount|balance|currency|cost|price|sum|total|count)/i.test(name)
      ? value * 1_000_000
      : value;
  }
}
