/** Laws of chats: any log makes a stream that the official client takes, and one message of both. */
import { readUIMessageStream, safeValidateUIMessages, type UIMessage, type UIMessageChunk } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageFold } from '../../src/doors/chat/fold';
import { partsOfCalls } from '../../src/doors/chat/request';
import { ChatResponse } from '../../src/doors/chat/response';
import type { UiChunk } from '../../src/doors/chat/ui';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { anyLog } from '../support/any-log';
import { checkUiChunk } from '../support/ui-chunks';

const TOP = '/agents/worker/0';

const ASKS: readonly string[] = ['tool_approval_request', 'client_tool_request', 'tool_arg_stream_start', 'tool_start'];

/** Any log in which no agent is below itself, and no call that has a sub-agent is asked about or begun by itself. */
const treeLog = anyLog.map((log) => {
  const begun = new Set(log.flatMap(({ chunk }) => (chunk.type === 'subagent_start' ? [chunk.callId] : [])));
  return log.filter(({ chunk }) => {
    if (chunk.type === 'subagent_start') return chunk.subSessionId > chunk.agentId;
    return !(ASKS.includes(chunk.type) && 'toolCallId' in chunk && begun.has(chunk.toolCallId ?? ''));
  });
});

/** What a whole log makes, read to its end. */
function toldOf(log: readonly SequencedChunk[]): UiChunk[] {
  const response = new ChatResponse(TOP, '', { kind: 'start' });
  const made = log.flatMap(({ sequence, chunk }) => response.push({ kind: 'chunk', sequence, chunk }, sequence * 300));
  return [...made, ...response.push({ kind: 'up-to-date' }, 1_000_000)];
}

/** The parts of the message that the official client makes. */
async function readBy(chunks: readonly UiChunk[], message?: UIMessage): Promise<unknown> {
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk as UIMessageChunk);
      controller.close();
    },
  });
  let parts: unknown = [];
  // What is wrong with the order of chunks is thrown here.
  const read = readUIMessageStream({ stream, terminateOnError: true, ...(message ? { message } : {}) });
  for await (const { parts: found } of read) parts = found;
  return parts;
}

/** JSON without what is undefined, and what our fold leaves to the client: the beginning of arguments. */
const plain = (parts: unknown) =>
  JSON.parse(JSON.stringify(parts), (_key, value) =>
    value?.state === 'input-streaming' ? { ...value, input: null, rawInput: undefined } : value,
  );

/** Chunks behind which the client reads on. */
const isRead = ({ type }: UiChunk): boolean => type !== 'error' && type !== 'finish' && type !== 'start-step';

describe('any log', () => {
  it('[CH1, CH6] makes chunks that the client takes in this order', async () => {
    await fc.assert(
      fc.asyncProperty(treeLog, async (log) => {
        const made = toldOf(log);
        for (const chunk of made) await checkUiChunk(chunk);
        const read = made.filter(({ type }) => type !== 'error');
        const fold = new MessageFold();
        for (const chunk of read) fold.push(chunk);
        // The client shows a step once something is in it.
        const shown = read.slice(0, read.findLastIndex(isRead) + 1);
        const seen = new MessageFold();
        for (const chunk of shown) seen.push(chunk);
        const parts = plain(await readBy(shown));
        if (shown.some(({ type }) => type !== 'finish-step' && type !== 'start')) expect(parts).toBeDefined();
        expect(withoutStarts(parts)).toEqual(withoutStarts(plain(fold.parts)));
        // A step has its beginning once, also where it is tried again.
        expect(startsIn(fold.parts)).toBe(read.filter(({ type }) => type === 'start-step').length);
      }),
      { numRuns: 300 },
    );
  });
});

const startsIn = (parts: readonly { type: string }[]) => parts.filter(({ type }) => type === 'step-start').length;
const withoutStarts = (parts: { type: string }[]) => parts.filter(({ type }) => type !== 'step-start');

/** The message that chunks make. */
function foldOf(chunks: readonly UiChunk[]): UIMessage {
  const fold = new MessageFold();
  for (const chunk of chunks) fold.push(chunk);
  return { id: 'm', role: 'assistant', parts: fold.parts as unknown as UIMessage['parts'] };
}

describe('any message', () => {
  it('[CH4] of a log is one that the client takes as a message', async () => {
    await fc.assert(
      fc.asyncProperty(treeLog, async (log) => {
        const message = foldOf(toldOf(log));
        if (message.parts.length === 0) return;
        const checked = await safeValidateUIMessages({ messages: [message] });
        expect(checked).toMatchObject({ success: true });
      }),
      { numRuns: 300 },
    );
  });

  it('[CH2] is gone on with by parts that its client has, or is told of', async () => {
    await fc.assert(
      fc.asyncProperty(treeLog, fc.nat({ max: 60 }), async (log, cut) => {
        // The client may have left at any time.
        const message = foldOf(toldOf(log.slice(0, cut)));
        const response = new ChatResponse(TOP, '', {
          ...{ kind: 'answers', toolCallIds: new Set(['c_1', 'c_2']), messageId: 'm', given: new Set() },
          has: partsOfCalls(message as unknown as Parameters<typeof partsOfCalls>[0]),
        });
        const made = log.flatMap(({ sequence, chunk }) =>
          response.push({ kind: 'chunk', sequence, chunk }, sequence * 300),
        );
        made.push(...response.push({ kind: 'up-to-date' }, 1_000_000));
        for (const chunk of made) await checkUiChunk(chunk);
        await readBy(
          made.filter(({ type }) => type !== 'error'),
          message,
        );
        expect(made.at(0)?.type ?? 'start').toBe('start');
      }),
      { numRuns: 300 },
    );
  });
});
