/** A companion reads those whom its task names, for as long as that is open; also where a crash comes. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readInput } from '../../src/core/agent/built-in/read';
import { defineTool } from '../../src/core/definition/define-tool';
import { answerReading, type GrantingObject } from '../../src/engine/children/read-granted';
import type { JsonObject } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';
import { transcripts } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { Machine } from '../support/machine';
import { moments } from '../support/sizes';
import { agentOf, answer } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 8;
const TOP = '/agents/top/one';
const ADA = `${TOP}/sub/reader/ada`;

const companion = (tool: string, input: JsonObject) => ({ name: `companion__${tool}`, input });
const spawn = (agent: string, name: string, more: JsonObject = {}) =>
  companion('spawnAgent', { agent, name, initialMessage: `Go, ${name}.`, ...more });
const read = (what: string, of?: string, more: JsonObject = {}) => ({
  name: '__read__',
  input: { what, ...(of === undefined ? {} : { of }), ...more },
});

const texts = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

/** A clerk leaves a file and a state; a reader is given the clerk and its parent to read, and then a task without. */
function reading(mayRead = true): () => TreeParts {
  return () => {
    const count = defineTool({
      name: 'count',
      description: 'Counts.',
      inputSchema: z.object({}),
      replay: 'safe',
      execute: (_, context) => void context.updateState(() => ({ counted: 7 })),
    });
    const clerk = agentOf('clerk', { workspace: true, tools: [count], outputSchema: answer });
    const reader = agentOf('reader', { outputSchema: answer });
    const top = agentOf('top', { persistentAgents: [{ agent: clerk }, { agent: reader, mayRead }] });
    return {
      agents: [top, clerk, reader],
      scripts: {
        top: [
          { calls: [spawn('clerk', 'cleo'), spawn('clerk', 'other')] },
          { calls: [spawn('reader', 'ada', { reads: ['cleo', 'cleo'], readsMe: true })] },
          {
            calls: [
              spawn('reader', 'ben', { reads: ['nobody'] }),
              companion('sendMessage', { name: 'ada', message: 'Again.', wait: true }),
            ],
          },
          { text: 'Done.' },
        ],
        clerk: ({ step }) =>
          step === 1
            ? {
                calls: [
                  { name: 'workspace_write_file', input: { path: 'a.md', content: 'Bees. '.repeat(11_000) } },
                  { name: 'count', input: {} },
                ],
              }
            : { finish: { answer: 'Kept.' } },
        reader: ({ step, messages }) => {
          if (step > 1) return { finish: { answer: 'Read.' } };
          if (texts(messages).includes('Again.')) return { calls: [read('state', 'cleo'), read('state')] };
          return {
            calls: [
              read('messages', 'cleo', { limit: 1 }),
              read('state', 'cleo'),
              read('files', 'cleo'),
              read('file', 'cleo', { path: 'a.md' }),
              read('file', 'cleo', { path: 'a.md', offset: 65_536 }),
              read('messages'),
              read('state', 'other'),
              read('file', 'cleo', { path: 'none.md' }),
            ],
          };
        },
      },
    };
  };
}

const results = (tree: Tree, at: string) =>
  tree.transcript(at).flatMap((one) => {
    if (one.role !== 'tool') return [];
    if (one.toolName === '__finish__') return [];
    return [one.result.success ? one.result.value : { code: one.result.error.code }];
  });

/** What is told of a file is another time in each run. */
const timeless = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/\d{13}|(?<="asOfSequence":)\d+/g, '0')
      .replaceAll(/"[a-z]_\w+"/g, '""'),
  );

async function ran(crashAt: readonly number[] = []) {
  return withTree(reading(), { crashAt: new Set(crashAt) }, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    expect(tree.time.problems.filter((problem) => !problem.includes('was lost from memory'))).toEqual([]);
    return {
      read: results(tree, ADA),
      top: results(tree, TOP),
      kinds: tree.kinds,
      agents: Object.keys(transcripts(tree)),
    };
  });
}

describe('a companion whose task names others', () => {
  it('[RG1, RG2, RG3] reads what they have said, hold and keep, and nothing any more in its next task', async () => {
    const { read, top, agents } = await ran();
    expect(read).toMatchObject([
      {
        of: 'cleo',
        what: 'messages',
        read: { items: [{ role: 'user', content: 'Go, cleo.' }], cursor: expect.any(String) },
      },
      { of: 'cleo', what: 'state', read: { state: { counted: 7 } } },
      { of: 'cleo', what: 'files', read: { items: [{ path: 'a.md', size: 66_000 }] } },
      { of: 'cleo', what: 'file', read: { path: 'a.md', part: 'some', length: 65_536 } },
      { of: 'cleo', what: 'file', read: { offset: 65_536, length: 464, text: expect.stringMatching(/Bees\. $/) } },
      {
        of: 'parent',
        what: 'messages',
        read: { items: expect.arrayContaining([expect.objectContaining({ role: 'user', content: 'Go' })]) },
      },
      { code: 'forbidden' },
      { code: 'not_found' },
      { code: 'forbidden' },
      { code: 'forbidden' },
    ]);
    expect(top).toMatchObject([
      { name: 'cleo' },
      { name: 'other' },
      { name: 'ada' },
      { code: 'not_found' },
      { name: 'ada', task: 2 },
    ]);
    expect(agents).not.toContain(`${TOP}/sub/reader/ben`);
  });

  it('[RG2, RG3, RC5] the same after a crash at any commit', async () => {
    const calm = await ran();
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const found = await ran([commit]);
      expect(timeless(found.read), `a crash at ${commit}`).toEqual(timeless(calm.read));
    }
  });

  it('[RG1] is refused where its kind may read nobody, and has no tool for it', async () => {
    await withTree(reading(false), {}, async (tree) => {
      await tree.start();
      await tree.finish();
      await tree.rest();
      expect(results(tree, TOP)[2]).toEqual({ code: 'invalid_arguments' });
      expect(tree.addresses).not.toContain(ADA);
    });
  });
});

it('[RG2, CR2] reads nobody who was kept for a run that has ended, also before the object is removed', async () => {
  const reader = agentOf('reader');
  const machine = new Machine({ definition: agentOf('top', { persistentAgents: [{ agent: reader, mayRead: true }] }) });
  machine.start();
  const begin = (name: string, more: JsonObject = {}) => {
    const args = { agent: 'reader', name, initialMessage: 'Go', mode: 'non-blocking', ...more };
    const facts = { providerId: 'p', name: 'companion__spawnAgent', kind: 'built_in' } as const;
    return { ...facts, input: args, args };
  };
  machine.reply({ calls: [begin('kim', { retention: 'run' })] });
  machine.namedEnded('kim');
  machine.reply({ calls: [begin('ada', { reads: ['kim'] })] });
  const asked: string[] = [];
  const ask = () => {
    const object: GrantingObject = {
      store: { named: (name) => machine.named(name) },
      call: async ({ verb }) => {
        asked.push(verb);
        return { ok: true, body: { state: {} } };
      },
    };
    const reads = readInput.parse({ of: 'kim', what: 'state' });
    return answerReading(object, machine.state, machine.named('ada').childId, reads);
  };
  await expect(ask()).resolves.toEqual({ read: { state: {} } });
  machine.reply({ text: 'Done.' });
  expect(machine.named('ada').state.is).toBe('working');
  await expect(ask()).rejects.toMatchObject({ code: 'not_found' });
  expect(asked).toEqual(['state']);
});

describe('a companion that ended before it began', () => {
  /** `how`: ended in the step that gives it its task, or while it is in the queue behind another one. */
  function never(how: 'at once' | 'in the queue', below: boolean): TreeParts {
    const clerk = agentOf('clerk');
    const reader = agentOf('reader', { outputSchema: answer });
    const persistentAgents = [
      { agent: clerk, mode: 'non-blocking' as const },
      { agent: reader, mayRead: true },
    ];
    const limits = how === 'in the queue' ? { limits: { maxConcurrentChildren: below ? 2 : 1 } } : {};
    const lead = agentOf(below ? 'lead' : 'top', { persistentAgents, ...(below ? {} : limits) });
    const boss = agentOf('top', { persistentAgents: [{ agent: lead }], ...limits });
    const end = (name: string) => companion('terminateChild', { name });
    const busy = how === 'in the queue' ? [spawn('clerk', 'busy')] : [];
    const steps = [
      { calls: [...busy, spawn('clerk', 'cleo'), ...(busy.length > 0 ? [] : [end('cleo')])] },
      ...(busy.length > 0 ? [{ calls: [end('cleo')] }, { calls: [end('busy')] }] : []),
      { calls: [spawn('reader', 'ada', { reads: ['cleo'] })] },
      { text: 'Done.' },
    ];
    return {
      agents: below ? [boss, lead, clerk, reader] : [lead, clerk, reader],
      scripts: {
        ...(below ? { lead: steps } : {}),
        top: below ? [{ calls: [spawn('lead', 'lea')] }, { text: 'Done.' }] : steps,
        clerk: [{ hang: true }],
        reader: [
          { calls: [read('state', 'cleo'), read('file', 'cleo', { path: 'a.md' })] },
          { finish: { answer: 'x' } },
        ],
      },
    };
  }

  it.each([
    ['at once', false],
    ['in the queue', false],
    ['at once', true],
    ['in the queue', true],
  ] as const)('[RG2, RG4] is said to have never begun: ended %s, below the root: %s', async (how, below) => {
    await withTree(
      () => never(how, below),
      {},
      async (tree) => {
        await tree.start();
        await tree.finish();
        await tree.rest();
        const lead = below ? `${TOP}/sub/lead/lea` : TOP;
        expect(tree.addresses).not.toContain(`${lead}/sub/clerk/cleo`);
        const told = tree
          .transcript(`${lead}/sub/reader/ada`)
          .flatMap((one) => (one.role === 'tool' ? [one.result] : []));
        expect(told.slice(0, 2)).toMatchObject(
          [1, 2].map(() => ({ success: false, error: { code: 'never_began', retryable: false } })),
        );
        expect(JSON.stringify(told)).not.toContain('Ask again');
      },
    );
  });
});
