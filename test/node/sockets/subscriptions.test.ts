/** Subscriptions of a socket that end or begin anew, over a written log: the new one is as if the old one had never been. */
import { describe, expect, it } from 'vitest';
import { addAuthorizer } from '../../../src/access/authorizers';
import type { ObjectRuntime } from '../../../src/engine/object/object';
import type { HeldSocket, SocketDeps } from '../../../src/engine/object/object-sockets';
import type { JsonObject } from '../../../src/protocol/json';
import { TreeSockets } from '../../../src/sockets/tree-sockets';
import { ROOT, writtenLog } from '../../support/written-log';

// As workerd has it; Node's class needs a connection.
Object.assign(globalThis, { WebSocket: { OPEN: 1 } });

const authorizer = addAuthorizer(() => ({ subject: 'ann' }));
const LEAF = `${ROOT}/sub/leaf/a`;

/** A socket at the root of a log, whose object may sleep. */
function connected() {
  const log = writtenLog();
  log.begin(1);
  log.say(['a', 'b', 'c']);
  log.say(['d', 'e']);
  const frames: JsonObject[] = [];
  let position: JsonObject | undefined;
  const connection = (): HeldSocket & { readyState: number } => {
    const uri = `https://a.test${ROOT}?offshoot=${encodeURIComponent(JSON.stringify({ address: ROOT }))}`;
    const send = (text: string) => void frames.push(JSON.parse(text));
    return { id: 's', uri, readyState: 1, bufferedAmount: 0, send, close: () => undefined } as never;
  };
  let socket = connection();
  // The agents of the tree are looked up by their addresses alone.
  const byAddress = (at: string): boolean => at === ROOT || at === LEAF;
  const tree = new Proxy(log.root, {
    get: (root, name) => {
      const value: unknown = name === 'tree' ? { byAddress } : Reflect.get(root, name, root);
      return typeof value === 'function' ? value.bind(root) : value;
    },
  });
  const status = async () => ({ ok: true, body: { status: 'running' } });
  const object = { environment: log.time.environment, tree, ports: { verb: status } } as unknown as ObjectRuntime;
  const opening = { authorizer, url: `https://a.test${ROOT}`, headers: [], holder: 'ann' };
  const deps: SocketDeps = {
    object: () => object,
    isLeaving: () => false,
    sockets: () => [socket],
    position: () => structuredClone(position),
    setPosition: (_socket, kept) => {
      position = structuredClone(kept);
    },
    openings: () => ({ get: () => opening, put: () => undefined, delete: () => undefined, list: () => [] }),
    env: () => ({}),
    direct: () => undefined,
  };
  let sockets = new TreeSockets(deps);
  return {
    ...{ log, frames },
    kept: () => position,
    say: async (frame: JsonObject) => void (await sockets.take(socket, JSON.stringify(frame))),
    sleep: () => {
      socket.readyState = 3;
      socket = connection();
      sockets = new TreeSockets(deps);
      sockets.restore();
    },
    close: () => sockets.closed(socket),
    closeAll: () => sockets.closeAll(),
  };
}

type Connected = ReturnType<typeof connected>;

const subscribe = (more: JsonObject = {}): JsonObject => ({ type: 'offshoot.subscribe', ...more });
const END = { type: 'offshoot.unsubscribe' };

describe('a subscription that is over', () => {
  /** What ends the first one, and what there is from then on. */
  const changes: Readonly<Record<string, (on: Connected) => unknown>> = {
    ended: ({ say }) => say(END),
    'ended by its address': ({ say }) => say({ ...END, address: ROOT }),
    'from another number': ({ say }) => say(subscribe({ from: 4 })),
    'from the first on': ({ say }) => say(subscribe()),
    'from the next one': ({ say }) => say(subscribe({ from: 7 })),
    'without deltas': ({ say }) => say(subscribe({ deltas: false })),
    'in batches': ({ say }) => say(subscribe({ batch: true })),
    'by its address': ({ say }) => say(subscribe({ address: ROOT, from: 2 })),
    'its socket closed': ({ close }) => close(),
    'its tree goes': ({ closeAll }) => closeAll(),
  };
  const rows = Object.keys(changes).flatMap((change) =>
    (['at once', 'after its events'] as const).flatMap((when) =>
      ([false, true] as const).map((sleeps) => [change, when, sleeps] as const),
    ),
  );

  it.each(rows)('[W32, W12] sends nothing any more: %s, %s, with a sleep: %s', async (change, when, sleeps) => {
    const framesOf = async (first: JsonObject | undefined) => {
      const on = connected();
      if (first) await on.say(first);
      if (when === 'after its events') await on.log.time.pass(1_000);
      on.frames.length = 0;
      await changes[change]?.(on);
      // A socket that is gone does not come back.
      if (sleeps && !change.startsWith('its ')) on.sleep();
      await on.log.time.pass(1_000);
      on.log.say(['f', 'g']);
      await on.log.time.pass(1_000);
      return { frames: on.frames, kept: change.startsWith('its ') ? undefined : (on.kept() ?? {}) };
    };
    const alone = await framesOf(undefined);
    if (change.startsWith('ended') || change.startsWith('its ')) expect(alone.frames).toEqual([]);
    else expect(alone.frames).not.toEqual([]);
    for (const first of [
      subscribe(),
      subscribe({ from: 3, batch: true }),
      subscribe({ address: ROOT, deltas: false }),
    ]) {
      const both = await framesOf(first);
      expect(both.kept).toEqual(alone.kept ?? both.kept);
      expect(both.frames).toEqual(alone.frames);
    }
  });

  it('[W32, W12] leaves those of other agents as they are, also over a sleep', async () => {
    for (const sleeps of [false, true]) {
      const on = connected();
      for (const address of [ROOT, LEAF]) await on.say(subscribe({ address, from: 1 }));
      await on.log.time.pass(1_000);
      await on.say({ ...END, address: LEAF });
      if (sleeps) on.sleep();
      on.frames.length = 0;
      on.log.say(['f']);
      await on.log.time.pass(1_000);
      expect(on.frames.filter(({ type }) => type === 'offshoot.chunk')).toMatchObject([{ address: ROOT }]);
      expect(Object.keys(on.kept() ?? {})).toEqual([ROOT]);
    }
  });
});
