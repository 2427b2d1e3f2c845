/** Files that go with what sub-agents of prompts are told, and that come back with their ends. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition, SubagentToolConfig } from '../../src/core/definition/definition';
import type { DualAgentOptions } from '../../src/core/definition/dual-agent';
import type { Limits } from '../../src/core/definition/limits';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { Json, JsonObject } from '../../src/protocol/json';
import { MiB } from '../contract/files-support';
import { ran, stored, toldPaths } from '../support/enclosed';
import type { Tree, TreeParts } from '../support/harness';
import { dualOf, envelopesIn, lasting, promptOf, referencesIn } from '../support/prompts';
import { sample, sized } from '../support/sizes';
import { PATIENT } from '../support/trees';

/** Transactions that a sweep of `npm test` tries; a night tries all. */
const MOST = 25;

const call = (name: string, input: Json) => ({ name, input });
const write = (path: string, content: string) => call('workspace_write_file', { path, content });
const read = (path = '') => call('workspace_read_file', { path });
const done = (input: JsonObject) => call('done', input);
const create = (more: JsonObject = {}) =>
  call('subagent_create', { agent: 'worker', message: 'Judge.', name: 'Ann', ...more });
const tell = (referenceId: string, more: JsonObject) =>
  call('subagent_message', { referenceId, message: 'And this.', ...more });

const ending = (name: string) =>
  defineTool({
    name,
    description: 'Works.',
    replay: 'safe',
    inputSchema: z.looseObject({ text: z.string().optional(), fail: z.string().optional() }),
    execute({ fail }) {
      if (fail !== undefined) throw new Error(fail);
      return '';
    },
  });

const bound = (name: string) => ({ name, messageProperty: 'text', attachmentsProperty: 'files' });

/** A worker whose first side ends its session with `done`, or fails it with `give_up`. */
const workerOf = (more: Partial<DualAgentOptions> = {}): AgentDefinition =>
  dualOf(
    'worker',
    {},
    {
      workspace: true,
      maxSessionTurns: 9,
      sideA: {
        prompt: promptOf('worker_a', { tools: [ending('done'), ending('give_up')] }),
        sessionStop: bound('done'),
        sessionFail: bound('give_up'),
      },
      ...more,
    },
  );

interface Setting {
  readonly entry?: SubagentToolConfig;
  readonly worker?: AgentDefinition;
  readonly limits?: Partial<Limits>;
}

/** A lead with a workspace, and one worker. */
const setting =
  (
    lead: TreeParts['scripts'][string],
    work: TreeParts['scripts'][string],
    { entry = lasting('worker'), worker = workerOf(), limits = {} }: Setting = {},
  ) =>
  (): TreeParts => {
    const prompt = promptOf('leading', { parallelToolCalls: true, tools: [entry], agents: [worker] });
    const agent = defineAgent({ name: 'lead', prompt, workspace: true, limits: { ...PATIENT, ...limits } });
    return { agents: [agent, worker], scripts: { lead, worker: work } };
  };

const children = ({ nodes }: Tree): string[] =>
  nodes.map(({ address }) => address).filter((address) => address.includes('/sub/'));
const both = (tree: Tree) => [stored(tree), ...children(tree).map((address) => stored(tree, address))];
const replies = ({ messages }: Pick<ModelRequest, 'messages'>): number =>
  messages.filter(({ role }) => role === 'assistant').length;

/** What is written and sent, and what comes back: notes on what was read last. */
const reviewing: TreeParts['scripts'][string] = (request) => {
  const paths = toldPaths(request);
  const notes = `notes-${paths.length}.md`;
  if (request.step === 1) return { calls: [read(paths.at(-1))] };
  if (request.step === 2) return { calls: [write(notes, `on ${paths.length}`)] };
  return { calls: [done({ text: `read ${paths.length}`, files: [notes] })] };
};

const passing: SubagentToolConfig = {
  name: 'worker',
  initUserMessageProperty: 'task',
  initAttachmentsProperty: 'files',
};

const direct = setting(
  [
    { calls: [write('drafts/one.md', 'first')] },
    { calls: [call('worker', { task: 'Judge.', files: 'drafts/one.md' })] },
    { text: 'Done.' },
  ],
  reviewing,
  { entry: passing },
);

/** The same one is told twice, and answers by envelopes. */
const talking = setting(
  (request) => {
    const told = envelopesIn(request.messages).length;
    const said = replies(request);
    if (said === 0) return { calls: [write('drafts/one.md', 'first'), write('two.md', 'second')] };
    if (said === 1) return { calls: [create({ attachments: ['drafts/one.md'] })] };
    const [reference = ''] = referencesIn(request.messages);
    const asked = JSON.stringify(request.messages).includes('subagent_message');
    if (told === 1 && !asked) return { calls: [tell(reference, { attachments: ['two.md'] })] };
    return { text: `Told ${told} times.` };
  },
  reviewing,
  { entry: lasting('worker', { blocking: false }) },
);

const COPY = /attachments\/notes-1-[0-9a-z]{10,11}\.md/;

describe('files with what a sub-agent is told', () => {
  it('[SA16, SA67, SA68, SA69] are there with the message by a call, and what comes back is cited in its result', async () => {
    const { seen, said, results, outcome, problems } = await ran(direct, both);
    expect(problems).toEqual([]);
    expect(outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(seen).toEqual([
      { files: { 'attachments/notes-1.md': 'on 1', 'drafts/one.md': 'first' }, kept: [] },
      { files: { 'attachments/one.md': 'first', 'notes-1.md': 'on 1' }, kept: [] },
    ]);
    expect(results.at(-1)).toBe('read 1\n\nIt returned files, which are yours now:\n\nattachments/notes-1.md');
    const { [children0(said)]: told } = said;
    expect(JSON.stringify(told)).not.toContain('drafts/one.md');
    expect(JSON.stringify(said['/agents/lead/one'])).not.toMatch(/[^-\w/]notes-1\.md/);
  });

  it('[SA43, SA67, SA68] are there with subagent_create and subagent_message, and what comes back is cited in the envelope', async () => {
    const { seen, outcome, problems } = await ran(talking, (tree) => ({
      stores: both(tree),
      told: envelopesIn(tree.transcript()),
      requests: tree.port.asked.filter(({ agentType }) => agentType === 'worker').map((one) => JSON.stringify(one)),
    }));
    expect(problems).toEqual([]);
    expect(outcome).toMatchObject({ status: 'completed', output: 'Told 2 times.' });
    expect(seen.stores).toEqual([
      {
        files: {
          'attachments/notes-1.md': 'on 1',
          'attachments/notes-2.md': 'on 2',
          'drafts/one.md': 'first',
          'two.md': 'second',
        },
        kept: [],
      },
      {
        files: {
          'attachments/one.md': 'first',
          'attachments/two.md': 'second',
          'notes-1.md': 'on 1',
          'notes-2.md': 'on 2',
        },
        kept: [],
      },
    ]);
    const [first = ''] = seen.told;
    const [, copy = ''] = /:\n\nread 1\n\nIt returned files, which are yours now:\n\n(\S+)$/.exec(first) ?? [];
    expect(copy).toMatch(COPY);
    for (const request of seen.requests) expect(request).not.toContain('drafts/');
  });

  it('[SA42, SAW7] and the same of both wherever a crash comes: never the one without the other, each once', async () => {
    for (const make of [direct, talking]) {
      const calm = await ran(make, both);
      for (const crash of sample(calm.transactions, MOST)) {
        const found = await ran(make, both, crash);
        const files = found.seen.map((one) => one.files);
        expect(files, `a crash before ${crash}`).toEqual(calm.seen.map((one) => one.files));
        expect(found.seen[0]?.kept, `a crash before ${crash}`).toEqual([]);
        expect(found.outcome, `a crash before ${crash}`).toEqual(calm.outcome);
      }
    }
  });

  it('[SA71, SAW7, SA16] are all there, or nothing is told and the model reads which are not', async () => {
    const scripts = [
      { calls: [write('a.md', 'four')] },
      {
        calls: [
          create({ attachments: ['a.md', 'no.md', '../up.md'] }),
          create({ attachments: [] }),
          create({ attachments: Array.from({ length: 21 }, (_, at) => `${at}.md`) }),
        ],
      },
      { text: 'Done.' },
    ];
    const missing = await ran(setting(scripts, [{ calls: [done({ text: 'ok' })] }]), both);
    expect(missing.results.slice(1)).toEqual(['invalid_arguments', 'ok', 'invalid_arguments']);
    expect(JSON.stringify(missing.said)).toContain('There is no file \\"no.md\\". There is no file \\"../up.md\\".');
    expect(missing.seen).toHaveLength(2);
    expect(missing.seen[0]).toEqual({ files: { 'a.md': 'four' }, kept: [] });
    const big = await ran(
      setting(
        [{ calls: [write('a.md', 'four')] }, { calls: [create({ attachments: ['a.md'] })] }, { text: 'Done.' }],
        [{ text: 'never' }],
        { worker: workerOf({ limits: { ...PATIENT, maxFileBytes: 3 } }) },
      ),
      both,
    );
    expect(big.results.slice(1)).toEqual(['invalid_arguments']);
    expect(big.seen).toHaveLength(1);
    const named = await ran(
      setting(
        [
          { calls: [call('worker', { task: 'Go.', files: ['no.md'] }), call('worker', { files: [] })] },
          { text: 'Done.' },
        ],
        [{ calls: [done({ text: 'ok' })] }],
        { entry: passing },
      ),
      both,
    );
    expect(named.results).toEqual(['invalid_arguments', 'ok']);
  });

  it('[SA71] that the other cannot take end its session before it begins, and its parent is told', async () => {
    const make = setting(
      (request) => {
        const said = replies(request);
        if (said === 0) return { calls: [write('a.md', 'one')] };
        if (said === 1) return { calls: [create()] };
        const told = envelopesIn(request.messages).length;
        const [reference = ''] = referencesIn(request.messages);
        const asked = JSON.stringify(request.messages).includes('subagent_message');
        if (told === 1 && !asked) return { calls: [tell(reference, { attachments: ['a.md'] })] };
        return { text: `Told ${told} times.` };
      },
      ({ step }) => (step === 1 ? { calls: [write('own.md', 'x')] } : { calls: [done({ text: 'ok' })] }),
      {
        entry: lasting('worker', { blocking: false }),
        worker: workerOf({ limits: { ...PATIENT, maxFiles: 1 } }),
      },
    );
    const { seen, outcome } = await ran(make, (tree) => ({
      told: envelopesIn(tree.transcript()),
      kept: stored(tree).kept,
    }));
    expect(outcome).toMatchObject({ output: 'Told 2 times.' });
    expect(seen.told).toEqual([
      expect.any(String),
      expect.stringContaining('its files could not be copied: There are'),
    ]);
    expect(seen.kept).toEqual([]);
  });

  it('[SA69] have the end of their name, else one by their kind, and never one of another', async () => {
    const make = setting(
      [
        { calls: [write('plan', 'a'), write('x/plan', 'b'), write(`${'é'.repeat(70)}.md`, 'c')] },
        { calls: [create({ attachments: ['/plan', 'x/plan', `${'é'.repeat(70)}.md`, 'plan'] })] },
        { text: 'Done.' },
      ],
      [{ calls: [done({ text: 'ok' })] }],
    );
    const { seen } = await ran(make, (tree) =>
      children(tree).flatMap((address) => Object.entries(storedAs(tree, address))),
    );
    const mark = '[0-9a-z]{10,11}';
    expect(seen).toEqual([
      [expect.stringMatching(new RegExp(`^attachments/-{64}-${mark}\\.md$`)), 'c'],
      [expect.stringMatching(new RegExp(`^attachments/plan-${mark}\\.txt$`)), expect.stringMatching(/^[ab]$/)],
      [expect.stringMatching(new RegExp(`^attachments/plan-${mark}\\.txt$`)), expect.stringMatching(/^[ab]$/)],
    ]);
  });
});

/** Bytes of a file, and what it is said to be. */
const SIZES = [
  ['none.txt', 0, 'text/plain'],
  ['long.txt', 5 * MiB, 'text/plain'],
  ['film.bin', sized(9, 40) * MiB, 'video/mp4'],
] as const;
const NAMES = SIZES.map(([name]) => name);

/** Writes files of all sizes. */
const filling = defineTool({
  name: 'fill',
  description: 'Works.',
  replay: 'safe',
  inputSchema: z.object({}),
  async execute(_input, { files }) {
    for (const [name, size, mediaType] of SIZES)
      await files.write(name, new Uint8Array(size).fill(size % 251), { mediaType });
    return 'filled';
  },
});

it('[SA67, SA68, SA71, SAW7, SAW8] files of no byte, of 5 MiB of text and of a film are the same on either side, both ways', async () => {
  const worker = workerOf({
    sideA: { prompt: promptOf('worker_a', { tools: [ending('done')] }), sessionStop: bound('done') },
  });
  const make = (): TreeParts => {
    const prompt = promptOf('leading', { tools: [passing, filling], agents: [worker] });
    return {
      agents: [defineAgent({ name: 'lead', prompt, workspace: true, limits: PATIENT }), worker],
      scripts: {
        lead: [
          { calls: [call('fill', {})] },
          { calls: [call('worker', { task: 'Back, please.', files: NAMES })] },
          { text: 'Done.' },
        ],
        worker: ({ messages }) => {
          const paths = JSON.stringify(messages).match(/attachments\/[\w.-]+/g) ?? [];
          return { calls: [done({ text: 'ok', files: paths })] };
        },
      },
    };
  };
  const { seen, results } = await ran(make, (tree) =>
    [tree.address, ...children(tree)].map((at) => {
      const rows = tree.world.storage(at)?.sql.exec('SELECT path, size, etag, media_type FROM files').toArray() ?? [];
      return rows.map(({ path, ...facts }) => [
        String(path)
          .replace(/^.*\//, '')
          .replace(/-[^.]*/, ''),
        facts,
      ]);
    }),
  );
  const [lead = [], copies = []] = seen;
  expect(results.at(-1)).toMatch(/^ok\n\nIt returned files/);
  expect(copies.map(([name]) => name).sort()).toEqual([...NAMES].sort());
  expect(lead).toHaveLength(2 * SIZES.length);
  for (const [name, size] of SIZES) {
    const same = [...lead, ...copies].filter(([other]) => other === name).map(([, facts]) => facts);
    expect(same).toHaveLength(3);
    for (const facts of same) expect(facts).toEqual({ ...Object(same[0]), size });
  }
});

/** The same with the names that copies have. */
function storedAs(tree: Tree, address: string): Record<string, string> {
  const rows = tree.world
    .storage(address)
    ?.sql.exec("SELECT path, tail FROM files WHERE path NOT LIKE '/%' ORDER BY path");
  const texts = (rows?.toArray() ?? []).map(({ path, tail }): [string, string] => [
    String(path),
    tail instanceof ArrayBuffer ? new TextDecoder().decode(tail) : 'no bytes',
  ]);
  return Object.fromEntries(texts);
}

const children0 = (said: Record<string, unknown>): string => Object.keys(said).find((at) => at.includes('/sub/')) ?? '';

describe('the call that ends a session', () => {
  const one = { calls: [call('worker', { task: 'Go.' })] };
  const results = (said: Record<string, unknown[]>): string => JSON.stringify(said[children0(said)]);

  it('[SA40, SA68] fails where it names what is not there, and the session goes on; the next one may end it', async () => {
    const make = setting(
      [one, { text: 'Done.' }],
      [
        { calls: [write('notes.md', 'n'), write('more.md', 'm')] },
        { calls: [done({ text: 'bad', files: ['notes.md', 'no.md'] })] },
        { calls: [done({ text: 'bad', files: 7 })] },
        { calls: [done({ text: 'bad', files: Array.from({ length: 21 }, (_, at) => `${at}`) })] },
        { calls: [done({ text: 'ok', files: [{ path: '/notes.md' }, 'notes.md', 'more.md'] })] },
      ],
      { entry: passing },
    );
    const found = await ran(make, both);
    expect(found.results).toEqual([
      'ok\n\nIt returned files, which are yours now:\n\nattachments/notes.md\nattachments/more.md',
    ]);
    expect(found.seen[0]).toEqual({ files: { 'attachments/more.md': 'm', 'attachments/notes.md': 'n' }, kept: [] });
    const said = results(found.said);
    expect(said).toContain('There is no file \\"no.md\\".');
    expect(said).toContain('must be a path, or a list of paths');
    expect(said).toContain('names 21 files: at most 20');
    expect(said.match(/The session continues/g)).toHaveLength(3);
  });

  it('[SA40] takes [] and none for no files', async () => {
    for (const files of [[], undefined]) {
      const input = files === undefined ? { text: 'ok' } : { text: 'ok', files };
      const found = await ran(setting([one, { text: 'Done.' }], [{ calls: [done(input)] }], { entry: passing }), both);
      expect(found.results).toEqual(['ok']);
    }
  });

  it('[SA44, SA68, SAW43] hands over its own files alone, a failure before a completion', async () => {
    const make = setting(
      ({ messages }) => {
        const said = messages.some(({ role }) => role === 'assistant');
        return said ? { text: envelopesIn(messages).join() || 'Went on.' } : { calls: [create()] };
      },
      [
        { calls: [write('notes.md', 'n'), write('why.md', 'w')] },
        {
          calls: [done({ text: 'ok', files: ['notes.md'] }), call('give_up', { text: 'Too hard.', files: ['why.md'] })],
        },
      ],
      { entry: lasting('worker', { blocking: false }) },
    );
    const { seen, outcome } = await ran(make, both);
    expect(outcome).toMatchObject({
      status: 'completed',
      output: expect.stringMatching(
        /has reported a failure:\n\nToo hard\.\n\nIt returned files, which are yours now:\n\nattachments\/why-\w+\.md$/,
      ),
    });
    expect(seen).toEqual([
      { files: { 'attachments/why.md': 'w' }, kept: [] },
      { files: { 'notes.md': 'n', 'why.md': 'w' }, kept: [] },
    ]);
  });

  it('[SA39, SA68] hands nothing over where it fails itself', async () => {
    const make = setting(
      [one, { text: 'Done.' }],
      [
        { calls: [write('notes.md', 'n'), write('why.md', 'w')] },
        { calls: [done({ fail: 'Not yet.', files: ['notes.md'] })] },
        { calls: [done({ text: 'ok', files: ['why.md'] })] },
      ],
      { entry: passing },
    );
    const { seen } = await ran(make, both);
    expect(seen[0]).toEqual({ files: { 'attachments/why.md': 'w' }, kept: [] });
  });

  it('[SA70, SAW7] hands over what a file is then, also one without a byte; later changes are of one side alone', async () => {
    const make = setting(
      (request) => {
        const said = replies(request);
        if (said === 0) return { calls: [write('a.md', 'one')] };
        if (said === 1) return { calls: [create({ attachments: ['a.md'] })] };
        const [reference = ''] = referencesIn(request.messages);
        if (said === 2) return { calls: [write('a.md', 'two'), tell(reference, {})] };
        return { text: 'Done.' };
      },
      ({ messages, step }) => {
        const again = JSON.stringify(messages).includes('And this.');
        if (again) return step === 1 ? { calls: [write('notes.md', 'changed')] } : { calls: [done({ text: 'ok' })] };
        if (step === 1) return { calls: [write('notes.md', '')] };
        return { calls: [done({ text: 'ok', files: ['notes.md'] })] };
      },
    );
    const { seen, problems } = await ran(make, both);
    expect(problems).toEqual([]);
    expect(seen).toEqual([
      { files: { 'a.md': 'one', 'attachments/notes.md': '' }, kept: [] },
      { files: { 'attachments/a.md': 'one', 'notes.md': '' }, kept: [] },
    ]);
  });

  it('[SA43, SA71] is the end also where its files cannot be brought, and says so', async () => {
    const make = setting(
      [{ calls: [write('a.md', 'one')] }, one, { text: 'Done.' }],
      [{ calls: [write('notes.md', 'n')] }, { calls: [done({ text: 'ok', files: ['notes.md'] })] }],
      { entry: passing, limits: { maxFiles: 1 } },
    );
    const { seen, results: got } = await ran(make, both);
    expect(got.at(-1)).toMatch(/^ok\n\nFiles that it returned could not be copied: There are 1 files/);
    expect(seen.map(({ kept }) => kept)).toEqual([[], []]);
  });
});
