/**
 * Values of variables at rest: AES-256-GCM under `ENCRYPTION_KEY`.
 *
 * Decides: how values are sealed.
 * Keeps VR4, VR5.
 *
 * - The setting holds keys of 32 bytes in base64, separated by commas: the first seals, all of them open. So a key is
 *   changed by putting the new one in front.
 * - What is sealed is `key id . nonce . tag . ciphertext`; the name of the variable is authenticated with it, so a value
 *   cannot be passed off as that of another variable.
 */
import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Vault } from '../core/ports/vault';
import { OffshootError } from '../protocol/errors';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** Of the nonce of each value, and of the tag that it is checked by, as GCM has them. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Of the SHA-256 of a key: tells keys apart. */
const ID_BYTES = 6;

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

const HOW =
  'Set ENCRYPTION_KEY to 32 random bytes in base64 (`openssl rand -base64 32`); on Cloudflare: `wrangler secret put ENCRYPTION_KEY`.';

function refuseKey(what: string): never {
  throw new OffshootError('no_encryption_key', `${what} ${HOW}`);
}

/** @param given never part of what is thrown */
function keyOf(given: string): Key {
  const text = given.trim();
  if (!/^[A-Za-z0-9+/_-]+=*$/.test(text)) refuseKey('ENCRYPTION_KEY is not base64.');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== KEY_BYTES)
    refuseKey(`ENCRYPTION_KEY has a key of ${bytes.length} bytes instead of ${KEY_BYTES}.`);
  return { id: createHash('sha256').update(bytes).digest().subarray(0, ID_BYTES).toString('base64url'), bytes };
}

function keysOf(setting: unknown): readonly [Key, ...Key[]] {
  if (typeof setting !== 'string' || setting.trim() === '')
    refuseKey('Values of variables are stored encrypted, and no encryption key is set.');
  const [first = '', ...others] = setting.split(',');
  return [keyOf(first), ...others.map(keyOf)];
}

/** The vault under the `ENCRYPTION_KEY` of a Worker's variables. */
export function vaultIn(bindings: () => unknown): Vault {
  return vaultOf(() => {
    const all = bindings();
    return typeof all === 'object' && all !== null ? Reflect.get(all, 'ENCRYPTION_KEY') : undefined;
  });
}

/** The vault under a setting, which is read when it is used. */
export function vaultOf(setting: () => unknown): Vault {
  let read: { readonly setting: unknown; readonly keys: readonly [Key, ...Key[]] } | undefined;
  const keys = (): readonly [Key, ...Key[]] => {
    const now = setting();
    if (read === undefined || read.setting !== now) read = { setting: now, keys: keysOf(now) };
    return read.keys;
  };
  return {
    seal(name, value) {
      const [{ id, bytes }] = keys();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, bytes, nonce).setAAD(Buffer.from(name));
      const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
      return [id, ...[nonce, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))].join('.');
    },
    open(name, sealed) {
      const [id, ...parts] = sealed.split('.');
      const found = keys().find((key) => key.id === id);
      if (found === undefined)
        throw new OffshootError(
          'no_encryption_key',
          `The value of "${name}" was encrypted with another key: add that key after the newer one in ENCRYPTION_KEY, separated by a comma, or set the value again.`,
        );
      const [nonce, tag, text] = parts.map((part) => Buffer.from(part, 'base64url'));
      try {
        if (nonce?.length !== NONCE_BYTES || tag?.length !== TAG_BYTES || text === undefined) throw new TypeError();
        const cipher = createDecipheriv(CIPHER, found.bytes, nonce).setAAD(Buffer.from(name)).setAuthTag(tag);
        return Buffer.concat([cipher.update(text), cipher.final()]).toString('utf8');
      } catch {
        throw new OffshootError('no_encryption_key', `The value of "${name}" cannot be decrypted: set it again.`);
      }
    },
  };
}
