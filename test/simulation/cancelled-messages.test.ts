/** Messages that are taken back while they wait for a step, with crashes at every commit. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool, defineTool } from '../../src/index';
import type { Message } from '../../src/protocol/messages';
import { transcriptEntry } from '../../src/protocol/wire/readings';
import { askSurely } from '../support/asks';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { present } from '../support/present';
import { sample } from '../support/sizes';
import { agentOf, answer, question } from '../support/trees';

const LEAF = /\/leaf\//;

/** A root that waits for a sub-agent, which waits for a person: messages to both wait for their next steps. */
const waiting = (): TreeParts => {
  const ask = defineTool({ name: 'ask', description: 'Asks.', inputSchema: z.object({}), execute: 'client' });
  const leaf = agentOf('leaf', { tools: [ask], outputSchema: answer });
  return {
    agents: [agentOf('top', { tools: [createSubAgentTool(leaf, question)] }), leaf],
    scripts: {
      top: [{ calls: [{ name: 'subagent__leaf', input: { q: 'a' } }] }, { text: 'Heard.' }],
      leaf: [{ calls: [{ name: 'ask' }] }, { finish: { answer: 'l' } }],
    },
  };
};

const sent = async (tree: Tree, address: string, content: string): Promise<string> => {
  const reply = await askSurely(tree, { verb: 'send', address, input: { content }, key: content });
  if (!reply.ok) throw new Error(reply.error.message);
  return z.object({ messageId: z.string() }).parse(reply.body).messageId;
};

const cancelled = (tree: Tree, address: string, path: string, key: string) =>
  askSurely(tree, { verb: 'cancelMessage', address, input: { path }, key });

const saidBy = (messages: readonly Message[]) =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

/** Two messages to an agent, of which the first is taken back, twice, and is sent again under its key. */
async function takenBack(below: boolean, options: TreeOptions = {}) {
  return withTree(waiting, options, async (tree) => {
    await tree.start();
    await tree.time.until(() => tree.pending.length > 0);
    const [asked] = tree.pending;
    const address = below ? present(asked).address : tree.address;
    const before = tree.commits.length;
    const first = await sent(tree, address, 'No.');
    const kept = await sent(tree, address, 'Yes.');
    const replies = [await cancelled(tree, address, first, 'a'), await cancelled(tree, address, first, 'b')];
    const again = await sent(tree, address, 'No.');
    const commits = tree.commits.length;
    const input = { kind: 'client-tool-result', toolCallId: present(asked).toolCallId, result: 1 };
    expect(await askSurely(tree, { verb: 'submit', address: tree.address, input })).toMatchObject({ ok: true });
    await tree.finish();
    const late = [await cancelled(tree, address, kept, 'c'), await cancelled(tree, address, first, 'd')];
    const told = tree.log.flatMap(({ chunk }) =>
      chunk.address === address && 'messageId' in chunk && [first, kept].includes(chunk.messageId)
        ? [[chunk.type, chunk.messageId === first]]
        : [],
    );
    const audits = tree
      .store(address)
      .audit({})
      .filter(({ action }) => action === 'cancelMessage');
    const said = saidBy(tree.transcript(address)).filter((text) => text === 'No.' || text === 'Yes.');
    const { problems } = tree.time;
    return { before, commits, replies, late, told, said, same: again === first, audits: audits.length, problems };
  });
}

describe('a message that is taken back', () => {
  it.each([false, true])(
    '[DL8, DL9, RC5] is seen by no step, told once, and stays away, wherever a crash comes (below the root: %s)',
    async (below) => {
      const done = { ok: true, body: {} };
      const expected = {
        replies: [done, done],
        late: [{ ok: false, error: { code: 'already_delivered' } }, done],
        told: [
          ['message_queued', true],
          ['message_queued', false],
          ['message_cancelled', true],
          ['message_delivered', false],
        ],
        said: ['Yes.'],
        same: true,
        audits: 1,
        problems: [],
      };
      const calm = await takenBack(below);
      expect(calm).toMatchObject(expected);
      for (const commit of sample(calm.commits - calm.before, 40, 1).map((index) => calm.before + index)) {
        const found = await takenBack(below, { crashAt: new Set([commit]) });
        expect(found, `a crash at ${commit}`).toMatchObject(expected);
      }
    },
  );

  it('[DL8] is one that a caller has sent; an id that is not there is not found, and a sub-agent that ended keeps it', () =>
    withTree(waiting, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.pending.length > 0);
      const leaf = present(tree.addresses.find((address) => LEAF.test(address)));
      const notice = { messageId: 'm_n', role: 'user', content: 'A notice.', from: 'offshoot' } as const;
      for (const from of ['offshoot', 'parent', 'child', 'agent'] as const)
        tree.apply(
          (facts) => ({ type: 'thread_message', ...facts, message: { ...notice, messageId: `m_${from}`, from } }),
          leaf,
        );
      const { inbox } = tree.state(leaf);
      expect(inbox).toHaveLength(4);
      const mine = await sent(tree, leaf, 'Mine.');
      for (const { messageId } of inbox)
        expect(await cancelled(tree, leaf, messageId, messageId)).toMatchObject({ error: { code: 'not_cancellable' } });
      expect(await cancelled(tree, leaf, 'm_none', 'n')).toMatchObject({ error: { code: 'not_found' } });
      expect(await cancelled(tree, tree.address, mine, 'o')).toMatchObject({ error: { code: 'not_found' } });
      expect(tree.state(leaf).inbox).toHaveLength(5);
      tree.stop('interrupt');
      await tree.finish();
      expect(tree.state(leaf).run?.phase).toBe('ended');
      expect(await cancelled(tree, leaf, mine, 'p')).toMatchObject({ error: { code: 'owned_by_parent' } });
      expect(tree.state(leaf).inbox).toHaveLength(5);
    }));
});

describe('messages that no step has seen', () => {
  it('[DL8] say in the transcript whether they can be taken back; those that one has seen do not', async () => {
    await withTree(waiting, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.pending.length > 0);
      const leaf = present(tree.pending[0]).address;
      await sent(tree, tree.address, 'To the top.');
      await sent(tree, leaf, 'To the leaf.');
      const listed = async (address: string) => {
        const reply = await askSurely(tree, { verb: 'messages', address, input: {} });
        return z.object({ items: z.array(transcriptEntry) }).parse(reply.ok ? reply.body : reply).items;
      };
      const controlsIn = async (address: string) =>
        (await listed(address)).filter(({ messageId }) => messageId !== undefined).map(({ controls }) => controls);
      expect(await controlsIn(tree.address)).toEqual([undefined, { cancelMessage: true }]);
      expect(await controlsIn(leaf)).toEqual([undefined, { cancelMessage: true }]);
    });
  });
});

/** A root that waits for a person, and pauses its companion meanwhile. */
const pausing = (): TreeParts => {
  const ask = defineTool({ name: 'ask', description: 'Asks.', inputSchema: z.object({}), execute: 'client' });
  const scout = agentOf('scout');
  const top = agentOf('top', { tools: [ask], persistentAgents: [{ agent: scout, onParentSuspend: 'pause' }] });
  const spawn = { agent: 'scout', name: 'ada', initialMessage: 'Look.', mode: 'non-blocking' };
  return {
    agents: [top, scout],
    scripts: {
      top: [
        { calls: [{ name: 'companion__spawnAgent', input: spawn }] },
        { calls: [{ name: 'ask' }] },
        { text: 'Heard.' },
      ],
      scout: ({ messages }) =>
        saidBy(messages).includes('Yes.') ? { text: saidBy(messages).join(' ') } : { hang: true },
    },
  };
};

/** Four messages to a companion that stands still: all but one are taken back, the first twice, and that is sent again under its key. */
async function takenBackFromParent(options: TreeOptions = {}) {
  return withTree(pausing, options, async (tree) => {
    await tree.start();
    await tree.time.until(() => tree.pending.length > 0);
    const ada = () => present(tree.addresses.find((address) => address.endsWith('/ada')));
    await tree.rest();
    const statuses = tree.nodes.map(({ address, status }) => [address.split('/').at(-1), status]);
    expect(statuses).toContainEqual(['ada', 'interrupted']);
    const before = tree.commits.length;
    const first = await sent(tree, ada(), 'No.');
    await sent(tree, ada(), 'Yes.');
    const more = [await sent(tree, ada(), 'Nor this.'), await sent(tree, ada(), 'Nor that.')];
    const replies = [await cancelled(tree, ada(), first, 'a'), await cancelled(tree, ada(), first, 'b')];
    for (const one of more) replies.push(await cancelled(tree, ada(), one, one));
    const again = await sent(tree, ada(), 'No.');
    const others = [await cancelled(tree, ada(), 'm_none', 'n')];
    const commits = tree.commits.length;
    const { toolCallId } = present(tree.pending[0]);
    const input = { kind: 'client-tool-result', toolCallId, result: 1 };
    expect(await askSurely(tree, { verb: 'submit', address: tree.address, input })).toMatchObject({ ok: true });
    await tree.finish();
    await tree.rest();
    const audits = tree.store().audit({});
    return {
      before,
      commits,
      replies,
      others,
      same: again === first,
      said: saidBy(tree.transcript(ada())),
      audits: audits.filter(({ action }) => action === 'cancelMessage').length,
      problems: tree.time.problems,
    };
  });
}

describe('a message to a companion that stands still', () => {
  it('[DL10, DL9, RC5] is taken back from its parent, each of several, once and for all, wherever a crash comes', async () => {
    const done = { ok: true, body: {} };
    const expected = {
      replies: [done, done, done, done],
      others: [{ ok: false, error: { code: 'not_found' } }],
      same: true,
      said: ['Look.', 'Yes.'],
      audits: 3,
      problems: [],
    };
    const calm = await takenBackFromParent();
    expect(calm).toMatchObject(expected);
    for (const commit of sample(calm.commits - calm.before, 40, 1).map((index) => calm.before + index))
      expect(await takenBackFromParent({ crashAt: new Set([commit]) }), `a crash at ${commit}`).toMatchObject(expected);
  });
});
