/**
 * Trace context (W3C, level 1): who asks names the trace that a run belongs to by a `traceparent`, and it goes on from
 * there to sub-agents and models. We begin no trace of our own, and change none.
 *
 * Keeps RN7, A81.
 */
import * as z from 'zod';

const SHAPE = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** How long one of version 00 is, in characters. Later versions may add to it behind a dash. */
const LENGTH = 55;
/** More than this, in characters, is no header that anybody sends. */
const MAX_HEADER = 512;

/** Returns true for a `traceparent` of version 00. */
export function isTraceparent(text: string): boolean {
  return parts(text)?.version === '00';
}

/** The one that a field of a request holds. */
export const traceparentSchema = z
  .string()
  .max(MAX_HEADER)
  .refine(isTraceparent, 'A traceparent is 00-{trace id}-{span id}-{flags}: 32, 16 and 2 digits of hex in lower case.');

/**
 * The `traceparent` of a header, as version 00; undefined where there is none, or what is there is none: a header that
 * cannot be read is ignored. Of a later version its beginning counts, with the flag that is known.
 */
export function traceparentIn(header: string | null): string | undefined {
  if (header === null || header.length > MAX_HEADER) return undefined;
  const later = header.length > LENGTH && header[LENGTH] === '-';
  const found = parts(later ? header.slice(0, LENGTH) : header);
  if (found === undefined || found.version === 'ff') return undefined;
  if (found.version === '00') return later ? undefined : header;
  const sampled = Number.parseInt(found.flags, 16) % 2 === 1;
  return `00-${found.traceId}-${found.spanId}-${sampled ? '01' : '00'}`;
}

function parts(text: string) {
  const [, version, traceId, spanId, flags] = SHAPE.exec(text) ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  // All zeros say that there is none.
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { version, traceId, spanId, flags };
}
