/**
 * Two builds of one Worker over one store, as a deploy and a rollback have them: this version and the next one. Other
 * Workers, at which agents of its trees work, stay at either.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import type { Server } from '../../../scripts/lib/serve.mjs';
import type { SequencedChunk } from '../../../src/protocol/chunks';
import { addUsage, NO_USAGE, type Usage } from '../../../src/protocol/usage';
import { readStream } from '../../support/reader';
import { serve } from '../../support/served';
import { asks, calls, type PuppetStep, told } from '../../support/told';
import { approve, checkCalls, get, type Pending, post } from '../desk';
import { Gates } from './gates';
import { CONFIG, makeNext, NEXT_CHUNK, NEXT_FIELD } from './next-build';
import { stored } from './stored';

const LOOK = { interval: 50 };
type Version = 'this' | 'next';

/** Everything that works in a tree when the Worker is exchanged. */
const AT_WORK = ['root', 'busy', 'older', 'newer', 'effect'] as const;
/** The gates of calls that wait for a person. */
const ASKED = ['leaf', 'apart', 'asked-older', 'asked-newer'] as const;
/** The gates at which agents in other Workers work. */
const REMOTE = ['older', 'newer'] as const;
/** Gates that were passed before, or are passed behind the others. */
const OTHERS = ['late', 'last'] as const;
/** When the second effect of a tree is due: most times while nobody may run it. */
const LATE_MS = 5_000;

const companion = (name: string, input: { [key: string]: string | boolean }) =>
  [`companion__${name}`, input] as [string, typeof input];

/** The script of a root. The names of its gates begin with that of its tree. */
function script(tree: string): string {
  const at = (gate: string) => ({ gate: `${tree}-${gate}` });
  const spawn = (name: string, mode: string, ...steps: PuppetStep[]) =>
    companion('spawnAgent', { agent: 'scout', name, mode, initialMessage: told(...steps) });
  const middle = [
    {
      calls: [
        ...(calls('leaf', [asks(['publish', at('leaf')])]).calls ?? []),
        ...(calls('apart', [asks(['publish', at('apart')])]).calls ?? []),
      ],
    },
  ];
  const remote = (name: string) =>
    calls(name, [asks(['hold', at(name)]), asks(['publish', at(`asked-${name}`)]), { text: name }]).calls ?? [];
  return told(
    asks(spawn('rest', 'blocking', { text: 'rested' })),
    {
      calls: [
        ...(asks(['plan', { ...at('effect'), delayMs: 0 }], ['plan', { ...at('late'), delayMs: LATE_MS }]).calls ?? []),
        ...(asks(spawn('busy', 'non-blocking', asks(['hold', at('busy')]), { text: 'busy' })).calls ?? []),
        ...(calls('middle', middle).calls ?? []),
        ...remote('older'),
        ...remote('newer'),
        ...(asks(['hold', at('root')]).calls ?? []),
      ],
    },
    asks(companion('waitForResult', { name: 'busy' })),
    asks(companion('sendMessage', { name: 'rest', message: told(asks(['hold', at('last')])), wait: true })),
    { text: 'Done.' },
  );
}

describe('two builds of one Worker over one store', () => {
  const gates = new Gates();
  const servers: { home?: Server; older?: Server; newer?: Server } = {};
  let folder: string;
  let configs: Readonly<Record<Version, string>>;
  let gatesUrl: string;

  const home = () => servers.home?.url ?? '';
  const start = (version: Version, place: string, vars: Record<string, string>) =>
    serve({
      persistTo: join(folder, place),
      config: configs[version],
      bundles: join(folder, 'bundles'),
      vars: { GATES_URL: gatesUrl, ...vars },
    });
  /** The objects of the Worker are of that version from here on. */
  const deploy = async (version: Version): Promise<void> => {
    await servers.home?.killHard();
    const vars = { OLDER_URL: servers.older?.url ?? '', NEWER_URL: servers.newer?.url ?? '' };
    servers.home = await start(version, 'home', vars);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-builds-'));
    configs = { this: join(root, CONFIG), next: makeNext(join(folder, 'next')) };
    gatesUrl = await gates.listen();
    servers.older = await start('this', 'older', {});
    servers.newer = await start('next', 'newer', {});
    await deploy('this');
  });
  afterAll(async () => {
    await Promise.all(Object.values(servers).map((server) => server?.killHard()));
    gates.close();
    await rm(folder, { recursive: true, force: true });
  });

  const addressOf = (tree: string) => `/agents/top/${tree}`;
  const pending = async (tree: string): Promise<Pending[]> =>
    (await get<{ items: Pending[] }>(`${home()}${addressOf(tree)}/pending`)).items;
  const status = async (tree: string) => (await get<{ status: string }>(`${home()}${addressOf(tree)}/status`)).status;

  /** Waits until the parent of the remote agents has read all that they have said so far. */
  const heard = async (tree: string): Promise<void> => {
    const log: SequencedChunk[] = [];
    const cut = new AbortController();
    const reading = readStream(home(), addressOf(tree), log, { signal: cut.signal });
    await vi.waitFor(() => {
      const said = log.flatMap(({ chunk }) => (chunk.type === 'subagent_status' ? [chunk.statusText] : []));
      expect(said).toEqual(expect.arrayContaining(REMOTE.map((gate) => `${tree}-${gate}`)));
    }, LOOK);
    cut.abort();
    await reading;
  };

  /** Starts a tree, until everything in it works or waits. */
  const begun = async (tree: string): Promise<void> => {
    await post(`${home()}${addressOf(tree)}/start`, { message: script(tree) });
    await vi.waitFor(async () => {
      expect(AT_WORK.filter((gate) => gates.came(`${tree}-${gate}`).length === 0)).toEqual([]);
      expect(await pending(tree)).toHaveLength(2);
    }, LOOK);
    await heard(tree);
  };

  /** Lets a tree end: each gate is open, and a person agrees. */
  const ended = async (tree: string): Promise<void> => {
    for (const gate of [...AT_WORK, ...ASKED, ...OTHERS]) gates.open(`${tree}-${gate}`);
    await vi.waitFor(async () => {
      for (const asked of await pending(tree)) await approve(`${home()}${addressOf(tree)}`, asked);
      expect(await status(tree)).toBe('completed');
    }, LOOK);
    await vi.waitFor(() => expect(gates.came(`${tree}-late`)).not.toEqual([]), LOOK);
  };

  /** Looks at a tree that has ended. */
  const check = async (tree: string): Promise<void> => {
    const log: SequencedChunk[] = [];
    expect(await readStream(home(), addressOf(tree), log)).toBe('completed');
    expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, at) => at + 1));
    checkCalls(log);
    const failed = log.filter(({ chunk }) => chunk.type === 'tool_end' && !chunk.success);
    expect(failed).toEqual([]);
    for (const gate of [...AT_WORK, ...ASKED, ...OTHERS])
      expect(new Set(gates.came(`${tree}-${gate}`)).size, gate).toBe(1);
    // What was not cut off ran once.
    for (const gate of [...ASKED, ...REMOTE, 'last']) expect(gates.came(`${tree}-${gate}`), gate).toHaveLength(1);
    const ends = log.flatMap(({ chunk }) => (chunk.type === 'subagent_end' ? [chunk.success] : []));
    expect(ends).toEqual(Array.from({ length: 8 }, () => true));
    const spent = log.reduce<Usage>(
      (sum, { chunk }) => (chunk.type === 'step_committed' ? addUsage(sum, chunk.usage) : sum),
      NO_USAGE,
    );
    const { total } = await get<{ total: Usage }>(`${home()}${addressOf(tree)}/usage?includeSubAgents=1`);
    const { inputTokens, outputTokens, modelCalls } = spent;
    expect(total).toMatchObject({ inputTokens, outputTokens, modelCalls });
  };

  /** The words of a remote agent, in the log of a tree, that the next version alone knows. */
  const saidByNext = async (tree: string, remote: (typeof REMOTE)[number]) => {
    const log: SequencedChunk[] = [];
    await readStream(home(), addressOf(tree), log);
    const { items } = await get<{ items: { toolName: string; subAddress?: string }[] }>(
      `${home()}${addressOf(tree)}/calls`,
    );
    const address = items.find(({ toolName }) => toolName === `subagent__${remote}`)?.subAddress;
    const own = log.filter(({ chunk }) => chunk.address === address).map(({ chunk }) => chunk);
    expect(own.map(({ type }) => type)).toContain('run_completed');
    const chunks = own.filter(({ type }) => type === String(NEXT_CHUNK)).length;
    return { chunks, fields: own.filter((chunk) => NEXT_FIELD in chunk).length };
  };

  it('[SO3, RM35] a deploy while a tree works loses nothing of it', async () => {
    await post(`${home()}${addressOf('quiet')}/start`, { message: told({ text: 'x' }), wait: true });
    await begun('deployed');
    await deploy('next');
    await ended('deployed');
    await check('deployed');
    // Before the deploy its parent did not know them.
    expect(await saidByNext('deployed', 'newer')).toEqual({ chunks: 0, fields: 0 });
  });

  it('[SO6] a rollback changes nothing of a tree that the next version has at work, which ends once that is back', async () => {
    await begun('rolled');
    await servers.home?.killHard();
    const before = stored(join(folder, 'home'));
    await deploy('this');
    const came = () => AT_WORK.map((gate) => gates.came(`rolled-${gate}`).length);
    const counts = came();
    for (const tree of ['rolled', 'deployed']) {
      const at = `${home()}${addressOf(tree)}`;
      const answers = await Promise.all([
        ...['status', 'pending', 'stream', 'sub/middle/1~1/status', 'sub/scout/rest/messages'].map((path) =>
          fetch(`${at}/${path}`),
        ),
        ...[
          ['start', { message: 'x' }],
          ['messages', { content: 'x' }],
          ['abort', {}],
        ].map(([verb, body]) =>
          fetch(`${at}/${verb}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }),
        ),
      ]);
      for (const answer of answers) {
        expect([answer.url, answer.status, answer.headers.get('retry-after')]).toEqual([answer.url, 503, '30']);
        expect(await answer.json()).toMatchObject({ code: 'newer_format' });
      }
    }
    const quiet = `${home()}${addressOf('quiet')}`;
    await post(`${quiet}/start`, { message: told({ text: 'y' }), wait: true });
    expect(await get(`${quiet}/status`)).toMatchObject({ status: 'completed' });
    expect(came()).toEqual(counts);
    await servers.home?.killHard();
    const after = stored(join(folder, 'home'));
    const changed = [...after].filter(([file, rows]) => rows !== before.get(file)).map(([file]) => file);
    expect(changed).toHaveLength(1);
    expect([...before.keys()].filter((file) => !after.has(file))).toEqual([]);
    await deploy('next');
    await ended('rolled');
    await check('rolled');
    expect(await saidByNext('rolled', 'newer')).toEqual({ chunks: 1, fields: 1 });
    expect(await saidByNext('rolled', 'older')).toEqual({ chunks: 0, fields: 0 });
    await post(`${home()}${addressOf('quiet')}/start`, { message: told({ text: 'z' }), wait: true });
  });
});
