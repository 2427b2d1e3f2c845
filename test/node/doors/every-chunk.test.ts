/** One recorded run that has every type of chunk, in both protocols: what each chunk becomes, and the whole at its clients. */
import { type BaseEvent, verifyEvents } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { from, lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { AguiEvent } from '../../../src/doors/agui/events';
import { Translation } from '../../../src/doors/agui/translate';
import { ChatResponse } from '../../../src/doors/chat/response';
import type { UiChunk } from '../../../src/doors/chat/ui';
import { CHUNKS, type ChunkType, type SequencedChunk } from '../../../src/protocol/chunks';
import { CHILD, ENDS, RECORDED, type Recorded, ROOT } from '../../support/recorded-run';
import { checkUiChunk } from '../../support/ui-chunks';

/** The rows as a log. */
const logOf = (rows: readonly Recorded[]): SequencedChunk[] =>
  rows.map(({ by = 'root', attempt = 1, body }, index) => ({
    sequence: index + 1,
    chunk: {
      ...(by === 'root' ? ROOT : CHILD),
      ...{ runId: `r_${by}`, step: 1, attempt, timestamp: index },
      ...body,
    },
  }));

/** The chunks that each chunk of a log becomes for a chat that reads from the beginning, and what follows at its rest. */
function asChat(log: readonly SequencedChunk[]): { readonly each: UiChunk[][]; readonly all: UiChunk[] } {
  const response = new ChatResponse(ROOT.address, '', { kind: 'start' });
  const each = log.map(({ sequence, chunk }) => response.push({ kind: 'chunk', sequence, chunk }, 0));
  return { each, all: [...each.flat(), ...response.push({ kind: 'up-to-date' }, 1_000)] };
}

/** The same for AG-UI. */
function asAgui(log: readonly SequencedChunk[]): {
  readonly each: (readonly AguiEvent[])[];
  readonly all: AguiEvent[];
} {
  const translation = new Translation(ROOT.address, { root: 0, below: 0, state: 0 });
  const each = log.map(({ sequence, chunk }) => translation.push(sequence, chunk));
  const run = { threadId: 't', runId: 'r' };
  return {
    each,
    all: [
      { type: 'RUN_STARTED', ...run, protocolVersion: '1.0' },
      ...each.flat(),
      ...translation.finish([]),
      { type: 'RUN_FINISHED', ...run, outcome: { type: 'success' } },
    ],
  };
}

const types = (made: readonly (readonly { readonly type: string }[])[]): string[] =>
  made.map((each) => each.map(({ type }) => type).join(' '));

/** Each row with its number and type, so that a difference names it. */
const named = (rows: readonly Recorded[], made: readonly string[]): string[] =>
  rows.map(({ body }, index) => `${index + 1} ${body.type}: ${made[index]}`);

/** The states of a part over a stream, as the official client has them. */
async function statesOf(chunks: readonly UiChunk[], toolCallId: string): Promise<string[]> {
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk as UIMessageChunk);
      controller.close();
    },
  });
  const states: string[] = [];
  for await (const { parts } of readUIMessageStream<UIMessage>({ stream, terminateOnError: true }))
    for (const part of parts) {
      if (part.type !== 'dynamic-tool' || part.toolCallId !== toolCallId) continue;
      const isPreliminary = part.state === 'output-available' && part.preliminary === true;
      const state = isPreliminary ? 'preliminary' : part.state;
      if (states.at(-1) !== state) states.push(state);
    }
  return states;
}

describe('a recorded run', () => {
  it('[CH1, AU4] F157: has every type of chunk of the protocol', () => {
    const recorded = new Set<ChunkType>([...RECORDED, ...Object.values(ENDS)].map(({ body }) => body.type));
    expect([...recorded].toSorted()).toEqual(Object.keys(CHUNKS).toSorted());
  });

  it('[CH1, CH6] F157: is the chunks of AI SDK UI that stand beside its own, which the schema of `ai` takes', async () => {
    const { each, all } = asChat(logOf(RECORDED));
    expect(named(RECORDED, types(each))).toEqual(
      named(
        RECORDED,
        RECORDED.map(({ ui }) => ui),
      ),
    );
    for (const chunk of all) await checkUiChunk(chunk);
  });

  it('[AU4, AU5] F157: is the events of AG-UI that stand beside it, which its verifier takes', async () => {
    const { each, all } = asAgui(logOf(RECORDED));
    expect(named(RECORDED, types(each))).toEqual(
      named(
        RECORDED,
        RECORDED.map(({ agui }) => agui),
      ),
    );
    for (const event of all) expect(EventSchemas.safeParse(event).error, JSON.stringify(event)).toBeUndefined();
    await lastValueFrom(from(all as unknown as BaseEvent[]).pipe(verifyEvents(), toArray()));
  });

  it.each(Object.entries(ENDS))('[CH1, AU4] F157: that ends with %s is taken by both', async (_type, end) => {
    const log = logOf([...RECORDED.slice(0, -1), end]);
    const { all } = asChat(log);
    for (const chunk of all) await checkUiChunk(chunk);
    expect(types([all.slice(-end.ui.split(' ').length)])).toEqual([end.ui]);
    await lastValueFrom(from(asAgui(log).all as unknown as BaseEvent[]).pipe(verifyEvents(), toArray()));
  });

  it('[CH6, CH7] F159: shows the part of a sub-agent from its input to its output, and a question with its answer', async () => {
    const { all } = asChat(logOf(RECORDED));
    expect(await statesOf(all, 'c_sub')).toEqual(['input-available', 'output-available']);
    expect(await statesOf(all, 'c_pay')).toEqual([
      ...['input-available', 'approval-requested', 'approval-responded', 'output-available'],
    ]);
    expect(await statesOf(all, 'c_note')).toEqual(['input-streaming', 'input-available', 'output-available']);
  });
});
