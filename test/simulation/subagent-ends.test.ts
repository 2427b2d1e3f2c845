/** Every end that a session of a sub-agent can have, in every state of its parent: one envelope each, with its code. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StopVerb } from '../../src/core/agent/runs/stop-verb';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition, SubagentToolConfig } from '../../src/core/definition/definition';
import type { DualAgentOptions } from '../../src/core/definition/dual-agent';
import type { ModelRequest } from '../../src/core/definition/model-port';
import { isObject } from '../../src/protocol/json';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { present } from '../support/present';
import { dualOf, envelopesIn, lasting, leadOf, promptOf } from '../support/prompts';
import type { Answer, Answers } from '../support/scripted-port';
import { moments } from '../support/sizes';
import { noteTool, PATIENT } from '../support/trees';

/** Commits that a sweep of `npm test` tries for each end and state; a night tries all. */
const MOST = 3;

const create = { name: 'subagent_create', input: { agent: 'worker', message: 'Work.', name: 'Ann' } };
const note = { name: 'note', input: { text: 'x' } };
const reply = ({ messages }: Pick<ModelRequest, 'messages'>): number =>
  messages.filter(({ role }) => role === 'assistant').length + 1;

/** A way in which a session of the worker ends. */
interface End {
  readonly worker: Answers;
  readonly entry?: Partial<SubagentToolConfig>;
  readonly options?: Partial<DualAgentOptions>;
  /** The code of the envelope; undefined for one of a result. */
  readonly code: string | undefined;
  /** How what is reported of it begins; nothing is by default. */
  readonly problems?: string;
  /** Commits that a sweep tries; `MOST` by default. */
  readonly most?: number;
  readonly network?: TreeOptions['network'];
  /** What somebody does once it is at work; until it is done. */
  readonly act?: (tree: Tree, worker: string) => Promise<unknown>;
}

const hangs: Answers = () => ({ hang: true });
const stop = (verb: 'abort' | 'terminate') => (tree: Tree, worker: string) => tree.soon(tree.stopAt(worker, verb));

/** A side whose note fails the session. */
const failing = {
  prompt: promptOf('failing', { tools: [noteTool()] }),
  sessionFail: { name: 'note', messageProperty: 'text' },
};

/** A side whose session ends with a tool, which gives what its schema does not take. */
const unfitting = {
  prompt: promptOf('unfitting', {
    tools: [
      defineTool({
        name: 'judge',
        description: 'Judges.',
        inputSchema: z.object({}),
        outputSchema: z.object({ fits: z.literal(true) }),
        replay: 'safe',
        // @ts-expect-error It gives something else.
        execute: () => ({ fits: false }),
      }),
    ],
  }),
  sessionStop: 'judge',
};

const ENDS: { readonly [what: string]: End } = {
  'a result': { worker: () => ({ text: 'Ran.' }), code: undefined },
  'its last turn': { worker: () => ({ text: 'Ran.' }), options: { maxSessionTurns: 3 }, code: undefined },
  'all its steps': { worker: () => ({ calls: [note] }), options: { maxSteps: 2 }, code: 'max_steps' },
  'its budget': { worker: () => ({ calls: [note] }), entry: { budget: { maxTokens: 20 } }, code: 'max_tokens' },
  'its time': { worker: hangs, entry: { timeoutMs: 30_000 }, code: 'child_timeout' },
  'its model': { worker: () => ({ fail: { code: 'model_refused' } }), code: 'model_refused' },
  'a hook': {
    worker: () => ({ text: 'Ran.' }),
    options: { hooks: { onAgentStart: { failRun: true, run: () => Promise.reject(new Error('No.')) } } },
    code: 'hook_failed',
    problems: 'The hook onAgentStart failed.',
  },
  'an abort': { worker: hangs, act: stop('abort'), code: 'aborted' },
  'an end for good': { worker: hangs, act: stop('terminate'), code: 'terminated' },
  'its own word': {
    worker: () => ({ calls: [{ name: 'note', input: { text: 'It cannot be done.' } }] }),
    options: { sideA: failing, sideB: failing },
    code: 'session_failed',
  },
  'a result that never fits': {
    worker: () => ({ calls: [{ name: 'judge' }] }),
    options: { maxSteps: 9, sideA: unfitting, sideB: unfitting },
    code: 'repeated_failure',
  },
  'crash after crash': {
    worker: hangs,
    options: { limits: { ...PATIENT, maxRecoveries: 1 } },
    act: async (tree) => tree.crash(),
    code: 'max_recoveries',
  },
  'the loss of its store': {
    worker: hangs,
    act: async (tree, worker) => {
      tree.world.remove(worker);
      tree.crash();
    },
    code: 'subagent_lost',
    most: 15,
  },
  'a way that never leads to it': {
    worker: hangs,
    network: (address, _, perform) =>
      address.includes('/sub/') ? Promise.reject(new Error('unreachable')) : perform(),
    code: 'subagent_lost',
    problems: 'The ',
    most: 15,
  },
  'its deletion': { worker: hangs, act: (tree, worker) => tree.soon(tree.remove(worker)), code: 'deleted' },
};

/** How the parent stands when that happens. */
const PARENTS = ['at work', 'at rest', 'waiting for a person', 'handed over'] as const;
type Parent = (typeof PARENTS)[number];

function lead(tree: Tree, worker: AgentDefinition, end: End, open: () => boolean): AgentDefinition {
  const hold = defineTool({
    name: 'hold',
    description: 'Waits.',
    inputSchema: z.object({}),
    replay: 'safe',
    timeoutMs: 1_000_000_000,
    execute: async (_, { idempotencyKey }) => {
      tree.body(idempotencyKey);
      for (let tries = 0; !open() && tries < 100; tries++)
        await new Promise<void>((resolve) => void tree.time.environment.timer(10_000, resolve));
      return 'Held.';
    },
  });
  const ask = defineTool({ name: 'ask', description: 'Asks.', inputSchema: z.object({}), execute: 'client' });
  const back = defineAgent({
    name: 'back',
    exposeAsTool: true,
    toolDescription: 'Goes on.',
    prompt: promptOf('back_prompt'),
    limits: PATIENT,
  });
  const tools = [hold, ask, lasting('worker', { blocking: false, ...end.entry }), 'back'];
  const prompt = promptOf('lead_prompt', { parallelToolCalls: true, tools, agents: [worker, back] });
  return defineAgent({ name: 'lead', prompt, limits: PATIENT });
}

const THEN: { readonly [parent in Parent]: Answer } = {
  'at work': { calls: [{ name: 'hold' }] },
  'at rest': { text: 'Begun.' },
  'waiting for a person': { calls: [{ name: 'ask' }] },
  'handed over': { calls: [{ name: 'back' }] },
};

/** What came of it, with a crash after that commit or none. */
async function ended(end: End, parent: Parent, crashAt?: number) {
  let over = false;
  const make = (tree: Tree): TreeParts => {
    const worker = dualOf('worker', { tools: [noteTool(tree)] }, end.options);
    const heard = ({ messages }: ModelRequest): Answer => ({ text: `Heard ${envelopesIn(messages).length}.` });
    return {
      agents: [lead(tree, worker, end, () => over), worker],
      scripts: {
        lead: (request) => {
          const number = reply(request);
          if (number === 1) return { calls: [create] };
          return number === 2 ? THEN[parent] : heard(request);
        },
        back: heard,
        worker: end.worker,
      },
    };
  };
  const { network } = end;
  const options = { ...(network ? { network } : {}), crashAt: new Set(crashAt === undefined ? [] : [crashAt]) };
  return withTree(make, options, async (tree) => {
    await tree.start();
    const child = () => tree.nodes.find(({ agentType }) => agentType === 'worker');
    const isAtWork = () => tree.port.asked.some(({ agentType }) => agentType === 'worker');
    await tree.time.until(() => isAtWork() || child()?.schedule.phase === 'ended');
    await tree.time.pass(5_000);
    for (let tries = 0; end.act && tries < 5 && child() && child()?.schedule.phase !== 'ended'; tries++) {
      await end.act(tree, child()?.address ?? '').catch(() => undefined);
      await tree.time.pass(20_000);
    }
    over = true;
    await tree.rest();
    const [pending] = tree.pending;
    if (pending) {
      const yes = { kind: 'client-tool-result', result: { success: true, value: 'Yes.' } } as const;
      await tree.soon(tree.answer(pending, yes));
      await tree.rest();
    }
    const stored = tree
      .store()
      .messages({})
      .filter(({ content }) => typeof content === 'string' && content.startsWith('Subagent (reference: '));
    const elsewhere = tree.addresses
      .filter((at) => at !== tree.address)
      .flatMap((at) => envelopesIn(tree.transcript(at)));
    return {
      envelopes: stored.map(({ content, metadata, silent }) => ({
        says: String(content)
          .replace(/\(reference: [^)]*\)/, '(…)')
          .split('\n')[0],
        code: isObject(metadata) ? metadata.code : null,
        silent,
      })),
      elsewhere,
      outcome: tree.outcome,
      kinds: tree.kinds,
      problems: tree.time.problems,
      waiting: tree.state().inbox.length,
    };
  });
}

/** The envelope that there should be. */
const envelope = ({ code }: End) => ({
  says: `Subagent (…) has ${code === undefined ? 'returned the following result' : 'reported a failure'}:`,
  silent: true,
  code,
});

describe.each(PARENTS)('a session that ends while its parent is %s', (parent) => {
  it.each(Object.keys(ENDS))(
    '[SA46, SAW3, SAQ12, RT8] by %s is one envelope with its code, wherever a crash comes',
    async (what) => {
      const end = present(ENDS[what]);
      const calm = await ended(end, parent);
      for (const commit of [
        undefined,
        ...moments(calm.kinds, end.most ?? MOST, Object.keys(ENDS).indexOf(what) + PARENTS.indexOf(parent)),
      ]) {
        const found = commit === undefined ? calm : await ended(end, parent, commit);
        const when = `a crash after commit ${commit}`;
        expect(found.envelopes, when).toEqual([envelope(end)]);
        expect(found.elsewhere, when).toEqual([]);
        expect(found.outcome, when).toMatchObject({ status: 'completed', output: 'Heard 1.' });
        expect(found.waiting, when).toBe(0);
        const { problems = '-' } = end;
        expect(
          found.problems.filter((one) => !one.startsWith(problems)),
          when,
        ).toEqual([]);
      }
    },
  );
});

/** A lead whose worker takes two steps, and which goes on for as long; at a commit it is stopped so. */
async function stopped(verb: StopVerb, at: number, rest: boolean) {
  const make = (tree: Tree): TreeParts => {
    const worker = dualOf('worker', { tools: [noteTool(tree)] });
    const tools = [noteTool(tree), lasting('worker', { blocking: false })];
    return {
      agents: [leadOf(tools, [worker]), worker],
      scripts: {
        lead: (request) => {
          const number = reply(request);
          if (number === 1) return { calls: [create] };
          return number < 4 && !rest ? { calls: [note] } : { text: `Heard ${envelopesIn(request.messages).length}.` };
        },
        worker: ({ step }) => (step < 3 ? { calls: [note] } : { text: 'Ran.' }),
      },
    };
  };
  let hit = false;
  const onCommit = (tree: Tree, commit: number): void => {
    if (commit === at)
      queueMicrotask(() => {
        hit = tree.stopSurely(verb);
      });
  };
  return withTree(make, { onCommit }, async (tree) => {
    await tree.start();
    await tree.rest();
    const first = tree.outcome.status;
    const before = tree.port.asked.length;
    if (first === 'interrupted') await tree.resume();
    else if (verb !== 'terminate') await tree.start('And?');
    await tree.rest();
    return {
      hit,
      first,
      envelopes: envelopesIn(tree.transcript()),
      asked: tree.port.asked.length - before,
      began: tree.log.filter(({ chunk }) => chunk.type === 'subagent_start').length,
      kinds: tree.kinds,
      problems: tree.time.problems,
    };
  });
}

describe('a parent that is stopped while an envelope is on its way', () => {
  it.each([
    ['interrupt', false],
    ['interrupt', true],
    ['abort', false],
    ['abort', true],
    ['terminate', false],
    ['terminate', true],
  ] as const)('[SA46, SAW24] by %s has one of each session that began (at rest: %s)', async (verb, rest) => {
    const { kinds } = await stopped(verb, 0, rest);
    let hits = 0;
    for (const at of moments(kinds, 16)) {
      const found = await stopped(verb, at, rest);
      const when = `after commit ${at}`;
      expect(found.envelopes.length, when).toBe(found.began);
      expect(found.problems, when).toEqual([]);
      if (verb === 'terminate') expect(found.asked, when).toBe(0);
      else expect(found.began, when).toBe(1);
      hits += found.hit ? 1 : 0;
    }
    expect(hits).toBeGreaterThan(5);
  });
});
