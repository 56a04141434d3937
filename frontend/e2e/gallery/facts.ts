import { FACTS as OF_ACCOUNT } from './facts/account.ts';
import { type Fact } from './facts/base.ts';
import { FACTS as OF_CALLS } from './facts/calls.ts';
import { FACTS as OF_HOSTING } from './facts/hosting.ts';
import { FACTS as OF_MONEY } from './facts/money.ts';
import { FACTS as OF_SERVICES } from './facts/services.ts';
import { FACTS as OF_STORAGE } from './facts/storage.ts';
import { FACTS as OF_VERSIONS } from './facts/versions.ts';
import { type State } from './samples.ts';

export { ANSWER } from './facts/calls.ts';

/** Answers that only make sense together or in a certain size: what the schema alone does not say. The first that fits the path is used. */
const FACTS: readonly Fact[] = [
  ...OF_SERVICES,
  ...OF_CALLS,
  ...OF_VERSIONS,
  ...OF_HOSTING,
  ...OF_MONEY,
  ...OF_STORAGE,
  ...OF_ACCOUNT,
];

/** The made-up answer to a path, changed where the made-up one would be nonsense. */
export function refined(path: string, body: unknown, state: State): unknown {
  if (state === 'empty' && !EVEN_IF_EMPTY.test(path)) return body;
  const change = FACTS.find(([pattern]) => pattern.test(path))?.[1];
  return change ? change(body as never, state) : body;
}

/** A service's page exists only with the service. */
const EVEN_IF_EMPTY = /\/(model\/[^/]+|statement|storage|mlpcore\/(admin\/)?account\/[^/]+)$/;
