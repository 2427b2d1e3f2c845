/**
 * Envelopes at the edges: a sub-agent that never begins, one whose parent is deleted, sessions of one reference or one name.
 */
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { Message } from '../../src/protocol/messages';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { dualOf, envelopesIn, lasting, leadOf, referencesIn } from '../support/prompts';
import type { Answer } from '../support/scripted-port';
import { moments } from '../support/sizes';
import { agentOf, answer, noteTool, PATIENT } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 6;

const create = (message: string, agent = 'worker', name = message) => ({
  name: 'subagent_create',
  input: { agent, message, name },
});
/** One place for all that a parent has. */
const ONE = { limits: { ...PATIENT, maxConcurrentChildren: 1 } };

const questions = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));
const reply = ({ messages }: Pick<ModelRequest, 'messages'>): number =>
  messages.filter(({ role }) => role === 'assistant').length + 1;

/** What the model of a parent has heard of ends: envelopes, or notices of companions. */
const heardIn = (messages: readonly Message[]): number =>
  envelopesIn(messages).length +
  messages.filter((one) => one.role === 'user' && String(one.content).startsWith('The sub-agent ')).length;

const CROWDS = {
  'of a prompt': (tree: Tree) => {
    const worker = dualOf('worker', { tools: [noteTool(tree)] });
    const top = leadOf([lasting('worker', { blocking: false })], [worker], { name: 'top' }, ONE);
    return { worker, top, calls: [create('one'), create('two')] };
  },
  'that is a companion': () => {
    const worker = agentOf('worker', { outputSchema: answer });
    const top = agentOf('top', { persistentAgents: [{ agent: worker, onIdle: 'wake' }], ...ONE });
    const calls = ['one', 'two'].map((name) => ({
      name: 'companion__spawnAgent',
      input: { agent: 'worker', name, initialMessage: name, mode: 'non-blocking' },
    }));
    return { worker, top, calls };
  },
} as const;
type Kind = keyof typeof CROWDS;

/** A parent at rest with two sub-agents and one place: the first works on, the second has not begun. */
const crowded =
  (kind: Kind) =>
  (tree: Tree): TreeParts => {
    const { worker, top, calls } = CROWDS[kind](tree);
    return {
      agents: [top, worker],
      scripts: {
        top: (request): Answer =>
          reply(request) === 1 ? { calls: [...calls] } : { text: `Heard ${heardIn(request.messages)}.` },
        worker: () => ({ hang: true }),
      },
    };
  };

/** The second is stopped, with a crash so many commits after that; what its parent has heard within 10 s. */
async function neverBegins(kind: Kind, verb: 'abort' | 'terminate', crash?: number) {
  const crashAt = new Set<number>();
  return withTree(crowded(kind), { crashAt }, async (tree) => {
    await tree.start();
    await tree.time.pass(20_000);
    const [first, second] = tree.nodes.filter(({ agentType }) => agentType === 'worker');
    expect([first?.schedule.phase, second?.schedule.phase]).toEqual(['working', 'queued']);
    const before = tree.commits.length;
    if (crash !== undefined) crashAt.add(before + crash);
    // A request whose object was lost is never answered: who asked asks again.
    for (let tries = 0; tries < 3; tries++) {
      const { crashes } = tree;
      await tree.soon(tree.stopAt(second?.address ?? '', verb)).catch(() => undefined);
      if (tree.crashes === crashes) break;
    }
    await tree.time.pass(10_000);
    return {
      heard: heardIn(tree.transcript()),
      said: tree.outcome,
      first: tree.nodes.find(({ address }) => address === first?.address)?.schedule.phase,
      kinds: tree.kinds.slice(before),
      problems: tree.time.problems,
    };
  });
}

describe('a sub-agent that has not begun, of a parent at rest', () => {
  it.each([
    ['of a prompt', 'abort'],
    ['of a prompt', 'terminate'],
    ['that is a companion', 'abort'],
    ['that is a companion', 'terminate'],
  ] as const)(
    '[SA46, RT8, WT7] %s, is ended by %s: its parent hears of it at once, while the other one works on, wherever a crash comes',
    async (kind, verb) => {
      const calm = await neverBegins(kind, verb);
      for (const crash of [undefined, ...moments(calm.kinds, MOST, 1)]) {
        const found = crash === undefined ? calm : await neverBegins(kind, verb, crash);
        const when = `a crash ${crash} commits after the request`;
        expect(found.heard, when).toBe(1);
        expect(found.said, when).toMatchObject({ output: 'Heard 1.' });
        expect(found.first, when).toBe('working');
        expect(found.problems, when).toEqual([]);
      }
    },
  );
});

describe('sessions', () => {
  /** One that is spoken to again, and one that ends for good and is followed by another one of its name. */
  const again = (tree: Tree): TreeParts => {
    const worker = dualOf('worker', { tools: [noteTool(tree)] });
    const lead = (request: ModelRequest): Answer => {
      const { messages } = request;
      const [ann = '', other = ''] = referencesIn(messages);
      const heard = envelopesIn(messages).length;
      const number = reply(request);
      if (number === 1) return { calls: [create('one', 'worker', 'Ann'), create('two', 'worker', 'Bob')] };
      const asked = JSON.stringify(messages);
      if (heard >= 2 && !asked.includes('"message":"three"'))
        return {
          calls: [
            { name: 'subagent_message', input: { referenceId: ann, message: 'three' } },
            { name: 'subagent_terminate', input: { referenceId: other } },
            create('four', 'worker', 'Bob'),
          ],
        };
      return { text: `Heard ${heard}.` };
    };
    return {
      agents: [leadOf([lasting('worker', { blocking: false })], [worker]), worker],
      scripts: {
        lead,
        worker: ({ step, messages }) =>
          step === 1
            ? { calls: [{ name: 'note', input: { text: 'x' } }] }
            : { text: `Did ${questions(messages).join(', ')}.` },
      },
    };
  };

  const told = (crash?: number) =>
    withTree(again, { crashAt: new Set(crash === undefined ? [] : [crash]) }, async (tree) => {
      await tree.start();
      await tree.rest();
      return {
        // A message may come into the session that is on; then that one's end answers both.
        said: envelopesIn(tree.transcript()).map((text) => text.split('\n').at(-1)),
        from: envelopesIn(tree.transcript()).map((text) => /reference: ([^)]*)/.exec(text)?.[1]),
        kinds: tree.kinds,
        problems: tree.time.problems,
      };
    });

  it('[SA46, SAW3] of one reference, and of one name, are one envelope each, those of one in their order, wherever a crash comes', async () => {
    const calm = await told();
    for (const crash of [undefined, ...moments(calm.kinds, MOST, 1)]) {
      const { said, from, problems } = crash === undefined ? calm : await told(crash);
      const when = `a crash after commit ${crash}`;
      expect([...said].sort(), when).toEqual(['Did four.', 'Did one, three.', 'Did one.', 'Did two.']);
      const at = (text: string) => said.indexOf(text);
      expect(at('Did one.'), when).toBeLessThan(at('Did one, three.'));
      expect(from[at('Did one.')], when).toBe(from[at('Did one, three.')]);
      expect(new Set(from).size, when).toBe(3);
      expect(problems, when).toEqual([]);
    }
  });
});

describe('a sub-agent whose parent is deleted while it works', () => {
  const nested = (tree: Tree): TreeParts => {
    const worker = dualOf('worker', { tools: [noteTool(tree)] });
    const middle = dualOf('middle', { tools: [lasting('worker', { blocking: false })], agents: [worker] });
    return {
      agents: [leadOf([lasting('middle', { blocking: false })], [middle]), middle, worker],
      scripts: {
        lead: (request) =>
          reply(request) === 1
            ? { calls: [create('Lead on.', 'middle')] }
            : { text: `Heard ${envelopesIn(request.messages).length}.` },
        middle: (request) =>
          request.step === 1
            ? { calls: [create('Work.')] }
            : { text: `Begun ${envelopesIn(request.messages).length}.` },
        worker: ({ step }) => (step < 4 ? { calls: [{ name: 'note', input: { text: 'x' } }] } : { text: 'Worked.' }),
      },
    };
  };

  /** Deleted right after that commit, and lost then where that is wanted. */
  const gone = (at: number, crashes: boolean) => {
    let hit = false;
    const onCommit = (tree: Tree, commit: number): void => {
      if (commit !== at) return;
      queueMicrotask(() => {
        const middle = tree.nodes.find(({ agentType }) => agentType === 'middle');
        if (middle === undefined) return;
        hit = true;
        const removed = tree.remove(middle.address);
        removed.catch(() => undefined);
        if (crashes)
          void removed.then(
            () => tree.crash(),
            () => undefined,
          );
      });
    };
    return withTree(nested, { onCommit }, async (tree) => {
      await tree.start();
      await tree.rest();
      return {
        hit,
        envelopes: envelopesIn(tree.transcript()).length,
        outcome: tree.outcome,
        left: tree.nodes.filter(({ agentType }) => agentType !== 'lead').length,
        objects: tree.addresses.length,
        kinds: tree.kinds,
        problems: tree.time.problems,
      };
    });
  };

  it('[SA46, RT8] goes with it: nobody above hears of it, and of its parent once', async () => {
    const { kinds } = await gone(0, false);
    let hits = 0;
    for (const at of moments(kinds, MOST * 2, 1))
      for (const crashes of [false, true]) {
        const found = await gone(at, crashes);
        const when = `at commit ${at}${crashes ? ', lost then' : ''}`;
        expect(found.envelopes, when).toBe(1);
        expect(found.outcome, when).toMatchObject({ output: 'Heard 1.' });
        if (found.hit) expect([found.left, found.objects], when).toEqual([0, 1]);
        expect(found.problems, when).toEqual([]);
        hits += found.hit ? 1 : 0;
      }
    expect(hits).toBeGreaterThan(5);
  });
});
