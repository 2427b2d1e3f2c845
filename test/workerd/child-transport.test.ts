/** Facets, and objects of their own, keep to the contract of every placement. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { ObjectRuntime } from '../../src/engine/object/object';
import { rootStub } from '../../src/gateway/objects';
// Sets the ports of the Worker.
import '../../src/worker';
import { setWorkerPorts, workerPorts } from '../../src/host/worker-ports';
import { answerAsChild, childTransportContract, facetAt, objectAt, type WithParent } from '../contract/child-transport';
import { served } from '../support/bindings';

/** What is done inside of a parent, by the id of the test. */
const inside = new Map<string, (parent: ObjectRuntime) => Promise<void>>();
const before = workerPorts();

beforeAll(() =>
  setWorkerPorts({
    ...before,
    async verb(object, call) {
      const work = inside.get(call.verb);
      if (call.verb === 'end') object.ports.erase?.();
      if (work === undefined) return answerAsChild(object, { ...call, verb: call.verb === 'end' ? 'note' : call.verb });
      await work(object);
      return { ok: true, body: null };
    },
  }),
);
afterAll(() => setWorkerPorts(before));

/** Runs a body within the object of a root that holds nothing: what it reaches belongs to it. */
async function within(name: string, body: (parent: ObjectRuntime) => Promise<void>): Promise<void> {
  let failed: { readonly error: unknown } | undefined;
  inside.set(name, async (parent) => {
    try {
      await body(parent);
    } catch (error) {
      failed = { error };
    }
  });
  const root = rootStub(served, { className: 'Top', name });
  await root.offshoot({ kind: 'verb', path: [], verb: name, input: null });
  inside.delete(name);
  if (failed) throw failed.error;
}

/** Children of that placement. */
function placed(via: 'facet' | 'object', at: typeof facetAt | typeof objectAt): WithParent {
  return async (body) => {
    const name = `contract-${crypto.randomUUID()}`;
    const address = `/agents/top/${name}`;
    await within(name, (parent) =>
      body({
        transport: parent.ports.transports[via],
        child: (place, generation) => at(address, 'Leaf', place, generation),
        impossible: at(address, 'Nobody', 1),
        copies: via === 'facet',
      }),
    );
  };
}

const withParent = placed('facet', facetAt);

childTransportContract('facets', withParent);
childTransportContract('objects', placed('object', objectAt));

it('[CT5] the platform does put a handle on what comes from another object', async () => {
  const name = `contract-${crypto.randomUUID()}`;
  const root = rootStub(served, { className: 'Top', name });
  const answer = await root.offshoot({ kind: 'verb', path: [], verb: 'echo', input: { a: 1 } });
  expect(answer).toMatchObject({ ok: true, body: { a: 1 } });
  expect(Symbol.dispose in answer).toBe(true);
});

it('[CT2] a child whose object has ended is sent to again, though what was known of it is broken', () =>
  withParent(async ({ transport, child }) => {
    const says = async (verb: string, input: string) => {
      const answer = await transport.send(child(1), { kind: 'verb', path: [], verb, input });
      return answer.ok ? answer.body : answer.error.code;
    };
    expect(await says('note', 'old')).toEqual(['old']);
    // It takes its store along.
    expect(await says('end', 'old')).toEqual(['old', 'old']);
    const isAnew = async () => {
      const noted = [await says('note', 'new')].flat();
      expect(noted).toContain('new');
      expect(noted).not.toContain('old');
    };
    await vi.waitFor(isAnew, { interval: 5 });
  }));
