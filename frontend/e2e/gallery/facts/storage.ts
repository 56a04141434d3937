import { type State } from '../samples.ts';
import { ago, type Fact, HOUR, type Row, records } from './base.ts';

/** Folders and objects of a bucket; with long names where there are many. */
function bucketed(body: { folders: Row[]; objects: Row[] }, state: State) {
  const long =
    state === 'crowded' ? '-with-a-name-that-is-much-longer-than-the-place-that-anyone-had-in-mind-for-it' : '';
  const folders = body.folders
    .slice(0, state === 'crowded' ? 12 : 2)
    .map((_row, at) => `${['raw', 'models', 'exports'][at % 3]}-${at + 1}${at % 5 === 1 ? long : ''}`);
  const objects = body.objects.map(
    (_row, at) =>
      `${['readme.md', 'reviews.csv', 'weights.safetensors', 'voices.tar.gz'][at % 4]}${at > 3 ? `.${at}` : ''}${at % 7 === 2 ? long : ''}`,
  );
  return {
    bucketName: 'acme-1',
    prefix: '',
    next: state === 'crowded' ? objects.at(-1) : null,
    folders: folders.map((name) => ({ name, prefix: `${name}/` })),
    objects: objects.map((name, at) => ({
      key: name,
      name,
      size: 1843 * 37 ** (at % 4),
      modified: ago((at + 1) * 5 * HOUR),
      etag: 'e',
      contentType: 'text/plain',
    })),
  };
}

export const FACTS: readonly Fact[] = [
  [
    /\/account\/[^/]+\/storage$/,
    () => ({
      limitBytes: 5e9,
      usedBytes: 1.62e9,
      kinds: [
        { kind: 'predictions', bytes: 4.2e8, items: 1830 },
        { kind: 'answers', bytes: 1.1e8, items: 412 },
        { kind: 'archive', bytes: 1.09e9, items: 9120 },
      ],
      setting: { predictionHours: 24, answerHours: null, archiveHours: 720 },
      kept: { predictionHours: 24, answerHours: 24, archiveHours: 720 },
    }),
  ],
  [
    /\/s3$/,
    () => ({
      s3Url: 'https://s3.example.org',
      accessKey: 'MLP7QDX2FKB81PQ0Z0FF',
      secretKey: 'c3d7JweA9Lm/x2FkPq0z+b81Qd7c3d7JweA9Lmx2',
      bucketName: 'acme-1',
    }),
  ],
  [/\/s3\/object$/, bucketed],
  [
    /\/s3\/storage$/,
    (_body, state) =>
      state === 'empty'
        ? { limitBytes: 5e9, usedBytes: 0, bucketBytes: 0, datasetBytes: 0, objects: 0, objectLimitBytes: 5e9 }
        : {
            limitBytes: 5e9,
            usedBytes: state === 'crowded' ? 5e9 : 1.62e9,
            bucketBytes: state === 'crowded' ? 4.8e9 : 1.38e9,
            datasetBytes: state === 'crowded' ? 2e8 : 2.4e8,
            objects: state === 'crowded' ? 18_240 : 42,
            objectLimitBytes: 5e9,
          },
  ],
  [
    /\/archive$/,
    (body: { records: Row[]; paging: Row }, state) =>
      records(body, state, (row, at) => ({
        ...row,
        requestId: `7f3c0a52b1${at}`,
        operation: 'predict',
        status: at % 9 === 3 ? 503 : 200,
        errorCode: at % 9 === 3 ? 'mlp.gate.no_instance' : null,
        requestBytes: 812,
        answerBytes: 1930,
        durationMs: 84 + at,
        keyId: null,
      })),
  ],
];
