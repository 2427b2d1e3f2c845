/** Answers to a reader that has a version of a file already. */
import { expect, it } from 'vitest';
import { fileResponse } from '../../../src/gateway/files-http';

const ETAG = 'b5bb9d80';
const facts = { path: 'a.txt', size: 3, mediaType: 'text/plain', etag: ETAG, updatedAt: 1_000 };

/** The status of the answer to who knows these versions; of a HEAD, which has no body to send. */
function answered(known: string | undefined, part: 'whole' | 'some' | 'none' = 'whole'): [number, boolean] {
  const headers = known === undefined ? {} : { 'if-none-match': known };
  let isLetGo = false;
  const bytes = new ReadableStream<Uint8Array>({
    cancel() {
      isLetGo = true;
    },
  });
  const request = new Request('https://offshoot.test/agents/top/one/files/a.txt', { method: 'HEAD', headers });
  const range = part === 'none' ? { offset: 3, length: 0 } : { offset: 0, length: 3 };
  const { status } = fileResponse(request, { ...facts, ...range, part }, bytes, 'r', new Headers());
  return [status, isLetGo];
}

it('[FS33] is 304 for who knows this version, alone or among others, strong or weak, and the file for everybody else', () => {
  for (const known of [`"${ETAG}"`, `W/"${ETAG}"`, ` "${ETAG}" `, `"a", "${ETAG}"`, `W/"a",W/"${ETAG}","b"`, '*'])
    for (const part of ['whole', 'some', 'none'] as const)
      expect([known, ...answered(known, part)]).toEqual([known, 304, true]);
  for (const known of [undefined, '', '"a"', '"a", "b"', `"${ETAG}0"`, `"x${ETAG}"`]) {
    expect([known, ...answered(known)]).toEqual([known, 200, true]);
    expect([known, ...answered(known, 'none')]).toEqual([known, 416, true]);
  }
});
