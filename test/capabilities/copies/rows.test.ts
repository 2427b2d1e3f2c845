/** A memory in portions, each as long as one call takes, without a row that is lost or split; and where a memory is cut. */
import { expect, it } from 'vitest';
import { cutIn, memoryOf, PORTION, portions, sendMemory } from '../../../src/capabilities/copies/rows';
import type { Change } from '../../../src/core/agent/changes';
import { SqlAgentStore } from '../../../src/store/agent-store';
import { migrate } from '../../../src/store/migrate';
import { AGENT_MIGRATIONS } from '../../../src/store/migrations';
import { nodeStorage } from '../../../src/testing/node-storage';
import { call, message, RUN, replied, SETTLED, STEP, state } from '../../contract/stores-support';
import { present } from '../../support/present';

/** A row whose JSON has so many characters. */
function row(id: number, length: number): Change {
  const change = (content: string): Change => ({
    put: 'message',
    message: { id, messageId: 'm', role: 'user', content, from: 'caller', at: 1 },
  });
  return change('x'.repeat(length - JSON.stringify(change('')).length));
}

const sizes = (rows: readonly Change[]): number[] => [...portions(rows)].map((portion) => portion.length);

it('[CP36] is as long as a portion may be, and a row that is longer is one by itself', () => {
  const half = PORTION / 2;
  expect(sizes([row(1, half), row(2, half)])).toEqual([2]);
  expect(sizes([row(1, half), row(2, half + 1)])).toEqual([1, 1]);
  expect(sizes([row(1, 1_000), row(2, PORTION + 1), row(3, 1_000)])).toEqual([1, 1, 1]);
  expect(sizes([])).toEqual([]);
  const rows = Array.from({ length: 50 }, (_, index) => row(index, 70_000));
  expect([...portions(rows)].flat()).toEqual(rows);
});

it('[CP44] has no message that came after the moment of the copy', () => {
  const storage = nodeStorage();
  migrate(storage, { agent: AGENT_MIGRATIONS });
  const store = new SqlAgentStore(storage);
  store.create(state());
  store.write([
    { put: 'run', run: RUN },
    // A further try of the step has seen the later ones as well.
    { put: 'step', step: { ...STEP, messagesUpTo: 3 } },
    ...[1, 2, 3].map((id) => ({ put: 'message' as const, message: message(id) })),
  ]);
  const cut = { step: 1, turn: 1, message: 1, inRun: true, unanswered: true } as const;
  const { session } = state();
  const facts = { session: { ...session, sessionId: 's_copy' }, original: session.sessionId, token: 't', at: 9, cut };
  const rows = [...memoryOf(store, present(store.load()), facts)];
  expect(rows.flatMap((row) => (row.put === 'message' ? [row.message.id] : []))).toEqual([1]);
});

it('[CP66] a cut belongs to the agent that worked then, however many steps before the handoff', () => {
  const storage = nodeStorage();
  migrate(storage, { agent: AGENT_MIGRATIONS });
  const store = new SqlAgentStore(storage);
  const session = { ...state().session, active: 'second' };
  const hands = call(0, { kind: 'immediate', result: SETTLED.result, handsOver: { from: 'first' } });
  store.create({ ...state(), session });
  store.write([{ put: 'run', run: RUN }]);
  for (let id = 1; id <= 300; id++) store.write([{ put: 'step', step: replied(id, id === 250 ? [hands] : []) }]);
  expect([200, 140, 10].map((step) => cutIn(store, session, step))).toMatchObject([
    { step: 200, active: 'first' },
    { step: 140, active: 'first' },
    { step: 10, active: 'first' },
  ]);
  expect(cutIn(store, session, 260)).toMatchObject({ step: 260, active: 'second' });
});

it('[CP36] a file that is removed before its turn comes is left out, and the others are sent', async () => {
  const file = (path: string) => ({ path, size: 1, mediaType: 'text/plain', etag: 'e', updatedAt: 1 });
  const sent: string[] = [];
  const answer = await sendMemory(
    [],
    {
      list: async () => ({ items: ['a', 'b', 'c'].map(file) }),
      stat: async (path) => (path === 'b' ? undefined : file(path)),
      open: async (path) => {
        if (path === 'b') throw new TypeError('It is gone.');
        return { file: file(path), offset: 0, length: 1, body: new ReadableStream() };
      },
    },
    async (ask) => {
      if (ask.op === 'file') sent.push(ask.path);
      return { ok: true };
    },
  );
  expect([answer, sent]).toEqual([{ ok: true }, ['a', 'c']]);
});
