/** What a timeline draws of any log, against the chunks that say it. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Span } from '../../../src/console/data/timeline/spans';
import { Outline } from '../../../src/console/data/tree/outline';
import type { SequencedChunk } from '../../../src/protocol/chunks';
import { anyLog } from '../../support/any-log';
import { always } from '../../support/sizes';

/** All spans of each agent. */
function spansOf(log: readonly SequencedChunk[]): ReadonlyMap<string, readonly Span[]> {
  const outline = new Outline();
  for (const entry of log) outline.take(entry);
  return new Map(outline.changes().spans.map(([agentId, , spans]) => [agentId, structuredClone(spans)]));
}

/** The marks of an agent, each as the chunk says that it is of; and the crashes, each from the chunk before on. */
function marksOf(log: readonly SequencedChunk[], agentId: string): Span[] {
  return log.flatMap(({ sequence, chunk }): Span[] => {
    if (chunk.agentId !== agentId) return [];
    const at = chunk.timestamp;
    const mark = (kind: Span['kind'], name: string): Span => ({ kind, from: at, to: at, name, sequence });
    switch (chunk.type) {
      case 'run_recovered':
        return [
          { kind: 'crash', from: 0, to: at, name: chunk.reason, sequence },
          mark('recovery', `recovered: ${chunk.reason}`),
        ];
      case 'run_interrupted':
      case 'run_terminated':
        return [mark('stop', chunk.reason)];
      case 'run_started':
        return chunk.resumedFrom === undefined ? [] : [mark('resume', 'resumed')];
      case 'message_delivered':
        return [mark('message', `message from ${chunk.from}`)];
      default:
        return [];
    }
  });
}

/** The tasks that an agent gave: each until its end comes, or until it is given anew, from when on nothing ends it. */
function tasksOf(log: readonly SequencedChunk[], agentId: string): Span[] {
  return log.flatMap(({ sequence, chunk }, index): Span[] => {
    if (chunk.type !== 'subagent_start' || chunk.agentId !== agentId) return [];
    const next = log
      .slice(index + 1)
      .find(
        ({ chunk: later }) =>
          (later.type === 'subagent_start' || later.type === 'subagent_end') &&
          later.agentId === agentId &&
          later.childId === chunk.childId &&
          later.task === chunk.task,
      )?.chunk;
    const end = next?.type === 'subagent_end' ? { to: next.timestamp } : {};
    return [{ kind: 'task', from: chunk.timestamp, name: chunk.subAgentType, sequence, ...end }];
  });
}

const isMark = ({ kind }: Span) => ['crash', 'recovery', 'stop', 'resume', 'message'].includes(kind);

it('[CN10] any log has its marks, its crashes and its tasks, each once, with the time, the name and the event of its chunk', async () => {
  const holds = fc.property(anyLog, (log) => {
    for (const [agentId, spans] of spansOf(log)) {
      // Where a crash begins is another test's: it is the chunk before, also of a parent.
      const marks = spans.filter(isMark).map((span) => (span.kind === 'crash' ? { ...span, from: 0 } : span));
      expect(marks).toEqual(marksOf(log, agentId));
      expect(spans.filter(({ kind }) => kind === 'task')).toEqual(tasksOf(log, agentId));
      for (const { from, to = from } of spans) expect(to).toBeGreaterThanOrEqual(from);
      // Spans are in the order in which they began.
      const begun = spans.map(({ sequence = 0 }) => sequence);
      expect(begun).toEqual(begun.toSorted((one, other) => one - other));
    }
  });
  await always(holds, 200);
});
