/** Endings of file names by format; the data type begins with the format. */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  plain: ['.txt', '.text', '.md'],
  json: ['.json', '.jsonl', '.ndjson'],
  csv: ['.csv'],
  xlsx: ['.xlsx'],
};
const TABLES = new Set(['texts', 'texts-and-labels', 'faq', 'tts-dictionary']);

export const endingsOf = (dataType: string): readonly string[] => ENDINGS[dataType.split('/')[0] ?? ''] ?? [];
export const isTable = (dataType: string): boolean => TABLES.has(dataType.split('/')[1] ?? '');

export type FileFault = 'wrongFormat' | 'tooSmall';

/** Finds what is wrong before a file is sent. The server checks everything again, and the content itself. */
export function faultOf(file: { name: string; size: number }, dataType: string): FileFault | null {
  if (file.size === 0) return 'tooSmall';
  const endings = endingsOf(dataType);
  return endings.length > 0 && !endings.some((ending) => file.name.toLowerCase().endsWith(ending))
    ? 'wrongFormat'
    : null;
}

/** Addresses of a dataset that are no calls of the API's client: a link, and forms with a file. */
export const contentPath = (account: string, datasetId: number, type?: string): string =>
  `/api/mlpcore/account/${encodeURIComponent(account)}/dataset/${datasetId}/content${type ? `?${new URLSearchParams({ type }).toString()}` : ''}`;

export const newDatasetPath = (account: string, fields: Record<string, string>): string =>
  `/api/mlpcore/account/${encodeURIComponent(account)}/dataset/raw?${new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== '')).toString()}`;
