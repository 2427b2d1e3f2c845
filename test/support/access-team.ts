/** A team of Cloudflare Access, as far as a Worker sees it: keys that it publishes, and tokens that it signs. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export const TEAM = 'acme';
export const AUDIENCE = 'f1c2d3';
export const ISSUER = `https://${TEAM}.cloudflareaccess.com`;

interface Key {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A key pair as the platform makes them. */
export function keyOf(kid: string): Key {
  return { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

/** The claims of a person who is signed in for an hour. */
export const ann = (now: number, more: object = {}) => ({
  ...{ aud: [AUDIENCE], iss: ISSUER, sub: '7335d417-61da-459d-899c-0a01c76a2f94', email: 'ann@example.com' },
  ...{ iat: Math.floor(now / 1_000), nbf: Math.floor(now / 1_000), exp: Math.floor(now / 1_000) + 3_600 },
  ...{ type: 'app', country: 'DE', ...more },
});

/** A token with the signature of a key. */
export function tokenBy({ kid, privateKey }: Key, claims: object, header: object = { alg: 'RS256', kid }): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}

/** A token without a signature. */
export const unsigned = (claims: object): string => `${encoded({ alg: 'none' })}.${encoded(claims)}.`;

/** A token whose secret is the public key, which everybody has. */
export function byPublicKey({ kid, publicKey }: Key, claims: object): string {
  const text = `${encoded({ alg: 'HS256', kid })}.${encoded(claims)}`;
  const secret = publicKey.export({ type: 'spki', format: 'pem' });
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** The place where a team publishes its keys. */
export class Certs {
  keys: readonly Key[];
  /** The URLs that were fetched. */
  readonly fetched: string[] = [];
  /** What it answers in place of the keys. */
  instead: (() => Response | Promise<Response>) | undefined;

  constructor(...keys: Key[]) {
    this.keys = keys;
  }

  readonly fetch = async (url: string): Promise<Response> => {
    this.fetched.push(url);
    if (this.instead) return this.instead();
    const keys = this.keys.map(({ kid, publicKey }) => ({
      ...publicKey.export({ format: 'jwk' }),
      ...{ kid, use: 'sig', alg: 'RS256' },
    }));
    return Response.json({ keys, public_cert: {}, public_certs: [] });
  };
}
