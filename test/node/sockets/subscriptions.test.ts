/** Subscriptions of a socket that end or begin anew, over a written log: the new one is as if the old one had never been. */
import { describe, expect, it } from 'vitest';
import { addAuthorizer } from '../../../src/access/authorizers';
import type { ObjectRuntime } from '../../../src/engine/object/object';
import type { HeldSocket, SocketDeps } from '../../../src/engine/object/object-sockets';
import type { JsonObject } from '../../../src/protocol/json';
import { WIRE_LIMITS } from '../../../src/protocol/wire/wire-limits';
import { TreeSockets } from '../../../src/sockets/tree-sockets';
import { ROOT, writtenLog } from '../../support/written-log';

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
  const byAddress = (at: string): boolean => at === ROOT || at.startsWith(LEAF);
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

  it('[W12] that is asleep after any of its steps is sent what one gets that never sleeps, up-to-date included', async () => {
    const framesOf = async (from: number, sleepAfter: number) => {
      const on = connected();
      await on.say(subscribe({ from }));
      let steps = 0;
      const stepped = async () => {
        await on.log.time.settle();
        if (steps++ === sleepAfter) on.sleep();
        return on.log.time.step();
      };
      while (await stepped());
      on.log.say(['f']);
      while (await stepped());
      expect(on.kept()).toMatchObject({ [ROOT]: { upToDate: true } });
      // A status document is sent again by a root that has left memory.
      return { steps, frames: on.frames.filter(({ type }) => type !== 'offshoot.status') };
    };
    // From the first chunk, from the last one, from the next one, and from one that the log does not have yet.
    for (const from of [1, 5, 7, 1_000]) {
      const { steps, frames } = await framesOf(from, -1);
      expect(frames.filter(({ type }) => type === 'offshoot.up-to-date')).toHaveLength(1);
      for (let after = 0; after < steps; after++)
        expect((await framesOf(from, after)).frames, `from ${from}, asleep after step ${after}`).toEqual(frames);
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

  it('[W32] are refused at one character more than a socket that sleeps may keep, and those that were there stay', async () => {
    const most = WIRE_LIMITS.maxKeptSubscriptions;
    for (const more of [0, 1]) {
      const on = connected();
      const named = (length: number) => `${LEAF}${'/sub/leaf/a'.repeat(length / 11)}`.padEnd(LEAF.length + length, 'a');
      for (let index = 0; index < 9; index++) await on.say(subscribe({ address: named(440 + index) }));
      const kept = () => JSON.stringify(Object.entries(on.kept() ?? {})).length;
      const nine = kept();
      const eight = [...Object.entries(on.kept() ?? {})].slice(0, 8);
      const each = nine - JSON.stringify(eight).length - named(448).length;
      await on.say(subscribe({ address: named(most - nine - each - LEAF.length + more) }));
      expect([Object.keys(on.kept() ?? {}).length, kept()]).toEqual(more ? [9, nine] : [10, most]);
      const errors = on.frames.filter(({ type }) => type === 'offshoot.error');
      expect(errors).toMatchObject(more ? [{ code: 'invalid_request' }] : []);
      await on.log.time.pass(1_000);
      // What was refused is no subscription; the others are.
      const upToDate = on.frames.filter(({ type }) => type === 'offshoot.up-to-date');
      expect(upToDate).toHaveLength(more ? 9 : 10);
    }
  });
});
