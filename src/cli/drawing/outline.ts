/** The tree of a view as nodes, and what each agent is doing, in words that still need cleaning. */

import { beginningOf, endOf } from '../../protocol/content/cut';
import { isObject, type Json, type JsonObject } from '../../protocol/json';
import { inWords, objectIn } from '../../protocol/shown/in-words';
import {
  type AgentView,
  type CallView,
  currentRun,
  currentStep,
  type DelegationView,
  stepText,
  stepThinking,
  type TreeView,
  topAgents,
} from '../../protocol/view/view';

/** An agent with its children in the order in which they started. */
export interface Node {
  readonly agent: AgentView;
  /** What it was asked to do. */
  readonly task: string;
  /** What it was asked before in the same run, where it is kept for several tasks: the newest last, at most 8. */
  readonly before: readonly string[];
  readonly children: readonly Node[];
}

/** How an agent stands, as far as a reader cares. */
export type Standing = 'waiting' | 'working' | 'asking' | 'completed' | 'failed' | 'stopped';

const STANDINGS: Readonly<Record<string, Standing>> = {
  idle: 'waiting',
  queued: 'waiting',
  running: 'working',
  completed: 'completed',
  failed: 'failed',
  interrupted: 'stopped',
  terminated: 'stopped',
};

/**
 * The standing of an agent. One that works on while a call of it waits for a person asks, too. A status that is not
 * known counts as waiting for somebody.
 */
export function standingOf(agent: AgentView): Standing {
  const standing = Object.hasOwn(STANDINGS, agent.status) ? (STANDINGS[agent.status] ?? 'asking') : 'asking';
  return standing === 'working' && agent.calls.some((call) => call.status === 'waiting') ? 'asking' : standing;
}

/** What an agent that asks waits for, in one line. */
export function waitOf(agent: AgentView): string {
  const calls = agent.calls.filter((call) => call.status === 'waiting');
  const [call] = calls;
  if (call !== undefined) {
    const more = calls.length > 1 ? ` (and ${calls.length - 1} more)` : '';
    return `${call.toolName} waits for ${call.kind === 'approval' ? 'an approval' : 'a result from a person'}${more}`;
  }
  return agent.status === 'suspended_awaiting_children' ? 'waits for sub-agents' : agent.status;
}

/** Whether nothing moves any more in a node and below it. */
export function isSettled(node: Node): boolean {
  const standing = standingOf(node.agent);
  return standing !== 'working' && standing !== 'waiting' && standing !== 'asking' && node.children.every(isSettled);
}

/**
 * The nodes at the top of a view, with what their newest runs started below them. An agent is listed once, also in
 * a log that makes no sense.
 */
export function outline(view: TreeView): Node[] {
  const seen = new Set<string>();
  const byId = new Map(view.agents.map((agent) => [agent.agentId, agent]));
  const nodeOf = (agent: AgentView, task: string, before: readonly string[] = []): Node => {
    seen.add(agent.agentId);
    const children: Node[] = [];
    for (const [agentId, rounds] of roundsByAgent(newestDelegations(agent, byId))) {
      const child = byId.get(agentId);
      const asked = rounds.slice(-MAX_ROUNDS).map((round) => roundText(agent, round));
      const before = asked.slice(0, -1);
      if (child !== undefined && !seen.has(agentId)) children.push(nodeOf(child, asked.at(-1) ?? '', before));
    }
    return { agent, task, before, children };
  };
  const tops = topAgents(view);
  const first = view.agents[0];
  const roots = tops.length > 0 || first === undefined ? tops : [first];
  return roots.map((agent) => nodeOf(agent, taskOf(currentRun(agent)?.input)));
}

/** The delegations of the newest run, and those of older ones that still go on. */
function newestDelegations(agent: AgentView, byId: ReadonlyMap<string, AgentView>) {
  const runId = currentRun(agent)?.runId;
  return agent.delegations.filter((each) => {
    if (each.runId === runId || runId === undefined) return true;
    const child = byId.get(each.agentId);
    return child !== undefined && standingOf(child) === 'working';
  });
}

/** So many rounds of one companion are shown; of more, the newest. */
const MAX_ROUNDS = 9;

/** A companion is shown once, with all that it was asked; another agent was asked once. */
function roundsByAgent(delegations: readonly DelegationView[]): Map<string, DelegationView[]> {
  const rounds = new Map<string, DelegationView[]>();
  for (const each of delegations) rounds.set(each.agentId, [...(rounds.get(each.agentId) ?? []), each]);
  return rounds;
}

function roundText(agent: AgentView, { callId, name, task }: DelegationView): string {
  const asked = taskOf(argumentsOf(agent.calls.find((each) => each.toolCallId === callId)));
  return name === undefined ? asked : `round ${task}: ${asked}`;
}

function argumentsOf(call: CallView | undefined): Json | undefined {
  return call === undefined || call.status === 'drafting' ? undefined : call.arguments;
}

const TASK_KEYS = [
  'question',
  'task',
  'message',
  'initialMessage',
  'topic',
  'request',
  'prompt',
  'query',
  'claim',
  'content',
  'input',
];

/** More of a task is never shown, in characters: frames are drawn often. */
const MAX_TASK = 2_000;

/** A task in one line: the text of an input, or the one field of it that says what is asked. */
export function taskOf(input: Json | undefined): string {
  return beginningOf(wholeTask(input), MAX_TASK);
}

function wholeTask(input: Json | undefined): string {
  if (input === undefined || input === null) return '';
  if (typeof input === 'string') {
    const inside = objectIn(input);
    return inside === undefined ? input : wholeTask(inside);
  }
  if (isObject(input)) {
    const draft = draftIn(input);
    if (draft !== '') return draft;
    for (const key of TASK_KEYS) {
      const value = Object.hasOwn(input, key) ? input[key] : undefined;
      if (typeof value === 'string') return wholeTask(value);
    }
    const [entry, ...others] = Object.entries(input);
    if (entry !== undefined && others.length === 0) {
      const [key, value] = entry;
      if (typeof value === 'string') return value;
      if (Array.isArray(value)) return `${value.length} ${key}`;
    }
    return inWords(input);
  }
  return JSON.stringify(input);
}

/** The first words of a draft that is to be judged. */
function draftIn({ report, draft = report }: JsonObject): string {
  if (draft === undefined || !isObject(draft)) return '';
  return [draft.title, draft.summary].filter((text) => typeof text === 'string').join(': ');
}

/** The end of an address that tells siblings apart: a slot or a name. */
export function tailOf(agent: AgentView): string {
  return agent.address.split('/').at(-1) ?? '';
}

/** The name of a tool as a person would say it. */
export function toolLabel(toolName: string): string {
  return toolName.startsWith('subagent__') ? toolName.slice('subagent__'.length) : toolName;
}

/** What an agent does right now. `tail` is text of which the end matters. */
export interface Activity {
  readonly label: string;
  readonly text: string;
  readonly tail: boolean;
}

/** What a working agent is doing; undefined when the agents below it tell that themselves. */
export function activityOf(agent: AgentView): Activity | undefined {
  // A run that has begun since has no text yet.
  if (agent.unreached && agent.statusText !== undefined) return { label: '', text: agent.statusText, tail: false };
  const running = agent.calls.filter((call) => call.status === 'running');
  const own = running.filter((call) => !agent.delegations.some((each) => each.callId === call.toolCallId));
  const [call] = own;
  if (call !== undefined) {
    const more = own.length > 1 ? ` (and ${own.length - 1} more)` : '';
    return { label: `${toolLabel(call.toolName)}${more}`, text: taskOf(argumentsOf(call)), tail: false };
  }
  if (agent.statusText !== undefined) return { label: '', text: agent.statusText, tail: false };
  if (running.length > 0) return undefined;
  return writingOf(agent);
}

function writingOf(agent: AgentView): Activity | undefined {
  const draft = agent.calls.findLast((call) => call.status === 'drafting');
  const step = currentStep(agent);
  if (step === undefined || step.status !== 'open') return undefined;
  const who = step.speaker === undefined ? '' : `${step.speaker}: `;
  if (draft !== undefined) return { label: `${who}preparing ${toolLabel(draft.toolName)}`, text: '', tail: false };
  const text = stepText(step);
  if (text.trim() !== '') return { label: step.speaker ?? '', text: endOf(text, 2_000), tail: true };
  const thinking = stepThinking(step);
  if (thinking.trim() !== '') return { label: 'thinking', text: endOf(thinking, 2_000), tail: true };
  const again = step.discarded.length > 0 ? `, attempt ${step.discarded.length + 1}` : '';
  return { label: `${who}calling the model${again}`, text: '', tail: false };
}

/** Why an agent failed or was stopped, in one line. */
export function troubleOf(agent: AgentView): string {
  const end = currentRun(agent)?.end;
  if (end?.status === 'failed') return `${end.error.message} (${end.error.code})`;
  if (end?.status === 'interrupted' || end?.status === 'terminated') return end.reason;
  return '';
}
