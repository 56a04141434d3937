/** Decrypts archived requests with the owner's key: compact JWE, RSA-OAEP-256 and A256GCM. The key stays in the browser. */
import { base64url, compactDecrypt, decodeProtectedHeader, exportJWK, exportSPKI, importJWK, importPKCS8 } from 'jose';

const ALGORITHM = 'RSA-OAEP-256';

export type KeyFault = 'notAKey' | 'oldKey' | 'lockedKey' | 'otherKey' | 'broken' | 'insecure';

export class OpeningError extends Error {
  constructor(readonly fault: KeyFault) {
    super(fault);
  }
}

export interface OwnersKey {
  key: CryptoKey;
  /** SHA-256 of the public key in DER, as base64url: the `kid` of records for this key. */
  id: string;
}

/** Reads PKCS #8 in PEM. Other private key formats get their own error, which says what to do. */
export async function readKey(pem: string): Promise<OwnersKey> {
  if (!window.isSecureContext) throw new OpeningError('insecure'); // browsers have no cryptography for pages over plain HTTP
  if (pem.includes('BEGIN RSA PRIVATE KEY')) throw new OpeningError('oldKey'); // pragma: allowlist secret
  if (pem.includes('BEGIN ENCRYPTED PRIVATE KEY')) throw new OpeningError('lockedKey');
  const begin = pem.indexOf('-----BEGIN PRIVATE KEY-----'); // pragma: allowlist secret
  try {
    const text = pem.slice(begin).trim();
    return { key: await importPKCS8(text, ALGORITHM), id: await idOf(text) };
  } catch {
    throw new OpeningError('notAKey');
  }
}

async function idOf(pem: string): Promise<string> {
  const { kty, n, e } = await exportJWK(await importPKCS8(pem, ALGORITHM, { extractable: true }));
  const known = await importJWK({ kty: kty ?? '', n: n ?? '', e: e ?? '' }, ALGORITHM, { extractable: true });
  const der = base64url.decode(
    (await exportSPKI(known as CryptoKey))
      .replace(/-----[A-Z ]+-----|\s/g, '')
      .replaceAll('+', '-')
      .replaceAll('/', '_'),
  );
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(der))));
}

/** The decrypted text of one record. */
export async function opened(record: string, { key, id }: OwnersKey): Promise<string> {
  const sealed = record.trim();
  if (kidOf(sealed) !== id) throw new OpeningError('otherKey');
  try {
    const { plaintext } = await compactDecrypt(sealed, key, {
      keyManagementAlgorithms: [ALGORITHM],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    return new TextDecoder().decode(plaintext);
  } catch {
    throw new OpeningError('broken');
  }
}

/** A wrong key and a changed record look the same when they are decrypted, so the header tells which key is needed. */
function kidOf(sealed: string): string | undefined {
  try {
    return decodeProtectedHeader(sealed).kid;
  } catch {
    throw new OpeningError('broken');
  }
}
