/** What a view says of an agent, against what its chunks say, each fact looked up in the whole log. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChunkBody, SequencedChunk } from '../../src/protocol/chunks';
import { addUsage, NO_USAGE } from '../../src/protocol/usage';
import { reduceAll } from '../../src/protocol/view/reduce';
import {
  type AgentView,
  agentAt,
  companionsOf,
  findAgent,
  pendingOf,
  treeUsage,
  viewFrom,
} from '../../src/protocol/view/view';
import { anyLog } from '../support/any-log';
import { newLog, STEP_USAGE } from '../support/log';
import { present } from '../support/present';
import { always } from '../support/sizes';

type Chunk = SequencedChunk['chunk'];
type Of<Type extends ChunkBody['type']> = Extract<Chunk, { readonly type: Type }>;

const isOf =
  <Type extends ChunkBody['type']>(...types: Type[]) =>
  (chunk: Chunk): chunk is Of<Type> =>
    types.some((type) => type === chunk.type);

const isRequest = isOf('tool_approval_request', 'client_tool_request');
const isDraft = isOf('tool_arg_stream_start', 'tool_arg_stream_delta');
const isCall = isOf('tool_start', 'tool_approval_request', 'client_tool_request', 'tool_answered', 'tool_end');
const isEnd = isOf('run_completed', 'run_failed', 'run_interrupted', 'run_terminated');
const partOf = <Value>(name: string, value: Value | undefined) => (value === undefined ? {} : { [name]: value });

/** A call, by its chunks that are no drafts: all that came before its first end, and its last end. */
function callOf(chunks: readonly (Chunk & { readonly toolCallId: string })[]): object {
  const firstEnd = chunks.findIndex(isOf('tool_end'));
  const before = firstEnd < 0 ? chunks : chunks.slice(0, firstEnd);
  const end = chunks.findLast(isOf('tool_end'));
  const last = before.at(-1);
  const started = before.findLast(isOf('tool_start')) ?? before[0] ?? present(chunks[0]);
  const given = before.findLast((chunk) => 'arguments' in chunk);
  const answered = before.slice(before.findLastIndex(isRequest) + 1).findLast(isOf('tool_answered'));
  const {
    type: _type,
    toolCallId: _id,
    timestamp: at,
    ...said
  } = answered ?? { type: '', toolCallId: '', timestamp: 0 };
  const answer = {
    kind: 'kind' in said ? said.kind : '',
    at,
    ...partOf('approved', 'approved' in said ? said.approved : undefined),
    ...partOf('actor', 'actor' in said ? said.actor : undefined),
  };
  const common = {
    arguments: given !== undefined && 'arguments' in given ? given.arguments : null,
    startedAt: started.timestamp,
  };
  if (end !== undefined) {
    const base = { ...common, endedAt: end.timestamp, ...(answered ? { answer } : {}) };
    const { success, result, error } = end;
    if (success) return { status: 'succeeded', ...base, result: result ?? null };
    return { status: 'failed', ...base, ...partOf('error', error), ...partOf('result', result) };
  }
  if (last === undefined || !isRequest(last)) return { status: 'running', ...common, ...(answered ? { answer } : {}) };
  const asked = before.slice(before.findLastIndex(({ type }) => type !== last.type) + 1);
  return {
    status: 'waiting',
    kind: last.type === 'client_tool_request' ? 'client-tool' : 'approval',
    ...common,
    requestedAt: present(asked[0]).timestamp,
    ...partOf('expiresAt', last.expiresAt),
    ...partOf('inputHash', 'inputHash' in last ? last.inputHash : undefined),
  };
}

/** A delegation: its newest task, and what was said of that since it began. */
function delegationOf(chunks: readonly Chunk[], childId: number, callId: string): object {
  const starts = chunks
    .filter(isOf('subagent_start'))
    .filter((one) => one.childId === childId && one.callId === callId);
  const task = Math.max(...starts.map((one) => one.task));
  const start = present(starts.findLast((one) => one.task === task));
  const since = chunks.slice(chunks.indexOf(start) + 1);
  const isOwn = (one: { childId: number; callId: string; task: number }) =>
    one.childId === childId && one.callId === callId && one.task === task;
  const end = since.filter(isOf('subagent_end')).findLast(isOwn);
  const told = since.filter(isOf('subagent_message')).filter((one) => one.childId === childId && one.task === task);
  const outcome = end && {
    status: end.success ? 'completed' : 'failed',
    endedAt: end.timestamp,
    usage: end.usage,
    ...partOf('result', end.success ? (end.result ?? null) : end.result),
    ...partOf('error', end.success ? undefined : end.error),
  };
  return {
    ...{ callId, childId, task, generation: start.generation, agentId: start.subSessionId },
    ...{ agentType: start.subAgentType, address: start.subAddress, mode: start.mode, placement: start.placement },
    ...partOf('name', start.name),
    ...(told.length === 0 ? {} : { told: told.map(({ messageId }) => messageId) }),
    startedAt: start.timestamp,
    outcome: outcome ?? { status: 'running' },
  };
}

function messagesOf(chunks: readonly Chunk[]): object[] {
  const found = new Map<string, object>();
  for (const chunk of chunks) {
    if (chunk.type === 'message_cancelled') found.delete(chunk.messageId);
    if (chunk.type === 'message_queued')
      found.set(chunk.messageId, { messageId: chunk.messageId, from: chunk.from, status: 'queued' });
    if (chunk.type !== 'message_delivered') continue;
    const { messageId, from, runId, step, timestamp: at, role, text, attachments = [], cut = false } = chunk;
    found.set(messageId, { messageId, from, status: 'delivered', runId, step, at, role, text, attachments, cut });
  }
  return [...found.values()];
}

function customsOf(chunks: readonly Chunk[]): object[] {
  const all = chunks.filter(isOf('custom'));
  return [...new Set(all.map(({ name }) => name))].map((name) => {
    const own = all.filter((one) => one.name === name);
    const last = present(own.at(-1));
    return { name, data: last.data, at: last.timestamp, count: own.length };
  });
}

/** What is told of a run beside its steps. */
function runOf(chunks: readonly Chunk[], runId: string): object {
  const own = chunks.filter((chunk) => chunk.runId === runId);
  const starts = own.filter(isOf('run_started'));
  const end = own.find(isEnd);
  const { timestamp: at, ...said } = end ?? { timestamp: 0 };
  const facts = ['output', 'error', 'failureReason', 'reason'].map((name) => partOf(name, Reflect.get(said, name)));
  return {
    runId,
    turn: starts.at(-1)?.turn ?? 0,
    chainTurn: starts.at(-1)?.chainTurn ?? 0,
    ...partOf('input', starts.findLast((one) => one.input !== undefined)?.input),
    ...partOf('resumedFrom', starts.findLast((one) => one.resumedFrom !== undefined)?.resumedFrom),
    ...partOf('output', own.findLast(isOf('output'))?.output),
    ...(end === undefined ? {} : { end: Object.assign({ status: end.type.slice(4), at }, ...facts) }),
    recoveries: own.filter(isOf('run_recovered')).map(({ reason }) => reason),
  };
}

const withoutPlace = <Item extends { runId: string; step: number }>({ runId: _run, step: _step, ...item }: Item) =>
  item;

function expectAgent(agent: AgentView, log: readonly SequencedChunk[]): void {
  const own = log.filter(({ chunk }) => chunk.agentId === agent.agentId);
  const chunks = own.map(({ chunk }) => chunk);
  const calls = chunks.filter(isCall);
  for (const id of new Set(calls.map(({ toolCallId }) => toolCallId))) {
    const view = present(agent.calls.find(({ toolCallId }) => toolCallId === id));
    const { toolCallId: _id, toolName: _name, ...facts } = withoutPlace(view);
    expect(facts).toEqual(callOf(calls.filter(({ toolCallId }) => toolCallId === id)));
  }
  const drafts = new Set(chunks.filter(isDraft).map(({ toolCallId }) => toolCallId));
  for (const { toolCallId, status } of agent.calls) if (status === 'drafting') expect(drafts).toContain(toolCallId);
  for (const { childId, callId, ...rest } of agent.delegations)
    expect(withoutPlace({ childId, callId, ...rest })).toEqual(delegationOf(chunks, childId, callId));
  const begun = new Set(chunks.filter(isOf('subagent_start')).map(({ childId, callId }) => `${childId} ${callId}`));
  expect(agent.delegations.map(({ childId, callId }) => `${childId} ${callId}`)).toEqual([...begun]);
  expect(agent.messages).toEqual(messagesOf(chunks));
  expect(agent.customs).toEqual(customsOf(chunks));
  expect(agent.statePatches).toEqual(
    own.flatMap(({ sequence, chunk }) => (chunk.type === 'state_patch' ? [{ sequence, patch: chunk.patch }] : [])),
  );
  const commits = chunks.filter(isOf('step_committed'));
  expect(agent.usage).toEqual(commits.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE));
  for (const { steps: _steps, startedAt: _at, recoveries, ...run } of agent.runs)
    expect({ ...run, recoveries: recoveries.map(({ reason }) => reason) }).toEqual(runOf(chunks, run.runId));
  const parents = log.flatMap(({ chunk }) =>
    chunk.type === 'subagent_start' && chunk.subSessionId === agent.agentId ? [chunk.agentId] : [],
  );
  expect(agent.parentId).toBe(parents.at(-1));
}

describe('the view of any log', () => {
  it('[R1, R4, R7, R9, R13, R19] says of calls, delegations, messages, customs and runs what the whole log says', async () => {
    const holds = fc.property(anyLog, (log) => {
      for (const agent of reduceAll(log).agents) expectAgent(agent, log);
    });
    await always(holds, 300);
  });

  it('[R12, SA1] keeps the side and the speaker of a step over each attempt, until a step begins with others', () => {
    const log = newLog();
    const agent = log.root('pair', 'a').run('r');
    const said = () => {
      const step = reduceAll(log.entries).agents[0]?.runs[0]?.steps[0];
      return step && [step.attempt, step.side, step.speaker, step.discarded.length, step.startedAt];
    };
    const at = { step: 1, attempt: 1 };
    agent.emit({ type: 'step_started', side: 'side_a', speaker: 'Author', ...at });
    const [, , , , begun] = present(said());
    agent.emit({ type: 'step_discarded', reason: 'late', ...at });
    expect(said()).toEqual([1, 'side_a', 'Author', 1, begun]);
    agent.emit({ type: 'text_delta', part: 0, delta: 'x', step: 1, attempt: 2 });
    expect(said()).toEqual([2, 'side_a', 'Author', 1, expect.any(Number)]);
    agent.emit({ type: 'step_started', side: 'side_b', step: 1, attempt: 3 });
    expect(said()).toEqual([3, 'side_b', 'Author', 1, expect.any(Number)]);
  });

  it('[R4, R12] drops the drafts of the attempt, its step and its run alone', () => {
    const log = newLog();
    const agent = log.root('solo', 'a').run('r');
    const draft = (toolCallId: string, runId: string, step: number, attempt: number) =>
      agent.emit({ type: 'tool_arg_stream_start', toolCallId, toolName: 'x', runId, step, attempt });
    draft('before', 'r', 2, 1);
    draft('of it', 'r', 2, 2);
    draft('next', 'r', 2, 3);
    draft('other step', 'r', 1, 1);
    draft('other run', 'r2', 2, 2);
    agent.emit({ type: 'step_discarded', reason: 'x', runId: 'r', step: 2, attempt: 2 });
    const [view] = reduceAll(log.entries).agents;
    expect(view?.calls.map(({ toolCallId }) => toolCallId)).toEqual(['next', 'other step', 'other run']);
  });
});

describe('what is read from a view', () => {
  const named = { subAgentType: 'scout', generation: 1, placement: 'facet', mode: 'persistent' } as const;
  /** Tasks of one agent: with their child, call, name and session. */
  function viewWith(
    ...tasks: readonly (readonly [
      child: number,
      task: number,
      name: string | undefined,
      session: string,
      mode?: 'ephemeral',
    ])[]
  ) {
    const log = newLog();
    const root = log.root('boss', 'b').run('r').step(1);
    for (const [childId, task, name, session, mode = 'persistent'] of tasks)
      root.emit({
        ...{ type: 'subagent_start', ...named, mode, callId: `c_${childId}_${task}`, childId, task },
        ...{ subSessionId: session, subAddress: `/agents/boss/b/sub/scout/${name}` },
        ...(name === undefined ? {} : { name }),
      });
    return { log, root, view: () => reduceAll(log.entries) };
  }

  it('[R1, CO2] companions are those with a name that stay, each with its rounds and its newest session', () => {
    const { view } = viewWith(
      [1, 1, 'ann', 's_1'],
      [2, 1, undefined, 's_2', 'ephemeral'],
      [3, 1, 'bob', 's_3'],
      [4, 1, 'kid', 's_4', 'ephemeral'],
      [1, 2, 'ann', 's_1'],
      [5, 1, 'ann', 's_5'],
    );
    const found = companionsOf(present(view().agents[0]));
    expect(
      found.map(({ name, agentId, address, rounds }) => [name, agentId, address, rounds.map((r) => r.agentId)]),
    ).toEqual([
      ['ann', 's_5', '/agents/boss/b/sub/scout/ann', ['s_1', 's_1', 's_5']],
      ['bob', 's_3', '/agents/boss/b/sub/scout/bob', ['s_3']],
    ]);
    // At an address is the newest agent, where a name was used again.
    expect(agentAt(view(), '/agents/boss/b/sub/scout/ann')?.agentId).toBe('s_5');
    expect([findAgent(view(), 's_1')?.agentId, findAgent(view(), 's_9'), agentAt(view(), '/x')]).toEqual([
      's_1',
      undefined,
      undefined,
    ]);
  });

  it('[R11, R13] what waits is listed for an agent with several children, unless that one was replaced or has ended', () => {
    const { log, root, view } = viewWith([1, 1, undefined, 's_1', 'ephemeral'], [2, 1, undefined, 's_2', 'ephemeral']);
    const ask = (agentId: string, toolCallId: string) =>
      root.emit({
        type: 'client_tool_request',
        agentId,
        runId: `r_${agentId}`,
        toolCallId,
        toolName: 'pick',
        arguments: 1,
      });
    ask('s_2', 'c_b');
    ask('s_1', 'c_a');
    const waits = () => pendingOf(view()).map(({ agentId, call }) => [agentId, call.toolCallId]);
    expect(waits()).toEqual([
      ['s_2', 'c_b'],
      ['s_1', 'c_a'],
    ]);
    root.emit({ type: 'run_interrupted', reason: 'x', agentId: 's_2', runId: 'r_s_2' });
    expect(waits()).toEqual([['s_1', 'c_a']]);
    root.emit({
      ...{ type: 'subagent_start', ...named, mode: 'ephemeral', callId: 'c_1_1', childId: 1, task: 1 },
      ...{ subSessionId: 's_new', subAddress: '/x' },
    });
    expect(waits()).toEqual([]);
    expect(log.entries.length).toBeGreaterThan(0);
  });

  it('[R1] a tree has spent what the steps in the view say, and of children without steps what their ends say', () => {
    const { root, view } = viewWith([1, 1, 'ann', 's_1'], [2, 1, 'bob', 's_2'], [3, 1, 'cid', 's_3']);
    const times = (count: number) => Array.from({ length: count }, () => STEP_USAGE).reduce(addUsage, NO_USAGE);
    const end = (childId: number, session: string) =>
      root.emit({
        ...{ type: 'subagent_end', ...named, callId: `c_${childId}_1`, childId, task: 1, subSessionId: session },
        ...{ success: true, usage: STEP_USAGE },
      });
    expect(treeUsage(view())).toEqual(NO_USAGE);
    end(1, 's_1');
    expect(treeUsage(view())).toEqual(times(1));
    // One that has a run without steps counts by its end still, one with a step by that.
    root.emit({ type: 'run_started', turn: 1, chainTurn: 1, agentId: 's_2', runId: 'r_2' });
    end(2, 's_2');
    expect(treeUsage(view())).toEqual(times(2));
    root.emit({ type: 'step_started', agentId: 's_3', runId: 'r_3' });
    root.emit({ type: 'run_started', turn: 2, chainTurn: 2, agentId: 's_3', runId: 'r_4' });
    end(3, 's_3');
    expect(treeUsage(view())).toEqual(times(2));
  });

  it('[R3] a reader that begins in the middle knows from where on its view is whole', () => {
    expect(viewFrom(1)).toEqual({ lastSequence: 0, completeFrom: 1, agents: [] });
    expect(viewFrom(120)).toEqual({ lastSequence: 119, completeFrom: 120, agents: [] });
  });
});
