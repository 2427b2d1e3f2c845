/** A verb that an agent refuses while another caller lets it continue. */
import { expect, it } from 'vitest';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import type { ObjectRuntime } from '../../../src/engine/object/object';
import type { VerbAnswer, VerbCall } from '../../../src/engine/object/object-calls';
import { failure } from '../../../src/protocol/errors';
import { byRoute } from '../../../src/verbs/routes/by-route';
import { childNode, rootNode } from '../../support/nodes';
import { present } from '../../support/present';

it('[A82] a resume is repeated where the agent continues since it was refused', async () => {
  const index = new TreeIndex([rootNode(), childNode(2, { lastChunk: 3 })]);
  const { address } = present(index.get(2));
  const [addressClass = '', name = ''] = address.split('/').slice(-2);
  const tree = { tree: index, self: () => index.get(1), until: () => Promise.resolve() };
  const object = { agent: {}, tree } as unknown as ObjectRuntime;
  const call = { kind: 'verb', path: [{ addressClass, name }], verb: 'resume', input: {} } as unknown as VerbCall;
  let asked = 0;
  const agent = async (): Promise<VerbAnswer> => {
    if (++asked > 1) return { ok: true, body: { asked } };
    index.set({ ...present(index.get(2)), lastChunk: 4 });
    return { ok: false, error: failure('superseded') };
  };
  expect(await byRoute({ object, call, verb: 'resume' }, { agent })).toEqual({ ok: true, body: { asked: 2 } });
});
