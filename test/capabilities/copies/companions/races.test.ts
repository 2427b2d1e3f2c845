/**
 * What people do to a companion, a copy of it or its deletion, against what happens to that at the same moment: at every
 * commit of its life, also where that commit is the last before a crash. The moments are forced, not timed.
 */
import { describe, expect, it } from 'vitest';
import type { VerbAnswer } from '../../../../src/engine/object/object-calls';
import { segmentOf } from '../../../../src/engine/tree-messages';
import { parseAddress } from '../../../../src/protocol/address';
import type { JsonObject } from '../../../../src/protocol/json';
import type { Message } from '../../../../src/protocol/messages';
import { askSurely } from '../../../support/asks';
import { examine } from '../../../support/examine';
import { type Tree, type TreeParts, withTree } from '../../../support/harness';
import { figures, moments } from '../../../support/sizes';
import { agentOf, answer, noteTool } from '../../../support/trees';

/** Commits of each pair that a sweep of `npm test` tries; a night tries all. */
const MOST = 5;
/** No pair asks a person more often. */
const MOST_ASKED = 10;
const ADA = '/agents/top/one/sub/scout/ada';
const BOB = '/agents/top/one/sub/scout/bob';

interface Act {
  readonly verb: string;
  readonly address?: string;
  readonly input: JsonObject;
  readonly key: string;
}

const copy: Act = { verb: 'fork', input: { name: 'bob', message: 'a copy' }, key: 'copy' };
const again: Act = { ...copy, input: { name: 'bob', message: 'another' }, key: 'again' };
const deletion: Act = { verb: 'remove', input: {}, key: 'deletion' };
const stop: Act = { verb: 'abort', address: '/agents/top/one', input: {}, key: 'stop' };

/** What people do, in that order and at once. */
const ACTS = {
  'a copy': [copy],
  'two copies under one name': [copy, again],
  'a deletion': [deletion],
  'a copy, and its deletion': [copy, deletion],
  'its deletion, and a copy': [deletion, copy],
  'a copy, and the end of its parent': [copy, stop],
} as const;

const FATES = ['completes', 'fails', 'asks a person'] as const;
type Fate = (typeof FATES)[number];

const texts = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

/** One companion that works once, and a parent that waits for its end. */
const parts =
  (fate: Fate) =>
  (tree: Tree): TreeParts => {
    const tools = [noteTool(tree), noteTool(tree, { name: 'publish', requireApproval: true })];
    const scout = agentOf('scout', { tools, outputSchema: answer });
    const top = agentOf('top', { persistentAgents: [{ agent: scout }] });
    return {
      agents: [top, scout],
      scripts: {
        top: ({ messages }) => {
          const spawn = { agent: 'scout', name: 'ada', initialMessage: 'one' };
          if (messages.some(({ role }) => role === 'tool')) return { text: 'Done.' };
          return { calls: [{ name: 'companion__spawnAgent', input: spawn }] };
        },
        scout: ({ messages, step }) => {
          if (step === 1) return { calls: [{ name: 'note', input: { text: 'l' } }] };
          const isCopy = texts(messages).at(-1) !== 'one';
          if (fate === 'fails' && !isCopy) return { fail: { code: 'model_refused' } };
          if (fate === 'asks a person' && step === 2) return { calls: [{ name: 'publish', input: { text: 'p' } }] };
          return { finish: { answer: texts(messages).join(' ') } };
        },
      },
    };
  };

/** Asks once; what is lost with the process has no answer. */
function ask(tree: Tree, { verb, address = ADA, input, key }: Act, replies: Map<string, VerbAnswer>): void {
  const path = parseAddress(address).below.map(segmentOf);
  const call = { kind: 'verb', path, verb, input, caller: 'ada', idempotencyKey: key } as const;
  tree.world
    .object(tree.address)
    .call(call)
    .then(
      (reply) => void replies.set(key, reply),
      () => undefined,
    );
}

/** Runs a pair with the acts after one commit, and a crash there where it is asked for. */
async function raced(fate: Fate, acts: readonly Act[], at: number, crash: boolean) {
  const replies = new Map<string, VerbAnswer>();
  let acted = false;
  const what = `after commit ${at}${crash ? ', which a crash follows' : ''}`;
  return withTree(
    parts(fate),
    {
      onCommit(tree, commit) {
        if (commit < at || acted || tree.time === undefined) return;
        acted = true;
        // Before anything else goes on that this commit lets go on.
        queueMicrotask(() => {
          for (const act of acts) ask(tree, act, replies);
        });
      },
      ...(crash ? { crashAt: new Set([at]) } : {}),
    },
    async (tree) => {
      await tree.start();
      for (let asked = 0; asked < MOST_ASKED; asked++) {
        await tree.rest();
        const [call] = tree.pending;
        if (call === undefined) break;
        // Nobody is answered whose process is lost meanwhile.
        void tree.answer(call, { kind: 'approval-response', approved: true }).catch(() => undefined);
      }
      await tree.rest();
      // A client asks again where its request was lost.
      for (const act of acted ? acts : [])
        if (!replies.has(act.key)) replies.set(act.key, await askSurely(tree, { address: ADA, ...act }));
      await tree.rest();
      check(tree, replies, what);
      return { kinds: tree.kinds, done: [...replies.values()].filter(({ ok }) => ok).length };
    },
  );
}

/** Each act is answered; there is a whole copy, or none; who was deleted is gone. */
function check(tree: Tree, replies: ReadonlyMap<string, VerbAnswer>, what: string): void {
  expect(tree.time.problems, what).toEqual([]);
  const isDone = (key: string): boolean => replies.get(key)?.ok === true;
  if (isDone(deletion.key)) expect(tree.addresses, what).not.toContain(ADA);
  const [one, other] = [isDone(copy.key), isDone(again.key)];
  expect(one && other, `${what}: both copies were made`).toBe(false);
  const bob = tree.nodes.find(({ address }) => address === BOB);
  if (!one && !other) expect(tree.addresses, what).not.toContain(BOB);
  if (bob === undefined) return expect(tree.addresses, what).not.toContain(BOB);
  const heard = texts(tree.transcript(BOB));
  // One that was made before the parent was stopped is stopped with it.
  if (!replies.has(stop.key)) {
    expect(bob.status, what).toBe('completed');
    expect(heard.at(-1), what).toBe(one ? copy.input.message : again.input.message);
  }
  expect(new Set(heard).size, `${what}: something was read twice`).toBe(heard.length);
  if (!replies.has(deletion.key)) examine(tree, what, true);
}

describe.each(FATES)('a companion that %s', (fate) => {
  let pairs = 0;
  figures(`companion that ${fate}, and people`, () => `${pairs} races`);

  it.each(Object.entries(ACTS))('[CO23, CP5, CP8, RC5] against %s by a person', async (_act, acts) => {
    const { kinds } = await raced(fate, acts, Number.POSITIVE_INFINITY, false);
    let done = 0;
    for (const commit of moments(kinds, MOST, 1)) {
      for (const crash of [false, true]) {
        done += (await raced(fate, acts, commit, crash)).done;
        pairs++;
      }
    }
    expect(done, 'acts that were done').toBeGreaterThan(0);
  });
});
