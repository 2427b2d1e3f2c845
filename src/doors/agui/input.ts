/**
 * The request of a client, checked.
 *
 * AU3. Of its transcript only what is newer than the last word of the agent counts: a message of a person, and results
 *      of the client's own tools. The rest is never read as what was said.
 */
import * as z from 'zod';
import type { SentMessage } from '../../core/definition/hooks/hooked-message';
import { problemsOf } from '../../protocol/content/problems';
import { DATA_LIMITS } from '../../protocol/data-limits';
import { refuse } from '../../protocol/errors';
import type { Json, JsonObject } from '../../protocol/json';
import { parseJson } from '../../protocol/plain-input';
import type { MessagePart } from '../../protocol/wire/requests';
import { jsonSchema } from '../../protocol/wire/schemas';
import { digestOf } from '../sent';

/** Bounds of a request. */
export const AGUI_LIMITS = {
  /** Characters of an id of a run, of a message or of an interrupt. */
  maxId: 1_100,
  /** Characters of an id of a message that is sent: it becomes part of an idempotency key. */
  maxMessageId: 200,
  maxMessages: 20_000,
  /** Answers of a request, and interrupts of a run: a client answers all that it was shown. */
  maxResume: 500,
  maxContext: 64,
} as const;

const id = z.string().min(1).max(AGUI_LIMITS.maxId);

const source = z.object({ type: z.string(), value: z.string(), mimeType: z.string().optional() });
const contentPart = z.object({ type: z.string(), text: z.string().optional(), source: source.optional() });

const read = z.object({
  id,
  role: z.string(),
  content: z.union([z.string(), z.array(contentPart)]).nullish(),
  toolCallId: z.string().optional(),
});

/** Of messages of other roles no content is read, and it may have any form: that of an activity is an object. */
const message = z.preprocess((given) => {
  if (typeof given !== 'object' || given === null || !('role' in given) || READ.has(given.role)) return given;
  return { ...given, content: undefined };
}, read);

const READ: ReadonlySet<unknown> = new Set(['user', 'tool']);

/** Roles that say nothing for a person: pages add them also behind a person's message. */
const BESIDE: ReadonlySet<string> = new Set(['system', 'developer', 'activity']);

const resume = z.object({ interruptId: id, status: z.enum(['resolved', 'cancelled']), payload: jsonSchema.optional() });

const input = z.object({
  threadId: z.string().min(1).max(DATA_LIMITS.maxName),
  runId: id,
  parentRunId: id.nullish(),
  protocolVersion: z.string().max(32).nullish(),
  messages: z.array(message).max(AGUI_LIMITS.maxMessages),
  tools: z.array(z.object({ name: z.string() })).nullish(),
  context: z
    .array(z.object({ description: z.string(), value: z.string() }))
    .max(AGUI_LIMITS.maxContext)
    .nullish(),
  resume: z.array(resume).max(AGUI_LIMITS.maxResume).nullish(),
});

/** A request that was checked. */
export type RunInput = z.output<typeof input>;

type Message = z.output<typeof message>;

/**
 * The request in a body.
 * @throws OffshootError `invalid_request`, with where it is not as it should be
 */
export function runInput(body: Json | undefined, clientTools: readonly string[]): RunInput {
  const checked = input.safeParse(body);
  if (!checked.success) {
    refuse('invalid_request', `This is not a RunAgentInput: ${problemsOf(checked.error)}`);
  }
  const { protocolVersion, tools, resume: answers } = checked.data;
  if (protocolVersion && !/^1(\.|$)/.test(protocolVersion))
    refuse('invalid_request', 'This endpoint speaks version 1 of AG-UI.');
  const unknown = (tools ?? []).find(({ name }) => !clientTools.includes(name));
  if (unknown)
    refuse(
      'invalid_request',
      'The tools of an agent are in its definition, so a run takes none. Define it there with `execute: "client"`, and list its name in `agui({ clientTools })`.',
    );
  const ids = (answers ?? []).map(({ interruptId }) => interruptId);
  if (new Set(ids).size < ids.length) refuse('invalid_request', 'An interrupt is answered twice in `resume`.');
  return checked.data;
}

/** Messages after the last one of the agent. */
function newest({ messages }: RunInput): readonly Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'reasoning');
  return messages.filter((_, index) => index > last);
}

/** Results that a client may have given, by the ids of their calls. */
export function givenResults(run: RunInput): ReadonlyMap<string, Json> {
  const results = new Map<string, Json>();
  for (const { role, toolCallId, content } of newest(run))
    if (role === 'tool' && toolCallId !== undefined) results.set(toolCallId, parsed(content));
  return results;
}

/** The value that a message of a tool is: JSON that a body may hold, else the text. */
function parsed(content: Message['content']): Json {
  const text = typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** True where a client shows something of the agent already. */
export const hasHistory = ({ messages }: RunInput): boolean =>
  messages.some(({ role }) => role === 'assistant' || role === 'tool' || role === 'reasoning');

/** A message for the agent. Its digest is that of what the person said, without the context. */
export interface Said extends SentMessage {
  readonly input: JsonObject;
}

/**
 * The newest message of a person; undefined where the last word is not a person's.
 * @throws OffshootError `invalid_request` for a part that is only an address
 */
export function newMessage(run: RunInput): Said | undefined {
  const said = newest(run).findLast(({ role }) => !BESIDE.has(role));
  // A page that answers may send an empty message beside it, which says nothing.
  if (said?.role !== 'user' || (said.content ?? '').length === 0) return undefined;
  if (said.id.length > AGUI_LIMITS.maxMessageId)
    refuse('invalid_request', `The id of a message has at most ${AGUI_LIMITS.maxMessageId} characters.`);
  const { content } = said;
  const own: MessagePart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []).map(partOf);
  const context = (run.context ?? []).map(({ description, value }) => `${description}: ${value}`);
  const about: MessagePart[] = context.length > 0 ? [{ type: 'text', text: `Context:\n${context.join('\n')}` }] : [];
  const [only] = own;
  const plain = own.length === 1 && about.length === 0 && only?.type === 'text' ? only.text : undefined;
  const sent: SentMessage = { id: said.id, digest: digestOf(own) };
  return { ...sent, input: { content: (plain ?? [...own, ...about]) as Json, metadata: { agui: { ...sent } } } };
}

function partOf({ type, text, source: bytes }: z.output<typeof contentPart>): MessagePart {
  if (type === 'text') return { type, text: text ?? '' };
  if (bytes?.type !== 'data')
    refuse(
      'invalid_request',
      'Put the bytes into each part of a message: `source: { type: "data", value, mimeType }`.',
    );
  const file = { base64: bytes.value, ...(bytes.mimeType === undefined ? {} : { mediaType: bytes.mimeType }) };
  return type === 'image' ? { type, ...file } : { type: 'file', ...file };
}
