/** The transcript, in pages, with the place in the log from which a stream goes on without a gap. */
import { z } from 'zod';
import type { AgentState, InboundMessage, Step } from '../../core/agent/state';
import { inboundMessage, stepMessages } from '../../core/agent/transcript';
import type { AgentStore } from '../../core/ports/agent-store';
import type { TreeNode } from '../../core/tree/node';
import type { RootRuntime } from '../../engine/root';
import * as shape from '../schemas';
import { fromAgent } from '../verb';
import { cursorOf, limitOf, type Page, type PageInput, stepsFrom } from './pages';

const entry = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: shape.json.optional().describe('Text or parts; a tool message has `result` in its place.'),
  messageId: z.string().optional(),
  from: z.enum(['caller', 'parent', 'offshoot']).optional(),
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
  result: shape.json.optional(),
  turn: z.number().int().optional(),
  step: z.number().int().optional(),
  at: shape.time,
  metadata: shape.json.optional(),
});
type Entry = z.output<typeof entry>;

function ofMessage(message: InboundMessage): Entry {
  const { messageId, from, at, metadata } = message;
  return { ...inboundMessage(message), messageId, from, at, ...(metadata === undefined ? {} : { metadata }) } as Entry;
}

/** The messages of a step with their places; a call that is still worked on has none yet. */
function ofStep(step: Step): { place: number; item: Entry }[] {
  if (step.phase !== 'calls') return [];
  const open = new Set(step.calls.filter(({ settled }) => settled === undefined).map(({ callId }) => callId));
  const messages = stepMessages(step);
  const first = messages.length - step.calls.length;
  return messages.flatMap((message, index) => {
    if (message.role === 'tool' && open.has(message.toolCallId)) return [];
    const at = message.role === 'tool' ? (step.calls[index - first]?.settled?.at ?? step.repliedAt) : step.repliedAt;
    const item = { ...message, turn: step.turn, step: step.number, at } as unknown as Entry;
    return [{ place: index + 1, item }];
  });
}

/** The rows of a transcript after a place, in order: messages up to what a step saw, then the step. */
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

function page(store: AgentStore, input: PageInput): Page<Entry> {
  const [message = 0, step = 0, place = 0] = cursorOf(input, 3);
  const limit = limitOf(input);
  const items: Entry[] = [];
  const at = { message, step, place };
  for (const row of rows(store, message, step)) {
    const entries = 'message' in row ? [{ place: 0, item: ofMessage(row.message) }] : ofStep(row.step);
    for (const next of entries) {
      if ('step' in row && row.step.id === step && next.place <= place) continue;
      if (items.length === limit) return { items, cursor: `${at.message}.${at.step}.${at.place}` };
      items.push(next.item);
      if ('message' in row) at.message = row.message.id;
      else Object.assign(at, { step: row.step.id, place: next.place });
    }
  }
  return { items };
}

/** What an agent says beside its messages: its own number of its last chunk, and the step that is not in them yet. */
interface Said extends Page<Entry> {
  readonly number: number;
  readonly open?: { readonly runId: string; readonly step: number };
}

/** The step whose reply is not committed: its chunks come after the transcript. */
function openStep({ run, step }: AgentState): Pick<Said, 'open'> {
  const asking = run?.phase === 'active' && step?.turn === run.turn && step.phase === 'model';
  return asking ? { open: { runId: run.runId, step: step.number } } : {};
}

/** Rows of the log that are looked at in one go. */
const LOOK_BACK = 32;

/** The last sequence that the transcript holds everything of. */
function asOf(tree: RootRuntime, node: TreeNode, said: Said): number {
  const { store, first } = tree.log;
  const last = store.sequenceOf(node.id, said.number);
  if (last === 0) return first - 1;
  if (said.open === undefined) return last;
  const { runId, step } = said.open;
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
  summary: 'The transcript, oldest first. A stream from `asOfSequence` + 1 goes on without a gap.',
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput,
  output: shape.pageOf(entry).extend({ asOfSequence: z.number().int() }),
  async handle({ object, agent, input }) {
    const said: Said = { ...page(object.store, input), number: agent.link.sink.number, ...openStep(agent.state) };
    // Answered once everything up to that number is in the log.
    await agent.link.ask({});
    return { body: said };
  },
  complete({ tree, node }, { items, cursor, ...said }) {
    return { items, ...(cursor === undefined ? {} : { cursor }), asOfSequence: asOf(tree, node, { items, ...said }) };
  },
  whenQueued: ({ tree }) => ({ items: [], asOfSequence: tree.log.last }),
});
