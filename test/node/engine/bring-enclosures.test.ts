/** Files on their way from one object to another, over real stores: a part at a time, and only for whom they are. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { heldKey } from '../../../src/core/agent/calls/enclosures';
import type { Enclosure } from '../../../src/core/agent/inbound';
import type { Session } from '../../../src/core/agent/state';
import { withoutFiles } from '../../../src/engine/children/send-child-messages';
import { answerEnclosure, bringToChild, bringToParent } from '../../../src/engine/files/bring-enclosures';
import type { FilesAnswer, FilesCall } from '../../../src/engine/object/object-calls';
import { failure } from '../../../src/protocol/errors';
import { createFileStore } from '../../../src/store/files';
import { nodeStorage } from '../../../src/testing/node-storage';
import { createFileTables, MiB, sha256 } from '../../contract/files-support';
import { childRecord } from '../../contract/stores-support';
import { present } from '../../support/present';
import { sized } from '../../support/sizes';

/** 200 MB in a night. */
const SIZE = sized(40, 200) * MiB;

/** A stream of so many bytes; gives how many of them were asked for. */
function source(size: number): { body: ReadableStream<Uint8Array>; read(): number } {
  const piece = new Uint8Array(MiB).fill(7);
  let at = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        at += MiB;
        controller.enqueue(piece);
        if (at >= size) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, read: () => at };
}

const parentSession = { sessionId: 's_parent', address: '/agents/top/one' };
const child = childRecord(1, 'Leaf', 'leaf');

const task = { childId: 1, task: 1 };
const outcome = { status: 'completed', output: '', completionReason: 'session_stop' } as const;

it.each(['to a child', 'to the parent'])(
  '[CF6, SAW8] a big one passes %s with a few parts in memory: none is read before the one before it is written',
  async (way) => {
    const folder = mkdtempSync(join(tmpdir(), 'enclosures-'));
    const stores = ['from', 'to'].map((name) => nodeStorage(join(folder, name)));
    try {
      for (const storage of stores) createFileTables(storage);
      const [from, to] = stores;
      if (from === undefined || to === undefined) throw new Error('Two stores.');
      const [sender, receiver] = [from, to].map((storage) => createFileStore(storage, { now: () => 1 }));
      if (sender === undefined || receiver === undefined) throw new Error('Two stores.');
      const { etag } = await sender.write('big', source(SIZE).body);
      from.transactionSync(() => sender.kept.hold(heldKey('attachments/big'), 'big'));
      const file = { path: 'attachments/big', size: SIZE, mediaType: 'text/plain', etag };
      const written = (): number =>
        Number(to.sql.exec('SELECT count(*) AS n FROM file_chunks WHERE key > 0').one().n) * MiB;
      let ahead = 0;
      const watching = (bytes: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => {
        const reader = bytes.getReader();
        let read = 0;
        const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
          const next = await reader.read();
          if (next.done) return controller.close();
          read += next.value.byteLength;
          ahead = Math.max(ahead, read - written());
          controller.enqueue(next.value);
        };
        return new ReadableStream({ pull }, { highWaterMark: 0 });
      };
      const object = { agent: undefined, ports: { files: receiver } };
      const asked: string[] = [];
      const send = (_: unknown, { bytes, ...call }: FilesCall) => {
        asked.push(call.ask.op);
        return answerEnclosure(object, { ...call, ...(bytes ? { bytes: watching(bytes) } : {}) });
      };
      const { kept } = sender;
      const ask = (_: unknown, call: FilesCall) => send(undefined, call);
      const session = { ...parentSession, parent: { sessionId: 's_above', address: '/agents/top/one' }, root: {} };
      const run = {
        phase: 'ended',
        outcome,
        task,
        acknowledged: false,
        gives: [{ ...file, by: 'c_1' }],
        endsBy: 'c_1',
      };
      const parts = { deps: { kept, children: { send }, askFiles: ask }, state: { session, run } };
      const agent = Object.assign(Object.create(null), parts);
      const bring = async (): Promise<unknown> => {
        if (way === 'to a child') return bringToChild(agent, child, [file]);
        const brought = await bringToParent(agent);
        return brought && 'failed' in brought ? brought : undefined;
      };
      expect(await bring()).toBeUndefined();
      expect(ahead).toBeLessThanOrEqual(3 * MiB);
      expect(ahead).toBeGreaterThan(0);
      // It is there now, and is not brought again.
      expect(await bring()).toBeUndefined();
      expect(asked).toEqual(['has', 'take', 'has']);
    } finally {
      for (const storage of stores) storage.close();
      rmSync(folder, { recursive: true });
    }
  },
);

it('[CF1] is taken from the parent and from a child at work alone', async () => {
  const storage = nodeStorage();
  createFileTables(storage);
  const files = createFileStore(storage, { now: () => 1 });
  const session: Session = {
    sessionId: 's_me',
    address: '/a',
    parent: parentSession,
    agentType: 'me',
    root: { className: 'Top', name: 'one' },
    depth: 2,
    createdAt: 1,
    tags: [],
  };
  const bytes = new TextEncoder().encode('x');
  const file = { path: 'attachments/a', size: 1, mediaType: 'text/plain', etag: sha256(bytes) };
  const take = async (asker: string, owner = 's_me', more: Partial<Session> = {}) => {
    const state = { session: { ...session, ...more }, children: new Map([[1, child]]) };
    const call = { kind: 'files', path: [], owner, asker: { sessionId: asker, address: '' } } as const;
    const body = new Response(bytes).body ?? undefined;
    const ask = { op: 'take', file } as const;
    const answer = await answerEnclosure(
      { agent: { state }, ports: { files } },
      { ...call, ask, ...(body && { bytes: body }) },
    );
    return answer.ok || answer.error.code;
  };
  expect([await take('s_parent'), await take(child.sessionId), await take('s_other')]).toEqual([true, true, 'gone']);
  expect(await take('s_parent', 's_before')).toBe('gone');
  const shared = { workspace: { is: 'inherited', owner: parentSession, rules: {} } } as const;
  expect(await take(child.sessionId, 's_me', shared)).toBe('invalid_request');
  expect((await files.list()).items).toEqual([]);
  storage.close();
});

it('[CF1, CF2] is there where its sender has sent that content, or a file has it; another content is sent', async () => {
  const utf8 = (text: string) => new TextEncoder().encode(text);
  const enclosure = (text: string) => {
    const etag = sha256(utf8(text));
    return { path: 'attachments/a', size: text.length, mediaType: 'text/plain', etag };
  };
  for (const isFile of [false, true])
    for (const brought of [undefined, 's_parent', child.sessionId]) {
      const storage = nodeStorage();
      createFileTables(storage);
      const files = createFileStore(storage, { now: () => 1 });
      const asks = (sessionId: string, op: 'has' | 'take', text: string) => {
        const call = { kind: 'files', path: [], owner: 's_me', asker: { sessionId, address: '' } } as const;
        const bytes = op === 'take' ? { bytes: present(new Response(text).body) } : {};
        const object = { agent: undefined, ports: { files } };
        return answerEnclosure(object, { ...call, ask: { op, file: enclosure(text) }, ...bytes });
      };
      if (isFile) await files.write('attachments/a', utf8('as a file'));
      if (brought) expect(await asks(brought, 'take', 'brought')).toMatchObject({ ok: true });
      for (const asker of ['s_parent', child.sessionId])
        for (const text of ['as a file', 'brought', 'other']) {
          const gives = text === 'as a file' ? isFile : text === 'brought' && brought === asker;
          const what = JSON.stringify({ isFile, brought, asker, text });
          expect(await asks(asker, 'has', text), what).toEqual({ ok: true, op: 'has', gives });
        }
      storage.close();
    }
});

it('[CF1] are sent in order up to the first that is refused or gone, and of that one the reason is given', async () => {
  const storage = nodeStorage();
  createFileTables(storage);
  const files = createFileStore(storage, { now: () => 1 });
  const enclosures: Enclosure[] = [];
  for (const name of ['a', 'b', 'c']) {
    const { etag, size, mediaType } = await files.write(name, name);
    storage.transactionSync(() => files.kept.hold(heldKey(`attachments/${name}`), name));
    enclosures.push({ path: `attachments/${name}`, etag, size, mediaType });
  }
  const error = failure('payload_too_large', 'x'.repeat(600));
  for (const at of [0, 1, 2, 3])
    for (const op of ['has', 'take', 'gone'] as const) {
      const asked: string[] = [];
      const send = async (_: unknown, { ask }: FilesCall): Promise<FilesAnswer> => {
        const path = 'file' in ask ? ask.file.path : '';
        asked.push(`${ask.op} ${path}`);
        if (path === enclosures[at]?.path && ask.op === op) return { ok: false, error };
        return ask.op === 'has' ? { ok: true, op: 'has', gives: false } : { ok: true, op: 'take' };
      };
      const kept = {
        ...files.kept,
        open: (key: string) =>
          op === 'gone' && key === heldKey(enclosures[at]?.path ?? '') ? undefined : files.kept.open(key),
      };
      const parts = { deps: { kept, children: { send } }, state: { session: parentSession } };
      const why = await bringToChild(Object.assign(Object.create(null), parts), child, enclosures);
      const all = enclosures.flatMap(({ path }) => [`has ${path}`, `take ${path}`]);
      expect(asked).toEqual(at === 3 ? all : all.slice(0, 2 * at + (op === 'take' ? 2 : 1)));
      if (at === 3) expect(why).toBeUndefined();
      else if (op === 'gone') expect(why).toBe(`${enclosures[at]?.path} is no longer stored.`);
      else expect([why?.length, why?.startsWith('xxx')]).toEqual([500, true]);
    }
  storage.close();
});

it('[CF4, CO4] what a child is told goes along with its work up to the first message with files, and nothing behind that', () => {
  const files = [{ path: 'attachments/a-1.txt', size: 1, mediaType: 'text/plain', etag: 'e' }];
  const patterns = Array.from({ length: 16 }, (_, bits) => [0, 1, 2, 3].map((at) => ((bits >> at) & 1) === 1));
  for (const pattern of [[], ...patterns]) {
    const mail = pattern.map((isWithFiles, at) => ({
      ...{ number: at + 1, callId: 'c' },
      message: {
        ...{ messageId: `m_${at}`, role: 'user' as const, content: `part ${at}`, from: 'parent' as const },
        ...(isWithFiles ? { files } : {}),
      },
    }));
    const first = pattern.indexOf(true);
    const along = withoutFiles({ ...child, mailbox: { messages: mail, last: mail.length } }).mailbox?.messages ?? [];
    expect(along, JSON.stringify(pattern)).toEqual(mail.slice(0, first < 0 ? mail.length : first));
  }
});
