/** Recorded runs of the engine at the official clients of both doors: the schema of `ai`, and the verifier of AG-UI. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BaseEvent, verifyEvents } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import { readUIMessageStream, safeValidateUIMessages, type UIMessage, type UIMessageChunk } from 'ai';
import { from, lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { measured } from '../../../bench/doors';
import { root } from '../../../scripts/lib/paths.mjs';
import type { AguiEvent } from '../../../src/doors/agui/events';
import { Translation } from '../../../src/doors/agui/translate';
import { MessageFold } from '../../../src/doors/chat/fold';
import { ChatResponse } from '../../../src/doors/chat/response';
import type { UiChunk } from '../../../src/doors/chat/ui';
import { CHUNKS, type SequencedChunk } from '../../../src/protocol/chunks';
import { checkUiChunk } from '../../support/ui-chunks';

const FOLDER = join(root, 'test', 'fixtures', 'recorded');
const RUNS = readdirSync(FOLDER).map((file) => ({
  name: file,
  log: readFileSync(join(FOLDER, file), 'utf8')
    .trim()
    .split('\n')
    .map((line): SequencedChunk => JSON.parse(line)),
}));

/** The address of the root: the first chunk is its. */
const rootOf = (log: readonly SequencedChunk[]): string => log[0]?.chunk.address ?? '';

/** Each answer of a log, as a chat reads it from its beginning. */
function answersOf(log: readonly SequencedChunk[]): UiChunk[][] {
  const address = rootOf(log);
  const starts = log.filter(({ chunk }) => chunk.type === 'run_started' && chunk.address === address);
  return (starts.length === 0 ? log.slice(0, 1) : starts).map(({ sequence: first }) => {
    const response = new ChatResponse(address, '', { kind: 'start' });
    const rest = log.filter(({ sequence }) => sequence >= first);
    const made = rest.flatMap(({ sequence, chunk }) =>
      response.push({ kind: 'chunk', sequence, chunk }, chunk.timestamp),
    );
    return [...made, ...response.push({ kind: 'up-to-date' }, Number.MAX_SAFE_INTEGER)];
  });
}

function eventsOf(log: readonly SequencedChunk[]): AguiEvent[] {
  const translation = new Translation(rootOf(log), { root: 0, below: 0, state: 0 });
  const run = { threadId: 't', runId: 'r' };
  return [
    { type: 'RUN_STARTED', ...run, protocolVersion: '1.0' },
    ...log.flatMap(({ sequence, chunk }) => translation.push(sequence, chunk)),
    ...translation.finish([]),
    { type: 'RUN_FINISHED', ...run, outcome: { type: 'success' } },
  ];
}

/** Chunks of AI SDK UI that only a stream of a door has: those of its own ends are in every answer. */
const UI_TYPES: readonly string[] = [
  ...['start', 'start-step', 'finish-step', 'reset-step', 'text-start', 'text-delta', 'text-end', 'reasoning-start'],
  ...['reasoning-delta', 'reasoning-end', 'tool-input-start', 'tool-input-delta', 'tool-input-available'],
  ...['tool-approval-request', 'tool-approval-response', 'tool-output-available', 'tool-output-error', 'source-url'],
  ...['file', 'steering-message', 'data-noted', 'data-state', 'data-notice', 'data-output'],
  ...['message-metadata', 'error', 'abort', 'finish'],
];

describe('recorded runs', () => {
  it('[CH1, AU4] check 1: have every type of chunk, and become every type of a chat', () => {
    const types = new Set<string>(RUNS.flatMap(({ log }) => log.map(({ chunk }) => chunk.type)));
    expect([...types].toSorted()).toEqual(Object.keys(CHUNKS).toSorted());
    const made = new Set(RUNS.flatMap(({ log }) => answersOf(log).flat()).map(({ type }) => type as string));
    expect(UI_TYPES.filter((type) => !made.has(type))).toEqual([]);
  });

  it.each(RUNS)(
    '[CH1, CH4] check 1: $name is taken by the schema of the client, and makes its message',
    async ({ log }) => {
      for (const chunks of answersOf(log)) {
        for (const chunk of chunks) await checkUiChunk(chunk);
        const read = chunks.filter(({ type }) => type !== 'error') as UIMessageChunk[];
        const stream = new ReadableStream<UIMessageChunk>({
          start(controller) {
            for (const chunk of read) controller.enqueue(chunk);
            controller.close();
          },
        });
        let last: UIMessage | undefined;
        for await (const message of readUIMessageStream<UIMessage>({ stream, terminateOnError: true })) last = message;
        const fold = new MessageFold();
        for (const chunk of chunks) fold.push(chunk);
        if (last === undefined || last.parts.length === 0) continue;
        // The client adds the beginning of a step with what is in it.
        const types = (parts: readonly { readonly type: string }[]) =>
          parts.flatMap(({ type }) => (type === 'step-start' ? [] : [type]));
        expect(types(last.parts)).toEqual(types(fold.parts));
        expect(await safeValidateUIMessages({ messages: [last] })).toMatchObject({ success: true });
      }
    },
  );

  it.each(RUNS)('[AU4, AU5] check 1: $name is taken by the verifier of AG-UI', async ({ log }) => {
    const events = eventsOf(log);
    for (const event of events) expect(EventSchemas.safeParse(event).error, JSON.stringify(event)).toBeUndefined();
    await lastValueFrom(from(events as unknown as BaseEvent[]).pipe(verifyEvents(), toArray()));
  });
});

describe('20 agents that write at once', () => {
  it('[CH7, AU4] check 13: cost both doors no multiple of the stream that they read', async () => {
    const { own, agui, chat, chatWithout } = await measured(20, 5_000);
    // The snapshots of all that was written grow with it; the bound is that of the check.
    expect(chat.bytes).toBeLessThanOrEqual(8 * own.bytes);
    expect(chatWithout.bytes).toBeLessThanOrEqual(2 * own.bytes);
    expect(agui.bytes).toBeLessThanOrEqual(2 * own.bytes);
  });
});
