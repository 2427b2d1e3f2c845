/** Trees of agents that tests run, with what their models answer. */

import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { type AgentOptions, defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition, ToolDefinition } from '../../src/core/definition/definition';
import type { Limits } from '../../src/core/definition/limits';
import type { ScriptStep } from '../../src/model/script';
import { isObject } from '../../src/protocol/json';
import type { Tree, TreeParts } from './harness';
import { noModel } from './no-model';
import type { Answer } from './scripted-port';

export const question = z.object({ q: z.string() });
export const answer = z.object({ answer: z.string() });

/** Limits that no number of crashes reaches, so that transcripts stay comparable. */
export const PATIENT: Partial<Limits> = { maxRecoveries: 1_000_000, maxToolReplays: 1_000_000, childReachMs: 4_250 };

/** An agent whose model is the test's, patient with crashes. */
export function agentOf(name: string, options: Partial<AgentOptions> = {}): AgentDefinition {
  const { model = noModel, models, ...rest } = options;
  return defineAgent({
    name,
    systemPrompt: name,
    ...(models ? { models } : { model }),
    ...rest,
    limits: { ...PATIENT, ...rest.limits },
  });
}

/** Notes a text; harmless to repeat. */
export function noteTool(tree?: Tree, options: Partial<Parameters<typeof defineTool>[0]> = {}): ToolDefinition {
  return defineTool({
    name: 'note',
    description: 'Notes a text.',
    inputSchema: z.object({ text: z.string() }),
    replay: 'safe',
    ...options,
    execute: (input, context) => {
      tree?.body(context.idempotencyKey);
      return { noted: isObject(input) ? input.text : undefined };
    },
  });
}

/** A tool that never ends by itself. */
export function hangTool(tree: Tree): ToolDefinition {
  return defineTool({
    name: 'hang',
    description: 'Hangs.',
    inputSchema: z.object({}),
    replay: 'safe',
    timeoutMs: 1_000_000_000,
    execute: (_, context) => {
      tree.body(context.idempotencyKey);
      return new Promise(() => undefined);
    },
  });
}

/** What the models of three levels answer. */
const SCRIPTS: Record<'top' | 'middle' | 'leaf', readonly (Answer & ScriptStep)[]> = {
  top: [
    {
      text: 'Let us see.',
      calls: [
        { name: 'subagent__middle', input: { q: 'a' } },
        { name: 'subagent__middle', input: { q: 'b' } },
        { name: 'note', input: { text: 'x' } },
      ],
    },
    { text: 'All done.' },
  ],
  middle: [
    {
      calls: [
        { name: 'subagent__leaf', input: { q: '1' } },
        { name: 'subagent__leaf', input: { q: '2' } },
      ],
    },
    { finish: { answer: 'm' } },
  ],
  leaf: [{ calls: [{ name: 'note', input: { text: 'l' } }] }, { finish: { answer: 'l' } }],
};

/** Three levels: the top has two middles, each middle two leaves; tools at the top and at the leaves. */
export function threeLevels(
  tree?: Tree,
  limits: Partial<Limits> = {},
): Omit<TreeParts, 'scripts'> & { top: AgentDefinition; scripts: typeof SCRIPTS } {
  const note = noteTool(tree);
  const leaf = agentOf('leaf', { tools: [note], outputSchema: answer });
  const middle = agentOf('middle', { tools: [createSubAgentTool(leaf, question)], outputSchema: answer });
  const top = agentOf('top', { tools: [note, createSubAgentTool(middle, question)], limits });
  return { agents: [top, middle, leaf], top, scripts: SCRIPTS };
}

/** The first messages of a transcript, as text. */
const asked = (request: { messages: readonly { readonly role: string }[] }): string =>
  JSON.stringify(request.messages[0]);

/** How the run of an agent ends that does nothing else. */
export const COMPLETED = { status: 'completed', output: 'Done.' };

/** What the calls of the root came to, as its model reads it. */
export const toolResults = (tree: Tree, address = tree.address) =>
  tree.transcript(address).flatMap((message) => (message.role === 'tool' ? [message.result] : []));

/** Children that fail in every way that a child can fail by itself, beside one that does not. */
export function failing(tree: Tree): TreeParts {
  const worker = agentOf('worker', { tools: [noteTool(tree)], outputSchema: answer, maxSteps: 2 });
  const top = agentOf('top', { tools: [createSubAgentTool(worker, question)] });
  const ways = ['model', 'steps', 'well', 'arguments'];
  return {
    agents: [top, worker],
    scripts: {
      top: [
        { calls: ways.map((q) => ({ name: 'subagent__worker', input: q === 'arguments' ? { q: 7 } : { q } })) },
        { text: 'Seen.' },
      ],
      worker: (request) => {
        if (asked(request).includes('model') && request.step === 2) return { fail: { code: 'model_refused' } };
        if (asked(request).includes('well') && request.step === 2) return { finish: { answer: 'w' } };
        return {
          calls: [{ name: 'note', input: { text: 'w' } }, { name: 'nothing' }, { name: 'note', malformed: '{' }],
        };
      },
    },
  };
}

/**
 * Children that hang are stopped by their time, with what hangs below them; their siblings go on. The times lie so far
 * apart that no crash changes which comes first.
 */
export function timeouts(tree: Tree): TreeParts {
  const tools = [noteTool(tree), hangTool(tree)];
  const leaf = agentOf('leaf', { tools, outputSchema: answer });
  const idler = agentOf('idler', { tools, outputSchema: answer });
  const middle = agentOf('middle', {
    tools: [
      createSubAgentTool(leaf, question, { timeoutMs: 100_000 }),
      createSubAgentTool(idler, question, { timeoutMs: 10_000_000 }),
    ],
    outputSchema: answer,
  });
  const top = agentOf('top', { tools: [createSubAgentTool(middle, question, { timeoutMs: 500_000 })] });
  const child = (name: string) => (q: string) => ({ name: `subagent__${name}`, input: { q } });
  return {
    agents: [top, middle, leaf, idler],
    scripts: {
      top: [{ calls: ['long', 'short', 'stuck'].map(child('middle')) }, { text: 'Seen.' }],
      middle: (request) => {
        if (asked(request).includes('stuck'))
          return { calls: [...['hangs', 'waits'].map(child('idler')), child('leaf')('well')] };
        if (request.step === 2) return { finish: { answer: 'm' } };
        return { calls: (asked(request).includes('long') ? ['hangs', 'waits', 'well'] : ['well']).map(child('leaf')) };
      },
      leaf: hanging,
      idler: hanging,
    },
  };
}

/** Hangs in its model, hangs in a tool, or does neither, as it is told. */
function hanging(request: Parameters<typeof asked>[0] & { step: number }): Answer {
  if (asked(request).includes('waits')) return { hang: true };
  if (asked(request).includes('hangs')) return { calls: [{ name: 'hang' }] };
  return request.step === 1 ? { calls: [{ name: 'note', input: { text: 'l' } }] } : { finish: { answer: 'l' } };
}

/** A message arrives while the first step is open; the second sees it. */
export function spokenTo(tree: Tree): TreeParts {
  const leaf = agentOf('leaf', { outputSchema: answer });
  let sent = false;
  const ask = defineTool({
    name: 'ask',
    description: 'Somebody says something meanwhile.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: (_, context) => {
      tree.body(context.idempotencyKey);
      if (!sent) {
        sent = true;
        tree.sendSurely('One more thing.');
        tree.sendSurely('And another.');
      }
      return null;
    },
  });
  const top = agentOf('top', { tools: [ask, createSubAgentTool(leaf, question)] });
  return {
    agents: [top, leaf],
    scripts: {
      top: [{ calls: [{ name: 'ask' }, { name: 'subagent__leaf', input: { q: 'a' } }] }, { text: 'Heard.' }],
      leaf: [{ finish: { answer: 'l' } }],
    },
  };
}

/** A message arrives while the model gives its last answer: it is answered, too. */
export function spokenToLate(tree: Tree): TreeParts {
  let sent = false;
  return {
    agents: [agentOf('top', { tools: [noteTool(tree)] })],
    scripts: {
      top: (request) => {
        if (request.step === 1) return { calls: [{ name: 'note', input: { text: 'n' } }] };
        if (!sent) {
          sent = true;
          tree.sendSurely('Wait!');
        }
        return { text: `answer ${request.step}` };
      },
    },
  };
}

/** Ends by a tool of its own, with siblings at work beside it. */
export function finishing(tree: Tree): TreeParts {
  const leaf = agentOf('leaf', { tools: [noteTool(tree)], outputSchema: answer });
  const deliver = noteTool(tree, { name: 'deliver', finishWith: true });
  const top = agentOf('top', {
    tools: [noteTool(tree), deliver, createSubAgentTool(leaf, question)],
    outputSchema: z.object({ noted: z.string() }),
  });
  return {
    agents: [top, leaf],
    scripts: {
      top: [
        { text: 'Not yet.' },
        {
          calls: [
            { name: 'deliver', input: { text: 'the end' } },
            { name: 'subagent__leaf', input: { q: 'a' } },
            { name: 'note', input: { text: 'n' } },
          ],
        },
      ],
      leaf: [
        { calls: [{ name: 'note', input: { text: 'l' } }] },
        {
          calls: [
            { name: '__finish__', input: { answer: 'first' } },
            { name: '__finish__', input: { answer: 'second' } },
          ],
        },
      ],
    },
  };
}

/** Models that fail twice at each step before they answer. */
export function retried(tree: Tree): TreeParts {
  const { agents, scripts } = threeLevels(tree);
  const flaky = (name: 'top' | 'middle' | 'leaf') => (request: { step: number; attempt: number }) => {
    if (request.attempt <= 2) return { text: 'Hm', fail: { code: 'model_overloaded' as const } };
    return scripts[name][request.step - 1] ?? {};
  };
  return { agents, scripts: { top: flaky('top'), middle: flaky('middle'), leaf: flaky('leaf') } };
}

/** Tools that may not be repeated, beside one that may, in one step. */
export function unsafe(tree: Tree): TreeParts {
  const once = noteTool(tree, { name: 'once', replay: 'never' });
  const leaf = agentOf('leaf', { tools: [once], outputSchema: answer });
  const top = agentOf('top', { tools: [once, noteTool(tree), createSubAgentTool(leaf, question)] });
  return {
    agents: [top, leaf],
    scripts: {
      top: [
        {
          calls: [
            { name: 'once', input: { text: '1' } },
            { name: 'note', input: { text: '2' } },
            { name: 'once', input: { text: '3' } },
            { name: 'subagent__leaf', input: { q: 'a' } },
          ],
        },
        { text: 'Done.' },
      ],
      leaf: [{ calls: [{ name: 'once', input: { text: 'l' } }] }, { finish: { answer: 'l' } }],
    },
  };
}
