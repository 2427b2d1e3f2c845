/** Sockets of a tree: passes, tickets and what is kept of each, over a host that only keeps things. */
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { addAuthorizer } from '../../../src/access/authorizers';
import type { GivenToken } from '../../../src/core/ports/tree-store';
import type { ObjectRuntime } from '../../../src/engine/object/object';
import { PASS_HEADER, type SocketCall, type SocketOpening } from '../../../src/engine/object/object-calls';
import type { HeldSocket, SocketDeps } from '../../../src/engine/object/object-sockets';
import type { JsonObject } from '../../../src/protocol/json';
import { SOCKET_CLOSES } from '../../../src/protocol/view/closes';
import { WIRE_LIMITS } from '../../../src/protocol/wire/wire-limits';
import { TreeSockets } from '../../../src/sockets/tree-sockets';
import * as table from '../../../src/verbs/table';

const AT = '/agents/top/one';
const LEAF = `${AT}/sub/leaf/a`;
const FAR = `${AT}/sub/leaf/b`;
const NOW = 1_000_000;
const PASS_MS = 30_000;

/** As whom sockets are opened here; its number depends on the tests that ran before in this process. */
const byAnn = addAuthorizer(() => ({ subject: 'ann' }));

type Socket = HeldSocket & { bufferedAmount: number; readonly sent: JsonObject[]; readonly closes: number[] };

function hosted() {
  const clock = { now: NOW };
  const tokens = new Map<string, GivenToken>();
  const openings = new Map<string, SocketOpening>();
  const positions = new Map<string, JsonObject>();
  const directed: string[] = [];
  let sockets: Socket[] = [];
  let isLeaving = false;
  const node = (id: number, address: string, placement?: string) => ({
    ...{ id, address, kind: placement ? 'child' : 'root', placement, top: {}, sessionId: `s_${id}`, parentId: 1 },
  });
  const nodes = [node(1, AT), node(2, LEAF, 'facet'), node(3, FAR, 'remote')];
  const object = {
    isRoot: true,
    environment: { now: () => clock.now, report: () => undefined, timer: () => () => undefined },
    agent: { state: {} },
    childAt: () => ({ ok: false, error: { code: 'not_found', category: 'address', message: 'No.', retryable: false } }),
    ports: {},
    store: { transaction: (body: () => void) => body() },
    tree: {
      self: () => nodes[0],
      isBeingRemoved: () => false,
      log: { first: 1, last: 0 },
      watch: () => () => undefined,
      tree: {
        byAddress: (address: string) => nodes.find((one) => one.address === address),
        parentOf: () => nodes[0],
      },
      deps: {
        store: {
          token: (id: string) => tokens.get(id),
          putToken: (token: GivenToken) => void tokens.set(token.id, token),
          dropTokens(ids: readonly string[]) {
            for (const id of ids) tokens.delete(id);
          },
        },
      },
    },
  } as unknown as ObjectRuntime;
  const deps: SocketDeps = {
    object: () => object,
    isLeaving: () => isLeaving,
    sockets: () => sockets,
    position: ({ id }) => positions.get(id),
    setPosition: ({ id }, kept) => void positions.set(id, kept),
    openings: () => ({
      get: (key) => openings.get(key),
      put: (key, opening) => void openings.set(key, opening),
      delete: (key) => void openings.delete(key),
      list: ({ prefix }) => [...openings].filter(([key]) => key.startsWith(prefix)),
    }),
    env: () => ({}),
    direct: (_url, address) => void directed.push(address),
  };
  const tree = new TreeSockets(deps);
  const admitted = (facts: Partial<SocketCall> = {}) => {
    const answer = tree.admit({
      ...{
        kind: 'socket',
        path: [],
        opening: { authorizer: byAnn, url: `https://a.test${AT}`, headers: [] },
        caller: 'ann',
      },
      ...facts,
    });
    return answer.ok ? answer.pass : answer.error.code;
  };
  const upgraded = (pass: string, url = `https://a.test${AT}?x=1&offshoot=forged`) => {
    const prepared = tree.prepare(new Request(url, { headers: { [PASS_HEADER]: pass, accept: 'x' } }));
    return prepared instanceof Response ? undefined : prepared;
  };
  const opened = (facts: Partial<SocketCall> = {}): Socket => {
    const request = upgraded(admitted(facts));
    if (request === undefined) throw new Error('It was refused.');
    const id = [...openings.keys()].at(-1)?.slice('offshoot_socket:'.length) ?? '';
    const [sent, closes]: [JsonObject[], number[]] = [[], []];
    const socket = {
      ...{ id, uri: request.url, readyState: 1, bufferedAmount: 0, sent, closes },
      send: (text: string) => void sent.push(JSON.parse(text)),
      close: (code: number) => void closes.push(code),
    } as unknown as Socket;
    sockets.push(socket);
    return socket;
  };
  return {
    ...{ clock, tokens, openings, positions, directed, tree, admitted, upgraded, opened },
    lose(socket: Socket) {
      sockets = sockets.filter((one) => one !== socket);
    },
    leave() {
      isLeaving = true;
    },
  };
}

const token = (facts: Partial<GivenToken> = {}): GivenToken => ({
  ...{ id: 't_1', address: AT, actions: ['read'], asked: '', createdAt: NOW, createdBy: 'ann', holder: 'ann' },
  endsAt: NOW + 1_000_000,
  ...facts,
});
const use = { id: 't_1', endsAt: NOW + 1_000_000 };
const leaf = [{ className: 'Leaf', addressClass: 'leaf', name: 'a' }] as unknown as SocketCall['path'];
const far = [{ className: 'Leaf', addressClass: 'leaf', name: 'b' }] as unknown as SocketCall['path'];
const none = [{ className: 'Leaf', addressClass: 'leaf', name: 'c' }] as unknown as SocketCall['path'];

describe('a pass', () => {
  it('[X13] opens one socket, within 30 s, with the grant that it was given for and no other', () => {
    for (const [after, isTaken] of [
      [0, true],
      [PASS_MS, true],
      [PASS_MS + 1, false],
    ] as const) {
      const { clock, admitted, upgraded, openings } = hosted();
      const pass = admitted();
      clock.now += after;
      const request = upgraded(pass);
      expect([after, request !== undefined, openings.size]).toEqual([after, isTaken, isTaken ? 1 : 0]);
      expect(upgraded(pass)).toBeUndefined();
      if (request === undefined) continue;
      const { searchParams } = new URL(request.url);
      expect(searchParams.getAll('offshoot')).toEqual([JSON.stringify({ address: AT })]);
      expect([searchParams.get('x'), request.headers.get('accept')]).toEqual(['1', 'x']);
      expect(request.headers.has(PASS_HEADER)).toBe(false);
    }
    const { tree, upgraded } = hosted();
    expect(upgraded('none')).toBeUndefined();
    // A request without a pass is not ours: it has no grant.
    const plain = tree.prepare(new Request(`https://a.test${AT}?offshoot=${encodeURIComponent('{"address":"/x"}')}`));
    expect(plain instanceof Request && new URL(plain.url).search).toBe('');
  });

  it('[OP8, W39] is for an agent that is there; of one in another object, and of a bell, for frames of ours alone', () => {
    for (const [path, bell, address, framesOnly] of [
      [[], undefined, AT, false],
      [leaf, undefined, LEAF, false],
      [far, undefined, FAR, true],
      [leaf, true, LEAF, true],
    ] as const) {
      const { opened, directed, tree } = hosted();
      const socket = opened({ path, ...(bell ? { bell } : {}) });
      expect([directed, tree.isFramesOnly(socket)]).toEqual([[framesOnly ? AT : address], framesOnly]);
      const grant = { address, ...(framesOnly ? { framesOnly } : {}) };
      expect(new URL(String(socket.uri)).searchParams.get('offshoot')).toBe(JSON.stringify(grant));
    }
    expect(hosted().admitted({ path: none })).toBe('not_found');
  });

  it('[W18, X34] counts as a socket of its holder until it is over, and a socket until it has gone', () => {
    const { clock, admitted, opened, openings } = hosted();
    const most = WIRE_LIMITS.maxSockets;
    const all = Array.from({ length: most }, () => admitted());
    const given = all.filter((pass) => pass !== 'too_many_sockets').length;
    expect(given).toBe(most / 2);
    expect([admitted(), admitted({ caller: 'eve' }).includes('-')]).toEqual(['too_many_sockets', true]);
    clock.now += PASS_MS + 1;
    for (let at = 0; at < given; at++) opened();
    expect([admitted(), openings.size]).toEqual(['too_many_sockets', given]);
    expect([...openings.values()].every(({ holder }) => holder === 'ann')).toBe(true);
  });
});

describe('a token at the door of a socket', () => {
  it('[TK4, TK5, TK8] opens one where it counts; for one call none; a ticket one, which goes with its socket', () => {
    const open = (known: GivenToken | undefined, shown: object = use, isOpen?: true) => {
      const host = hosted();
      if (known) host.tokens.set(known.id, known);
      return { ...host, answer: host.admitted({ token: shown as never, ...(isOpen ? { isOpen } : {}) }) };
    };
    expect(open(undefined).answer).toBe('unauthorized');
    expect(open(token({ revokedAt: NOW })).answer).toBe('unauthorized');
    expect(open(token({ madeBy: 't_0' })).answer).toBe('unauthorized');
    expect(open(token({ toolCallId: 'c_1' }), { ...use, call: 'c_1' }).answer).toBe('forbidden');
    expect(open(token({ ticket: 'opened' })).answer).toBe('unauthorized');
    expect(open(token({ ticket: 'opened' }), use, true).answer).toContain('-');
    const plain = open(token());
    expect([plain.answer.includes('-'), plain.tokens.get('t_1')]).toEqual([true, token()]);
    const kept = open(token({ ticket: 'new' }), use, true);
    expect(kept.tokens.get('t_1')?.ticket).toBe('new');
  });

  it.each(['closed', 'asleep and gone', 'never opened'])('[TK8] a ticket goes with its socket: %s', (how) => {
    const { clock, tokens, tree, admitted, upgraded, opened, openings, lose } = hosted();
    tokens.set('t_1', token({ ticket: 'new' }));
    if (how === 'never opened') {
      admitted({ token: use });
      clock.now += PASS_MS;
      admitted();
      expect(tokens.get('t_1')?.ticket).toBe('opened');
      clock.now += 1;
      admitted();
    } else {
      const other = opened();
      const socket = opened({ token: use });
      expect([tokens.get('t_1')?.ticket, admitted({ token: use })]).toEqual(['opened', 'unauthorized']);
      lose(socket);
      if (how === 'closed') tree.closed(socket);
      else tree.restore();
      expect([...openings.keys()]).toEqual([`offshoot_socket:${other.id}`]);
    }
    expect(tokens.size).toBe(0);
    expect(upgraded('none')).toBeUndefined();
  });

  it('[W24] nothing is forgotten of a socket that is closed while the object goes', () => {
    const { tree, opened, openings, leave } = hosted();
    const socket = opened();
    leave();
    tree.closed(socket);
    expect(openings.size).toBe(1);
  });
});

const TEXT = '{"type":"mine"}';

describe('frames of a socket', () => {
  it('[W13, X11] that are not ours reach the agent with the right to write; who has none hears so once, as the frame asks', async () => {
    let rights: readonly string[] = [];
    const authorizer = addAuthorizer((_request, { action }) =>
      rights.includes(action) ? { subject: 'ann' } : { refused: 'forbidden' },
    );
    const call = { type: 'rpc', id: '7', method: 'x', args: [] };
    const error = { type: 'offshoot.error', code: 'forbidden' };
    for (const [given, message, isTaken, sent, closes] of [
      [['read', 'write'], TEXT, false, [], []],
      [['read', 'write'], JSON.stringify(call), false, [], []],
      [['read'], TEXT, true, [error], []],
      [['read'], new ArrayBuffer(1), true, [error], []],
      [['read'], JSON.stringify(call), true, [{ type: 'rpc', id: '7', success: false }], []],
      [['write'], TEXT, true, [], [SOCKET_CLOSES.forbidden]],
      [['read'], '{"type":"offshoot.none"}', true, [{ type: 'offshoot.error', code: 'invalid_request' }], []],
    ] as const) {
      const { tree, opened } = hosted();
      const socket = opened({ opening: { authorizer, url: `https://a.test${AT}`, headers: [] } });
      rights = given;
      expect(await tree.take(socket, message), `${given} ${message}`).toBe(isTaken);
      expect([socket.sent.length, socket.closes], `${given} ${message}`).toEqual([sent.length, closes]);
      expect(socket.sent).toMatchObject(sent);
      // One that was closed hears nothing more, whatever it sends.
      if (closes.length > 0) expect([await tree.take(socket, TEXT), socket.sent]).toEqual([true, []]);
    }
  });

  it('[W10] that call a verb carry its key and its trace, each where it is given, and are answered by their id', async () => {
    const answerVerb = vi.spyOn(table, 'answerVerb').mockResolvedValue({ ok: true, status: 202, body: { at: 1 } });
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    for (const more of [{}, { idempotencyKey: 'k' }, trace, { idempotencyKey: 'k', ...trace }]) {
      const { tree, opened } = hosted();
      const socket = opened();
      const frame = { type: 'offshoot.call', id: 'c', verb: 'start', body: { message: 'Go' }, ...more };
      expect(await tree.take(socket, JSON.stringify(frame))).toBe(true);
      const asked = { kind: 'verb', path: [], verb: 'start', input: { message: 'Go' }, caller: 'ann', ...more };
      expect(answerVerb.mock.lastCall?.[1]).toEqual(asked);
      expect(socket.sent).toEqual([{ type: 'offshoot.result', id: 'c', ok: true, body: { at: 1 } }]);
    }
    answerVerb.mockRestore();
  });

  it('[W23] are handled as long as no more are under way than may be, and those of a closed socket never', async () => {
    const { tree, opened } = hosted();
    const { maxSocketFrames, maxSocketFrameBytes, maxFrameBytes } = WIRE_LIMITS;
    const large = maxSocketFrameBytes / maxFrameBytes;
    for (const [count, message] of [
      [maxSocketFrames, TEXT],
      [large, 'x'.repeat(maxFrameBytes)],
      // However large a frame is, it counts as the largest that is taken.
      [large, 'x'.repeat(maxFrameBytes + 1)],
      [large, new ArrayBuffer(maxFrameBytes)],
    ] as const) {
      const socket = opened();
      const ends: (() => void)[] = [];
      const handled = Array.from({ length: count }, () =>
        tree.handle(socket, message, () => new Promise((resolve) => ends.push(resolve))),
      );
      expect([ends.length, socket.closes]).toEqual([count, []]);
      ends.shift()?.();
      await handled.shift();
      let again = 0;
      const more = async () => void again++;
      handled.push(tree.handle(socket, message, () => new Promise((resolve) => ends.push(resolve))));
      await tree.handle(socket, 'x', more);
      expect([again, socket.closes]).toEqual([0, [SOCKET_CLOSES.slow]]);
      for (const end of ends) end();
      await Promise.all(handled);
      await tree.handle(socket, 'x', more);
      expect([again, await tree.take(socket, TEXT)]).toEqual([0, true]);
    }
  });

  it('[W23] close it once those whose handlers are not done are too many or too large, whatever came before them', async () => {
    const { maxSocketFrames, maxSocketFrameBytes, maxFrameBytes } = WIRE_LIMITS;
    // An empty one is counted by its number alone.
    const sizes = [0, 1, maxFrameBytes / 2, maxFrameBytes, maxFrameBytes + 1];
    const bodies = sizes.flatMap((size) => ['x'.repeat(size), new ArrayBuffer(size)]);
    const coming = fc.record({ many: fc.constantFrom(1, 3, maxSocketFrames / 4), body: fc.constantFrom(...bodies) });
    const ending = fc.record({ ends: fc.integer({ min: 1, max: maxSocketFrames / 2 }), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(coming, ending, ending), { maxLength: 40 }), async (acts) => {
        const { tree, opened } = hosted();
        const socket = opened();
        const open: { readonly bytes: number; readonly done: Promise<void>; end(fails: boolean): void }[] = [];
        let isClosed = false;
        for (const act of acts) {
          if ('ends' in act)
            for (const { done, end } of open.splice(0, act.ends)) {
              end(act.fails);
              await done.catch(() => undefined);
            }
          else
            for (let n = 0; n < act.many; n++) {
              const size = typeof act.body === 'string' ? act.body.length : act.body.byteLength;
              const bytes = Math.min(size, maxFrameBytes);
              const inProgress = open.reduce((sum, one) => sum + one.bytes, bytes);
              isClosed ||= open.length === maxSocketFrames || inProgress > maxSocketFrameBytes;
              const handler = Promise.withResolvers<void>();
              let isHandled = false;
              const done = tree.handle(socket, act.body, () => {
                isHandled = true;
                return handler.promise;
              });
              expect(isHandled).toBe(!isClosed);
              const end = (fails: boolean) => (fails ? handler.reject(new Error('No.')) : handler.resolve());
              if (isHandled) open.push({ bytes, done, end });
            }
          expect(socket.closes).toEqual(isClosed ? [SOCKET_CLOSES.slow] : []);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('[W23] one that fails is under way no more', async () => {
    const { tree, opened } = hosted();
    const socket = opened();
    for (let at = 0; at <= WIRE_LIMITS.maxSocketFrames; at++)
      await tree.handle(socket, TEXT, () => Promise.reject(new Error('No.'))).catch(() => undefined);
    expect(socket.closes).toEqual([]);
  });

  it('[W16, W19] are refused beyond 1 MiB, and end a socket that has not read more than 4 MiB', async () => {
    const { tree, opened } = hosted();
    const { maxFrameBytes, maxUnreadBytes } = WIRE_LIMITS;
    for (const [message, isTaken] of [
      ['x'.repeat(maxFrameBytes), true],
      ['x'.repeat(maxFrameBytes + 1), false],
      ['\u4e2d'.repeat(Math.floor(maxFrameBytes / 3)), true],
      ['\u4e2d'.repeat(Math.floor(maxFrameBytes / 3) + 1), false],
      [new ArrayBuffer(maxFrameBytes), true],
      [new ArrayBuffer(maxFrameBytes + 1), false],
    ] as const) {
      const socket = opened();
      expect(await tree.take(socket, message)).toBe(!isTaken);
      expect(socket.sent.some(({ code }) => code === 'payload_too_large')).toBe(!isTaken);
    }
    for (const [unread, isClosed] of [
      [maxUnreadBytes, false],
      [maxUnreadBytes + 1, true],
    ] as const) {
      const socket = opened();
      socket.bufferedAmount = unread;
      expect(await tree.take(socket, new ArrayBuffer(maxFrameBytes + 1))).toBe(true);
      expect([socket.closes, socket.sent.length]).toEqual(isClosed ? [[SOCKET_CLOSES.slow], 0] : [[], 1]);
    }
  });
});
