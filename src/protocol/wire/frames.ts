/**
 * The frames of ours on a socket, both ways, and why a socket is closed. Each is declared once: the object that sends
 * it, the client that reads it and the tests go by these. A reader without zod imports types alone.
 *
 * Decides: the frames of a socket.
 * Keeps W28.
 */
import * as z from 'zod';
import { chunkSchema } from '../chunks';
import type { Json, JsonLike } from '../json';
import { traceparentSchema } from '../trace';
import { jsonSchema, sequenceSchema } from './schemas';
import { statusDocument } from './shapes';
import { WIRE_LIMITS } from './wire-limits';

const address = z.string().max(4_096);
const callId = z.union([z.string().max(256), z.number()]);

/** A frame from a client: a subscription to chunks from a sequence number on, or a call of an operation. */
export const clientFrameSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('offshoot.subscribe'),
    from: sequenceSchema.optional(),
    address: address
      .optional()
      .describe(
        'An agent at or below the agent of the socket, one subscription each. By default, the agent of the socket.',
      ),
    deltas: z.boolean().optional().describe('false omits deltas of text, thinking and arguments.'),
    batch: z.boolean().optional().describe('Chunks that are available together arrive as one `offshoot.chunks`.'),
  }),
  z.strictObject({ type: z.literal('offshoot.unsubscribe'), address: address.optional() }),
  z.strictObject({
    type: z.literal('offshoot.call'),
    id: callId,
    verb: z.string().max(64),
    body: jsonSchema.optional(),
    traceparent: traceparentSchema.optional(),
    idempotencyKey: z.string().min(1).max(WIRE_LIMITS.maxIdempotencyKey).optional(),
  }),
]);

/** A frame from a client. */
export type ClientFrame = z.output<typeof clientFrameSchema>;

/** Made by a call that a bundler may leave out: the server, which only writes these, does not carry it. */
function serverFrames() {
  const sequence = z.number().int().nonnegative();

  /** What a frame says of a failure. */
  const trouble = {
    code: z.string().describe('Stable: handle errors by it.'),
    category: z.string().describe('The category of the code.'),
    retryable: z.boolean().describe('Whether the same request may succeed later.'),
    title: z.string().describe('Safe to show to anyone.'),
    detail: z.string().describe('For a developer: what happened and what to do.'),
    details: jsonSchema.optional().describe('Further details.'),
  };

  const result = { type: z.literal('offshoot.result'), id: callId };

  /** Which subscription a frame is for. */
  const subscription = { address: address.exactOptional().describe('If the subscription named one.') };

  return z.discriminatedUnion('type', [
    z.object({ type: z.literal('offshoot.chunk'), ...subscription, sequence, chunk: chunkSchema }),
    z.object({
      type: z.literal('offshoot.chunks'),
      ...subscription,
      chunks: z.array(z.object({ sequence, chunk: chunkSchema })).readonly(),
    }),
    z.object({
      type: z.literal('offshoot.reset'),
      ...subscription,
      from: sequence.describe('Earlier chunks are void: the log now begins at this number.'),
    }),
    z.object({
      type: z.literal('offshoot.up-to-date'),
      ...subscription,
      sequence: sequence.describe('The last number of the log.'),
    }),
    z.object({ type: z.literal('offshoot.status'), status: statusDocument }),
    z.discriminatedUnion('ok', [
      z.object({
        ...result,
        ok: z.literal(true),
        body: jsonSchema.describe('The response of the verb, as over HTTP.'),
      }),
      z.object({ ...result, ok: z.literal(false), body: z.object(trouble) }),
    ]),
    z.object({ type: z.literal('offshoot.error'), ...trouble }).describe('A frame of the client was malformed.'),
  ]);
}

/** A frame from the server. All other frames on the same socket are the agent's own, or the SDK's. */
export const serverFrameSchema = /* @__PURE__ */ serverFrames();

/** A frame from the server. */
export type ServerFrame = z.output<typeof serverFrameSchema>;

/** The same as it is written: what verbs answer is JSON by then. */
export type WrittenFrame<Frame = ServerFrame> = Frame extends unknown
  ? { readonly [Name in keyof Frame]: Name extends 'body' | 'status' ? JsonLike : Frame[Name] }
  : never;

/** The same before it was checked: of its fields only the names are known. */
export type UnreadFrame<Frame = ServerFrame> = Frame extends { readonly type: infer Type }
  ? { readonly type: Type } & { readonly [Name in Exclude<keyof Frame, 'type'>]?: Json }
  : never;
