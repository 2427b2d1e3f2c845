import { afterEach, describe, expect, it } from 'vitest';
import { ServiceBindingTransport } from '../../../../src/capabilities/remote/transports/binding';
import { HttpRemoteAgentTransport, type HttpRemoteOptions } from '../../../../src/capabilities/remote/transports/http';
import { REMOTE_LIMITS } from '../../../../src/capabilities/remote/transports/limits';
import { ObjectTransport } from '../../../../src/capabilities/remote/transports/object';
import { MAX_URL, urlProblem } from '../../../../src/capabilities/remote/transports/url';
import { REMOTE_VERBS } from '../../../../src/capabilities/remote/transports/verbs';
import { RemoteError } from '../../../../src/core/definition/remote-transport';
import type { JsonObject } from '../../../../src/protocol/json';
import { VERBS } from '../../../../src/verbs/table';
import { type Behaviour, type HostileServer, hostileServer } from '../support/hostile-server';

const agent = { addressClass: 'researcher', name: 'r1' };
const quiet = () => new AbortController().signal;

const servers: HostileServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serverWith(behaviour: Behaviour): Promise<HostileServer> {
  const server = await hostileServer(behaviour);
  servers.push(server);
  return server;
}

const faultOf = async (asked: Promise<unknown>): Promise<string | undefined> => {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof RemoteError ? error.fault : String(error);
};

const problem = (url: string, allowLoopback = false) => urlProblem(new URL(url), { allowLoopback });

describe('URLs that may be asked', () => {
  it.each([
    'https://research.example',
    'https://research.example:8443/ai',
    'https://research.example.',
    'https://8.8.8.8',
    'https://172.32.0.1',
    'https://100.128.0.1',
    'https://[2606:4700::1111]',
    'https://localhost.example',
  ])('[AE5] %s', (url) => {
    expect(problem(url)).toBeUndefined();
    expect(new HttpRemoteAgentTransport({ url }).label).toBe(url.replace(/\/$/, ''));
  });

  it.each([
    // Not https, and what is no web at all.
    ...['http://research.example', 'ftp://research.example', 'file:///etc/passwd', 'data:text/plain,x', 'javascript:1'],
    // Credentials and ports.
    ...['https://me@research.example', 'https://me:secret@research.example', 'https://research.example:22'],
    ...['https://research.example:80', 'https://research.example:1023'],
    // This machine, in all its names.
    ...['https://localhost', 'https://localhost.', 'https://x.localhost', 'https://127.0.0.1', 'https://127.1'],
    ...[
      'https://2130706433',
      'https://0x7f000001',
      'https://0177.0.0.1',
      'https://0x7f.1',
      'https://0',
      'https://[::1]',
    ],
    ...['https://[::]', 'https://[::ffff:127.0.0.1]', 'https://[::ffff:7f00:1]', 'https://[::127.0.0.1]'],
    ...['https://１２７.0.0.1', 'https://127。0。0。1'],
    // Private, shared, link-local, the metadata of clouds, and what no host has.
    ...[
      'https://10.0.0.1',
      'https://172.16.0.1',
      'https://172.31.255.255',
      'https://192.168.1.1',
      'https://100.64.0.1',
    ],
    ...[
      'https://169.254.169.254',
      'https://0xa9fea9fe',
      'https://192.0.0.192',
      'https://198.18.0.1',
      'https://224.0.0.1',
    ],
    ...[
      'https://240.0.0.1',
      'https://255.255.255.255',
      'https://192.0.2.1',
      'https://203.0.113.9',
      'https://192.88.99.1',
    ],
    ...['https://[fe80::1]', 'https://[fc00::1]', 'https://[fd00:ec2::254]', 'https://[ff02::1]', 'https://[fec0::1]'],
    ...['https://[64:ff9b::a9fe:a9fe]', 'https://[2002:7f00:1::]', 'https://[2001::1]', 'https://[2001:db8::1]'],
    ...['https://[3fff::1]', 'https://[100::1]', 'https://[::ffff:10.0.0.1]'],
    // Names of inner networks.
    ...['https://metadata.google.internal', 'https://printer.local', 'https://router.lan', 'https://intranet'],
    ...['https://x.home.arpa', 'https://x.corp', 'https://api.ns.svc', 'https://db.consul', 'https://abc.onion'],
    ...[
      'https://localhost..',
      'https://x.internal..',
      'https://kubernetes.default',
      'https://x.cluster',
      'https://x.i2p',
    ],
    'https://168.63.129.16',
  ])('[AE5, AE19, AE20] not %s, neither where it is written nor where it is asked', (url) => {
    expect(problem(url)).toBeDefined();
    expect(() => new HttpRemoteAgentTransport({ url })).toThrow(
      expect.objectContaining({ code: 'invalid_definition' }),
    );
  });

  it('[AE5, AE21] this machine, where it is allowed, and still no other', () => {
    for (const url of ['http://localhost:8787', 'http://127.0.0.1:80', 'http://[::1]:1', 'https://127.9.9.9'])
      expect([url, problem(url, true)]).toEqual([url, undefined]);
    for (const url of ['http://10.0.0.1', 'http://research.example', 'http://x.localhost', 'http://a@localhost'])
      expect([url, problem(url, true) !== undefined]).toEqual([url, true]);
  });

  it('[AE5, AE19] a URL is as long as it may be, and has neither query nor fragment', () => {
    const long = (length: number) =>
      `https://research.example/${'x'.repeat(length - 'https://research.example/'.length)}`;
    expect(problem(long(MAX_URL))).toBeUndefined();
    expect(problem(long(MAX_URL + 1))).toBeDefined();
    for (const url of ['https://research.example?key=1', 'https://research.example/#x', 'research.example', ''])
      expect(() => new HttpRemoteAgentTransport({ url })).toThrow('`url`');
  });

  it('[AE5] an address that is none asks nobody', async () => {
    const server = await serverWith((_request, response) => response.end());
    const transport = new HttpRemoteAgentTransport({ url: server.url, allowLoopback: true });
    await expect(
      transport.call({ verb: 'status', agent: { addressClass: '..', name: '../../secret' }, signal: quiet() }),
    ).rejects.toThrow();
    expect(server.requests).toEqual([]);
  });
});

describe('redirects', () => {
  const problem404 = JSON.stringify({ code: 'not_found', title: 'No.' });
  const refuses: Behaviour = (_request, response) =>
    response.writeHead(404, { 'content-type': 'application/problem+json' }).end(problem404);
  const to =
    (location: string | undefined, code = 307): Behaviour =>
    (_request, response) =>
      response.writeHead(code, location === undefined ? {} : { location }).end();
  const asking = (url: string, options: Partial<HttpRemoteOptions> = {}) =>
    new HttpRemoteAgentTransport({
      url,
      allowLoopback: true,
      token: 'secret',
      headers: { 'x-key': 'key' },
      ...options,
    });
  const ask = (url: string, verb = 'status') => asking(url).call({ verb, agent, signal: quiet() });

  it('[AE6] are followed at most 3 times', async () => {
    let left = 3;
    const server = await serverWith((request, response, open) =>
      left-- > 0 ? to('/again')(request, response, open) : refuses(request, response, open),
    );
    expect(await ask(server.url)).toMatchObject({ ok: false, code: 'not_found' });
    left = 4;
    expect(await faultOf(ask(server.url))).toBe('too_many_redirects');
  });

  it.each([
    'http://169.254.169.254/latest',
    'http://10.0.0.1',
    'https://[fd00::1]',
    'file:///etc/passwd',
    'http://research.example',
    'http://me:you@127.0.0.1',
    '//0x0a000001/',
    'http://[',
    undefined,
  ])('[AE6] lead nowhere that could not be asked itself: %s', async (location) => {
    const server = await serverWith(to(location));
    expect(await faultOf(ask(server.url))).toBe('redirect_target');
    const stream = asking(server.url).stream({ agent, from: 1, signal: quiet() });
    expect(await faultOf(stream.next())).toBe('redirect_target');
  });

  it('[AE6] from outside do not lead to this machine', async () => {
    const away: typeof fetch = async () =>
      new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } });
    const transport = new HttpRemoteAgentTransport({ url: 'https://research.example', fetch: away });
    expect(await faultOf(transport.call({ verb: 'status', agent, signal: quiet() }))).toBe('redirect_target');
  });

  it('[AE7] take no secret to another origin, also on the way back', async () => {
    const other = await serverWith(refuses);
    const first = await serverWith(to(`${other.url}/elsewhere`, 302));
    expect(await ask(first.url)).toMatchObject({ code: 'not_found' });
    expect(first.requests[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'x-key': 'key' });
    expect(other.requests[0]?.path).toBe('/elsewhere');
    expect(Object.keys(other.requests[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(['authorization']));
    expect(JSON.stringify(other.requests)).not.toMatch(/secret|x-key/);
  });

  it('[AE6, AE22] take what changes something to no other origin, and never make a GET of it', async () => {
    const other = await serverWith(refuses);
    for (const [location, code] of [
      [`${other.url}/x`, 307],
      [`${other.url}/x`, 302],
      ['/x', 302],
      ['/x', 303],
      ['/x', 301],
    ] as const) {
      const first = await serverWith(to(location, code));
      expect([code, await faultOf(ask(first.url, 'interrupt'))]).toEqual([code, 'redirect_of_change']);
    }
    expect(other.requests).toEqual([]);
    let redirected = false;
    const same = await serverWith((request, response, open) => {
      if (redirected) return refuses(request, response, open);
      redirected = true;
      return to('/x', 308)(request, response, open);
    });
    expect(await ask(same.url, 'interrupt')).toMatchObject({ code: 'not_found' });
  });
});

describe('what a transport is made of', () => {
  it('[AE7, AE23] a token is asked for anew, and no error or label holds it', async () => {
    const server = await serverWith((_request, response) => response.writeHead(500).end('secret'));
    let asked = 0;
    const token = async () => `secret-${++asked}`;
    const transport = new HttpRemoteAgentTransport({ url: server.url, allowLoopback: true, token });
    for (let call = 0; call < 2; call++) {
      const error = await transport.call({ verb: 'status', agent, signal: quiet() }).catch((thrown: unknown) => thrown);
      expect(JSON.stringify([String(error), error])).not.toContain('secret');
    }
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer secret-1', 'Bearer secret-2']);
    expect(transport.label).toBe(server.url);
  });

  it('[AE9] what is missing is said when the transport is made', () => {
    const notConfigured = expect.objectContaining({ code: 'remote_not_configured' });
    expect(() => new HttpRemoteAgentTransport({ url: 'https://research.example', token: '' })).toThrow(notConfigured);
    expect(() => new ServiceBindingTransport({ binding: undefined })).toThrow(notConfigured);
    expect(() => new ObjectTransport({ namespace: undefined })).toThrow(notConfigured);
  });

  it('[AE9] a binding that leads to something else is said when it is asked', async () => {
    const transport = new ServiceBindingTransport({ binding: { start: 7 } });
    await expect(transport.call({ verb: 'start', agent, signal: quiet() })).rejects.toMatchObject({
      code: 'remote_not_configured',
    });
  });

  it('[AE9] options that are none are refused', () => {
    const url = 'https://research.example';
    const wrong: object[] = [
      { url, toke: 'x' },
      { url, limits: { callMs: 0 } },
      { url, limits: { callMs: 1.5 } },
      { url, limits: { callMs: 2_147_483_648 } },
      { url, limits: { call: 1 } },
      { url, headers: { authorization: 'x', 'Content-Type': 'x' } },
      { url, headers: { 'x y': 'x' } },
      { url, headers: { x: 'a\r\nb' } },
    ];
    for (const options of wrong)
      expect(() => Reflect.construct(HttpRemoteAgentTransport, [options]), JSON.stringify(options)).toThrow(
        expect.objectContaining({ code: 'invalid_definition' }),
      );
    expect(new HttpRemoteAgentTransport({ url, limits: { callMs: 2_147_483_647 } }).label).toBe(url);
    expect(REMOTE_LIMITS).toEqual({
      ...{ maxAnswerBytes: 4_194_304, maxDepth: 110, maxEventCharacters: 16_777_216, maxStreamBytes: 1_073_741_824 },
      ...{ callMs: 30_000, openMs: 15_000, idleMs: 45_000, streamMs: 3_600_000 },
      ...{ maxOpenCalls: 256, maxReplyCharacters: 4_000_000, maxLogBytes: 67_108_864 },
    });
  });

  it('[AE1] a verb is asked as the table of verbs has it', () => {
    for (const [name, { method, path }] of Object.entries(REMOTE_VERBS)) {
      const verb = VERBS.find((each) => each.name === name);
      expect([name, method, path]).toEqual([verb?.name, verb?.method, verb?.path]);
    }
  });

  it('[AE1] a verb that no parent asks elsewhere is refused', async () => {
    const transport = new HttpRemoteAgentTransport({ url: 'https://research.example' });
    for (const verb of ['writeFile', 'constructor', 'nothing'])
      await expect(transport.call({ verb, agent, signal: quiet() })).rejects.toThrow(TypeError);
  });
});

describe('a body that no agent takes', () => {
  it('[AE15, AE25] is refused before it is sent, with a code that says why', async () => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      asked.push(String(input));
      return Response.json({}, { status: 503 });
    };
    const binding = { start: async () => void asked.push('binding') };
    const ways = [
      new HttpRemoteAgentTransport({ url: 'https://research.example', fetch }),
      new ServiceBindingTransport({ binding }),
    ];
    const deep = (levels: number): JsonObject => (levels === 1 ? {} : { inner: deep(levels - 1) });
    for (const way of ways) {
      const start = (body: JsonObject) => way.call({ verb: 'start', agent, body, signal: quiet() });
      expect(await start({ message: 'x'.repeat(1_048_576) })).toMatchObject({
        ok: false,
        status: 413,
        code: 'payload_too_large',
        detail: expect.stringContaining('1048576 bytes'),
      });
      expect(await start({ input: deep(5_000) })).toMatchObject({ ok: false, status: 400, code: 'invalid_request' });
      expect(asked).toEqual([]);
    }
  });
});
