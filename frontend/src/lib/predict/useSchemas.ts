import { useEffect, useState } from 'react';

import { coreApi } from '@/api';

import { type Schema, schemasIn } from './schema';

interface Schemas {
  data: Schema | null;
  config: Schema | null;
}

/** The schemas in the service's descriptor. Undefined while they are being read; null if the service has none. */
export function useSchemas(account: string, model: string): Schemas | null | undefined {
  const { data: descriptor, isLoading } = coreApi.useCoreGetServiceDescriptorQuery({ account, model });
  const [read, setRead] = useState<{ content: string; schemas: Schemas } | null>(null);
  const content = descriptor?.schemaFiles[0]?.content;
  useEffect(() => {
    if (!content) return;
    let gone = false;
    void documentIn(content).then((document) => !gone && setRead({ content, schemas: schemasIn(document) }));
    return () => {
      gone = true;
    };
  }, [content]);
  if (!content) return isLoading ? undefined : null;
  return read?.content === content ? read.schemas : undefined;
}

/** The SDK writes YAML, a superset of JSON. The parser is loaded when it is needed. */
async function documentIn(content: string): Promise<unknown> {
  try {
    const { load } = await import('js-yaml');
    return load(content);
  } catch {
    return null;
  }
}
