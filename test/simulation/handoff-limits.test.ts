/** Handoffs at the edges: limits that go on counting, messages and stops at every moment, and the request of many turns. */
import { describe, expect, it } from 'vitest';
import type { StopVerb } from '../../src/core/agent/runs/stop-verb';
import type { AgentDefinition } from '../../src/core/definition/definition';
import type { Limits } from '../../src/core/definition/limits';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { Message } from '../../src/protocol/messages';
import { examine } from '../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { dualOf, lasting, leadOf, referencesIn, registryIn, speakerOf } from '../support/prompts';
import type { Answer } from '../support/scripted-port';
import { sample } from '../support/sizes';
import { noteTool } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 12;
const LATE = 'One more thing.';
const note = { name: 'note', input: { text: 'x' } };

/** Two that hand the session to each other with every step. */
const round = (ping: Partial<Limits>, pong: Partial<Limits>) => (): TreeParts => {
  const one: AgentDefinition = speakerOf('ping', { tools: ['pong'], agents: () => [two] }, ping);
  const two: AgentDefinition = speakerOf('pong', { tools: ['ping'], agents: () => [one] }, pong);
  return {
    agents: [one],
    scripts: { ping: () => ({ calls: [{ name: 'pong' }] }), pong: () => ({ calls: [{ name: 'ping' }] }) },
  };
};

describe('a session that is handed round and round', () => {
  it.each([
    ['the steps of who works', { maxSteps: 7 }, { maxSteps: 50 }, 'max_steps', 8],
    ['the steps of the other', { maxSteps: 50 }, { maxSteps: 4 }, 'max_steps', 5],
    ['the tokens of the run', { maxTokens: 60 }, { maxTokens: 60 }, 'max_tokens', 4],
    ['the model calls of the tree', { maxTreeSteps: 6 }, { maxTreeSteps: 1_000 }, 'max_steps', 6],
  ] as const)('[SAH2, SAH1] ends with %s, which no handoff begins anew', async (_, ping, pong, code, asked) => {
    await withTree(round(ping, pong), {}, async (tree) => {
      await tree.run();
      expect(tree.outcome).toMatchObject({ status: 'failed', error: { code } });
      expect(tree.port.asked.length).toBeLessThanOrEqual(asked);
      expect(tree.port.asked.length).toBeGreaterThan(2);
      examine(tree);
    });
  });

  it('[SAH1] goes on with the limits of the next one, where the last step of the one before hands it over', async () => {
    const make = (tree: Tree): TreeParts => {
      const next = speakerOf('next', { tools: [noteTool(tree)] });
      return {
        agents: [speakerOf('front', { tools: ['next'], agents: [next] }, { maxSteps: 1 })],
        scripts: {
          front: () => ({ calls: [{ name: 'next' }] }),
          next: ({ step }) => (step === 2 ? { calls: [note] } : { text: 'Here.' }),
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Here.' });
    });
  });
});

const heard = (messages: readonly Message[]): number =>
  messages.filter((one) => one.role === 'user' && one.content === LATE).length;

/** The front notes something, hands the session over with a note beside, and the next one notes and answers. */
const passing = (tree: Tree): TreeParts => {
  const next = speakerOf('next', { tools: [noteTool(tree)] });
  const called = ({ messages }: Pick<ModelRequest, 'messages'>, name: string) =>
    messages.filter((one) => one.role === 'tool' && one.toolName === name).length;
  return {
    agents: [speakerOf('front', { tools: [noteTool(tree), 'next'], agents: [next] })],
    scripts: {
      front: (request) => (called(request, 'note') === 0 ? { calls: [note] } : { calls: [note, { name: 'next' }] }),
      next: (request) => (called(request, 'note') < 3 ? { calls: [note] } : { text: 'Done.' }),
    },
  };
};

/** Runs it; `act` comes right after a commit, and a crash after it where that is wanted. */
async function disturbed(at: number, act: (tree: Tree) => void, crashes: boolean, turns = 1) {
  const onCommit: NonNullable<TreeOptions['onCommit']> = (tree, commit) => {
    if (commit === at)
      queueMicrotask(() => {
        act(tree);
        if (crashes) tree.crash();
      });
  };
  return withTree(passing, { onCommit }, async (tree) => {
    for (let turn = 1; turn <= turns; turn++) {
      await tree.start();
      await tree.rest();
      if (tree.outcome.status === 'interrupted') await tree.resume();
      await tree.rest();
    }
    examine(tree, `commit ${at}${crashes ? ', lost then' : ''}`);
    const order = tree.port.asked.map(({ agentType }) => agentType);
    return {
      kept: heard(tree.transcript()),
      asked: Math.max(0, ...tree.port.asked.map(({ messages }) => heard(messages))),
      active: tree.state().session.active,
      back: order.lastIndexOf('front') > order.indexOf('next') && order.includes('next'),
      handed: tree.transcript().filter((one) => one.role === 'tool' && one.toolName === 'next').length,
      outcome: tree.outcome,
      commits: tree.commits.length,
      problems: tree.time.problems,
    };
  });
}

describe('a handoff', () => {
  it('[SAH1, SA61, DL1] loses no message that comes while it is made, wherever a crash comes', async () => {
    const { commits } = await disturbed(0, () => undefined, false);
    for (const at of sample(commits, MOST, 1)) {
      for (const crashes of [false, true]) {
        const found = await disturbed(at, (tree) => tree.sendSurely(LATE), crashes);
        const when = `at ${at}${crashes ? ', lost then' : ''}`;
        expect([found.kept, found.asked, found.handed, found.back], when).toEqual([1, 1, 1, false]);
        expect(found.active, when).toBe('next');
        expect(found.problems, when).toEqual([]);
      }
    }
  });

  it.each(['interrupt', 'abort'] satisfies StopVerb[])(
    '[SAH1] is made once or not at all, where an %s comes at any commit of it, and the session goes on with who has it',
    async (verb) => {
      const { commits } = await disturbed(0, () => undefined, false);
      for (const at of sample(commits, MOST, 1)) {
        for (const crashes of [false, true]) {
          const found = await disturbed(at, (tree) => void tree.stopSurely(verb), crashes, 2);
          const when = `${verb} at ${at}${crashes ? ', lost then' : ''}`;
          expect([found.handed, found.back, found.active], when).toEqual([1, false, 'next']);
          expect(found.outcome, when).toMatchObject({ status: 'completed', output: 'Done.' });
          expect(found.problems, when).toEqual([]);
        }
      }
    },
  );
});

describe('the requests of 20 turns, with sub-agents that come and go', () => {
  it('[SA50, SAQ9] have the registry at one place, and begin as the one before did wherever that did not change', async () => {
    const create = (name: string) => ({ name: 'subagent_create', input: { agent: 'worker', message: 'Go.', name } });
    const end = (referenceId: string) => ({ name: 'subagent_terminate', input: { referenceId } });
    const make = (tree: Tree): TreeParts => {
      const worker = dualOf('worker');
      const lead = ({ step, messages }: ModelRequest): Answer => {
        const turn = messages.filter((one) => one.role === 'user' && String(one.content).startsWith('Turn')).length;
        const references = referencesIn(messages);
        if (step > 3) return { text: 'Done.' };
        if (step !== 2) return { calls: [note] };
        const [first = ''] = references;
        return { calls: turn % 3 === 0 && references.length > 0 ? [end(first)] : [create(`t${turn}`)] };
      };
      return {
        agents: [leadOf([noteTool(tree), lasting('worker')], [worker]), worker],
        scripts: { lead, worker: () => ({ text: 'Ran.' }) },
      };
    };
    await withTree(make, {}, async (tree) => {
      for (let turn = 1; turn <= 20; turn++) {
        await tree.start(`Turn ${turn}`);
        await tree.rest();
      }
      const asked = tree.port.asked.filter(({ agentType }) => agentType === 'lead');
      expect(asked.length).toBe(80);
      let same = 0;
      for (const [at, { messages, step }] of asked.entries()) {
        const registry = registryIn(messages);
        expect(messages.filter(({ role }) => role === 'system').length, `request ${at}`).toBe(registry ? 1 : 0);
        const before = asked[at - 1]?.messages;
        if (before === undefined) continue;
        const rest = (all: readonly Message[]) =>
          all.filter(({ role }) => role !== 'system').map((one) => JSON.stringify(one));
        expect(rest(messages).join('\n').startsWith(rest(before).join('\n')), `request ${at}`).toBe(true);
        // Only the step that begins or ends one changes what is told of them.
        expect(registry === registryIn(before), `request ${at}`).toBe(step !== 3);
        same += registry === registryIn(before) ? 1 : 0;
      }
      expect(same).toBe(59);
    });
  });
});
