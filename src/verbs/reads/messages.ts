/**
 * The transcript, in pages, with the sequence from which a stream goes on without a gap.
 *
 * Keeps A12.
 */
import type * as z from 'zod';
import { whyNotTakenBack } from '../../core/agent/delivery';
import type { InboundMessage } from '../../core/agent/inbound';
import type { AgentState, Step } from '../../core/agent/state';
import { inboundMessage, stepMessages } from '../../core/agent/transcript';
import type { AgentStore } from '../../core/ports/agent-store';
import type { TreeNode } from '../../core/tree/node';
import type { RootRuntime } from '../../engine/root/root';
import { shownControl } from '../../protocol/shown/controls';
import { type transcriptEntry, transcriptInput, transcriptPage } from '../../protocol/wire/readings';
import { fromAgent } from '../verb';
import { cursorOf, limitOf, type Page, type PageInput, stepsFrom } from './pages';

type Entry = z.output<typeof transcriptEntry>;

function ofMessage(message: InboundMessage, state: AgentState): Entry {
  const { messageId, from, at, metadata, silent } = message;
  const more = { ...(metadata === undefined ? {} : { metadata }), ...(silent ? { silent } : {}) };
  const isUnseen = state.inbox.some((one) => one.messageId === messageId);
  const controls = isUnseen
    ? { controls: { cancelMessage: shownControl(whyNotTakenBack(state, message) ?? true) } }
    : {};
  return { ...inboundMessage(message), messageId, from, at, ...more, ...controls };
}

/** The messages of a step with their positions; a call that is still worked on has none yet. */
function ofStep(step: Step): { position: number; item: Entry }[] {
  if (step.phase !== 'calls') return [];
  const open = new Set(step.calls.filter(({ settled }) => settled === undefined).map(({ callId }) => callId));
  const messages = stepMessages(step);
  const first = messages.length - step.calls.length;
  return messages.flatMap((message, index) => {
    if (message.role === 'tool' && open.has(message.toolCallId)) return [];
    const at = message.role === 'tool' ? (step.calls[index - first]?.settled?.at ?? step.repliedAt) : step.repliedAt;
    const item = { ...message, turn: step.turn, step: step.number, at };
    return [{ position: index + 1, item }];
  });
}

/** The rows of a transcript after a position, in order: messages up to what a step saw, then the step. */
function* rows(
  store: AgentStore,
  afterMessage: number,
  fromStep: number,
): Generator<{ message: InboundMessage } | { step: Step }, void, undefined> {
  let seen = afterMessage;
  for (const step of stepsFrom(store, Math.max(0, fromStep - 1))) {
    for (const message of store.messages({ after: seen, upTo: step.messagesUpTo })) yield { message };
    seen = Math.max(seen, step.messagesUpTo);
    yield { step };
  }
  for (const message of store.messages({ after: seen })) yield { message };
}

/** Steps that are looked at in one go. */
const STEPS_BACK = 50;
/** A position after all that a step says. */
const AFTER_STEP = 1_000_000;

/** The place from which at least so many entries follow: between two steps, so that each result has its call. */
function lastOf(store: AgentStore, { step, lastMessage }: AgentState, most: number): number[] {
  let entries = 0;
  let uncounted = lastMessage;
  for (let upTo = step?.id ?? 0; upTo > 0; upTo -= STEPS_BACK) {
    for (const before of store.steps({ after: Math.max(0, upTo - STEPS_BACK), upTo }).reverse()) {
      const { messagesUpTo } = before;
      // Their ids say nothing of how many there are: one that was taken back has left its own.
      if (messagesUpTo < uncounted) entries += store.messages({ after: messagesUpTo, upTo: uncounted }).length;
      uncounted = messagesUpTo;
      if (entries >= most) return [messagesUpTo, before.id, AFTER_STEP];
      entries += ofStep(before).length;
    }
  }
  return [];
}

type TranscriptInput = PageInput & { readonly last?: number | undefined };

function page(store: AgentStore, state: AgentState, input: TranscriptInput): Page<Entry> {
  const isFromEnd = input.last !== undefined && input.cursor === undefined;
  const [message = 0, step = 0, position = 0] = isFromEnd ? lastOf(store, state, input.last) : cursorOf(input, 3);
  const limit = limitOf(input);
  const items: Entry[] = [];
  const at = { message, step, position };
  for (const row of rows(store, message, step)) {
    const entries = 'message' in row ? [{ position: 0, item: ofMessage(row.message, state) }] : ofStep(row.step);
    for (const next of entries) {
      if ('step' in row && row.step.id === step && next.position <= position) continue;
      if (items.length === limit) return { items, cursor: `${at.message}.${at.step}.${at.position}` };
      items.push(next.item);
      if ('message' in row) at.message = row.message.id;
      else Object.assign(at, { step: row.step.id, position: next.position });
    }
  }
  return { items };
}

/** What an agent says beside its messages: its own number of its last chunk, and the step that is not in them yet. */
type Reply = Page<Entry> & {
  readonly number: number;
  readonly open?: { readonly runId: string; readonly step: number };
};

/** The step whose reply is not committed: its chunks come after the transcript. */
function openStep({ run, step }: AgentState): Pick<Reply, 'open'> {
  const asking = run?.phase === 'active' && step?.turn === run.turn && step.phase === 'model';
  return asking ? { open: { runId: run.runId, step: step.number } } : {};
}

/** Rows of the log that are looked at in one go. */
const LOOK_BACK = 32;

/** The last sequence that the transcript holds everything of. */
function asOf(tree: RootRuntime, node: TreeNode, reply: Reply): number {
  const { store, first } = tree.log;
  const last = store.sequenceOf(node.id, reply.number);
  if (last === 0) return first - 1;
  if (reply.open === undefined) return last;
  const { runId, step } = reply.open;
  for (let before = last + 1; ; ) {
    const found = store.readBack(node.id, before, LOOK_BACK);
    for (const row of found) {
      const begins = row.chunks.findIndex(
        (chunk) => chunk.type === 'step_started' && chunk.step === step && chunk.runId === runId,
      );
      if (begins >= 0) return row.first + begins - 1;
    }
    before = found.at(-1)?.first ?? 0;
    if (before === 0) return first - 1;
  }
}

/** The transcript. */
export const messages = fromAgent({
  name: 'messages',
  method: 'GET',
  path: 'messages',
  action: 'read',
  summary: 'The transcript, oldest first. A stream from `asOfSequence` + 1 continues without a gap.',
  status: 200,
  errors: ['invalid_cursor'],
  input: transcriptInput,
  output: transcriptPage,
  async handle({ object, agent, input }) {
    const reply: Reply = {
      ...page(object.store, agent.state, input),
      number: agent.link.sink.number,
      ...openStep(agent.state),
    };
    // Answered once everything up to that number is in the log.
    await agent.link.ask({});
    return { body: reply };
  },
  complete({ tree, node }, { items, cursor, ...reply }) {
    return { items, ...(cursor === undefined ? {} : { cursor }), asOfSequence: asOf(tree, node, { items, ...reply }) };
  },
  whenQueued: ({ tree }) => ({ items: [], asOfSequence: tree.log.last }),
});
