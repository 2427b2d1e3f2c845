/** A log with further parts of replies. */
import type { ChunkBody } from '../../src/protocol/chunks';
import { newLog } from './log';

const A = { sourceType: 'url', url: 'https://a.test/' } as const;

/** A run whose first attempt searched and was thrown away, and whose second one searched again. */
export function searchLog() {
  const log = newLog();
  const root = log.root('seeker', 'one').run('r_1').step(1);
  root.emit({ type: 'provider_tool_start', part: 0, providerCallId: 'w0', toolName: 'find', arguments: { q: 'old' } });
  root.emit({ type: 'step_discarded', reason: 'model_rate_limited', retryAt: 1, nextModel: 1 });
  const at = {
    agentId: 's_one',
    agentType: 'seeker',
    address: '/agents/seeker/one',
    runId: 'r_1',
    step: 1,
    attempt: 2,
  };
  const second: readonly ChunkBody[] = [
    { type: 'provider_tool_start', part: 0, providerCallId: 'w1', toolName: 'find', arguments: { q: 'a' } },
    { type: 'provider_tool_end', part: 1, providerCallId: 'w1', toolName: 'find', result: { n: 1 }, success: true },
    { type: 'provider_tool_end', part: 2, providerCallId: 'w9', toolName: 'run', result: 'Boom.', success: false },
    { type: 'text_delta', part: 3, delta: 'Found.' },
    { type: 'reply_source', part: 5, sourceId: '2', ...A, title: 'A page' },
    { type: 'reply_source', part: 4, sourceId: '1', ...A },
    { type: 'reply_source', part: 6, sourceId: '3', sourceType: 'document', mediaType: 'application/pdf', title: 'B' },
    { type: 'reply_file', part: 7, mediaType: 'image/png', path: 'generated/x.png', etag: 'e', bytes: 9 },
    { type: 'reply_file', part: 8, mediaType: 'image/png', url: 'https://a.test/x.png' },
    { type: 'reply_file', part: 9, mediaType: 'video/mp4', omitted: 'It is too large.' },
  ];
  for (const body of second)
    log.entries.push({ sequence: log.entries.length + 1, chunk: { ...at, timestamp: 5, ...body } });
  return log;
}
