import { type Bounds, sizeFault, type UploadFault } from '@/lib/uploads/faults';

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

/** Finds what is wrong with what was chosen, before it is sent. The server checks everything again, and the content itself. */
export function faultOf(
  files: readonly Pick<File, 'name' | 'size'>[],
  dataType: string,
  bounds: Bounds,
): UploadFault | null {
  const [file] = files;
  if (!file) return null;
  if (files.length > 1) return { kind: 'tooMany', count: files.length };
  const { name } = file;
  const endings = endingsOf(dataType);
  if (endings.length > 0 && !endings.some((ending) => name.toLowerCase().endsWith(ending)))
    return { kind: 'wrongFormat', name, endings };
  return file.size === 0 ? { kind: 'tooSmall', name } : sizeFault(file, bounds);
}

/** Addresses of a dataset that are no calls of the API's client: a link, and forms with a file. */
export const contentPath = (account: string, datasetId: number, type?: string): string =>
  `/api/mlpcore/account/${encodeURIComponent(account)}/dataset/${datasetId}/content${type ? `?${new URLSearchParams({ type }).toString()}` : ''}`;

export const newDatasetPath = (account: string, fields: Record<string, string>): string =>
  `/api/mlpcore/account/${encodeURIComponent(account)}/dataset/raw?${new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== '')).toString()}`;
