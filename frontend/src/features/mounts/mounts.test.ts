import { describe, expect, test } from 'vitest';

import {
  faultsOf,
  isPath,
  knownOf,
  type Mount,
  mountsOf,
  NEW,
  readMounts,
  refusedOf,
  storedOf,
  writeMounts,
} from './mounts';

const STORED = {
  persistentVolumes: [{ pvId: 7, mountPath: '/data', sizeInGb: 5, storageClass: 'fast' }],
  dataImageMounts: [{ dmId: null, dataImageAccountId: 3, dataImageId: 4, targetPath: '/to' }],
};
const volume = (more: Partial<Mount> = {}): Mount => ({ ...NEW, id: 0, path: '/data', ...more });

test('what the server stores comes back as it came, with what the rows do not show', () => {
  expect(storedOf(mountsOf(STORED))).toEqual(STORED);
});

test('what the server says of a data image is not sent back', () => {
  const said = STORED.dataImageMounts.map((mount) => ({
    ...mount,
    dataImage: 'x',
    dataImageName: 'weights',
    sourcePath: '/from',
  }));
  expect(storedOf(mountsOf({ ...STORED, dataImageMounts: said }))).toEqual(STORED);
  expect(knownOf({ ...NEW, id: 0, dataImageAccountId: 3, dataImageId: 4 }, said)?.dataImageName).toBe('weights');
  expect(knownOf({ ...NEW, id: 0, dataImageAccountId: 3, dataImageId: 5 }, said)).toBeUndefined();
});

describe('the list of all rows', () => {
  test('comes back as it went, also of rows that are not complete', () => {
    const rows = [...mountsOf(STORED), volume({ id: 2, path: '', sizeInGb: '', storageClass: '' })];
    expect(readMounts(JSON.parse(JSON.stringify(writeMounts(rows))))).toEqual(rows);
  });

  test.each([
    {},
    [1],
    [{}],
    [{ kind: 'disk' }],
    [{ kind: 'volume', mountPath: 5 }],
    [{ kind: 'volume', sizeInGb: '5' }],
  ])('is not %j', (document) => {
    expect(readMounts(document)).toBeNull();
  });

  test('keeps unknown properties', () => {
    const [row] =
      readMounts([{ kind: 'volume', mountPath: '/a', sizeInGb: 1, storageClass: 'x', note: { a: 1 } }]) ?? [];
    expect(writeMounts(row ? [row] : [])).toEqual([
      { kind: 'volume', mountPath: '/a', sizeInGb: 1, storageClass: 'x', note: { a: 1 } },
    ]);
  });
});

test.each([
  ['/data', true],
  ['/data/', true],
  ['/a/b.c/d-e_1', true],
  ['data', false],
  ['/', false],
  ['/a/../b', false],
  ['/a//b', false],
  ['/a b', false],
  ['/ä', false],
  ['', false],
  [`/${'a'.repeat(129)}`, false],
])('%j is a path: %s', (path, is) => {
  expect(isPath(path)).toBe(is);
});

test.each<[Partial<Mount>, object]>([
  [{}, {}],
  [{ path: 'x' }, { path: 'path' }],
  [{ sizeInGb: 0 }, { sizeInGb: 'size' }],
  [{ sizeInGb: '' }, { sizeInGb: 'size' }],
  [{ storageClass: 'Fast' }, { storageClass: 'class' }],
  [{ kind: 'dataImage' }, { dataImageId: 'image' }],
  [{ kind: 'dataImage', dataImageAccountId: 1, dataImageId: 0.5 }, { dataImageId: 'image' }],
  [{ kind: 'dataImage', dataImageAccountId: 1, dataImageId: 2 }, {}],
])('%j has the faults %j', (more, faults) => {
  expect(faultsOf(volume(more), [volume(more)])).toEqual(faults);
});

test('one path is mounted once', () => {
  const rows = [volume(), volume({ id: 1, path: '/data/', kind: 'dataImage', dataImageAccountId: 1, dataImageId: 1 })];
  expect(rows.map((row) => faultsOf(row, rows).path)).toEqual(['twice', 'twice']);
});

test('errors of the server belong to the rows that they name, by kind and place', () => {
  const rows = [volume({ id: 5, kind: 'dataImage' }), volume({ id: 6 }), volume({ id: 7, path: '/b' })];
  expect(refusedOf(['persistentVolumes.1.mountPath', 'dataImageMounts.0.dataImageId', 'image'], rows)).toEqual({
    rows: { 7: { path: 'persistentVolumes.1.mountPath' }, 5: { dataImageId: 'dataImageMounts.0.dataImageId' } },
    rest: true,
  });
});
