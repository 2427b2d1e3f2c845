/** Copies that people ask for, through the root, with crashes at every commit. */
import { describe, expect, it } from 'vitest';
import type { VerbAnswer } from '../../../../src/engine/object/object-calls';
import { segmentOf } from '../../../../src/engine/tree-messages';
import { parseAddress } from '../../../../src/protocol/address';
import type { JsonObject } from '../../../../src/protocol/json';
import type { Message } from '../../../../src/protocol/messages';
import { askSurely } from '../../../support/asks';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { sample } from '../../../support/sizes';
import { agentOf, answer } from '../../../support/trees';

const ADA = '/agents/top/one/sub/scout/ada';
const BOB = '/agents/top/one/sub/scout/bob';
const questions = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

const spawning = (): TreeParts => {
  const scout = agentOf('scout', { outputSchema: answer });
  const top = agentOf('top', { persistentAgents: [{ agent: scout }] });
  const spawn = { agent: 'scout', name: 'ada', initialMessage: 'one' };
  return {
    agents: [top, scout],
    scripts: {
      top: ({ messages }) =>
        messages.some(({ role }) => role === 'tool')
          ? { text: 'Done.' }
          : { calls: [{ name: 'companion__spawnAgent', input: spawn }] },
      scout: ({ messages }) => ({ finish: { answer: questions(messages).join(' ') } }),
    },
  };
};

const fork = (tree: Tree, address: string, input: JsonObject): Promise<VerbAnswer> =>
  askSurely(tree, { verb: 'fork', address, input });

async function asked(input: JsonObject, options: TreeOptions = {}) {
  return withTree(spawning, options, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    const before = tree.commits.length;
    const first = await fork(tree, ADA, input);
    const again = await fork(tree, ADA, input);
    await tree.rest();
    await tree.run('What is new?');
    await tree.rest();
    return {
      before,
      commits: tree.commits.length,
      replies: [first, again],
      addresses: tree.world.addresses(),
      said: questions(tree.transcript()),
      bob: tree.addresses.includes(BOB) ? questions(tree.transcript(BOB)) : undefined,
      audits: tree
        .store()
        .audit({})
        .filter(({ action }) => action === 'fork'),
      nodes: tree.nodes.map(({ address, status }) => [address, status]),
      problems: tree.time.problems,
    };
  });
}

describe('a copy that a person asks for', () => {
  it('[CP8] is made by its parent at rest, has the memory and its task, and its end is told in the next turn', async () => {
    const found = await asked({ name: 'bob', message: 'two' });
    const body = { address: BOB, streamUrl: expect.stringContaining(`${BOB}/stream?from=`) };
    expect(found.replies).toEqual([
      { ok: true, status: 202, body },
      { ok: true, status: 202, body },
    ]);
    expect(found.replies[0]).toEqual(found.replies[1]);
    expect(found.bob).toEqual(['one', 'two']);
    expect(found.nodes).toEqual([
      ['/agents/top/one', 'completed'],
      [ADA, 'completed'],
      [BOB, 'completed'],
    ]);
    expect(found.said.filter((text) => text.includes('bob (task 1)'))).toEqual([expect.stringContaining('one two')]);
    expect(found.audits).toMatchObject([{ actor: 'ada', detail: { address: ADA, copy: BOB } }]);
    expect(found.problems).toEqual([]);
  });

  it('[CP33, CP5] is made once for its key, wherever a crash comes', async () => {
    const calm = await asked({ name: 'bob', message: 'two' });
    const later = Array.from({ length: calm.commits - calm.before }, (_, index) => calm.before + index + 1);
    for (const commit of sample(later.length, 25, 1).map((index) => calm.before + index)) {
      const found = await asked({ name: 'bob', message: 'two' }, { crashAt: new Set([commit]) });
      const what = `a crash at ${commit}`;
      expect(found.replies, what).toMatchObject([{ ok: true }, { ok: true }]);
      expect([found.bob, found.nodes, found.addresses], what).toEqual([calm.bob, calm.nodes, calm.addresses]);
      expect(
        found.said.filter((text) => text.includes('bob (task 1)')),
        what,
      ).toHaveLength(1);
      expect(found.problems, what).toEqual([]);
    }
  });

  it('[CP8] is not that of another body under its key, wherever the first request is lost', async () => {
    let lost = 0;
    for (let commit = 1; commit <= 40; commit++) {
      await withTree(spawning, { crashAt: new Set([commit]) }, async (tree) => {
        await tree.start();
        await tree.finish();
        await tree.rest();
        if (tree.crashes > 0) return;
        const path = parseAddress(ADA).below.map(segmentOf);
        const input = { name: 'bob', message: 'two' };
        const call = { kind: 'verb', path, verb: 'fork', input, caller: 'ada', idempotencyKey: 'k' } as const;
        const first = tree.world.object(tree.address).call(call);
        void first.catch(() => undefined);
        await tree.rest();
        if (tree.crashes === 0) return;
        lost++;
        const other = await fork(tree, ADA, { name: 'bob', message: 'three' });
        await tree.rest();
        const said = tree.addresses.includes(BOB) ? questions(tree.transcript(BOB)) : [];
        expect(said, `a crash at ${commit}`).toContain(other.ok ? 'three' : 'two');
      });
    }
    expect(lost).toBeGreaterThan(3);
  });

  it('[CP6, CP30, CP7, CP8] is refused before anything is made, with what to do', async () => {
    const refused = async (input: JsonObject) => {
      const { replies, addresses } = await asked(input);
      expect(addresses).toEqual(['/agents/top/one', ADA]);
      return replies.map((reply) => (reply.ok ? 'ok' : reply.error.code));
    };
    expect(await refused({ name: 'bob' })).toEqual(['invalid_request', 'invalid_request']);
    expect(await refused({ name: 'ada', message: 'two' })).toEqual(['name_taken', 'name_taken']);
    expect(await refused({ name: 'scout-7', message: 'two' })).toEqual(['invalid_request', 'invalid_request']);
    expect(await refused({ name: '7~3', message: 'two' })).toEqual(['invalid_request', 'invalid_request']);
    expect(await refused({ name: 'bob', message: 'two', checkpoint: 's_x.1' })).toEqual(['not_found', 'not_found']);
  });
});
