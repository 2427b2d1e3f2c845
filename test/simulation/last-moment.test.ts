/** Messages that come in the last moments of a run: at every commit and every await of it, one is sent. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentHooks } from '../../src/core/definition/hooks/hook-types';
import { defineHook, type HookDefinition } from '../../src/core/definition/hooks/standard-hooks';
import type { Message } from '../../src/protocol/messages';
import { examine } from '../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { sample } from '../support/sizes';
import { agentOf, question } from '../support/trees';

/** Moments that a sweep of `npm test` tries; a night tries all. */
const MOST = 40;
const LATE = 'One more thing.';

/** The moments of a run at which somebody may say something, in their order. */
class Moments {
  readonly names: string[] = [];
  #told = false;

  constructor(
    /** The moment at which somebody does; none where it is 0. */
    readonly at: number,
    readonly tell: () => void,
  ) {}

  /** A moment has come. */
  reach(name: string): void {
    this.names.push(name);
    if (this.names.length !== this.at || this.#told) return;
    this.#told = true;
    this.tell();
  }

  /** A body with a moment before it, one while it waits, and one right before it ends. */
  async body(name: string): Promise<void> {
    this.reach(`${name} begins`);
    await Promise.resolve();
    this.reach(`${name} waits`);
    await new Promise((resolve) => setImmediate(resolve));
    this.reach(`${name} ends`);
  }
}

/** Every hook that a last step has, each with its moments. */
function hooksOf(moments: () => Moments): (AgentHooks | HookDefinition)[] {
  const body = (name: string) => () => moments().body(name);
  return [
    {
      onStepStart: body('onStepStart'),
      onStepEnd: body('onStepEnd'),
      onAgentComplete: body('onAgentComplete'),
      onRunSettled: body('onRunSettled'),
    },
    defineHook({
      hook: 'before_create_message',
      id: 'before',
      execute: () =>
        moments()
          .body('before')
          .then(() => null),
    }),
    defineHook({ hook: 'after_create_message', id: 'after', execute: body('after') }),
    defineHook({
      hook: 'filter_messages',
      id: 'filter',
      execute: () =>
        moments()
          .body('filter')
          .then(() => null),
    }),
    defineHook({
      hook: 'before_store_tool_result',
      id: 'store',
      execute: () =>
        moments()
          .body('store')
          .then(() => null),
    }),
  ];
}

/** An agent that works in two steps, alone or below another. */
function working(where: 'root' | 'child', moments: () => Moments) {
  return (tree: Tree): TreeParts => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      inputSchema: z.object({}),
      replay: 'safe',
      execute: async (_, { idempotencyKey }) => {
        tree.body(idempotencyKey);
        await moments().body('look');
        return null;
      },
    });
    const worker = agentOf('worker', {
      tools: [look],
      hooks: hooksOf(moments),
      stopWhen: async () => {
        await moments().body('stopWhen');
        return false;
      },
    });
    const work = ({ messages }: { readonly messages: readonly Message[] }) =>
      messages.some(({ role }) => role === 'tool') ? { text: 'Done.' } : { calls: [{ name: 'look' }] };
    if (where === 'root') return { agents: [worker], scripts: { worker: work } };
    const top = agentOf('top', { tools: [createSubAgentTool(worker, question)] });
    const call = { name: 'subagent__worker', input: { q: 'a' } };
    return {
      agents: [top, worker],
      scripts: { top: ({ step }) => (step === 1 ? { calls: [call] } : { text: 'Told.' }), worker: work },
    };
  };
}

const heard = (messages: readonly Message[]): number =>
  messages.filter((one) => one.role === 'user' && one.content === LATE).length;

/** Runs it with a message at a moment, and a crash right after that was accepted or none; gives how it went. */
async function told(where: 'root' | 'child', at: number, crashes: boolean) {
  let accepted: boolean | undefined;
  const now: { moments: Moments | undefined } = { moments: undefined };
  const moments = (): Moments => {
    if (now.moments === undefined) throw new Error('The run has not begun.');
    return now.moments;
  };
  const onCommit: NonNullable<TreeOptions['onCommit']> = (tree) => now.moments?.reach(`commit ${tree.commits.at(-1)}`);
  return withTree(working(where, moments), { onCommit }, async (tree) => {
    const address = () => (where === 'root' ? tree.address : `${tree.address}/sub/worker/1~1`);
    now.moments = new Moments(at, () => {
      try {
        accepted = tree.addresses.includes(address()) && tree.send(LATE, address()).ok;
      } catch (error) {
        // Below a commit of the same object nothing is taken: the sender hears so, and nothing is promised.
        accepted = false;
        if (!(error instanceof Error)) throw error;
      }
      if (crashes && accepted) tree.crash();
    });
    await tree.start();
    await tree.finish();
    await tree.rest();
    const what = `${where}: told at ${at}, ${now.moments.names[at - 1]}${crashes ? ', lost then' : ''}`;
    examine(tree, what);
    const store = tree.state(address());
    return {
      what,
      accepted,
      names: now.moments.names,
      asked: Math.max(
        0,
        ...tree.port.asked.filter(({ agentType }) => agentType === 'worker').map(({ messages }) => heard(messages)),
      ),
      kept: heard(tree.transcript(address())),
      waiting: store.inbox.length,
      problems: tree.time.problems,
      outcome: tree.outcome,
    };
  });
}

describe('a message at a last moment', () => {
  it.for(['root', 'child'] as const)(
    '[DL7, SA61, SAW18] at every commit and every await of a run of a %s is seen by a step, or was refused',
    async (where) => {
      const { names, problems } = await told(where, 0, false);
      expect(problems).toEqual([]);
      for (const name of [
        'look',
        'stopWhen',
        'onStepEnd',
        'onAgentComplete',
        'onRunSettled',
        'before',
        'after',
        'filter',
        'store',
      ])
        expect(names).toContain(`${name} waits`);
      let taken = 0;
      let late = 0;
      for (const at of sample(names.length, MOST)) {
        for (const crashes of [false, true]) {
          const found = await told(where, at, crashes);
          expect(found.accepted, found.what).toBeDefined();
          expect(found.waiting, found.what).toBe(0);
          expect([found.asked, found.kept], found.what).toEqual(found.accepted ? [1, 1] : [0, 0]);
          expect(found.outcome, found.what).toMatchObject({ status: 'completed' });
          taken += found.accepted ? 1 : 0;
          late += found.accepted && found.what.includes('onRunSettled') ? 1 : 0;
        }
      }
      expect(taken).toBeGreaterThan(10);
      if (where === 'root') expect(late).toBeGreaterThan(0);
    },
  );
});
