import { useEffect, useState } from 'react';

import { coreApi } from '@/api';

import { type Schema, schemasIn } from './schema';

interface Schemas {
  data: Schema | null;
  config: Schema | null;
}

/** The request's schema from the service's descriptor; null if it is unknown or the service has none. */
export function useSchemas(account: string, model: string): Schemas | null {
  const { data: descriptor } = coreApi.useCoreGetServiceDescriptorQuery({ account, model });
  const [schemas, setSchemas] = useState<Schemas | null>(null);
  const content = descriptor?.schemaFiles[0]?.content;
  useEffect(() => {
    if (!content) return;
    let gone = false;
    void read(content).then((document) => !gone && setSchemas(schemasIn(document)));
    return () => {
      gone = true;
    };
  }, [content]);
  return schemas;
}

/** The SDK writes YAML, a superset of JSON. The parser is loaded when it is needed. */
async function read(content: string): Promise<unknown> {
  const { load } = await import('js-yaml');
  try {
    return load(content);
  } catch {
    return null;
  }
}
