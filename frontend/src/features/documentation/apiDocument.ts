export interface ApiDocument {
  paths: Record<string, Record<string, { 'x-audience'?: 'superadmin' | 'internal' }>>;
  [other: string]: unknown;
}

/** The document without what the reader cannot call. A superadmin reads all of it. */
export function forReader(document: ApiDocument, superadmin: boolean): ApiDocument {
  if (superadmin) return document;
  const paths = Object.entries(document.paths).flatMap(([path, operations]) => {
    const own = Object.entries(operations).filter(([, operation]) => !operation['x-audience']);
    return own.length > 0 ? [[path, Object.fromEntries(own)] as const] : [];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

export async function loadDocument(service: string, signal: AbortSignal): Promise<ApiDocument> {
  const answer = await fetch(`/api/${service}/openapi.json`, { signal });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return (await answer.json()) as ApiDocument;
}
