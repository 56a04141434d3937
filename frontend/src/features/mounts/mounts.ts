import type { DataImageMountData, ModelInfoData, PersistentVolumeData } from '@/api/generated/core.gen';

/** A place in the container's file system: a volume that outlives instances, or the files of a data image. */
export const KINDS = ['volume', 'dataImage'] as const;
export type Kind = (typeof KINDS)[number];

/** A row as typed: a number is text or empty until it is one. */
export interface Mount {
  id: number;
  kind: Kind;
  /** Where instances find it. */
  path: string;
  sizeInGb: number | '';
  storageClass: string;
  dataImageAccountId: number | '';
  dataImageId: number | '';
  /** Properties that the rows do not show, such as ids of the server. */
  others: Record<string, unknown>;
}

export type Stored = Pick<ModelInfoData, 'persistentVolumes' | 'dataImageMounts'>;

export const NEW: Omit<Mount, 'id'> = {
  kind: 'volume',
  path: '',
  sizeInGb: 10,
  storageClass: 'standard',
  dataImageAccountId: '',
  dataImageId: '',
  others: {},
};

const numberOf = (value: unknown): number | '' => (typeof value === 'number' ? value : '');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What the server says of the data image that is mounted; it takes none of it. */
const SHOWN = new Set(['dataImage', 'dataImageName', 'sourcePath']);

function mountOf(kind: Kind, id: number, document: Record<string, unknown>): Mount {
  const {
    mountPath,
    targetPath,
    sizeInGb,
    storageClass,
    dataImageAccountId,
    dataImageId,
    kind: _kind,
    ...rest
  } = document;
  const others =
    kind === 'volume' ? rest : Object.fromEntries(Object.entries(rest).filter(([name]) => !SHOWN.has(name)));
  const volume = kind === 'volume';
  return {
    id,
    kind,
    path: textOf(volume ? mountPath : targetPath),
    sizeInGb: volume ? numberOf(sizeInGb) : NEW.sizeInGb,
    storageClass: volume ? textOf(storageClass) : NEW.storageClass,
    dataImageAccountId: numberOf(dataImageAccountId),
    dataImageId: numberOf(dataImageId),
    others,
  };
}

export function mountsOf({ persistentVolumes, dataImageMounts }: Stored): Mount[] {
  const volumes = persistentVolumes.map((one) => ['volume', one] as const);
  return [...volumes, ...dataImageMounts.map((one) => ['dataImage', one] as const)].map(([kind, one], id) =>
    mountOf(kind, id, { ...one }),
  );
}

/** The server's object of a row; an empty number is null, which only a document of an unfinished row has. */
function documentOf({
  kind,
  path,
  sizeInGb,
  storageClass,
  dataImageAccountId,
  dataImageId,
  others,
}: Mount): Record<string, unknown> {
  return kind === 'volume'
    ? { ...others, mountPath: path, sizeInGb: sizeInGb === '' ? null : sizeInGb, storageClass }
    : {
        ...others,
        dataImageAccountId: dataImageAccountId === '' ? null : dataImageAccountId,
        dataImageId: dataImageId === '' ? null : dataImageId,
        targetPath: path,
      };
}

/** What the server stores, of rows without faults. */
export function storedOf(mounts: readonly Mount[]): {
  persistentVolumes: PersistentVolumeData[];
  dataImageMounts: DataImageMountData[];
} {
  const of = (kind: Kind) => mounts.filter((mount) => mount.kind === kind).map(documentOf);
  return {
    persistentVolumes: of('volume') as PersistentVolumeData[],
    dataImageMounts: of('dataImage') as DataImageMountData[],
  };
}

/** All rows as one list, in their order. */
export const writeMounts = (mounts: readonly Mount[]) =>
  mounts.map((mount) => ({ kind: mount.kind, ...documentOf(mount) }));

const NUMBERS = ['sizeInGb', 'dataImageAccountId', 'dataImageId'];
const TEXTS = ['mountPath', 'targetPath', 'storageClass'];

/** A value of another type would be lost in the rows, so such a document is none. */
export function readMounts(document: unknown): Mount[] | null {
  if (!Array.isArray(document)) return null;
  const mounts = (document as unknown[]).map((one, id) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return null;
    const row = one as Record<string, unknown>;
    const kind = KINDS.find((known) => known === row.kind);
    const fits = (names: string[], type: string) =>
      names.every((name) => row[name] === undefined || row[name] === null || typeof row[name] === type);
    return kind && fits(NUMBERS, 'number') && fits(TEXTS, 'string') ? mountOf(kind, id, row) : null;
  });
  return mounts.every((mount) => mount !== null) ? mounts : null;
}

export type Field = 'path' | 'sizeInGb' | 'storageClass' | 'dataImageId';
export type MountFault = 'path' | 'twice' | 'size' | 'class' | 'image';

const PIECE = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;
const CLASS = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const MOST_GB = 65_536;

export function isPath(path: string): boolean {
  return (
    path.startsWith('/') &&
    path.length <= 512 &&
    path
      .replace(/^\/+|\/+$/g, '')
      .split('/')
      .every((piece) => PIECE.test(piece))
  );
}

const trimmed = (path: string) => path.replace(/\/+$/, '');
const isId = (value: number) => Number.isInteger(value) && value >= 1;

/** The ids of the chosen data image; null: none is chosen. */
export function dataImageOf({
  dataImageAccountId: accountId,
  dataImageId: imageId,
}: Mount): { accountId: number; imageId: number } | null {
  return accountId !== '' && imageId !== '' && isId(accountId) && isId(imageId) ? { accountId, imageId } : null;
}

/** What the server says of the chosen data image where it is mounted already, which may not be read any more. */
export function knownOf(
  mount: Mount,
  stored: readonly DataImageMountData[],
): Pick<DataImageMountData, 'dataImageName' | 'sourcePath'> | undefined {
  return stored.find(
    ({ dataImageAccountId, dataImageId }) =>
      dataImageAccountId === mount.dataImageAccountId && dataImageId === mount.dataImageId,
  );
}

/** Errors of a row that can be found without the server. */
export function faultsOf(mount: Mount, mounts: readonly Mount[]): Partial<Record<Field, MountFault>> {
  const found: Partial<Record<Field, MountFault>> = {};
  if (!isPath(mount.path)) found.path = 'path';
  else if (mounts.some(({ id, path }) => id !== mount.id && trimmed(path) === trimmed(mount.path)))
    found.path = 'twice';
  if (mount.kind === 'volume') {
    if (mount.sizeInGb === '' || !Number.isInteger(mount.sizeInGb) || mount.sizeInGb < 1 || mount.sizeInGb > MOST_GB)
      found.sizeInGb = 'size';
    if (!CLASS.test(mount.storageClass)) found.storageClass = 'class';
  } else if (!dataImageOf(mount)) {
    found.dataImageId = 'image';
  }
  return found;
}

const LISTS: Record<string, Kind> = { persistentVolumes: 'volume', dataImageMounts: 'dataImage' };
const FIELDS: Record<string, Field> = {
  mountPath: 'path',
  targetPath: 'path',
  sizeInGb: 'sizeInGb',
  storageClass: 'storageClass',
  dataImageAccountId: 'dataImageId',
  dataImageId: 'dataImageId',
};

/** The server's names of errors by row and field; `rest`: it named something else. */
export function refusedOf(
  named: readonly string[],
  mounts: readonly Mount[],
): { rows: Record<number, Partial<Record<Field, string>>>; rest: boolean } {
  const rows: Record<number, Partial<Record<Field, string>>> = {};
  let rest = false;
  for (const path of named) {
    const [list = '', place = '', name = ''] = path.split('.');
    const row = mounts.filter(({ kind }) => kind === LISTS[list])[Number(place)];
    if (row) rows[row.id] = { ...rows[row.id], [FIELDS[name] ?? 'path']: path };
    else rest = true;
  }
  return { rows, rest };
}
