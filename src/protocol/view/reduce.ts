/**
 * The reduction of a tree's log to a view. The same chunks in the same order give the same view, whatever
 * interruptions and repeats lay between: this is the reference for what a client holds.
 *
 * Decides: what a view keeps of a child that is started anew for the same call.
 *
 * Keeps R1, R5, R13, R19.
 */
import type { Chunk, ChunkBody, SequencedChunk } from '../chunks';
import { type FurtherChunk, furtherAfter } from '../replies/reduce-further';
import { isStatusWord, statusTextAfter, statusTextIn } from '../shown/status-text';
import { isEndChunk } from '../status';
import { statusAfter } from '../status/after';
import { addUsage, NO_USAGE } from '../usage';
import { type CallChunk, callAfter } from './reduce-call';
import {
  type AgentView,
  currentRun,
  type DelegationOutcome,
  type DelegationView,
  emptyView,
  type MessageView,
  type PartView,
  type RunEnd,
  type RunView,
  type StepView,
  type TreeView,
} from './view';

/**
 * The result of reducing a chunk. With `gap`, chunks before it are missing: the view is unchanged, and the reader
 * should read the log again from `expected`.
 */
export type Reduction =
  | { readonly gap: false; readonly view: TreeView }
  | { readonly gap: true; readonly view: TreeView; readonly expected: number };

/**
 * Adds one chunk to a view. A chunk that the view already has changes nothing, so reading again is harmless.
 * @param order `whole` for the log of a tree, where every sequence follows the last; `filtered` for the log of a
 *   subtree, where the sequences of other agents are left out
 * @example
 * let view = emptyView;
 * for (const entry of entries) view = reduce(view, entry).view;
 */
export function reduce(view: TreeView, entry: SequencedChunk, order: 'whole' | 'filtered' = 'whole'): Reduction {
  if (entry.sequence <= view.lastSequence) return { gap: false, view };
  const expected = view.lastSequence + 1;
  if (order === 'whole' && entry.sequence !== expected) return { gap: true, view, expected };
  return { gap: false, view: { ...view, lastSequence: entry.sequence, agents: agentsAfter(view.agents, entry) } };
}

/**
 * Adds a list of chunks to a view.
 * @throws {RangeError} when chunks are missing, with the sequence of the first one
 * @example
 * const view = reduceAll(entries);
 */
export function reduceAll(entries: Iterable<SequencedChunk>, view: TreeView = emptyView): TreeView {
  let current = view;
  for (const entry of entries) {
    const next = reduce(current, entry);
    if (next.gap) {
      // No error of the table of codes: a page that reduces a log would carry the whole table for it.
      throw new RangeError(
        `The log has ${entry.sequence} where ${next.expected} should be. Read it again from ${next.expected}.`,
      );
    }
    current = next.view;
  }
  return current;
}

type Body<Type extends ChunkBody['type']> = Extract<Chunk, { readonly type: Type }>;

/** The list with the item that `matches` replaced, or with a new one at its end. `change` gets the item, if any. */
function upsert<Item>(
  list: readonly Item[],
  matches: (item: Item) => boolean,
  change: (item: Item | undefined) => Item,
): readonly Item[] {
  const at = list.findLastIndex(matches);
  const item = list[at];
  const changed = change(item);
  if (item === undefined) return [...list, changed];
  return changed === item ? list : list.with(at, changed);
}

function agentsAfter(agents: readonly AgentView[], { sequence, chunk }: SequencedChunk): readonly AgentView[] {
  const changed = upsert(
    agents,
    (agent) => agent.agentId === chunk.agentId,
    (known = newAgent(chunk)) => {
      const agent = withText({ ...known, lastAt: chunk.timestamp }, statusTextAfter(known.statusText, chunk));
      return agentAfter(agent, chunk, sequence);
    },
  );
  switch (chunk.type) {
    case 'subagent_start':
      return childStarted(changed, chunk);
    case 'subagent_status':
      return childChanged(changed, chunk.subSessionId, (child) => childStatus(child, chunk));
    case 'subagent_end':
      return childChanged(changed, chunk.subSessionId, (child) => childEnded(child, chunk));
    default:
      return changed;
  }
}

function newAgent(chunk: Chunk): AgentView {
  return {
    agentId: chunk.agentId,
    agentType: chunk.agentType,
    address: chunk.address,
    status: 'idle',
    firstAt: chunk.timestamp,
    lastAt: chunk.timestamp,
    runs: [],
    calls: [],
    delegations: [],
    messages: [],
    customs: [],
    statePatches: [],
    usage: NO_USAGE,
  };
}

function childStarted(agents: readonly AgentView[], chunk: Body<'subagent_start'>): readonly AgentView[] {
  return upsert(
    agents,
    (agent) => agent.agentId === chunk.subSessionId,
    (known) => ({ ...(known ?? newChild(chunk)), parentId: chunk.agentId }),
  );
}

function newChild(chunk: Body<'subagent_start'>): AgentView {
  const { subSessionId: agentId, subAgentType: agentType, subAddress: address } = chunk;
  return { ...newAgent({ ...chunk, agentId, agentType, address }), status: 'queued' };
}

function childChanged(
  agents: readonly AgentView[],
  agentId: string,
  change: (child: AgentView) => AgentView,
): readonly AgentView[] {
  const at = agents.findLastIndex((agent) => agent.agentId === agentId);
  const child = agents[at];
  return child === undefined ? agents : agents.with(at, change(child));
}

/**
 * The parent's word counts where the child's own is missing: before its first run and between its runs. So does an
 * agent's word about itself, as when it is ended for good at rest.
 */
function childStatus(child: AgentView, chunk: Body<'subagent_status'>): AgentView {
  const { unreached: _before, ...known } = withText(child, statusTextIn(child.statusText, chunk));
  const told: AgentView = chunk.status === 'unreached' ? { ...known, unreached: true } : known;
  if (!isStatusWord(chunk.status)) return told;
  const run = currentRun(child);
  const late = run !== undefined && (run.end === undefined || chunk.status === 'running' || chunk.status === 'queued');
  return late ? told : { ...told, status: chunk.status };
}

/** A child that was lost or given up has no end of its own in the log; its parent's word is the last one then. */
function childEnded(child: AgentView, chunk: Body<'subagent_end'>): AgentView {
  const run = currentRun(child);
  if (run !== undefined && run.end !== undefined) return child;
  return { ...child, status: chunk.success ? 'completed' : 'failed', lastAt: chunk.timestamp };
}

function agentAfter(agent: AgentView, chunk: Chunk, sequence: number): AgentView {
  switch (chunk.type) {
    case 'run_started':
      return stepsCarried(runChanged(agent, chunk), chunk);
    case 'run_recovered':
    case 'suspended':
    case 'unsuspended':
    case 'output':
    case 'run_completed':
    case 'run_failed':
    case 'run_interrupted':
    case 'run_terminated':
      return runChanged(agent, chunk);
    case 'text_delta':
    case 'thinking':
    case 'provider_tool_start':
    case 'provider_tool_end':
    case 'reply_source':
    case 'reply_file':
    case 'step_started':
    case 'step_committed':
      return stepChanged(agent, chunk, stepAfter);
    case 'step_discarded':
      return draftsDropped(stepChanged(agent, chunk, stepAfter), chunk);
    case 'tool_arg_stream_start':
    case 'tool_arg_stream_delta':
    case 'tool_start':
    case 'tool_approval_request':
    case 'client_tool_request':
    case 'tool_answered':
    case 'tool_end':
      return callChanged(agent, chunk);
    case 'subagent_start':
    case 'subagent_end':
      return { ...agent, delegations: delegationsAfter(agent.delegations, chunk) };
    case 'message_queued':
    case 'message_delivered':
      return { ...agent, messages: messagesAfter(agent.messages, chunk) };
    case 'message_cancelled':
      return { ...agent, messages: agent.messages.filter(({ messageId }) => messageId !== chunk.messageId) };
    case 'state_patch':
      return { ...agent, statePatches: [...agent.statePatches, { sequence, patch: chunk.patch }] };
    case 'custom':
      return customAfter(agent, chunk);
    case 'session_copied':
      return { ...agent, status: chunk.status };
    case 'subagent_message':
      return { ...agent, delegations: toldOf(agent.delegations, chunk) };
    case 'subagent_status':
    case 'hook_failed':
    case 'context_compacted':
      return agent;
    default:
      // A newer server may tell of more than this reader knows: its place in the log counts, its content does not.
      chunk satisfies never;
      return agent;
  }
}

type EndChunk = Body<'run_completed' | 'run_failed' | 'run_interrupted' | 'run_terminated'>;
type RunChunk = Body<'run_started' | 'run_recovered' | 'suspended' | 'unsuspended' | 'output'> | EndChunk;

function newRun(chunk: Chunk): RunView {
  return { runId: chunk.runId, turn: 0, chainTurn: 0, startedAt: chunk.timestamp, recoveries: [], steps: [] };
}

function runChanged(agent: AgentView, chunk: RunChunk): AgentView {
  const runs = upsert(
    agent.runs,
    (run) => run.runId === chunk.runId,
    (run) => runAfter(run ?? newRun(chunk), chunk),
  );
  // The end of a run that another one has followed says nothing about the session any more.
  const newest = runs.at(-1);
  const status = newest?.runId === chunk.runId ? statusOf(agent.status, newest, chunk) : agent.status;
  return { ...agent, runs, status };
}

/** The first end of a run stays; what was said late about it changes nothing. */
function statusOf(before: string, run: RunView, chunk: RunChunk): string {
  if (isEndChunk(chunk)) return run.end?.status ?? before;
  const isLate = run.end !== undefined && (chunk.type === 'suspended' || chunk.type === 'unsuspended');
  return isLate ? before : statusAfter(before, chunk);
}

function withText(agent: AgentView, statusText: string | undefined): AgentView {
  if (statusText === agent.statusText) return agent;
  const { statusText: _before, ...rest } = agent;
  return statusText === undefined ? rest : { ...rest, statusText };
}

/**
 * A run that continues another one takes over the steps that were open there, with their calls and delegations: the
 * chunks to come name the new run. Committed steps stay where they were.
 */
function stepsCarried(agent: AgentView, chunk: Body<'run_started'>): AgentView {
  const from = agent.runs.find((run) => run.runId === chunk.resumedFrom);
  const into = agent.runs.find((run) => run.runId === chunk.runId);
  if (from === undefined || into === undefined) return agent;
  const carried = from.steps.filter(
    (step) => step.status === 'open' && !into.steps.some((own) => own.step === step.step),
  );
  const moved = <Item extends { readonly runId: string; readonly step: number }>(item: Item): Item =>
    item.runId === from.runId && carried.some((step) => step.step === item.step)
      ? { ...item, runId: into.runId }
      : item;
  const runs = agent.runs.map((run) => {
    if (run === from) return { ...from, steps: from.steps.filter((step) => !carried.includes(step)) };
    return run === into ? { ...into, steps: [...carried, ...into.steps] } : run;
  });
  return { ...agent, runs, calls: agent.calls.map(moved), delegations: agent.delegations.map(moved) };
}

function runAfter(run: RunView, chunk: RunChunk): RunView {
  switch (chunk.type) {
    case 'run_started': {
      const { turn, chainTurn, input, resumedFrom, traceparent } = chunk;
      return {
        ...run,
        turn,
        chainTurn,
        ...(input === undefined ? {} : { input }),
        ...(resumedFrom === undefined ? {} : { resumedFrom }),
        ...(traceparent === undefined ? {} : { traceparent }),
      };
    }
    case 'run_recovered':
      return { ...run, recoveries: [...run.recoveries, { reason: chunk.reason, step: run.steps.at(-1)?.step ?? 0 }] };
    case 'suspended':
    case 'unsuspended':
      return run;
    case 'output':
      return { ...run, output: chunk.output };
    default:
      // A run has one end: the first that the log tells of.
      return run.end === undefined ? { ...run, end: endOf(chunk) } : run;
  }
}

function endOf(chunk: EndChunk): RunEnd {
  const at = chunk.timestamp;
  switch (chunk.type) {
    case 'run_completed':
      return { status: 'completed', at, output: chunk.output };
    case 'run_failed':
      return chunk.failureReason === undefined
        ? { status: 'failed', at, error: chunk.error }
        : { status: 'failed', at, error: chunk.error, failureReason: chunk.failureReason };
    case 'run_interrupted':
      return { status: 'interrupted', at, reason: chunk.reason };
    case 'run_terminated':
      return { status: 'terminated', at, reason: chunk.reason };
  }
}

type StepChunk = Body<'text_delta' | 'thinking' | 'step_started' | 'step_committed' | 'step_discarded'> | FurtherChunk;

function newStep(chunk: Chunk): StepView {
  const { step, attempt, timestamp } = chunk;
  return { status: 'open', step, attempt, startedAt: timestamp, parts: [], discarded: [] };
}

function stepChanged(
  agent: AgentView,
  chunk: StepChunk,
  after: (step: StepView, chunk: StepChunk) => StepView,
): AgentView {
  const runs = upsert(
    agent.runs,
    (run) => run.runId === chunk.runId,
    (known) => {
      const run = known ?? newRun(chunk);
      const steps = upsert(
        run.steps,
        (step) => step.step === chunk.step,
        (step) => after(step ?? newStep(chunk), chunk),
      );
      return { ...run, steps };
    },
  );
  const usage = chunk.type === 'step_committed' ? addUsage(agent.usage, chunk.usage) : agent.usage;
  return { ...agent, runs, usage };
}

/** The step as it stands for the attempt of a chunk: a newer attempt begins without the text of the older one. */
function atAttempt(step: StepView, chunk: StepChunk): StepView {
  return chunk.attempt > step.attempt ? { ...newStep(chunk), ...speakerOf(step), discarded: step.discarded } : step;
}

/** Whether nothing more of that attempt counts: it was discarded, or a newer one has begun. */
function isStale(step: StepView, attempt: number): boolean {
  return attempt < step.attempt || step.discarded.some((each) => each.attempt === attempt);
}

/** Whose step it is; a newer attempt of it is that side's as well. */
function speakerOf({ side, speaker }: Pick<StepView, 'side' | 'speaker'>): Pick<StepView, 'side' | 'speaker'> {
  return { ...(side === undefined ? {} : { side }), ...(speaker === undefined ? {} : { speaker }) };
}

function stepAfter(before: StepView, chunk: StepChunk): StepView {
  if (isStale(before, chunk.attempt)) return before;
  const step = atAttempt(before, chunk);
  switch (chunk.type) {
    case 'step_started':
      return { ...step, ...speakerOf(chunk) };
    case 'text_delta':
    case 'thinking':
      return { ...step, parts: partsAfter(step.parts, chunk) };
    case 'provider_tool_start':
    case 'provider_tool_end':
    case 'reply_source':
    case 'reply_file':
      return { ...step, further: furtherAfter(step.further ?? [], chunk) };
    case 'step_committed': {
      const { finishReason, usage, checkpointId, model, timestamp: endedAt } = chunk;
      const more = {
        ...(chunk.responseId === undefined ? {} : { responseId: chunk.responseId }),
        ...(chunk.passedOver === undefined ? {} : { passedOver: chunk.passedOver }),
      };
      return { ...step, status: 'committed', finishReason, usage, checkpointId, model, ...more, endedAt };
    }
    case 'step_discarded': {
      const { attempt, reason, retryAt, nextModel } = chunk;
      const more = {
        ...(retryAt === undefined ? {} : { retryAt }),
        ...(nextModel === undefined ? {} : { nextModel }),
      };
      const discarded = [...step.discarded, { attempt, reason, ...more }];
      return { ...newStep(chunk), ...speakerOf(step), discarded, startedAt: step.startedAt };
    }
  }
}

/** The order of blocks is that of their numbers: pieces of a later one may come first. */
function partsAfter(parts: readonly PartView[], chunk: Body<'text_delta' | 'thinking'>): readonly PartView[] {
  const { part, delta } = chunk;
  const kind = chunk.type === 'thinking' ? 'thinking' : 'text';
  const at = parts.findLastIndex((each) => each.part === part && each.kind === kind);
  const known = parts[at];
  if (known !== undefined) return parts.with(at, { ...known, text: known.text + delta });
  return parts.toSpliced(parts.findLastIndex((each) => each.part <= part) + 1, 0, { kind, part, text: delta });
}

/** The calls that the model was still writing go with the attempt; those that began are recorded and stay. */
function draftsDropped(agent: AgentView, chunk: Body<'step_discarded'>): AgentView {
  const calls = agent.calls.filter(
    (call) =>
      call.status !== 'drafting' ||
      call.runId !== chunk.runId ||
      call.step !== chunk.step ||
      call.attempt > chunk.attempt,
  );
  return { ...agent, calls };
}

function callChanged(agent: AgentView, chunk: CallChunk): AgentView {
  if (isDraft(chunk) && !draftCounts(agent, chunk)) return agent;
  const calls = upsert(
    agent.calls,
    (call) => call.toolCallId === chunk.toolCallId,
    (call) => callAfter(call, chunk),
  );
  return { ...agent, calls };
}

function isDraft(chunk: CallChunk): chunk is Body<'tool_arg_stream_start' | 'tool_arg_stream_delta'> {
  return chunk.type === 'tool_arg_stream_start' || chunk.type === 'tool_arg_stream_delta';
}

function draftCounts(agent: AgentView, chunk: CallChunk): boolean {
  const run = agent.runs.findLast((each) => each.runId === chunk.runId);
  const step = run?.steps.findLast((each) => each.step === chunk.step);
  return step === undefined || !isStale(step, chunk.attempt);
}

function delegationsAfter(
  delegations: readonly DelegationView[],
  chunk: Body<'subagent_start' | 'subagent_end'>,
): readonly DelegationView[] {
  const isSame = (each: DelegationView): boolean => each.childId === chunk.childId && each.callId === chunk.callId;
  const known = delegations.find(isSame);
  if (chunk.type === 'subagent_end') {
    if (known === undefined || known.task !== chunk.task) return delegations;
    return delegations.map((each) => (each === known ? { ...known, outcome: outcomeOf(chunk) } : each));
  }
  if (known !== undefined && known.task > chunk.task) return delegations;
  return upsert(delegations, isSame, () => ({
    callId: chunk.callId,
    childId: chunk.childId,
    task: chunk.task,
    generation: chunk.generation,
    agentId: chunk.subSessionId,
    agentType: chunk.subAgentType,
    address: chunk.subAddress,
    mode: chunk.mode,
    ...(chunk.name === undefined ? {} : { name: chunk.name }),
    placement: chunk.placement,
    runId: chunk.runId,
    step: chunk.step,
    startedAt: chunk.timestamp,
    outcome: { status: 'running' },
  }));
}

/** A message that the parent sent belongs to the task that was open then. */
function toldOf(
  delegations: readonly DelegationView[],
  { childId, task, messageId }: Body<'subagent_message'>,
): readonly DelegationView[] {
  return delegations.map((each) =>
    each.childId === childId && each.task === task ? { ...each, told: [...(each.told ?? []), messageId] } : each,
  );
}

function outcomeOf(chunk: Body<'subagent_end'>): DelegationOutcome {
  const common = { endedAt: chunk.timestamp, usage: chunk.usage };
  if (chunk.success) return { status: 'completed', ...common, result: chunk.result ?? null };
  const error = chunk.error === undefined ? {} : { error: chunk.error };
  const result = chunk.result === undefined ? {} : { result: chunk.result };
  return { status: 'failed', ...common, ...error, ...result };
}

function messagesAfter(
  messages: readonly MessageView[],
  chunk: Body<'message_queued' | 'message_delivered'>,
): readonly MessageView[] {
  return upsert(
    messages,
    (message) => message.messageId === chunk.messageId,
    () => messageOf(chunk),
  );
}

function messageOf(chunk: Body<'message_queued' | 'message_delivered'>): MessageView {
  const { messageId, from, runId, step, timestamp: at } = chunk;
  if (chunk.type === 'message_queued') return { messageId, from, status: 'queued' };
  const { role, text, attachments = [], cut = false } = chunk;
  return { messageId, from, status: 'delivered', runId, step, at, role, text, attachments, cut };
}

function customAfter(agent: AgentView, chunk: Body<'custom'>): AgentView {
  const { name, data, timestamp: at } = chunk;
  const customs = upsert(
    agent.customs,
    (custom) => custom.name === name,
    (custom) => ({ name, data, at, count: (custom?.count ?? 0) + 1 }),
  );
  return { ...agent, customs };
}
