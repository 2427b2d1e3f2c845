/** Which hooks are asked, and when none is. */
import { describe, expect, it, vi } from 'vitest';
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
});
