/**
 * Frames of a socket, as they are read.
 *
 * Decides: which frames are ours.
 * Keeps JS8, W11.
 */
import * as z from 'zod';
import { exactJson } from '../protocol/content/exact-json';
import { problemsOf } from '../protocol/content/problems';
import { DATA_LIMITS } from '../protocol/data-limits';
import { type Failure, failure, failureOf } from '../protocol/errors';
import { parseJson } from '../protocol/plain-input';
import { type ClientFrame, clientFrameSchema } from '../protocol/wire/frames';

/** The body of a call may be as deep as over HTTP: a frame is around it. */
const AROUND = 1;

/** A frame of ours, or what is wrong with it. */
export type ReadFrame =
  | { readonly ok: true; readonly frame: ClientFrame }
  | { readonly ok: false; readonly error: Failure };

/** Reads a frame that is ours; undefined for any other. */
export function readFrame(message: string): ReadFrame | undefined {
  if (!message.includes(PREFIX) || !isOurs(message)) return undefined;
  try {
    const parsed = clientFrameSchema.safeParse(parseJson(message, AROUND));
    if (parsed.success) return { ok: true, frame: parsed.data };
    return { ok: false, error: failure('invalid_request', problemsOf(parsed.error, 500)) };
  } catch (error) {
    return { ok: false, error: failureOf(error) };
  }
}

/** A call of the SDK's client: https://github.com/cloudflare/agents/blob/main/packages/agents/src/types.ts */
const rpcCall = z.object({ type: z.literal('rpc'), id: z.string() });

/** The id of a call that the SDK's client makes; undefined for any other frame. */
export function rpcCallId(message: string): string | undefined {
  const read = exactJson(message);
  return read.ok ? rpcCall.safeParse(read.json).data?.id : undefined;
}

const PREFIX = 'offshoot.';
const OUR_TYPE = /"type"\s*:\s*"offshoot\./u;

function isOurs(message: string): boolean {
  const read = exactJson(message, DATA_LIMITS.maxDepth + AROUND);
  if (!read.ok && !read.isJson) return false;
  // JS8. Of what exceeds the bounds nothing is made, so that its type is known from its text alone.
  if (!read.ok && read.excess !== undefined) return OUR_TYPE.test(message);
  const json: unknown = read.ok ? read.json : JSON.parse(message);
  const type = typeof json === 'object' && json !== null && 'type' in json ? json.type : undefined;
  return typeof type === 'string' && type.startsWith(PREFIX);
}
