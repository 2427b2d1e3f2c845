/** What a timeline draws of any log, against the chunks that say it. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Clock, Lane, type Span, type SpanKind } from '../../../src/console/data/timeline/spans';
import { Outline } from '../../../src/console/data/tree/outline';
import type { SequencedChunk } from '../../../src/protocol/chunks';
import { anyLog } from '../../support/any-log';
import { always } from '../../support/sizes';

/** All spans of each agent, as many as the outline counts. */
function spansOf(log: readonly SequencedChunk[]): ReadonlyMap<string, readonly Span[]> {
  const outline = new Outline();
  for (const entry of log) outline.take(entry);
  const spans = outline.changes().spans.map(([agentId, , own]) => [agentId, structuredClone(own)] as const);
  expect(outline.spans).toBe(spans.flatMap(([, own]) => own).length);
  return new Map(spans);
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

/** Spans of a lane that are over or open: each of a kind, with its length in ms. */
const anySpans = fc.array(
  fc.record({ kind: fc.constantFrom<SpanKind>('model', 'tool'), ms: fc.nat(9), isOpen: fc.nat(9).map((n) => n === 0) }),
  { maxLength: 30 },
);

it('[CN11, CN121] spans that are merged are neighbours of one kind in the older half, and each is counted once', async () => {
  const holds = fc.property(fc.array(anySpans, { maxLength: 5 }), (batches) => {
    const clock = new Clock();
    const lane = new Lane(clock);
    for (const batch of batches) {
      for (const { kind, ms, isOpen } of batch) {
        clock.sequence += 1;
        const from = clock.sequence * 10;
        if (isOpen) lane.begin(kind, from, `open ${clock.sequence}`);
        else lane.put(kind, from, from + ms, `over ${clock.sequence}`);
      }
      lane.changes();
      const before = structuredClone(lane.all);
      lane.merge();
      const half = Math.floor(before.length / 2);
      const older = lane.all.length - (before.length - half);
      const left = before.slice(0, half);
      // Where no two of them can be merged, the oldest go.
      if (!left.some((span, index) => canMerge(left[index - 1], span))) left.splice(0, half - Math.floor(half / 2));
      for (const span of lane.all.slice(0, older)) {
        const [first, ...others] = left.splice(0, mergedFrom(span, left));
        expect(others.map(({ kind }) => kind)).toEqual(others.map(() => first?.kind));
        const to = Math.max(...[first, ...others].map((one) => one?.to ?? Number.POSITIVE_INFINITY));
        const count = [first, ...others].reduce((sum, one) => sum + (one?.count ?? 1), 0);
        const merged = { kind: first?.kind, from: first?.from, to, name: `${count} merged`, count };
        expect(span).toEqual(others.length === 0 ? first : { ...merged, sequence: first?.sequence });
      }
      expect(left).toEqual([]);
      expect(lane.all.slice(older)).toEqual(before.slice(half));
      expect([clock.spans, lane.changes()?.at]).toEqual([lane.all.length, lane.all.length > 0 ? 0 : undefined]);
    }
  });
  await always(holds, 300);
});

it('[CN10] a wait in the queue of less than half a second is taken away alone, wherever it stands', () => {
  for (const [ms, stays] of [
    [0, false],
    [499, false],
    [500, true],
    [9_000, true],
  ] as const)
    for (const before of [0, 2])
      for (const after of [0, 1, 3]) {
        const clock = new Clock();
        const lane = new Lane(clock);
        const marks = (count: number, at: number) => {
          for (let index = 0; index < count; index += 1) lane.put('message', at, at, `at ${at}, ${index}`);
        };
        marks(before, 1_000);
        const queue = lane.begin('queue', 1_000, 'queued');
        marks(after, 1_000);
        const others = lane.all.filter((span) => span !== queue);
        lane.changes();
        lane.end(queue, 1_000 + ms);
        expect(lane.all.filter((span) => span !== queue)).toEqual(others);
        expect([lane.all.includes(queue), clock.spans]).toEqual([stays, lane.all.length]);
        // A page that has the spans before it gets what follows.
        expect(lane.changes()).toEqual({ at: before, spans: lane.all.slice(before) });
        expect(lane.changes()).toBeUndefined();
      }
});

/** True where two neighbours are over, of one kind, and the first is not made of more than the second. */
const canMerge = (one: Span | undefined, other: Span): boolean =>
  one?.to !== undefined && other.to !== undefined && one.kind === other.kind && (one.count ?? 1) <= (other.count ?? 1);

/** Of how many of the spans that come next one was made. */
function mergedFrom({ count = 1 }: Span, next: readonly Span[]): number {
  let [taken, sum] = [0, 0];
  while (sum < count && taken < next.length) {
    sum += next[taken]?.count ?? 1;
    taken += 1;
  }
  return taken;
}
