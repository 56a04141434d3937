/** Decrypts archived requests with the owner's key: compact JWE, RSA-OAEP-256 and A256GCM. The key stays in the browser. */
import { fromBase64 } from '@/lib/predict/base64';

const PKCS8 = /-----BEGIN PRIVATE KEY-----([\sA-Za-z0-9+/=]+)-----END PRIVATE KEY-----/; // pragma: allowlist secret

export type KeyFault = 'notAKey' | 'oldKey' | 'lockedKey' | 'otherKey' | 'broken' | 'insecure';

export class OpeningError extends Error {
  constructor(readonly fault: KeyFault) {
    super(fault);
  }
}

/** Reads PKCS #8 in PEM. Other private key formats get their own error, which says what to do. */
export async function readKey(pem: string): Promise<CryptoKey> {
  if (!window.isSecureContext) throw new OpeningError('insecure'); // browsers have no cryptography for pages over plain HTTP
  if (pem.includes('BEGIN RSA PRIVATE KEY')) throw new OpeningError('oldKey'); // pragma: allowlist secret
  if (pem.includes('BEGIN ENCRYPTED PRIVATE KEY')) throw new OpeningError('lockedKey');
  const der = fromBase64(PKCS8.exec(pem)?.[1] ?? '');
  if (!der?.length) throw new OpeningError('notAKey');
  try {
    return await crypto.subtle.importKey('pkcs8', der, { name: 'RSA-OAEP', hash: 'SHA-256' }, false, ['decrypt']);
  } catch {
    throw new OpeningError('notAKey');
  }
}

/** The decrypted text of one record. */
export async function opened(record: string, key: CryptoKey): Promise<string> {
  const [header = '', ...parts] = record.trim().split('.');
  const [wrapped, nonce, content, tag] = parts.map(bytesOf);
  if (!wrapped || !nonce || !content || !tag) throw new OpeningError('broken');
  const contentKey = await crypto.subtle.decrypt({ name: 'RSA-OAEP' }, key, wrapped).catch(() => {
    throw new OpeningError('otherKey');
  });
  const aes = await crypto.subtle.importKey('raw', contentKey, 'AES-GCM', false, ['decrypt']);
  const sealed = new Uint8Array(content.length + tag.length);
  sealed.set(content);
  sealed.set(tag, content.length);
  const about = new TextEncoder().encode(header);
  try {
    return new TextDecoder().decode(await crypto.subtle.decrypt({ name: 'AES-GCM', iv: nonce, additionalData: about }, aes, sealed));
  } catch {
    throw new OpeningError('broken');
  }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  return fromBase64(text.replace(/-/g, '+').replace(/_/g, '/'));
}
