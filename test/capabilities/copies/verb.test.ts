/** A copy that a person asks for: what the parent of a companion is asked, and what is answered and kept of it. */
import { describe, expect, it } from 'vitest';
import { forkParts } from '../../../src/capabilities/copies/verb';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import type { VerbCall } from '../../../src/engine/object/object-calls';
import { type ErrorCode, failure, OffshootError } from '../../../src/protocol/errors';
import type { JsonObject } from '../../../src/protocol/json';
import { childNode, rootNode } from '../../support/nodes';

const PARENT = '/agents/top/one/sub/leaf/2~1';
const AT = `${PARENT}/sub/scout/ada`;
const node = childNode(3, { parentId: 2, depth: 3, address: AT, lifetime: 'named' });

type Context = Parameters<typeof forkParts.ofCompanion>[0];

/** Asks for a copy; gives what the parent was asked, what was answered, and what is kept. */
async function forked(input: JsonObject, more: Partial<VerbCall> = {}, says: 'done' | 'absent' | ErrorCode = 'done') {
  const sent: [string, { message: JsonObject }][] = [];
  const kept: unknown[] = [];
  let tokens = 0;
  const index = new TreeIndex([rootNode(), childNode(2, { address: PARENT }), node]);
  const path = [
    { className: 'leaf', name: '2~1' },
    { className: 'scout', name: 'ada' },
  ] as unknown as VerbCall['path'];
  const context = {
    ...{ tree: { tree: index, log: { last: 7 } }, node, input },
    call: { kind: 'verb', verb: 'fork', path, input, caller: 'ann', ...more },
    request: { remember: (...what: unknown[]) => kept.push(what) },
    object: {
      environment: { token: () => `t_${++tokens}` },
      store: { transaction: (work: () => unknown) => work() },
      async send(to: string, message: { message: JsonObject }) {
        sent.push([to, message]);
        return says === 'done' || says === 'absent' ? { answer: says } : { answer: 'refused', error: failure(says) };
      },
    },
  } as unknown as Context;
  try {
    return { answer: await forkParts.ofCompanion(context), sent, kept };
  } catch (error) {
    if (error instanceof OffshootError) return { refused: error.failure.code, sent, kept };
    throw error;
  }
}

const wanted = { name: 'eve', message: 'Go.' };
const key = { idempotencyKey: 'k' };

describe('a copy of a companion', () => {
  it('[CP8] is asked of its parent by their names, and is accepted with where it will be', async () => {
    for (const [input, more] of [
      [wanted, {}],
      [{ ...wanted, checkpoint: 's_1.4' }, { checkpoint: 's_1.4' }],
    ] as const) {
      const { answer, sent, kept } = await forked(input, key);
      const address = `${PARENT}/sub/scout/eve`;
      const asked = { type: 'fork', name: 'ada', newName: 'eve', message: 'Go.', asked: expect.any(String), ...more };
      expect(sent).toEqual([[PARENT, { type: 'capability', capability: 'copies', message: asked }]]);
      expect(answer).toMatchObject({ status: 202, body: { address, streamUrl: `${address}/stream?from=8` } });
      expect(kept).toEqual([[202, answer?.body, { detail: { copy: address } }]]);
    }
  });

  it('[CP8] has a first task, and no run that it resumes: else nobody is asked', async () => {
    for (const input of [{ name: 'eve' }, { ...wanted, resume: true }])
      expect(await forked(input)).toEqual({ refused: 'invalid_request', sent: [], kept: [] });
    expect((await forked({ ...wanted, resume: false })).sent.length).toBe(1);
  });

  it.each([
    ['absent', 'unavailable'],
    ['invalid_arguments', 'invalid_request'],
    ['name_taken', 'name_taken'],
    ['max_children', 'max_children'],
  ] as const)('[CP8, CP30] whose parent says %s is refused as %s, and nothing is kept', async (says, refused) => {
    expect(await forked(wanted, key, says)).toMatchObject({ refused, kept: [] });
  });

  it('[CP8, A18] is the same request at its parent for the same caller, key, agent and body alone', async () => {
    const asked = async (input: JsonObject, more: Partial<VerbCall>) =>
      (await forked(input, more)).sent[0]?.[1].message.asked;
    const first = await asked(wanted, key);
    expect(await asked(wanted, key)).toBe(first);
    // The order of the fields is none of it.
    expect(await asked({ message: 'Go.', name: 'eve' }, key)).toBe(first);
    const other = [
      { className: 'leaf', name: '2~1' },
      { className: 'scout', name: 'bob' },
    ] as unknown as VerbCall['path'];
    const others = await Promise.all([
      asked(wanted, { ...key, caller: 'bo' }),
      asked(wanted, { idempotencyKey: 'l' }),
      asked(wanted, { ...key, path: other }),
      asked({ ...wanted, message: 'Stop.' }, key),
      asked(wanted, {}),
    ]);
    expect(new Set([first, ...others]).size).toBe(6);
  });
});

it('[CP8] a person copies roots and companions, and no sub-agent that exists for one call', () => {
  expect(forkParts.ofPlace(rootNode())).toBe(true);
  expect(forkParts.ofPlace(node)).toBe(true);
  expect(forkParts.ofPlace(childNode(4))).toMatchObject({ code: 'invalid_request' });
});
