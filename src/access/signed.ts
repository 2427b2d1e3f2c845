/**
 * Tokens that say themselves what they allow, signed with `OFFSHOOT_SIGNING_KEY` (HMAC-SHA-256). What they claim is
 * decided on without an agent, and whether they were taken back is known by the root of their address (TK4).
 *
 * Keeps TK1, TK2, TK3.
 */
import { Buffer } from 'node:buffer';
import * as z from 'zod';
import type { TokenUse } from '../engine/object/object-calls';
import { DATA_LIMITS } from '../protocol/data-limits';
import { OffshootError } from '../protocol/errors';
import { ACTIONS } from '../protocol/shown/actions';

/** Before each of them, so that no other secret is taken for one. */
const PREFIX = 'ofs_';
/** A longer text is none of ours. Unit: characters. */
const MAX_SIGNED = 4_096;
/** A shorter key could be guessed. Unit: characters. */
const MIN_KEY = 32;

const claimsSchema = z.strictObject({
  id: z.string().min(1).max(64),
  /** The agent at and below which it counts. */
  at: z.string().max(2_048),
  may: z.array(z.enum(ACTIONS)).min(1).max(ACTIONS.length),
  /** When it ends; of a ticket: until when it opens a socket. ms since 1970. */
  exp: z.number().int(),
  /** The one call that it answers. */
  call: z.string().max(DATA_LIMITS.maxCallId).optional(),
  /** Of a ticket: when the right of the socket that it has opened ends. ms since 1970. */
  until: z.number().int().optional(),
});

/** What a signed token says. One with `until` is a ticket: it opens one socket. */
export type Claims = Readonly<z.output<typeof claimsSchema>>;

/** A token as a root has to know it. */
export const tokenUse = ({ id, call, exp, until }: Claims): TokenUse => ({
  id,
  ...(call === undefined ? {} : { call }),
  endsAt: until ?? exp,
});

/** Whether a text is meant as one of ours. */
export const isSigned = (text: string): boolean => text.startsWith(PREFIX);

/**
 * The keys of a setting, apart by commas or spaces: the first signs, all of them verify, so that one can be replaced.
 * @throws OffshootError `signing_not_configured` where there is none, or one is shorter than 32 characters
 */
function keysOf(setting: string | undefined): readonly [string, ...string[]] {
  const [first, ...rest] = (setting ?? '').split(/[\s,]+/u).filter(Boolean);
  if (first !== undefined && [first, ...rest].every((key) => key.length >= MIN_KEY)) return [first, ...rest];
  throw new OffshootError(
    'signing_not_configured',
    `Set the secret OFFSHOOT_SIGNING_KEY to ${MIN_KEY} characters or more, such as the output of \`openssl rand -base64 32\`.`,
  );
}

function hmacKey(key: string): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', Buffer.from(key), algorithm, false, ['sign', 'verify']);
}

/** Signs what a token says. @throws OffshootError `signing_not_configured` */
export async function signed(claims: Claims, setting: string | undefined): Promise<string> {
  const [key] = keysOf(setting);
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  const mac = await crypto.subtle.sign('HMAC', await hmacKey(key), Buffer.from(payload));
  return `${PREFIX}${payload}.${Buffer.from(mac).toString('base64url')}`;
}

/**
 * What a signed text says, whoever it is shown to; nothing about its time.
 * @throws OffshootError `signing_not_configured`, or `unauthorized` for a text that none of the keys has signed
 */
export async function claimsOf(text: string, setting: string | undefined): Promise<Claims> {
  const keys = keysOf(setting);
  const [payload = '', mac = '', ...more] = text.slice(PREFIX.length, MAX_SIGNED).split('.');
  if (text.length <= MAX_SIGNED && more.length === 0) {
    for (const key of keys) {
      const given = Buffer.from(mac, 'base64url');
      // Decoding passes over what is no base64: one token has one text.
      if (given.toString('base64url') !== mac) continue;
      // `verify` takes as long wherever two codes differ.
      if (!(await crypto.subtle.verify('HMAC', await hmacKey(key), given, Buffer.from(payload)))) continue;
      const said = claimsSchema.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
      if (said.success) return said.data;
    }
  }
  throw new OffshootError('unauthorized', 'This server did not sign this token. Request a new one.');
}
