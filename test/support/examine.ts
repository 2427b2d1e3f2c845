/** What must hold of a tree whose run has ended, whatever happened on the way. */
import { expect } from 'vitest';
import type { AgentState, Call, Run, Step } from '../../src/core/agent/state';
import { hasBegun, isAbandoned, type TreeNode } from '../../src/core/tree/node';
import type { Chunk, SequencedChunk } from '../../src/protocol/chunks';
import { type Message, unpairedCalls } from '../../src/protocol/messages';
import { isEndChunk } from '../../src/protocol/status';
import { addUsage, lessUsage, NO_USAGE, type Usage } from '../../src/protocol/usage';
import { reduceAll } from '../../src/protocol/view/reduce';
import { findAgent, type TreeView, treeUsage } from '../../src/protocol/view/view';
import { accounts } from './accounts';
import type { Tree } from './harness';
import { hasInherited } from './inherited';
import { once } from './once';
import { equals, isEmpty, isSame } from './same';

/** The transcripts of all agents by address, without what is minted anew in each run. */
export function transcripts(tree: Tree): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {};
  for (const address of tree.addresses) {
    found[address] = tree.transcript(address).map(plain);
  }
  return found;
}

function plain(message: Message): unknown {
  if (message.role === 'tool') return { tool: message.toolName, result: message.result };
  if (message.role !== 'assistant') return message;
  return {
    assistant: message.content.map((part) =>
      part.type === 'tool-call' ? { call: part.toolName, input: part.input } : part,
    ),
  };
}

/** A tree at rest, read once. */
interface Found {
  readonly what: string;
  readonly tree: Tree;
  readonly rows: Tree['rows'];
  readonly log: readonly SequencedChunk[];
  readonly nodes: ReadonlyMap<string, TreeNode>;
  readonly view: TreeView;
  /** All agents but those that were given up: nobody waits for those, and nobody hears of them. */
  readonly agents: readonly { address: string; state: AgentState; steps: Step[]; runs: Run[] }[];
  readonly isGivenUp: (sessionId: string) => boolean;
}

/**
 * Checks everything that holds of every tree at rest. `what` names the schedule in a failure. Where agents can be given
 * up while they work, `losses` says so; elsewhere there are none.
 */
export function examine(tree: Tree, what = '', losses = false): void {
  const { rows, log } = tree;
  const nodes = new Map(tree.nodes.map((node) => [node.sessionId, node]));
  const isGivenUp = (sessionId: string): boolean => isAbandonedNode(nodes.get(sessionId));
  const all = tree.addresses.map((address) => {
    const store = tree.store(address);
    return ownWork({ address, state: tree.state(address), steps: store.steps({}), runs: store.runs({}) });
  });
  const agents = all.filter(({ state }) => !isGivenUp(state.session.sessionId));
  if (!losses) expect(agents.length, `${what}: agents given up`).toBe(all.length);
  const found = { what, tree, rows, log, nodes, agents, isGivenUp, view: reduceAll(log) };
  for (const { address } of agents) pairing(tree.transcript(address), `${what}: ${address}`);
  ownOrder(found);
  ends(found);
  causes(found);
  atRest(found);
  remembered(found);
  spending(found);
  accounts(tree, all, what);
  once(tree, agents, what);
  nothingTwice(found);
  sameWords(tree, what);
  expect(tree.time.pending, `${what}: timers`).toBe(0);
}

/** EG3: what an agent that is awake goes on with is what its store holds. */
function remembered({ tree, agents, what }: Found): void {
  for (const { address, state } of agents) {
    const agent = tree.world.awake(address)?.agent;
    if (agent !== undefined) equals(agent.state, state, `${what}: memory of ${address}`);
  }
}

/** CP4: what a copy remembers was done, told and paid for by the original. Its own runs are for a task. */
function ownWork<Agent extends Pick<Found['agents'][number], 'state' | 'steps' | 'runs'>>(agent: Agent): Agent {
  if (!hasInherited(agent.state.session, agent.runs)) return agent;
  const runs = agent.runs.filter(({ task }) => task !== undefined);
  const turns = new Set(runs.map(({ turn }) => turn));
  return { ...agent, runs, steps: agent.steps.filter(({ turn }) => turns.has(turn)) };
}

/** MS1: every call has one result, after it and before the next message of the model. */
function pairing(messages: readonly Message[], what: string): void {
  isEmpty(unpairedCalls(messages), what);
  const open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') isSame(open.shift(), message.toolCallId, what);
    else isEmpty(open, what);
    if (message.role === 'assistant')
      for (const part of message.content) if (part.type === 'tool-call') open.push(part.toolCallId);
  }
  const ids = messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
  isSame(new Set(ids).size, ids.length, what);
}

/** TR1, LG1: sequences without gap, each agent's own numbers without gap, and every agent's last chunk arrived. */
function ownOrder({ rows, nodes, agents, tree, view, what }: Found): void {
  let next = 1;
  const numbers = new Map<number, number>();
  for (const { first, node, number, chunks } of rows) {
    isSame(first, next, `${what}: sequence`);
    isSame(number, (numbers.get(node) ?? 0) + 1, `${what}: number of ${node}`);
    next = first + chunks.length;
    numbers.set(node, number + chunks.length - 1);
  }
  for (const node of nodes.values()) isSame(numbers.get(node.id) ?? 0, node.lastChunk, `${what}: ${node.address}`);
  for (const { address, state } of agents) {
    // A batch without chunks has no number of its own, and may lie after the one that begins there.
    const ends = tree
      .store(address)
      .outbox()
      .map(({ batch }) => batch.first + batch.chunks.length - 1);
    const last = ends.length === 0 ? undefined : Math.max(...ends);
    const endedAtRest = state.session.terminated && state.run?.phase === 'ended' && tree.crashes > 0;
    // Nobody waits for the word of a session that was ended at rest; it goes out when its agent wakes next.
    if (last !== undefined && !endedAtRest)
      isSame(nodes.get(state.session.sessionId)?.lastChunk, last, `${what}: outbox of ${address}`);
  }
  expect(view.lastSequence, what).toBe(next - 1);
}

const isAbandonedNode = (node: TreeNode | undefined): boolean => node !== undefined && isAbandoned(node);

/** Agents that were interrupted when their parent was aborted: they stay so, and nobody goes on with them. */
function leftBehindIn(nodes: Found['nodes']): ReadonlySet<string> {
  const found = new Set<string>();
  const byId = new Map([...nodes.values()].map((node) => [node.id, node]));
  for (const node of nodes.values()) {
    const parent = node.kind === 'child' ? byId.get(node.parentId) : undefined;
    const above = parent && (parent.status !== 'interrupted' || found.has(parent.sessionId));
    if (node.status === 'interrupted' && above) found.add(node.sessionId);
  }
  return found;
}

/** RN4: exactly one end for each run, and nothing of it after. */
function ends({ log, view, nodes, isGivenUp, what }: Found): void {
  const leftBehind = leftBehindIn(nodes);
  const runs = new Map<string, Chunk[]>();
  for (const { chunk } of log) {
    if (isGivenUp(chunk.agentId)) continue;
    const chunks = runs.get(chunk.runId);
    if (chunks) chunks.push(chunk);
    else runs.set(chunk.runId, [chunk]);
  }
  for (const [runId, chunks] of runs) {
    isSame(chunks[0]?.type, 'run_started', `${what}: ${runId}`);
    isSame(chunks.filter(isEndChunk).length, 1, `${what}: ends of ${runId}`);
    // The end of a session at rest is told after its last run, and what becomes of tasks that no call waits for as well.
    const interrupted = chunks.some(({ type }) => type === 'run_interrupted');
    const after = ['subagent_status', 'subagent_start', 'subagent_end', ...(interrupted ? ['tool_end'] : [])];
    const last = chunks.findLast(({ type }) => !after.includes(type));
    isSame(isEndChunk(last ?? { type: '' }), true, `${what}: last of ${runId}`);
  }
  for (const agent of view.agents) {
    // What one that was given up was about to begin is in no record: nobody has a last word on it.
    const isBelow = !nodes.has(agent.agentId) && isGivenUp(agent.parentId ?? '');
    if (isGivenUp(agent.agentId) || isBelow || leftBehind.has(agent.agentId)) continue;
    // One that was deleted while it was paused says no more: its parent tells the end of its task.
    if (agent.status === 'interrupted' && !nodes.has(agent.agentId)) continue;
    expect(agent.status, `${what}: ${agent.address}`).toMatch(/^(completed|failed|terminated)$/);
    for (const call of agent.calls)
      expect(['succeeded', 'failed'], `${what}: ${call.toolCallId}`).toContain(call.status);
  }
}

/** The runs that did more than to close a session that was ended for good. */
function runsThatWorked(log: Found['log']): ReadonlySet<string> {
  const work = ['step_started', 'tool_start', 'message_delivered', 'text_delta', 'output', 'suspended', 'unsuspended'];
  return new Set(log.flatMap(({ chunk }) => (work.includes(chunk.type) ? [chunk.runId] : [])));
}

/** TR2: tool_start, subagent_start, the child's chunks, subagent_end, tool_end, for every call of a child. */
function causes({ log, nodes, isGivenUp, what }: Found): void {
  const leftBehind = leftBehindIn(nodes);
  const places = new Map<string, number[]>();
  const note = (key: string, at: number): void => {
    const known = places.get(key);
    if (known) known.push(at);
    else places.set(key, [at]);
  };
  const worked = runsThatWorked(log);
  log.forEach(({ chunk }, at) => {
    // The end of a session may be told after that of its last run.
    if (chunk.type !== 'subagent_status') note(chunk.agentId, at);
    if (chunk.type !== 'subagent_status' && worked.has(chunk.runId)) note(`work of ${chunk.agentId}`, at);
    if (chunk.type === 'tool_start' || chunk.type === 'tool_end') note(`${chunk.type} ${chunk.toolCallId}`, at);
    if (chunk.type === 'subagent_start' || chunk.type === 'subagent_end') note(`${chunk.type} ${chunk.callId}`, at);
  });
  const at = (key: string): number[] => places.get(key) ?? [];
  for (const { chunk } of log) {
    if (chunk.type !== 'tool_start' || isGivenUp(chunk.agentId) || leftBehind.has(chunk.agentId)) continue;
    const { toolCallId } = chunk;
    const starts = at(`subagent_start ${toolCallId}`);
    const closes = at(`subagent_end ${toolCallId}`);
    isSame(closes.length, starts.length, `${what}: ends of ${toolCallId}`);
    // Tasks of a child that stays are none of the call's own: its session says more before them and after them.
    const isOfOne = starts.every((start) => {
      const begun = log[start]?.chunk;
      return begun?.type === 'subagent_start' && begun.mode === 'ephemeral';
    });
    if (!isOfOne) {
      starts.forEach((start, index) => {
        expect(closes[index], `${what}: task ${index} of ${toolCallId}`).toBeGreaterThan(start);
      });
      continue;
    }
    // One that was started anew has another session; the first one has ended before.
    const children = starts.flatMap((started, index) => {
      const sub = log[started]?.chunk;
      const close = log[closes[index] ?? -1]?.chunk;
      // Who was left behind may be ended for good later, by a person: that closes what was open in a last run.
      const byParent = close?.type === 'subagent_end' && (close.success || close.error?.code === 'terminated');
      const child =
        sub?.type === 'subagent_start' ? at(byParent ? sub.subSessionId : `work of ${sub.subSessionId}`) : [];
      return [started, ...child, ...closes.slice(index, index + 1)];
    });
    const order = [...at(`tool_start ${toolCallId}`), ...children, ...at(`tool_end ${toolCallId}`)];
    isSame(order.length, children.length + 2, `${what}: ${toolCallId}`);
    equals(
      order,
      [...order].sort((a, b) => a - b),
      `${what}: ${toolCallId}`,
    );
  }
}

/** R16, R17: the root's record tells of each agent what a view of the log tells, also where runs were interrupted. */
export function sameWords(tree: Tree, what = ''): void {
  const view = reduceAll(tree.log);
  const nodes = new Map(tree.nodes.map((node) => [node.id, node]));
  for (const node of nodes.values()) {
    const { sessionId, address, status, statusText } = node;
    const shown = findAgent(view, sessionId);
    // What was lost while it worked has said no last word, neither of itself nor of what it was about to begin.
    const above = node.kind === 'child' ? nodes.get(node.parentId) : undefined;
    const lost = isAbandoned(node) && (hasBegun(node) || isAbandonedNode(above));
    expect([lost || status, statusText], `${what}: words on ${address}`).toEqual([
      lost || shown?.status,
      shown?.statusText ?? '',
    ]);
  }
}

/** Nobody works, nobody waits for a place, and nobody owes a word to a parent that waits for it. */
function atRest({ nodes, agents, tree, isGivenUp, what }: Found): void {
  for (const node of nodes.values()) expect(node.schedule.phase, `${what}: ${node.address}`).toBe('ended');
  expect(tree.port.working, `${what}: model calls`).toBe(0);
  const calls = new Map<string, Call>();
  for (const { steps } of agents)
    for (const step of steps) if (step.phase === 'calls') for (const call of step.calls) calls.set(call.callId, call);
  for (const { address, state } of agents) {
    const { run, session } = state;
    expect(run?.phase, `${what}: ${address}`).toBe('ended');
    const { parent } = session;
    if (parent === undefined || isGivenUp(parent.sessionId) || (run?.phase === 'ended' && run.acknowledged)) continue;
    // A crash between the parent's commit and its answer: nobody waits for this word any more.
    const { task } = run ?? {};
    const awaiting = [...calls.values()].find(
      ({ plan }) =>
        plan.kind === 'task' && plan.began?.childId === task?.childId && plan.began?.sessionId === session.sessionId,
    );
    // It was left behind: its parent has heard that it rests, and nobody goes on with either.
    const known = agents.find((one) => one.state.session.sessionId === parent.sessionId)?.state.children;
    if (task !== undefined && known?.get(task.childId)?.state.is === 'interrupted') continue;
    expect(awaiting?.settled, `${what}: ${address}`).toBeDefined();
  }
}

/** Whether any run of an agent was stopped. */
function wasStopped(runs: readonly Run[]): boolean {
  return runs.some((run) => {
    if (run.phase !== 'ended' || run.outcome.status === 'completed') return false;
    return run.outcome.status !== 'failed' || run.outcome.error.category !== 'model';
  });
}

/** Usage in the record, in the log and in the stores agree with what was committed. */
function spending({ agents, nodes, view, isGivenUp, tree, what }: Found): void {
  const leftBehind = leftBehindIn(nodes);
  let all = NO_USAGE;
  for (const { address, state, steps, runs } of agents) {
    let spent: Usage = NO_USAGE;
    for (const step of steps) {
      if (step.phase !== 'calls') continue;
      spent = addUsage(spent, step.usage);
      for (const { plan, settled } of step.calls)
        if (plan.kind === 'tool' && settled?.usage) spent = addUsage(spent, settled.usage);
    }
    const { sessionId } = state.session;
    const late = lessUsage(state.spent, spent);
    expect(addUsage(spent, late), `${what}: ${address}`).toEqual(state.spent);
    // Only work that a stop cut off may come to light later.
    if (!wasStopped(runs)) expect(late, `${what}: ${address}`).toEqual(NO_USAGE);
    // A crash may come between a late commit and its way to the root; it goes there when the agent wakes next.
    const recorded = nodes.get(sessionId)?.usage ?? NO_USAGE;
    const owed = wasStopped(runs) && tree.crashes > 0 ? lessUsage(state.spent, recorded) : NO_USAGE;
    expect(addUsage(recorded, owed), `${what}: record of ${address}`).toEqual(state.spent);
    // A log tells what a step cost when it is closed; the last one of an agent that was left behind never is.
    const shown = findAgent(view, sessionId)?.usage ?? NO_USAGE;
    if (!leftBehind.has(sessionId)) expect(shown.inputTokens, `${what}: view of ${address}`).toBe(spent.inputTokens);
    all = addUsage(all, leftBehind.has(sessionId) ? shown : spent);
  }
  const counted = { ...view, agents: view.agents.filter(({ agentId }) => !isGivenUp(agentId)) };
  // What was started anew or deleted has no store any more.
  const here = new Set(agents.map(({ state }) => state.session.sessionId));
  for (const { agentId, usage } of counted.agents) if (!here.has(agentId)) all = addUsage(all, usage);
  expect(treeUsage(counted).modelCalls, `${what}: model calls`).toBe(all.modelCalls);
}

/** RC2, RC3: no attempt of a step is asked twice, none after its reply; no tool has more bodies than it may. */
function nothingTwice({ agents, tree, what }: Found): void {
  const attempts = new Map<string, number[]>();
  // A run that goes on with an interrupted one has its steps, with further attempts.
  const first = new Map<string, string>();
  for (const { runs } of agents)
    for (const run of runs) {
      const before = runs.find(({ runId }) => runId === run.lineage.resumedFrom);
      const goesOn = before?.phase === 'ended' && before.outcome.status === 'interrupted';
      first.set(run.runId, (goesOn ? first.get(before.runId) : undefined) ?? run.runId);
    }
  for (const { runId, step, attempt } of tree.port.asked) {
    const key = `${first.get(runId) ?? runId} ${step}`;
    expect(attempts.get(key) ?? [], `${what}: questions of ${key}`).not.toContain(attempt);
    attempts.set(key, [...(attempts.get(key) ?? []), attempt]);
  }
  for (const { address, steps, runs } of agents) {
    for (const step of steps) {
      if (step.phase !== 'calls') continue;
      const runId = runs.find(({ turn }) => turn === step.turn)?.runId ?? '';
      expect(Math.max(...(attempts.get(`${first.get(runId)} ${step.number}`) ?? [])), `${what}: ${address}`).toBe(
        step.attempt,
      );
      for (const call of step.calls) {
        const bodies = tree.bodies.get(call.callId) ?? 0;
        expect(bodies, `${what}: bodies of ${call.name}`).toBeLessThanOrEqual(
          call.plan.kind === 'tool' ? call.bodies : 0,
        );
        if (call.settled?.result.success && call.plan.kind === 'tool')
          expect(bodies, `${what}: ${call.name}`).toBeGreaterThan(0);
      }
    }
  }
}
