/** A file, and its path within what was chosen or dropped. */
export interface NamedFile {
  path: string;
  file: File;
}

/** Files that were dropped, and those in dropped folders with their paths. */
export async function droppedFiles({ items, files }: Pick<DataTransfer, 'items' | 'files'>): Promise<NamedFile[]> {
  // The entries are only there before the first wait.
  const entries: (FileSystemEntry | null)[] = [...(items ?? [])]
    .filter(({ kind }) => kind === 'file')
    .map((item) => item.webkitGetAsEntry());
  const found = entries.filter((entry) => entry !== null);
  if (found.length === 0 || found.length < entries.length) return [...files].map((file) => ({ path: file.name, file }));
  return (await Promise.all(found.map((entry) => within(entry, '')))).flat();
}

async function within(entry: FileSystemEntry, folder: string): Promise<NamedFile[]> {
  const path = folder + entry.name;
  if (entry.isFile) return [{ path, file: await fileOf(entry as FileSystemFileEntry) }];
  const inside = await entriesOf(entry as FileSystemDirectoryEntry);
  return (await Promise.all(inside.map((one) => within(one, `${path}/`)))).flat();
}

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject));

/** A reader gives a folder in portions, and an empty one after the last. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const portion = () => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
  const all: FileSystemEntry[] = [];
  for (let next = await portion(); next.length > 0; next = await portion()) all.push(...next);
  return all;
}
