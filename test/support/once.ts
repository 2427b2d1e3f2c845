/** Compares what each model, parent and person was given with what happened: nothing is left out, and nothing comes twice. */
import { expect } from 'vitest';
import { isNotified, keyOf } from '../../src/core/agent/children/child';
import type { InboundMessage } from '../../src/core/agent/inbound';
import type { AgentState, Step } from '../../src/core/agent/state';
import { isObject } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';
import type { Tree } from './harness';
import { hasInherited } from './inherited';

interface Agent {
  readonly address: string;
  readonly state: AgentState;
  readonly steps: readonly Step[];
}

/**
 * DL1, DG24, CO7: each message is delivered once or cancelled once, each end is told by one message at most, and a model's
 * questions have each message that its step sees, once.
 * @param agents those that were not given up
 */
export function once(tree: Tree, agents: readonly Agent[], what: string): void {
  const wrong: string[] = [];
  const log = loggedMessages(tree, wrong);
  answers(tree, wrong);
  for (const agent of agents) {
    // A copy begins with what its original was given.
    if (hasInherited(agent.state.session, tree.store(agent.address).runs({}))) continue;
    const messages = tree.store(agent.address).messages({});
    deliveries(agent, messages, log.get(agent.state.session.sessionId), wrong);
    notices(tree, agent, messages, wrong);
    questions(tree, agent, messages, wrong);
  }
  expect(wrong, `${what}: exactly once`).toEqual([]);
}

/** The messages of an agent as its stream tells of them. */
interface Logged {
  readonly queued: Set<string>;
  readonly delivered: Set<string>;
  readonly cancelled: Set<string>;
}

/** What the log tells of messages, by session; each is told of once in each way. */
function loggedMessages({ log }: Tree, wrong: string[]): ReadonlyMap<string, Logged> {
  const found = new Map<string, Logged>();
  for (const { chunk } of log) {
    if (chunk.type !== 'message_queued' && chunk.type !== 'message_delivered' && chunk.type !== 'message_cancelled')
      continue;
    const none = { queued: new Set<string>(), delivered: new Set<string>(), cancelled: new Set<string>() };
    const logged = found.get(chunk.agentId) ?? none;
    found.set(chunk.agentId, logged);
    const way =
      chunk.type === 'message_queued' ? 'queued' : chunk.type === 'message_delivered' ? 'delivered' : 'cancelled';
    if (logged[way].has(chunk.messageId)) wrong.push(`${chunk.messageId} is ${way} twice at ${chunk.address}`);
    logged[way].add(chunk.messageId);
  }
  return found;
}

/** AN1. A person is asked about a call once, and has answered it once. */
function answers({ log }: Tree, wrong: string[]): void {
  const seen = new Set<string>();
  for (const { chunk } of log) {
    if (chunk.type !== 'tool_answered' && chunk.type !== 'tool_end' && chunk.type !== 'tool_start') continue;
    const key = `${chunk.type} of ${chunk.toolCallId}`;
    if (seen.has(key)) wrong.push(`${key} twice`);
    seen.add(key);
  }
}

/** How far steps have seen what arrived. */
const seenUpTo = (steps: readonly Step[]): number => Math.max(0, ...steps.map(({ messagesUpTo }) => messagesUpTo));

/** Each message that a step sees was delivered, no other one was, and none is in the log that is in no row. */
function deliveries(
  { address, steps }: Agent,
  messages: readonly InboundMessage[],
  { queued, delivered, cancelled }: Logged = { queued: new Set(), delivered: new Set(), cancelled: new Set() },
  wrong: string[],
): void {
  const upTo = seenUpTo(steps);
  const ids = new Set(messages.map(({ messageId }) => messageId));
  if (ids.size < messages.length) wrong.push(`${address} has a message twice`);
  for (const { id, messageId, from, silent } of messages) {
    const isShown = from !== 'offshoot' && !silent;
    if (delivered.has(messageId) !== (isShown && id <= upTo))
      wrong.push(`${address}: ${messageId} of ${from} was ${delivered.has(messageId) ? '' : 'not '}told as delivered`);
    if (cancelled.has(messageId)) wrong.push(`${address}: ${messageId} is there, and cancelled`);
  }
  for (const one of [...queued, ...delivered])
    if (!ids.has(one) && !cancelled.has(one)) wrong.push(`${address}: ${one} has no row`);
  for (const one of cancelled) if (delivered.has(one)) wrong.push(`${address}: ${one} is delivered, and cancelled`);
}

/** The end of a child's last task is told by one message, where no call tells it; and none is told of twice. */
function notices(
  tree: Tree,
  { address, state, steps }: Agent,
  messages: readonly InboundMessage[],
  wrong: string[],
): void {
  const calls = steps.flatMap((step) => (step.phase === 'calls' ? step.calls : []));
  const awaits = calls.flatMap(({ plan }) => (plan.kind === 'task' ? plan.awaits.tasks : []));
  const awaited = new Set(awaits.map(({ childId, task }) => `${childId} ${task}`));
  // A wait that comes after the end, and before a step has seen the message, takes the place of that.
  const waitedFor = new Set(
    calls.flatMap(({ name, input }) => (name === 'companion__waitForResult' && isObject(input) ? [input.name] : [])),
  );
  const store = tree.store(address);
  const all = [...store.lastingChildren({ after: 0, limit: 10_000 }), ...state.children.values()];
  const children = new Map(all.map((child) => [child.childId, child]));
  for (const child of children.values()) {
    if (child.state.is !== 'ended' || !isNotified(child)) continue;
    const { notice } = child.state;
    const { childId, task } = keyOf(child);
    const told = messages.filter(({ messageId }) => messageId === notice).length;
    const byCall = notice === undefined ? awaited.has(`${childId} ${task}`) : waitedFor.has(child.name ?? '');
    if (told > 1 || (told === 0 && !byCall))
      wrong.push(`${address}: the end of ${child.name ?? child.address} (task ${task}) is told ${told} times`);
  }
  const heads = new Map<string, number>();
  for (const { from, content } of messages) {
    const text = typeof content === 'string' ? content : '';
    const [head] = from === 'offshoot' ? (/^The sub-agent \S+ \(task \d+\) (?:has|was)/.exec(text) ?? []) : [];
    if (head !== undefined) heads.set(head, (heads.get(head) ?? 0) + 1);
  }
  for (const [head, count] of heads) {
    const name = /^The sub-agent (\S+) /.exec(head)?.[1];
    // Children without a name are told apart by nothing in the text.
    const isNamed = all.some((child) => child.name === name);
    if (isNamed && count > 1) wrong.push(`${address} was told ${count} times: ${head}`);
  }
}

/** How often each text is said among some messages. */
function said(messages: readonly Message[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of messages) {
    if (one.role !== 'user' || typeof one.content !== 'string') continue;
    counts.set(one.content, (counts.get(one.content) ?? 0) + 1);
  }
  return counts;
}

/** A model is asked with each message that its step sees, as often as that was said: of agents that read their own words. */
function questions(
  tree: Tree,
  { address, state, steps }: Agent,
  messages: readonly InboundMessage[],
  wrong: string[],
): void {
  const { session } = state;
  const definition = tree.world.options.agents.find(({ name }) => name === session.agentType);
  if (definition === undefined || definition.sides || definition.prompt || definition.context) return;
  if (definition.hooks.length > 0) return;
  const runs = new Map(
    tree
      .store(address)
      .runs({})
      .map(({ turn, runId }) => [turn, runId]),
  );
  const asked = new Map(tree.port.asked.map((one) => [`${one.runId} ${one.step} ${one.attempt}`, one]));
  for (const step of steps) {
    // One that an earlier run has asked for has another run's name.
    const question = asked.get(`${runs.get(step.turn)} ${step.number} ${step.attempt}`);
    if (question === undefined) continue;
    const given = said(question.messages);
    const expected = new Map<string, number>();
    for (const { id, role, content, files } of messages)
      if (id <= step.messagesUpTo && role === 'user' && typeof content === 'string' && files === undefined)
        expected.set(content, (expected.get(content) ?? 0) + 1);
    for (const [text, count] of expected)
      if ((given.get(text) ?? 0) !== count)
        wrong.push(
          `${address}, step ${step.number}: ${count} × "${text.substring(0, 60)}" came ${given.get(text) ?? 0} times`,
        );
  }
}
