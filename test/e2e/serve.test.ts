/** The server that `npm start` runs, as the machine sees it. */
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/lib/ports.mjs';
import { processTree } from '../../scripts/lib/processes.mjs';
import { serve } from '../../scripts/lib/serve.mjs';

type Server = Awaited<ReturnType<typeof serve>>;

/** Found by all that only looks at a server: it is one, in a folder that others could read before, of a user without a home. */
describe('a server that is looked at', () => {
  let folder: string;
  let persistTo: string;
  let server: Server;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-serve-'));
    // Below a file no folder can be made, whoever asks.
    const home = join(folder, 'home');
    await writeFile(home, '');
    persistTo = join(folder, 'state');
    await mkdir(persistTo);
    await chmod(persistTo, 0o755);
    vi.stubEnv('HOME', home);
    vi.stubEnv('XDG_CONFIG_HOME', undefined);
    server = await serve({ persistTo }).finally(() => vi.unstubAllEnvs());
  });

  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('[LS1] keeps its state where its owner alone can read it, also in a folder that others could read before', () => {
    expect((statSync(persistTo).mode & 0o777).toString(8)).toBe('700');
  });

  it('[LS2] opens no inspector and nothing beyond this machine', async (context) => {
    if (!existsSync('/proc/net/tcp')) context.skip('the ports of a process are read from /proc');
    const ports = listening(server.pid);
    expect(ports.map(({ port }) => port)).toContain(server.port);
    expect(ports.filter(({ host }) => host !== '0100007F')).toEqual([]);
    const inspectors = await Promise.all(ports.map(({ port }) => isInspector(port)));
    expect(inspectors).toEqual(ports.map(() => false));
  });

  it('[X32] tells nothing to a page that claims to be on this machine', async () => {
    const { port } = server;
    const path = '/directory/agents';
    const claim = { 'MF-Original-URL': `http://localhost:${port}${path}` };
    const statuses: number[] = [];
    for (const forged of [
      {},
      claim,
      { ...claim, 'accept-language': '' },
      { ...claim, 'MF-Sec-Fetch-Mode': 'cors', 'MF-CF-Blob': '{}' },
    ])
      statuses.push(await rebound(port, path, forged));
    expect(statuses).toEqual([503, 403, 403, 403]);
    const program = await fetch(`${server.url}${path}`);
    expect(program.status).toBe(200);
  });

  it('[A69] answers a request that it refuses while its sender still holds back half of the body', async () => {
    const { port } = server;
    const statuses: number[] = [];
    for (const asked of [
      { method: 'POST', path: '/nothing' },
      { method: 'POST', path: '/agents/nobody/a/start' },
      { method: 'PUT', path: '/agents/coordinator/a/status' },
      { method: 'POST', path: '/agents/coordinator/a/start?x=1' },
      { method: 'POST', path: '/agents/coordinator/a/start', headers: { origin: 'https://evil.example' } },
      { method: 'POST', path: '/agents/coordinator/a/start', headers: { host: 'evil.example' } },
      { method: 'POST', path: '/agents/coordinator/a/start', headers: { 'content-length': '50000000' } },
      { method: 'PUT', path: '/agents/coordinator/a/files/a', headers: { 'transfer-encoding': 'chunked' } },
      { method: 'PUT', path: '/agents/coordinator/a/files/a' },
      { method: 'DELETE', path: '/agents/coordinator/a' },
    ])
      statuses.push(await halfSent(port, asked));
    expect(statuses).toEqual([404, 404, 405, 400, 403, 503, 413, 411, 404, 404]);
  });

  it('[LS3] runs for a user whose home cannot be written, with the settings of its tools beside its state', async () => {
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(statSync(join(folder, 'home')).size).toBe(0);
    expect(existsSync(join(persistTo, 'config'))).toBe(true);
  });
});

describe('a server on this machine', () => {
  let folder: string;
  let server: Server | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-serve-'));
  });

  afterEach(async () => {
    await server?.stop();
    server = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  /** The configuration of a Worker that answers as an expression says. */
  async function small(answer: string): Promise<string> {
    await writeFile(join(folder, 'worker.js'), `export default { fetch: (_, { OWN }) => ${answer} };`);
    const config = join(folder, 'wrangler.jsonc');
    await writeFile(config, '{ "name": "kept", "main": "worker.js", "compatibility_date": "2026-11-01" }');
    return config;
  }

  it('[LS2] opens the inspector on the port that is asked for', async () => {
    const inspectorPort = await freePort();
    const config = await small('Response.json(1)');
    server = await serve({ persistTo: join(folder, 'state'), config, inspectorPort });
    expect(await isInspector(inspectorPort)).toBe(true);
  });

  it('[LS4] does not start a Worker without a migration for one of its agents, and says which line to add', async () => {
    const nested = join(import.meta.dirname, 'nested');
    const complete = readFileSync(join(nested, 'wrangler.jsonc'), 'utf8');
    const config = join(folder, 'wrangler.jsonc');
    await writeFile(config, complete.replace('./worker.ts', join(nested, 'worker.ts')).replace('"Branch", ', ''));
    const bundles = join(folder, 'bundles');
    const started = serve({ persistTo: join(folder, 'state'), config, bundles }).then((it) => {
      server = it;
    });
    await expect(started).rejects.toThrow(
      /did not start: The Worker is misconfigured\. The class Branch has no objects\. Add to "exports" in wrangler\.jsonc .*"Branch": \{/u,
    );
  });

  it('[HS16] takes the bundle that an earlier start has kept, with its texts, and the variables of its own start alone', async () => {
    const write = async (text: string) => {
      await writeFile(join(folder, 'text.txt'), text);
      await writeFile(
        join(folder, 'worker.js'),
        `import text from './text.txt';\nexport default { fetch: (_, { OWN, KEPT }) => Response.json(['${text}', text, OWN, KEPT]) };`,
      );
    };
    const config = join(folder, 'wrangler.jsonc');
    await writeFile(config, '{ "name": "kept", "main": "worker.js", "compatibility_date": "2026-11-01" }');
    await writeFile(join(folder, '.dev.vars'), 'KEPT=a key of whoever develops here\n');
    const bundles = join(folder, 'bundles');
    const answers: unknown[] = [];
    for (const text of ['first', 'second']) {
      await write(text);
      server = await serve({ persistTo: join(folder, 'state'), config, bundles, vars: { OWN: `it's $5 ${text}` } });
      answers.push(await (await fetch(server.url)).json());
      await server.stop();
    }
    expect(answers).toEqual([
      ['first', 'first', "it's $5 first", null],
      ['first', 'first', "it's $5 second", null],
    ]);
  });

  it('[HS22] serves several kept bundles by one process, each with its own words and end', async () => {
    const config = await small('(console.error(OWN), Response.json(OWN))');
    const started = (OWN: string) =>
      serve({ persistTo: join(folder, OWN), config, bundles: join(folder, 'bundles'), vars: { OWN } });
    const [one, other] = await Promise.all([started('one'), started('other')]);
    try {
      const parents = [one, other].map(({ pid }) => processTree(process.pid).find((each) => each.pid === pid)?.parent);
      expect(parents).toEqual([expect.any(Number), parents[0]]);
      expect(one.pid).not.toBe(other.pid);
      expect(await (await fetch(one.url)).json()).toBe('one');
      await vi.waitFor(() => expect(one.output()).toContain('one'));
      await one.killHard();
      await expect(fetch(one.url)).rejects.toThrow();
      expect(await (await fetch(other.url)).json()).toBe('other');
      await vi.waitFor(() => expect(other.output()).toContain('other'));
      expect([one.output(), other.output()].map((said) => [said.includes('one'), said.includes('other')])).toEqual([
        [true, false],
        [false, true],
      ]);
      await other.stop();
      await expect(fetch(other.url)).rejects.toThrow();
    } finally {
      await Promise.all([one.stop(), other.stop()]);
    }
  });
});

/** The answer to a request whose sender announces 5,000 bytes, sends a few of them and waits. */
function halfSent(port: number, asked: { method: string; path: string; headers?: object }): Promise<number> {
  const chunked = 'transfer-encoding' in (asked.headers ?? {});
  const headers = {
    'content-type': 'application/json',
    ...(chunked ? {} : { 'content-length': '5000' }),
    ...asked.headers,
  };
  return new Promise((settle, fail) => {
    const half = request({ host: '127.0.0.1', port, ...asked, headers }, (answer) => {
      settle(answer.statusCode ?? 0);
      half.destroy();
    });
    half.once('error', fail);
    half.write('{"message":');
  });
}

/** What Chromium sends for a page at http://evil.example that is bound to this machine, with the headers of its script. */
function rebound(port: number, path: string, forged: Record<string, string>): Promise<number> {
  const headers = {
    host: `evil.example:${port}`,
    'user-agent':
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/150.0.0.0 Safari/537.36',
    accept: '*/*',
    'accept-encoding': 'gzip, deflate',
    'accept-language': 'en-US,en;q=0.9',
    ...forged,
  };
  return new Promise((settle, fail) => {
    get({ host: '127.0.0.1', port, path, headers }, (answer) => {
      answer.resume();
      settle(answer.statusCode ?? 0);
    }).once('error', fail);
  });
}

/** Where the processes below one listen: the address in hexadecimal, as the system has it, and the port. */
function listening(pid: number): { host: string; port: number }[] {
  const sockets = new Set(processTree(pid).flatMap((each) => socketsOf(each.pid)));
  return ['tcp', 'tcp6']
    .flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.has(String(inode)))
    .map(([, local = '']) => {
      const [host = '', port = ''] = local.split(':');
      return { host, port: Number.parseInt(port, 16) };
    });
}

function socketsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/u.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

/** Whether a port lists what can be debugged there. What says nothing in the way of HTTP is none. */
async function isInspector(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(60_000) });
    return (await answer.text()).includes('webSocketDebuggerUrl');
  } catch {
    return false;
  }
}
