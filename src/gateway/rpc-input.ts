/**
 * Reading what an RPC brings. It is a structured clone, which can hold far more than JSON: none of that gets further.
 *
 * Decides: what a caller may say of itself: its subject, key, deadline and trace.
 *
 * Keeps Y4, Y5, Y6.
 */

import * as z from 'zod';
import { MAKE_NAME, type ParsedAddress, parseAddress } from '../protocol/address';
import { refuse } from '../protocol/errors';
import { kebabCase } from '../protocol/ids';
import { traceparentSchema } from '../protocol/trace';
import { WIRE_LIMITS } from '../protocol/wire/wire-limits';
import { checked } from '../verbs/input';
import type { RpcBytes, RpcCaller } from './rpc-types';

/** The subject of a call that names none. */
const NO_SUBJECT = 'rpc';

const segment = z.string().regex(/^[^/]+$/, `A class or a name cannot contain a slash. ${MAKE_NAME}`);
const level = z.strictObject({ agent: segment, name: segment });
const inParts = level.extend({ sub: z.array(level).max(64).optional() });

const caller = z.strictObject({
  subject: z.string().min(1).max(128),
  idempotencyKey: z.string().min(1).max(WIRE_LIMITS.maxIdempotencyKey).optional(),
  deadline: z.number().optional(),
  traceparent: traceparentSchema.optional(),
});

/** The address that a caller means. @throws OffshootError `invalid_address`, `invalid_request` */
export function addressOf(given: unknown): ParsedAddress {
  const text = typeof given === 'string' ? given : textOf(checked(inParts, given));
  const address = parseAddress(text);
  if (address.rest.length > 0)
    refuse(
      'invalid_address',
      `An address ends with the name of the agent. The name of the method is the verb. ${MAKE_NAME}`,
    );
  return address;
}

function textOf({ agent, name, sub = [] }: z.output<typeof inParts>): string {
  const below = sub.map((each) => `/sub/${kebab(each.agent)}/${each.name}`);
  return `/agents/${kebab(agent)}/${name}${below.join('')}`;
}

/** `FactChecker` as `fact-checker`; whatever else is no class stays what it is, to be refused. */
const kebab = (agent: string): string => (/^[A-Z][A-Za-z0-9]*$/.test(agent) ? kebabCase(agent) : agent);

/** On whose behalf it is asked. @throws OffshootError `invalid_request`, `deadline_exceeded` */
export function callerOf(given: unknown, now: number): RpcCaller {
  if (given === undefined) return { subject: NO_SUBJECT };
  const known = checked(caller, given);
  if (known.deadline !== undefined && known.deadline <= now)
    refuse('deadline_exceeded', 'The deadline of the caller has passed: nothing was called.');
  return known;
}

/** Bytes as a stream, with their size where it is known. @throws OffshootError `invalid_request` */
export function bytesOf(given: unknown): { bytes: ReadableStream<Uint8Array>; size?: number } {
  if (given instanceof ReadableStream) return { bytes: given as ReadableStream<Uint8Array> };
  if (!isBuffer(given))
    refuse('invalid_request', 'Give the content as an ArrayBuffer, a typed array or a stream of bytes.');
  const bytes = new Response(given).body;
  return { bytes: bytes ?? new ReadableStream({ start: (controller) => controller.close() }), size: given.byteLength };
}

const isBuffer = (given: unknown): given is Exclude<RpcBytes, ReadableStream> =>
  given instanceof ArrayBuffer || ArrayBuffer.isView(given);
