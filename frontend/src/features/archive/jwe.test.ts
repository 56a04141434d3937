import { constants, createCipheriv, createHash, generateKeyPairSync, publicEncrypt, randomBytes } from 'node:crypto';

import { beforeEach, expect, test, vi } from 'vitest';

import { readable } from './content';
import { opened, OpeningError, readKey } from './jwe';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const TEXT = '{"request":{"data":{"json":"{\\"a\\":1}","type":null}}}';

/** Encrypts like the gateway. */
function sealed(text: string): string {
  const kid = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const header = Buffer.from(JSON.stringify({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid })).toString('base64url');
  const [key, nonce] = [randomBytes(32), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(header));
  const content = Buffer.concat([cipher.update(text), cipher.final()]);
  const wrapped = publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, key);
  return [header, ...[wrapped, nonce, content, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join(
    '.',
  );
}

const faultOf = async (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof OpeningError ? error.fault : error),
  );

beforeEach(() => {
  vi.stubGlobal('isSecureContext', true);
});

test('the key of its owner opens a record', async () => {
  expect(await opened(sealed(TEXT), await readKey(PEM))).toBe(TEXT);
});

test('another key does not, and says so', async () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  expect(await faultOf(opened(sealed(TEXT), await readKey(other)))).toBe('otherKey');
});

test('a record that was changed does not open', async () => {
  const [header, wrapped, nonce, content, tag] = sealed(TEXT).split('.');
  const key = await readKey(PEM);
  expect(await faultOf(opened([header, wrapped, nonce, `${content ?? ''}AA`, tag].join('.'), key))).toBe('broken');
  expect(await faultOf(opened([`${header ?? ''}x`, wrapped, nonce, content, tag].join('.'), key))).toBe('broken');
  expect(await faultOf(opened('a.b', key))).toBe('broken');
});

test('what is no usable key is told apart', async () => {
  expect(await faultOf(readKey('hello'))).toBe('notAKey');
  expect(await faultOf(readKey(publicKey.export({ type: 'spki', format: 'pem' }).toString()))).toBe('notAKey');
  expect(await faultOf(readKey(privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()))).toBe('oldKey');
  expect(
    await faultOf(
      readKey(privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString()),
    ),
  ).toBe('lockedKey');
  expect(await faultOf(readKey('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'))).toBe('notAKey'); // pragma: allowlist secret
});

test('a page over plain HTTP says that the browser cannot', async () => {
  vi.stubGlobal('isSecureContext', false);
  expect(await faultOf(readKey(PEM))).toBe('insecure');
});

test('contents are shown as what they hold', () => {
  expect(JSON.parse(readable(TEXT))).toEqual({ request: { data: { a: 1 } } });
  expect(readable('no JSON')).toBe('no JSON');
});
