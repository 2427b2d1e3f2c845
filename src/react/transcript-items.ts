/** The transcript of an agent as a list of items, from its view and the server's messages. */
import type { Json } from '../protocol/json';
import { sourcesOf } from '../protocol/replies/sources';
import type {
  AgentView,
  CallView,
  DiscardedAttempt,
  MessageView,
  ProviderToolView,
  ReplyFileView,
  RunView,
  SourceView,
  StepView,
} from '../protocol/view/view';
import type { Document } from '../protocol/wire/wire-types';

/** A message of the server's transcript. */
export type TranscriptMessage = Document<'message'>;

type DeliveredMessage = Extract<MessageView, { readonly status: 'delivered' }>;

/** An item of a transcript. `id` stays the same while the item grows; `text` is the text to search. */
export type TranscriptItem = { readonly id: string; readonly runId?: string; readonly step?: number } & (
  | { readonly kind: 'edge'; readonly says: string }
  /** A tool result or a notice of the server's transcript whose chunks are no longer in the log. */
  | { readonly kind: 'older'; readonly entry: TranscriptMessage }
  /** A message of a caller or the parent. `message`: its chunk, with time and files, if the log has it. */
  | { readonly kind: 'asked'; readonly text: string; readonly from: string; readonly message?: DeliveredMessage }
  | { readonly kind: 'recovered'; readonly reason: string }
  /** `over`: its run has ended, so its open calls get no more events. */
  | { readonly kind: 'step'; readonly step: number; readonly view: StepView; readonly over: boolean }
  | ({ readonly kind: 'discarded' } & DiscardedAttempt)
  | { readonly kind: 'text' | 'thinking'; readonly text: string; readonly open: boolean }
  /** A tool that the provider of the model ran. */
  | { readonly kind: 'provider-tool'; readonly tool: ProviderToolView }
  | { readonly kind: 'made-file'; readonly file: ReplyFileView }
  /** The pages and documents that a reply refers to, each once. */
  | { readonly kind: 'sources'; readonly sources: readonly SourceView[] }
  | { readonly kind: 'call'; readonly call: CallView; readonly over: boolean }
  /** A message of a child, of another agent or of Offshoot. */
  | { readonly kind: 'message'; readonly message: DeliveredMessage }
  | { readonly kind: 'end'; readonly run: RunView }
);

/** The text of a message of the transcript. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content, undefined, 2);
  return content
    .map((part) =>
      typeof part?.text === 'string' ? part.text : `[${part?.filename ?? part?.mediaType ?? part?.type ?? 'part'}]`,
    )
    .join('\n');
}

/** The entries of the server's transcript that are older than the log of an agent. */
export function olderOf(agent: AgentView, entries: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  const first = agent.runs.flatMap(({ steps }) => steps.map(({ startedAt }) => startedAt)).at(0) ?? agent.firstAt;
  const calls = new Set(agent.calls.map(({ toolCallId }) => toolCallId));
  const read = new Set(agent.messages.map(({ messageId }) => messageId));
  return entries.filter(
    ({ at, silent, toolCallId, messageId }) =>
      at < first && silent === undefined && !calls.has(toolCallId ?? '') && !read.has(messageId ?? ''),
  );
}

function stepItems(run: RunView, step: StepView, calls: readonly CallView[]): TranscriptItem[] {
  const at = { runId: run.runId, step: step.step };
  const id = `${run.runId} ${step.step}`;
  const over = run.end !== undefined;
  return [
    { kind: 'step', id, ...at, view: step, over },
    ...step.discarded.map((one) => ({ kind: 'discarded' as const, id: `${id} x${one.attempt}`, ...at, ...one })),
    ...blocksOf(step, id, at),
    ...calls.map((call) => ({ kind: 'call' as const, id: `call ${call.toolCallId}`, ...at, call, over })),
  ];
}

/** The blocks of a reply in their order; its sources come last, together. */
function blocksOf(step: StepView, id: string, at: { readonly runId: string; readonly step: number }): TranscriptItem[] {
  const { parts, further = [] } = step;
  const said = parts.map(({ kind, part, text }, index) => ({
    part,
    item: {
      ...{ kind, id: `${id} ${kind}${part}`, ...at, text },
      open: step.status === 'open' && index === parts.length - 1,
    },
  }));
  const ran = further.flatMap((block): { part: number; item: TranscriptItem }[] => {
    const { kind, part } = block;
    if (kind === 'source') return [];
    const facts = { id: `${id} ${kind}${part}`, ...at };
    const item: TranscriptItem =
      kind === 'file' ? { kind: 'made-file', ...facts, file: block } : { kind: 'provider-tool', ...facts, tool: block };
    return [{ part, item }];
  });
  const items = [...said, ...ran].sort((one, other) => one.part - other.part).map(({ item }) => item);
  const sources = sourcesOf(further);
  return sources.length === 0 ? items : [...items, { kind: 'sources', id: `${id} sources`, ...at, sources }];
}

function groupedBy<Value>(all: readonly Value[], keyOf: (value: Value) => string) {
  const found = new Map<string, Value[]>();
  for (const each of all) {
    const key = keyOf(each);
    const list = found.get(key);
    if (list === undefined) found.set(key, [each]);
    else list.push(each);
  }
  return (key: string): readonly Value[] => found.get(key) ?? [];
}

/** Senders of requests. */
const ASKERS: ReadonlySet<string> = new Set(['caller', 'parent']);

function messageItem(message: DeliveredMessage): TranscriptItem {
  const { messageId, runId, step, from, role, text } = message;
  const at = { id: `message ${messageId}`, runId, step };
  return role === 'user' && ASKERS.has(from)
    ? { kind: 'asked', ...at, text, from, message }
    : { kind: 'message', ...at, message };
}

const isPart = (part: unknown, type: string): boolean =>
  typeof part === 'object' && part !== null && 'type' in part && part.type === type;

/** Items of an entry that is older than the log, in the kinds of the log's, so that a page shows both. */
function olderItems(entry: TranscriptMessage, index: number): TranscriptItem[] {
  const { role, from = 'caller', content } = entry;
  const id = `older ${index}`;
  if (role === 'user' && ASKERS.has(from)) return [{ kind: 'asked', id, text: textOf(content), from }];
  if (role !== 'assistant') return [{ kind: 'older', id, entry }];
  const parts: readonly Json[] = Array.isArray(content) ? content : [{ type: 'text', text: textOf(content) }];
  return parts.flatMap((part, at): TranscriptItem[] => {
    const own = `${id} ${at}`;
    if (isPart(part, 'tool-call')) return [];
    if (isPart(part, 'text')) return [{ kind: 'text', id: own, text: textOf([part]), open: false }];
    if (isPart(part, 'reasoning')) return [{ kind: 'thinking', id: own, text: textOf([part]), open: false }];
    return [{ kind: 'older', id: own, entry: { ...entry, content: [part] } }];
  });
}

/** Items of a run by their steps. Those of a step that is not held have the place of that step. */
function itemsOfRun(
  run: RunView,
  messages: readonly DeliveredMessage[],
  calls: (step: number) => readonly CallView[],
): TranscriptItem[] {
  const { runId, steps, recoveries, resumedFrom, end } = run;
  const known = [steps[0], messages[0], recoveries.find(({ step }) => step > 0)].flatMap((one) => one?.step ?? []);
  const first = resumedFrom === undefined ? 1 : Math.min(...known);
  const recovered = (isEarly: boolean) =>
    recoveries.flatMap(({ reason, step }, index) => {
      const item: TranscriptItem = { kind: 'recovered', id: `${runId} recovered${index}`, runId, reason };
      return (step === 0) === isEarly ? [{ step: step || first, item }] : [];
    });
  const shown = steps.flatMap((view) => {
    const { step } = view;
    return stepItems(run, view, calls(step)).map((item) => ({ step, item }));
  });
  const items = [
    ...messages.map((message) => ({ step: message.step, item: messageItem(message) })),
    ...recovered(true),
    ...shown.filter(({ item }) => item.kind === 'step'),
    ...recovered(false),
    ...shown.filter(({ item }) => item.kind !== 'step'),
  ]
    .sort((one, other) => one.step - other.step)
    .map(({ item }) => item);
  return end === undefined ? items : [...items, { kind: 'end', id: `${runId} end`, runId, run }];
}

/** All items, the oldest first. `older`: the messages of the server's transcript that the log has lost. */
export function itemsOf(
  agent: AgentView,
  older: readonly TranscriptMessage[],
  edge: string | undefined,
): TranscriptItem[] {
  const calls = groupedBy(agent.calls, ({ runId, step }) => `${runId} ${step}`);
  const delivered = agent.messages.filter((message) => message.status === 'delivered');
  const messages = groupedBy(delivered, ({ runId }) => runId);
  const items: TranscriptItem[] = older.flatMap(olderItems);
  if (edge !== undefined) items.push({ kind: 'edge', id: 'edge', says: edge });
  for (const run of agent.runs) {
    const { runId } = run;
    items.push(...itemsOfRun(run, messages(runId), (step) => calls(`${runId} ${step}`)));
  }
  return items;
}

const asText = (value: unknown): string => (value === undefined ? '' : (JSON.stringify(value) ?? ''));

/** The text of an item that a search looks through. */
export function searchedOf(item: TranscriptItem): string {
  switch (item.kind) {
    case 'edge':
      return item.says;
    case 'older':
      return `${item.entry.toolName ?? ''} ${textOf(item.entry.content)} ${asText(item.entry.result)}`;
    case 'recovered':
    case 'discarded':
      return item.reason;
    case 'step':
      return `step ${item.step}`;
    case 'asked':
    case 'text':
    case 'thinking':
      return item.text;
    case 'call': {
      const { call } = item;
      if (call.status === 'drafting') return `${call.toolName} ${call.argumentText}`;
      return `${call.toolName} ${asText(call.arguments)} ${'result' in call ? asText(call.result) : ''}`;
    }
    case 'provider-tool': {
      const { toolName, arguments: given, outcome } = item.tool;
      return `${toolName} ${asText(given)} ${asText(outcome?.result)}`;
    }
    case 'made-file':
      return 'path' in item.file ? item.file.path : item.file.mediaType;
    case 'sources':
      return item.sources.map((source) => `${source.title ?? ''} ${'url' in source ? source.url : ''}`).join(' ');
    case 'message':
      return item.message.text;
    case 'end':
      return asText(item.run.end);
  }
}
