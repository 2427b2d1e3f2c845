/** A stop that names the start which it is for, and a start that comes after it. */
import { describe, expect, it } from 'vitest';
import { IDEMPOTENCY_MS } from '../../src/protocol/data-limits';
import type { Message } from '../../src/protocol/messages';
import { WIRE_LIMITS } from '../../src/protocol/wire/wire-limits';
import { callOf } from '../../src/verbs/command';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { agentOf } from '../support/trees';

type Verb = 'interrupt' | 'abort' | 'terminate';
const SOFT_AND_HARD = ['interrupt', 'abort'] as const;
const VERBS = [...SOFT_AND_HARD, 'terminate'] as const;

/** It works for ever at what it is told to, and answers everything else. */
const script = ({ messages }: { messages: readonly Message[] }) =>
  JSON.stringify(messages.at(-1)).includes('Work') ? ({ hang: true } as const) : { text: 'Done.' };

const top = (): TreeParts => ({ agents: [agentOf('top', { onConcurrentStart: 'queue' })], scripts: { top: script } });

const ask = async (tree: Tree, verb: 'start' | Verb | 'status' | 'retry' | 'resume', input: object, key?: string) => {
  const by = { caller: 'parent', ...(key === undefined ? {} : { idempotencyKey: key }) };
  const answer = await tree.soon(tree.world.object(tree.address).call(callOf(tree.address, verb, input, by)));
  return answer.ok
    ? { status: answer.status, body: answer.body }
    : { code: answer.error.code, said: answer.error.message };
};

const start = async (tree: Tree, message: string, key: string): Promise<string> => {
  const { body } = await ask(tree, 'start', { message }, key);
  return String(Object(body).runId);
};

const within = (body: (tree: Tree) => Promise<void>) => withTree(top, {}, body);
const runs = (tree: Tree) => tree.store().runs({}).length;

describe('a stop with the key of a start', () => {
  it.each(SOFT_AND_HARD)('[A101] stops what that began while it works, and says the same again: %s', (verb) =>
    within(async (tree) => {
      const runId = await start(tree, 'Work', 'a');
      const status = verb === 'abort' ? 'failed' : 'interrupted';
      const body = { runId, status, begun: true };
      expect(await ask(tree, verb, { start: 'a' }, 'k')).toEqual({ status: 202, body });
      expect(await ask(tree, verb, { start: 'a' }, 'k')).toEqual({ status: 202, body });
      expect(await ask(tree, verb, { start: 'a' })).toEqual({ status: 200, body });
      expect(tree.outcome).toMatchObject({ status });
      expect(
        tree
          .store()
          .audit({})
          .map(({ action }) => action),
      ).toEqual(['start', verb]);
    }),
  );

  it.each(SOFT_AND_HARD)('[A101] stops what resumed it, or tried it again: %s', (verb) =>
    within(async (tree) => {
      const runId = await start(tree, 'Work', 'a');
      await ask(tree, 'interrupt', {});
      await ask(tree, 'resume', {});
      await ask(tree, 'abort', {});
      await ask(tree, 'retry', {});
      expect(tree.ended).toBe(false);
      const status = verb === 'abort' ? 'failed' : 'interrupted';
      expect(await ask(tree, verb, { start: 'a' })).toEqual({ status: 202, body: { runId, status, begun: true } });
      expect(runs(tree)).toBe(3);
      await start(tree, 'Say', 'b');
      await tree.finish();
      expect(await ask(tree, verb, { start: 'a' })).toEqual({ status: 200, body: { runId, status, begun: true } });
    }),
  );

  it.each(SOFT_AND_HARD)('[A101] leaves what somebody else has begun since alone: %s', (verb) =>
    within(async (tree) => {
      const runId = await start(tree, 'Say', 'a');
      await tree.finish();
      await start(tree, 'Work', 'b');
      const body = { runId, status: 'completed', begun: true };
      for (const key of ['k', 'k', undefined])
        expect(await ask(tree, verb, { start: 'a' }, key)).toEqual({ status: 200, body });
      expect(tree.ended).toBe(false);
      expect(await ask(tree, 'abort', {})).toMatchObject({ status: 202 });
    }),
  );

  it.each(SOFT_AND_HARD)('[A101, EN5] takes it out of the queue: %s', (verb) =>
    within(async (tree) => {
      const first = await start(tree, 'Work', 'a');
      const runId = await start(tree, 'Say', 'b');
      const body = { runId, status: 'queued', begun: false };
      expect(await ask(tree, verb, { start: 'b' }, 'k')).toEqual({ status: 202, body });
      expect(await ask(tree, verb, { start: 'b' }, 'k')).toEqual({ status: 202, body });
      expect(await ask(tree, verb, { start: 'b' })).toEqual({ status: 200, body });
      expect(await start(tree, 'Say', 'b')).toBe(runId);
      expect(tree.state()).toMatchObject({ run: { runId: first, phase: 'active' } });
      await ask(tree, 'abort', { start: 'a' });
      expect(tree.state()).toMatchObject({ run: { runId, phase: 'ended', outcome: { status: 'failed' } }, queued: [] });
      expect(await start(tree, 'Say', 'c')).not.toBe(runId);
      await tree.finish();
      expect(tree.outcome).toMatchObject({ status: 'completed' });
    }),
  );

  it.each(SOFT_AND_HARD)('[A101] that has not come refuses it from then on, whatever works: %s', (verb) =>
    within(async (tree) => {
      await start(tree, 'Work', 'a');
      const body = { status: 'running', begun: false };
      for (const key of ['k', 'k', undefined])
        expect(await ask(tree, verb, { start: 'late' }, key)).toEqual({ status: 200, body });
      tree.crash();
      const late = await ask(tree, 'start', { message: 'Say' }, 'late');
      expect(late).toEqual({
        code: 'idempotency_conflict',
        said: expect.stringContaining('cancelled before it arrived'),
      });
      expect(await ask(tree, verb, { start: 'late' })).toEqual({ status: 200, body });
      expect([tree.ended, runs(tree), tree.state().queued]).toEqual([false, 1, []]);
      // Others may begin what they like, also under that key.
      const others = callOf(tree.address, 'start', { message: 'Say' }, { caller: 'other', idempotencyKey: 'late' });
      expect(await tree.soon(tree.world.object(tree.address).call(others))).toMatchObject({ ok: true });
      expect(
        tree
          .store()
          .audit({})
          .map(({ action }) => action),
      ).toEqual(['start', verb, 'start']);
    }),
  );

  it('[A101, A18] is of the start of its own caller', () =>
    within(async (tree) => {
      await start(tree, 'Work', 'a');
      const other = callOf(tree.address, 'abort', { start: 'a' }, { caller: 'other' });
      const answer = await tree.soon(tree.world.object(tree.address).call(other));
      expect(answer).toMatchObject({ ok: true, body: { begun: false } });
      expect(tree.ended).toBe(false);
    }));

  it('[A101, A19] is kept with what it says of the start, or neither is', () =>
    within(async (tree) => {
      await start(tree, 'Say', 'a');
      await tree.finish();
      const object = tree.world.object(tree.address);
      const { addReceipt } = object.store;
      let written = 0;
      object.store.addReceipt = (...given) => {
        if (++written === 2) throw new Error('The disk is full.');
        return addReceipt.apply(object.store, given);
      };
      await expect(ask(tree, 'abort', { start: 'late' }, 'k')).rejects.toThrow('full');
      object.store.addReceipt = addReceipt;
      expect(written).toBe(2);
      expect(await ask(tree, 'start', { message: 'Say' }, 'late')).toMatchObject({ status: 202 });
    }));

  it.each(VERBS)('[A101, EN5] says of what it took out of the queue that it never began, whatever comes: %s', (verb) =>
    within(async (tree) => {
      await start(tree, 'Work', 'a');
      const runId = await start(tree, 'Say', 'b');
      const said = { body: { runId, begun: false } };
      expect(await ask(tree, verb, { start: 'b' })).toMatchObject(said);
      await ask(tree, 'abort', { start: 'a' });
      await tree.finish();
      expect(tree.state().queued).toEqual([]);
      expect(await ask(tree, verb, { start: 'b' })).toMatchObject({ ...said, status: 200 });
      if (verb === 'terminate') return;
      await start(tree, 'Work', 'c');
      expect(await ask(tree, verb, { start: 'b' })).toMatchObject({ ...said, status: 200 });
      expect(tree.ended).toBe(false);
    }),
  );

  it.each(SOFT_AND_HARD)('[EN5, RS3] leaves nothing in the queue that could be tried again: %s', (verb) =>
    within(async (tree) => {
      await start(tree, 'Work', 'a');
      await start(tree, 'Say', 'b');
      await ask(tree, verb, { start: 'b' });
      await ask(tree, 'abort', { start: 'a' });
      expect(await ask(tree, 'retry', {})).toMatchObject({ code: 'not_retryable' });
      expect(await ask(tree, 'resume', {})).toMatchObject({ code: 'not_resumable' });
      await start(tree, 'Say', 'c');
      await tree.finish();
      expect(tree.outcome).toMatchObject({ status: 'completed' });
    }),
  );

  it('[A101] says how what that began has ended, however many turns have come since', () =>
    within(async (tree) => {
      const runId = await start(tree, 'Work', 'a');
      await ask(tree, 'interrupt', {});
      await ask(tree, 'resume', {});
      await ask(tree, 'abort', {});
      for (let turn = 0; turn < 205; turn++) {
        await start(tree, 'Say', `other ${turn}`);
        await tree.finish();
      }
      await start(tree, 'Work', 'b');
      const body = { runId, status: 'failed', begun: true };
      expect(await ask(tree, 'abort', { start: 'a' })).toEqual({ status: 200, body });
      expect(tree.ended).toBe(false);
    }));

  it('[A101] is remembered for a day', () =>
    within(async (tree) => {
      await start(tree, 'Say', 'a');
      await tree.finish();
      await ask(tree, 'abort', { start: 'late' });
      const from = tree.time.now;
      tree.time.environment.timer(IDEMPOTENCY_MS + 1, () => undefined);
      await tree.time.until(() => tree.time.now > from + IDEMPOTENCY_MS);
      expect(await ask(tree, 'start', { message: 'Say' }, 'late')).toMatchObject({ status: 202 });
    }));

  it.each(['a', 'late'])('[A101, SP10] ends the session whatever works there: terminate, of %s', (of) =>
    within(async (tree) => {
      const runId = await start(tree, 'Say', 'a');
      await tree.finish();
      await start(tree, 'Work', 'b');
      const begun = of === 'a' ? { runId, status: 'completed', begun: true } : { status: 'terminated', begun: false };
      for (const key of ['k', 'k'])
        expect(await ask(tree, 'terminate', { start: of }, key)).toEqual({ status: 202, body: begun });
      expect(await ask(tree, 'terminate', { start: of })).toEqual({ status: 200, body: begun });
      expect(tree.outcome).toMatchObject({ status: 'terminated' });
      expect(tree.state().session).toHaveProperty('terminated');
      if (of === 'late')
        expect(await ask(tree, 'start', { message: 'Say' }, 'late')).toMatchObject({ code: 'idempotency_conflict' });
    }),
  );

  it.each(VERBS)('[A101, A21] makes nobody where nobody is: %s', (verb) =>
    within(async (tree) => {
      expect(await ask(tree, verb, { start: 'a' })).toMatchObject({ code: 'not_found' });
      expect(tree.addresses).toEqual([]);
      expect(await ask(tree, 'start', { message: 'Say' }, 'a')).toMatchObject({ status: 202 });
    }),
  );

  it.each(VERBS)('[A101] is refused with a run, and at a sub-agent: %s', (verb) =>
    within(async (tree) => {
      const runId = await start(tree, 'Work', 'a');
      const both = await ask(tree, verb, { start: 'a', runId });
      expect(both).toEqual({ code: 'invalid_input', said: expect.stringContaining('`runId`') });
      const below = callOf(`${tree.address}/sub/leaf/1~1`, verb, { start: 'a' }, { caller: 'parent' });
      const answer = await tree.soon(tree.world.object(tree.address).call(below));
      expect(answer).toMatchObject({ ok: false, error: { code: 'invalid_input' } });
      expect(tree.ended).toBe(false);
    }),
  );

  it('[A101, A23] has a key as long as one may be', () => {
    const key = (length: number) => callOf('/agents/top/one', 'abort', { start: 'k'.repeat(length) });
    expect(key(WIRE_LIMITS.maxIdempotencyKey).input).toHaveProperty('start');
    for (const length of [0, WIRE_LIMITS.maxIdempotencyKey + 1]) expect(() => key(length)).toThrow();
  });
});
