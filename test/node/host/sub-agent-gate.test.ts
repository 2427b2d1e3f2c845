/** Which hooks are asked, and when none is. */
import { describe, expect, it, vi } from 'vitest';
import type { ObjectRuntime } from '../../../src/engine/object/object';
import type { VerbAnswer, VerbCall } from '../../../src/engine/object/object-calls';
import { type GateDeps, noteHook, SubAgentGate } from '../../../src/host/sub-agent-gate';
import { setWorkerPorts } from '../../../src/host/worker-ports';
import { failure } from '../../../src/protocol/errors';
import { agentOf } from '../../support/trees';

const nothing = (): never => {
  throw new Error('Nobody asks for this.');
};
const kin = agentOf('kin');
setWorkerPorts({
  capabilities: [],
  shared: (className) => (className === 'Kin' ? kin : undefined),
  ...{ model: nothing, verb: nothing, access: nothing, sockets: nothing },
});

const path = (...classes: string[]) =>
  classes.map((className) => ({ className, addressClass: className, name: 'ann' }));
const asked = { url: 'http://localhost/x', method: 'GET', headers: [] };

function gateOf(deps: Partial<GateDeps> = {}) {
  const learn = vi.fn(async () => false);
  const down = vi.fn(async () => ({ ok: true as const, body: {} }));
  const all: GateDeps = {
    ...{ hook: () => undefined, nameOf: ({ className, name }) => ({ className, name }), learn, down },
    ...{ isThere: () => true, started: async () => undefined, report: () => undefined, ...deps },
  };
  return { gate: new SubAgentGate(all), learn, down };
}

describe('a tree without hooks of authors', () => {
  it('[F26] asks nobody, at once, where no class on the way has one', () => {
    noteHook('Plain', false);
    const { gate, learn, down } = gateOf();
    for (const way of [path('Any'), path('Plain', 'Any'), path('Kin', 'Plain', 'Any'), []])
      expect(gate.refusal({ path: way, asked })).toBeUndefined();
    expect(gate.refusal({ path: path('Unknown', 'Any') })).toBeUndefined();
    expect([learn.mock.calls, down.mock.calls]).toEqual([[], []]);
  });

  it('[F26] learns of a class that nobody knows, and wakes no agent for it', async () => {
    const { gate, learn, down } = gateOf();
    expect(await gate.refusal({ path: path('Unknown', 'Kin', 'Any'), asked })).toBeUndefined();
    expect([learn.mock.calls, down.mock.calls]).toEqual([[['Unknown']], []]);
  });
});

describe('an agent that is not there', () => {
  it('[F25, A21] is no reason to ask what is above it', async () => {
    const { gate, learn, down } = gateOf({ isThere: (way) => way.length < 2 });
    expect(await gate.refusal({ path: path('Strange', 'Stranger', 'Any'), asked })).toBeUndefined();
    expect([learn.mock.calls, down.mock.calls]).toEqual([[['Strange']], []]);
  });
});

describe('a hook of an author', () => {
  it('[F25] that fails refuses the call', async () => {
    const failing = async () => {
      throw new Error('secret');
    };
    const answer = await gateOf({ hook: () => failing }).gate.refusal({ path: path('Any'), asked });
    expect(answer).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it('[F25] of a class below the root that is away refuses the call', async () => {
    noteHook('Hooked', true);
    const error = failure('gone');
    const { gate } = gateOf({ down: async () => ({ ok: false, error }) });
    expect(await gate.refusal({ path: path('Hooked', 'Any'), asked })).toEqual({ ok: false, error });
  });

  it('[F25, F26] each level is asked in order, with the request that the one above it has made', async () => {
    noteHook('First', true);
    noteHook('Second', true);
    noteHook('Plain', false);
    const seen: string[] = [];
    const hook = async (request: Request, { className }: { className: string }) => {
      seen.push(`own ${className} ${request.headers.get('x')}`);
      return new Request(request, { headers: { x: '1' } });
    };
    const down = vi.fn(async ({ path: way, gate: child, asked: given }: VerbCall): Promise<VerbAnswer> => {
      seen.push(`${way.at(-1)?.className} ${child?.className} ${JSON.stringify(given?.headers)}`);
      return way.length === 1
        ? { ok: true, body: {}, request: { ...asked, headers: [['x', '2']] } }
        : { ok: true, body: {} };
    });
    const { gate } = gateOf({ hook: () => hook, down });
    expect(await gate.refusal({ path: path('First', 'Plain', 'Second', 'Any'), asked })).toBeUndefined();
    expect(seen).toEqual(['own First null', 'First Plain [["x","1"]]', 'Second Any [["x","2"]]']);
    // A hook of its own is asked also where no class on the way has one.
    expect(gate.refusal({ path: path('Any'), asked })).toBeInstanceOf(Promise);
    expect([gate.refusal({ path: [], asked }), gate.refusal({ path: path('Any') })]).toEqual([undefined, undefined]);
  });

  it('[F25] that answers refuses with its own response, of which a large body is left out', async () => {
    const refusal = async (body: string, status = 451) => {
      const response = async () => new Response(body, { status, headers: { 'x-why': 'law' } });
      return gateOf({ hook: () => response }).gate.refusal({ path: path('Any'), asked });
    };
    const forbidden = (message: unknown, status = 451) => ({
      code: 'forbidden',
      message,
      retryable: false,
      details: { status },
    });
    const short = await refusal('Not here.');
    expect(short).toMatchObject({
      ok: false,
      error: forbidden('Not here.'),
      response: { status: 451, body: 'Not here.' },
    });
    expect(short?.response?.headers).toContainEqual(['x-why', 'law']);
    expect(await refusal('', 403)).toMatchObject({
      error: forbidden(expect.stringMatching(/\w/), 403),
      response: { body: '' },
    });
    for (const length of [65_536, 65_537]) {
      const long = await refusal('x'.repeat(length));
      expect(long?.error.message.length).toBeLessThanOrEqual(500);
      expect(long?.response?.body.length).toBe(length === 65_536 ? length : undefined);
    }
    // One that says nothing lets the call through.
    const silent = async () => undefined;
    expect(await gateOf({ hook: () => silent }).gate.refusal({ path: path('Any'), asked })).toBeUndefined();
  });

  it('[F25] is asked by a call that names a sub-agent for it, and else by the root alone', async () => {
    const answer = async () => ({ ok: true as const, body: { is: 'the answer' } });
    const refuses = async () => new Response('No.', { status: 403 });
    const call = (more: object): VerbCall =>
      ({ kind: 'verb', path: [], verb: 'status', input: {}, ...more }) as VerbCall;
    const object = (isRoot: boolean) =>
      ({ isRoot, down: async () => ({ ok: true, body: { is: 'below' } }) }) as unknown as ObjectRuntime;
    const { gate } = gateOf({ hook: () => refuses });
    const [child] = path('Any');
    const said = (isRoot: boolean, more: object) => gate.verb(object(isRoot), call(more), answer);
    const no = { ok: false, error: { code: 'forbidden' } };
    expect(await said(false, { gate: child, asked })).toMatchObject(no);
    expect(await said(false, { gate: child, asked, path: path('Any') })).toMatchObject({ body: { is: 'below' } });
    expect(await said(true, { asked, path: path('Any') })).toMatchObject(no);
    expect(await said(false, { asked, path: path('Any') })).toMatchObject({ body: { is: 'the answer' } });
    expect(await said(true, { asked })).toMatchObject({ body: { is: 'the answer' } });
    const free = gateOf();
    expect(await free.gate.verb(object(false), call({ gate: child, asked }), answer)).toEqual({ ok: true, body: {} });
  });
});
