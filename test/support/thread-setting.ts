/** A lead with a worker below it, whose bodies do what a test says to threads and files. */
import { z } from 'zod';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { EffectDefinition } from '../../src/core/definition/definition';
import type { ToolContext } from '../../src/core/definition/tool-context';
import { failureOf } from '../../src/protocol/errors';
import type { Message } from '../../src/protocol/messages';
import { stored } from './enclosed';
import { type Tree, type TreeOptions, type TreeParts, withTree } from './harness';
import { dualOf, envelopesIn, lasting, promptOf } from './prompts';
import type { Answers } from './scripted-port';
import { PATIENT, toolResults } from './trees';

export const said = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));
export const replies = (messages: readonly Message[]): number =>
  messages.filter(({ role }) => role === 'assistant').length;
export const act = { name: 'act', input: {} };
export const create = { name: 'subagent_create', input: { agent: 'worker', message: 'Wait.', name: 'Ann' } };
export const done = { text: 'Done.' };

/** How a promise is refused: its code and why. */
export const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'taken',
    (error: unknown) => `${failureOf(error).code}: ${failureOf(error).message}`,
  );

/** The bodies of one test, and the turns of its lead. */
interface Doing {
  readonly tool?: (context: ToolContext) => unknown;
  readonly effects?: readonly EffectDefinition[];
  readonly below?: (context: ToolContext) => unknown;
  readonly lead: Answers;
}

export const acting = (body: Doing['tool']) =>
  defineTool({
    name: 'act',
    description: 'Does what the test says.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: async (_input, context) => JSON.parse(JSON.stringify((await body?.(context)) ?? null)),
  });

/** A lead whose tool and effects are those of the test, and a worker that says what it was told. */
export const setting =
  ({ tool, effects = [], below, lead }: Doing) =>
  (): TreeParts => {
    const worker = dualOf('worker', { tools: [acting(below)] }, { workspace: true });
    const entry = lasting('worker', { blocking: false });
    const prompt = promptOf('leading', { tools: [acting(tool), entry], agents: [worker] });
    const agent = defineAgent({ name: 'lead', prompt, workspace: true, effects, limits: PATIENT });
    return {
      agents: [agent, worker],
      scripts: {
        lead,
        worker: ({ step, messages }) =>
          below && step === 1 ? { calls: [act] } : { text: `did ${said(messages).join(' + ')}` },
      },
    };
  };

export async function ran(make: () => TreeParts, options: TreeOptions = {}) {
  return withTree(make, options, async (tree: Tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    const [child] = tree.nodes.map(({ address }) => address).filter((address) => address.includes('/sub/'));
    return {
      results: toolResults(tree).map((result) => (result.success ? result.value : result.error.message)),
      // What tells copies of one name apart is new with each attempt.
      envelopes: envelopesIn(tree.transcript()).map((one) => one.replaceAll(/-[0-9a-z]{10,11}(?=\.)/g, '')),
      said: said(tree.transcript()),
      own: stored(tree).files,
      below: child === undefined ? {} : stored(tree, child).files,
      kept: stored(tree).kept,
      kinds: tree.kinds,
      outcome: tree.outcome,
      problems: tree.time.problems,
    };
  });
}
