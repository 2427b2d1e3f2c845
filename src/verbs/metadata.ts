/**
 * Metadata of sessions and messages: read with each status document, so it is small.
 *
 * Keeps A53.
 */

import { refuse } from '../protocol/errors';
import { byteLength, type Json } from '../protocol/json';
import { WIRE_LIMITS } from '../protocol/wire/wire-limits';

/** Refuses metadata beyond the limit, which is counted as JSON. @throws OffshootError `payload_too_large` */
export function checkMetadata(metadata: Json | undefined): void {
  const most = WIRE_LIMITS.maxMetadataBytes;
  if (metadata !== undefined && byteLength(JSON.stringify(metadata)) > most)
    refuse(
      'payload_too_large',
      `\`metadata\` has at most ${most} bytes as JSON. Put more into the input, the state or a file.`,
    );
}
