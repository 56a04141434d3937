/** Limits of uploads: the memory of browsers and the limits of a gateway. */
export const LARGEST_FILE = 20 * 1024 * 1024;

export type FileFault = 'fileEmpty' | 'fileLarge' | 'fileKind' | 'fileMany';

/** `kind`: prefix of the accepted media type, such as `audio/`. */
export function faultOf(files: readonly Pick<File, 'size' | 'type'>[], kind?: string): FileFault | null {
  const [file] = files;
  if (files.length > 1) return 'fileMany';
  if (!file || file.size === 0) return 'fileEmpty';
  if (file.size > LARGEST_FILE) return 'fileLarge';
  return kind && file.type && !file.type.startsWith(kind) ? 'fileKind' : null;
}
