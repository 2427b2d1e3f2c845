/** Trees that people control: agents that wait for them, work that takes time, and stops at every kind of moment. */
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import type { ParentSuspendRule, ToolDefinition } from '../../src/core/definition/definition';
import type { Limits } from '../../src/core/definition/limits';
import type { Tree, TreeParts } from './harness';
import { AGAIN } from './people';
import type { Answer } from './scripted-port';
import { agentOf, answer, noteTool, question } from './trees';

/** A tool that takes so long, in ms, and ends when it is aborted. */
export function slowTool(
  tree: Tree,
  ms: number,
  options: Partial<Parameters<typeof defineTool>[0]> = {},
): ToolDefinition {
  return defineTool({
    name: 'slow',
    description: 'Takes its time.',
    inputSchema: z.object({}),
    replay: 'safe',
    timeoutMs: 1_000_000_000,
    ...options,
    execute: (_, context) => {
      tree.body(context.idempotencyKey);
      return new Promise((resolve, reject) => {
        const cancel = tree.time.environment.timer(ms, () => resolve({ slept: ms }));
        context.abortSignal.addEventListener('abort', () => {
          cancel();
          reject(new Error('aborted'));
        });
      });
    },
  });
}

/** A tool that hears no abort: its first body hangs for ever, a later one ends. */
function deafTool(tree: Tree, name: string, replay: 'never' | 'safe'): ToolDefinition {
  return defineTool({
    name,
    description: 'Hears nothing.',
    inputSchema: z.object({}),
    replay,
    timeoutMs: 300_000,
    execute: (_, context) => (tree.body(context.idempotencyKey) > 1 ? { heard: false } : new Promise(() => undefined)),
  });
}

/** A tool that needs a person's yes. */
export function gateTool(tree: Tree, options: Partial<Parameters<typeof defineTool>[0]> = {}): ToolDefinition {
  return noteTool(tree, { name: 'gate', requireApproval: true, ...options });
}

/** A tool that the client works on. */
export function clientTool(options: { answerWithinMs?: number } = {}): ToolDefinition {
  return defineTool({
    name: 'look',
    description: 'Looks at what only the client sees.',
    inputSchema: z.object({}),
    execute: 'client',
    ...options,
  });
}

/** A call of a sub-agent. */
export const child = (name: string, q = 'a') => ({ name: `subagent__${name}`, input: { q } });
/** A call of the tool that notes. */
export const note = { name: 'note', input: { text: 'n' } };
/** A call of the tool that needs a yes. */
export const gate = { name: 'gate', input: { text: 'g' } };

/**
 * Four levels: an approval and a client's tool three levels below the root, in one step or one after the other, with so
 * much time to answer, in ms.
 */
export function deepWait(tree: Tree, together = false, answerWithinMs?: number): TreeParts {
  const time = answerWithinMs === undefined ? {} : { answerWithinMs };
  const tools = [noteTool(tree), gateTool(tree, time), clientTool(time)];
  const leaf = agentOf('leaf', { tools, outputSchema: answer });
  const inner = agentOf('inner', { tools: [createSubAgentTool(leaf, question)], outputSchema: answer });
  const middle = agentOf('middle', {
    tools: [noteTool(tree), createSubAgentTool(inner, question)],
    outputSchema: answer,
  });
  const top = agentOf('top', { tools: [noteTool(tree), createSubAgentTool(middle, question)] });
  const waits: Answer[] = together
    ? [{ calls: [gate, note, { name: 'look' }] }]
    : [{ calls: [gate] }, { calls: [{ name: 'look' }] }];
  return {
    agents: [top, middle, inner, leaf],
    scripts: {
      top: [{ calls: [note, child('middle')] }, { text: 'Done.' }],
      middle: [{ calls: [note] }, { calls: [child('inner')] }, { finish: { answer: 'm' } }],
      inner: [{ calls: [child('leaf')] }, { finish: { answer: 'i' } }],
      leaf: [{ calls: [note] }, ...waits, { finish: { answer: 'l' } }],
    },
  };
}

/**
 * Two agents below the root's child, which fail until they are told to try again, beside one that works on. Their parent
 * waits for a person then.
 */
export function failsFirst(tree: Tree, limits: Partial<Limits> = {}): TreeParts {
  const leaf = agentOf('leaf', { tools: [noteTool(tree)], outputSchema: answer });
  const wait = createSubAgentTool(leaf, question, { onFailure: 'wait' });
  const kid = agentOf('kid', { tools: [noteTool(tree), slowTool(tree, 20_000), wait], outputSchema: answer });
  const top = agentOf('top', { tools: [createSubAgentTool(kid, question)], limits });
  return {
    agents: [top, kid, leaf],
    scripts: {
      top: [{ calls: [child('kid')] }, { text: 'Done.' }],
      kid: [{ calls: [child('leaf', 'one'), { name: 'slow' }, child('leaf', 'two')] }, { finish: { answer: 'k' } }],
      leaf: ({ messages }) => {
        const said = JSON.stringify(messages);
        if (!said.includes('noted')) return { calls: [note] };
        return said.includes(AGAIN) ? { finish: { answer: 'l' } } : { fail: { code: 'model_refused' } };
      },
    },
  };
}

/** Three children wait at once: two calls in one of them, a grandchild in another, a client's tool in the third. */
export function manyWaits(tree: Tree): TreeParts {
  const tools = [noteTool(tree), gateTool(tree), clientTool()];
  const leaf = agentOf('leaf', { tools, outputSchema: answer });
  const kid = agentOf('kid', { tools: [...tools, createSubAgentTool(leaf, question)], outputSchema: answer });
  const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
  const firsts: Record<string, Answer> = {
    two: { calls: [gate, note, gate] },
    deep: { calls: [child('leaf'), child('leaf')] },
    client: { calls: [{ name: 'look' }] },
  };
  return {
    agents: [top, kid, leaf],
    scripts: {
      top: [{ calls: [child('kid', 'two'), child('kid', 'deep'), child('kid', 'client')] }, { text: 'Done.' }],
      kid: (request) => {
        const [first] = request.messages;
        const way = Object.keys(firsts).find((q) => JSON.stringify(first).includes(q)) ?? 'two';
        return request.step === 1 ? (firsts[way] ?? {}) : { finish: { answer: way } };
      },
      leaf: [{ calls: [gate] }, { finish: { answer: 'l' } }],
    },
  };
}

/**
 * A parent that waits for a person itself, 10 s after its children began to work: one that is slow, one that has ended,
 * and one whose own child is slow.
 */
export function ownWait(tree: Tree, rule: ParentSuspendRule, limits: Partial<Limits> = {}): TreeParts {
  const leaf = agentOf('leaf', { tools: [noteTool(tree), slowTool(tree, 40_000)], outputSchema: answer });
  const kid = agentOf('kid', {
    tools: [noteTool(tree), slowTool(tree, 30_000), createSubAgentTool(leaf, question)],
    outputSchema: answer,
  });
  const think = slowTool(tree, 10_000, { name: 'think' });
  const top = agentOf('top', {
    tools: [gateTool(tree), think, createSubAgentTool(kid, question, { onParentSuspend: rule })],
    limits,
  });
  return {
    agents: [top, kid, leaf],
    scripts: {
      top: [
        { calls: [gate, { name: 'think' }, child('kid', 'slow'), child('kid', 'fast'), child('kid', 'deep')] },
        { text: 'Done.' },
      ],
      kid: (request) => {
        const first = JSON.stringify(request.messages[0]);
        if (request.step === 1) return { calls: [note] };
        if (request.step === 2 && first.includes('slow')) return { calls: [{ name: 'slow' }] };
        if (request.step === 2 && first.includes('deep')) return { calls: [child('leaf')] };
        return { finish: { answer: 'k' } };
      },
      leaf: [{ calls: [note] }, { calls: [{ name: 'slow' }] }, { finish: { answer: 'l' } }],
    },
  };
}

/** Two middles with two slow leaves each, and a slow tool at the top. */
export function slowTree(tree: Tree, limits: Partial<Limits> = {}): TreeParts {
  const leaf = agentOf('leaf', { tools: [noteTool(tree), slowTool(tree, 20_000)], outputSchema: answer });
  const middle = agentOf('middle', {
    tools: [noteTool(tree), createSubAgentTool(leaf, question)],
    outputSchema: answer,
  });
  const top = agentOf('top', { tools: [slowTool(tree, 5_000), createSubAgentTool(middle, question)], limits });
  return {
    agents: [top, middle, leaf],
    scripts: {
      top: [{ calls: [child('middle'), child('middle'), { name: 'slow' }] }, { text: 'Done.' }],
      middle: [{ calls: [note] }, { calls: [child('leaf'), child('leaf')] }, { finish: { answer: 'm' } }],
      leaf: [{ calls: [note] }, { calls: [{ name: 'slow' }] }, { finish: { answer: 'l' } }],
    },
  };
}

/** Tools that hear no abort, at the top and in a child: one that may be run again, and one that may not. */
export function deafTree(tree: Tree): TreeParts {
  const tools = [deafTool(tree, 'deaf', 'safe'), deafTool(tree, 'once', 'never'), noteTool(tree)];
  const kid = agentOf('kid', { tools, outputSchema: answer });
  const top = agentOf('top', { tools: [...tools, createSubAgentTool(kid, question)] });
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: [{ name: 'deaf' }, child('kid'), note] }, { text: 'Done.' }],
      kid: [{ calls: [{ name: 'deaf' }, { name: 'once' }] }, { finish: { answer: 'k' } }],
    },
  };
}

/** How `cells` are made. */
export interface CellParts {
  readonly rule: ParentSuspendRule;
  readonly ways: readonly Way[];
  readonly thinksMs?: number;
  readonly limits: Partial<Limits>;
}

const WAYS = ['fast', 'slow', 'client', 'deep', 'partial', 'fails'] as const;

/** What a child of `cells` does. */
export type Way = (typeof WAYS)[number];

/** A parent that waits for a person, after so many ms of its own work, beside children that stand as they are told. */
export function cells(tree: Tree, { rule, ways, thinksMs, limits }: CellParts): TreeParts {
  const tools = [noteTool(tree), gateTool(tree), clientTool(), slowTool(tree, 60_000)];
  const leaf = agentOf('leaf', { tools, outputSchema: answer });
  const kid = agentOf('kid', { tools: [...tools, createSubAgentTool(leaf, question)], outputSchema: answer });
  const top = agentOf('top', {
    tools: [
      gateTool(tree),
      slowTool(tree, thinksMs ?? 0, { name: 'think' }),
      createSubAgentTool(kid, question, { onParentSuspend: rule }),
    ],
    limits,
  });
  const thinks = thinksMs === undefined ? [] : [{ name: 'think' }];
  const seconds: Record<Way, Answer> = {
    fast: { finish: { answer: 'k' } },
    slow: { calls: [{ name: 'slow' }] },
    client: { calls: [{ name: 'look' }] },
    deep: { calls: [child('leaf', 'client')] },
    partial: { calls: [gate, child('leaf', 'slow')] },
    fails: { fail: { code: 'model_refused' } },
  };
  const act = (request: { messages: readonly unknown[]; step: number }): Answer => {
    const first = JSON.stringify(request.messages[0]);
    const way = WAYS.find((one) => first.includes(one)) ?? 'fast';
    if (request.step === 1) return { calls: [note] };
    return request.step === 2 ? seconds[way] : { finish: { answer: 'k' } };
  };
  return {
    agents: [top, kid, leaf],
    scripts: {
      top: [{ calls: [gate, ...thinks, ...ways.map((way) => child('kid', way))] }, { text: 'Done.' }],
      kid: act,
      leaf: act,
    },
  };
}

/** A parent that calls as many children, named `kid`, as told, each with a tool that takes 30 s. */
export function slowKids(tree: Tree, count: number, limits: Partial<Limits> = {}): TreeParts {
  const kid = agentOf('kid', { tools: [slowTool(tree, 30_000)], outputSchema: answer });
  const top = agentOf('top', { tools: [createSubAgentTool(kid, question)], limits });
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: Array.from({ length: count }, (_, at) => child('kid', `k${at}`)) }, { text: 'Done.' }],
      kid: [{ calls: [{ name: 'slow' }] }, { finish: { answer: 'k' } }],
    },
  };
}

/** A child, named `kid`, that needs a yes. */
export function kidWaits(tree: Tree): TreeParts {
  const kid = agentOf('kid', { tools: [gateTool(tree)], outputSchema: answer });
  const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: [child('kid')] }, { text: 'Done.' }],
      kid: [{ calls: [gate] }, { finish: { answer: 'k' } }],
    },
  };
}

/** The same with a `leaf` below the kid that needs the yes; a message with `second` is answered at once. */
export function leafWaits(tree: Tree, options: Parameters<typeof agentOf>[1] = {}): TreeParts {
  const leaf = agentOf('leaf', { tools: [gateTool(tree), slowTool(tree, 20_000)], outputSchema: answer });
  const kid = agentOf('kid', { tools: [createSubAgentTool(leaf, question)], outputSchema: answer });
  const top = agentOf('top', { tools: [createSubAgentTool(kid, question)], ...options });
  return {
    agents: [top, kid, leaf],
    scripts: {
      top: ({ step, messages }) => {
        if (JSON.stringify(messages.at(-1)).includes('second')) return { text: 'Second done.' };
        return step === 1 ? { calls: [child('kid')] } : { text: 'Done.' };
      },
      kid: [{ calls: [child('leaf')] }, { finish: { answer: 'k' } }],
      leaf: [{ calls: [gate] }, { calls: [{ name: 'slow' }] }, { finish: { answer: 'l' } }],
    },
  };
}

/** The agents named `kid`, or of another type. */
export const kidsOf = (tree: Tree, agentType = 'kid') => tree.nodes.filter((node) => node.agentType === agentType);

/** The first of them. */
export function kidOf(tree: Tree, agentType = 'kid'): Tree['nodes'][number] {
  const [kid] = kidsOf(tree, agentType);
  if (kid === undefined) throw new Error(`There is no ${agentType}.`);
  return kid;
}

/** The first call that waits for a person. */
export function waitingCall(tree: Tree): Tree['pending'][number] {
  const [waiting] = tree.pending;
  if (waiting === undefined) throw new Error('Nothing waits for a person.');
  return waiting;
}

/** What the calls of the root came to, as its model reads it. */
export const results = (tree: Tree): string[] =>
  tree.transcript().flatMap((message) => (message.role === 'tool' ? [JSON.stringify(message)] : []));
