/** Copies of roots whose receiver hangs, or is slow: what becomes of them, and of the root that sends. */
import { describe, expect, it } from 'vitest';
import type { CopyAsk } from '../../../../src/capabilities/copies/messages';
import { COPIES_AT_ONCE, COPY_SILENCE_MS } from '../../../../src/capabilities/copies/plan';
import type { VerbAnswer } from '../../../../src/engine/object/object-calls';
import type { JsonObject } from '../../../../src/protocol/json';
import { ask, code } from '../../../support/asks';
import { type Tree, type TreeOptions, withTree } from '../../../support/harness';
import { questions } from '../../../support/levels';
import { isCopyCall } from '../support/calls';
import { BELOW, levels, ONE, objectsOf, TWO, write } from '../support/roots';

/** Who is stuck until the end of time. */
const stuck = <Answer>(): Promise<Answer> => new Promise(() => undefined);
/** An object that says nothing at all counts as silent after so long more, in ms. */
const SAYS_NOTHING_MS = 5_000;

type Hangs = (op: CopyAsk['op'], isBelow: boolean) => boolean;

/** A tree whose root has done one thing, and whose copies hang where that is said, as long as it is. */
function held(hangs: Hangs, body: (tree: Tree, mends: () => void) => Promise<void>): Promise<void> {
  let isAway = true;
  const options: TreeOptions = {
    network: (_address, call, perform) =>
      isAway && isCopyCall(call) && hangs(call.ask.op, call.way.length > 0) ? stuck() : perform(),
  };
  return withTree(levels({ placement: 'object' }), options, async (tree) => {
    await tree.run('one');
    await tree.rest();
    await write(tree, ONE, 'kept');
    await body(tree, () => {
      isAway = false;
    });
    // Who says nothing is not told either that the copy was given up.
    const dropped = 'The remains of a copy will be removed later. Error: It did not answer.';
    expect(tree.time.problems.filter((problem) => !hangs('drop', false) || !problem.startsWith(dropped))).toEqual([]);
  });
}

/** Asks for a copy, and gives its answer when that is there. */
function forked(tree: Tree, name: string): { answer?: VerbAnswer } {
  const found: { answer?: VerbAnswer } = {};
  const call = { kind: 'verb', path: [], verb: 'fork', input: { name }, caller: 'ada', idempotencyKey: name } as const;
  void tree.world
    .object(ONE)
    .call(call)
    .then((answer) => {
      found.answer = answer;
    });
  return found;
}

describe('the copy of a root whose receiver hangs', () => {
  it.each<[string, number, Hangs]>([
    ['before it says whether somebody is there', SAYS_NOTHING_MS, () => true],
    ['when it is to begin', 0, (op) => op === 'begin'],
    ['at rows', 0, (op, isBelow) => op === 'rows' && !isBelow],
    ['at a file', 0, (op) => op === 'file'],
    ['at rows of one below', 0, (op, isBelow) => op === 'rows' && isBelow],
    ['at its end', 0, (op) => op === 'end'],
    ['at rows, and says nothing more', SAYS_NOTHING_MS, (op) => op !== 'look' && op !== 'begin'],
  ])('[CP24] is given up %s when nothing has come for 60 s, and nothing of it stays', (_, more, hangs) =>
    held(hangs, async (tree, mends) => {
      const asked = forked(tree, 'two');
      await tree.time.pass(COPY_SILENCE_MS + more - 1);
      expect(asked.answer).toBeUndefined();
      // What is dropped in vain is not waited for either.
      await tree.time.pass(1 + SAYS_NOTHING_MS);
      expect(asked.answer).toMatchObject({
        ok: false,
        error: { code: 'unavailable', message: expect.stringContaining('60 s') },
      });
      await tree.time.pass(COPY_SILENCE_MS);
      expect(objectsOf(tree, TWO).filter((at) => at !== TWO)).toEqual([]);
      expect(code(await ask(tree, 'status', {}, undefined, TWO))).toBe('not_found');
      mends();
      // The same request is tried again.
      expect(code(await ask(tree, 'fork', { name: 'two' }, 'two'))).toBe('ok');
      expect(objectsOf(tree, TWO)).toHaveLength(BELOW.length + 1);
    }),
  );

  it(`[CP37, CP24] gives its place to others: ${COPIES_AT_ONCE} that hang keep none away for longer`, () =>
    held(
      (op) => op === 'rows',
      async (tree, mends) => {
        const all = Array.from({ length: COPIES_AT_ONCE }, (_, at) => forked(tree, `c${at}`));
        await tree.time.pass(1_000);
        expect(code(await ask(tree, 'fork', { name: 'two' }))).toBe('unavailable');
        await tree.time.pass(COPY_SILENCE_MS + SAYS_NOTHING_MS);
        expect(all.map(({ answer }) => answer && code(answer))).toEqual(all.map(() => 'unavailable'));
        mends();
        expect(code(await ask(tree, 'fork', { name: 'two' }))).toBe('ok');
      },
    ));

  it.each(['root', 'one below'])('[CP24] is waited for as long as pieces of a file of the %s come', async (whose) => {
    let [pieces, theTree]: [number, Tree | undefined] = [0, undefined];
    const slow = (bytes: ReadableStream<Uint8Array>) =>
      bytes.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          async transform(piece, to) {
            for (const byte of piece) {
              await new Promise<void>(
                (resolve) => void theTree?.time.environment.timer(COPY_SILENCE_MS - 10_000, resolve),
              );
              pieces++;
              to.enqueue(Uint8Array.of(byte));
            }
          },
        }),
      );
    await withTree(
      levels({ placement: 'object' }),
      {
        network(address, call, perform) {
          const isFirst = address === TWO && isCopyCall(call) && call.ask.op === 'file' && call.bytes;
          if (isFirst) Object.assign(call, { bytes: slow(isFirst) });
          return perform();
        },
      },
      async (tree) => {
        theTree = tree;
        await tree.run('one');
        await tree.rest();
        await write(tree, whose === 'root' ? ONE : ONE + (BELOW[0] ?? ''), 'four');
        expect(code(await ask(tree, 'fork', { name: 'two' }))).toBe('ok');
        expect(pieces).toBe(4);
        expect(tree.time.problems).toEqual([]);
      },
    );
  });
});

describe('the place of a copy that failed', () => {
  const two = (tree: Tree, verb: string, input: JsonObject) => () => ask(tree, verb, input, 'k', TWO);

  it.each([
    ['send', { content: 'Once.' }],
    ['start', { message: 'Once.' }],
  ])('[A18, CH22] takes its first message once where it comes twice at the same instant (%s)', (verb, input) =>
    held(
      (op, isBelow) => op === 'rows' && isBelow,
      async (tree, mends) => {
        void forked(tree, 'two');
        await tree.time.pass(100);
        // Only a life that finds the remains removes them first.
        tree.world.evict(TWO);
        mends();
        const say = two(tree, verb, input);
        const [first, second] = await Promise.all([say(), say()]);
        expect(code(first)).toBe('ok');
        expect(second).toEqual(first);
        await tree.rest();
        expect(questions(tree.transcript(TWO))).toEqual(['Once.']);
      },
    ),
  );
});
