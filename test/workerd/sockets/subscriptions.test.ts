/** Several agents on one socket, batches, and readers that want no deltas. */
import { evictDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { isDelta, type SequencedChunk } from '../../../src/protocol/chunks';
import { serverFrameSchema } from '../../../src/protocol/wire/frames';
import { WIRE_LIMITS } from '../../../src/protocol/wire/wire-limits';
import { address, post, readAll, send, socketIn } from '../../support/api';
import { bindings } from '../../support/bindings';
import { type Frame, framesOf } from '../../support/frames';
import { calls, told } from '../../support/puppet';

const words = (count: number) => Array.from({ length: count }, () => ({ text: 'A leaf says a few words.' }));

async function tree(leaves = 2): Promise<string> {
  const at = address();
  const leaf = Array.from({ length: leaves }, () => words(1));
  await post(`${at}/start`, {
    message: told({ text: 'See.', ...calls('leaf', ...leaf) }, { text: 'top' }),
    wait: true,
  });
  return at;
}

interface Line {
  readonly frames: Frame[];
  say(frame: object): void;
  /** Until so many frames of a type are there. */
  until(type: string, count: number): Promise<void>;
}

async function connect(at: string): Promise<Line> {
  const socket = socketIn(await send(at, { headers: { upgrade: 'websocket' } }));
  const frames: Frame[] = [];
  socket.accept();
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(String(data));
    if (!String(frame.type).startsWith('offshoot.')) return;
    expect(serverFrameSchema.safeParse(frame).success, String(data)).toBe(true);
    frames.push(frame);
  });
  return {
    frames,
    say: (frame) => socket.send(JSON.stringify(frame)),
    until: (type, count) =>
      vi.waitFor(() => expect(frames.filter((frame) => frame.type === type).length).toBeGreaterThanOrEqual(count), {
        interval: 5,
      }),
  };
}

const chunksAt = ({ frames }: Line, at: string | undefined): SequencedChunk[] =>
  framesOf(frames, 'offshoot.chunk').flatMap(({ address: named, sequence, chunk }) =>
    named === at ? [{ sequence, chunk }] : [],
  );

describe('several subscriptions on one socket', () => {
  it('[W31, W32, W33] each is the log of its agent, named in its frames; one that ends says no more', async () => {
    const at = await tree();
    const [one, two] = [`${at}/sub/leaf/1~1`, `${at}/sub/leaf/2~1`];
    const line = await connect(at);
    line.say({ type: 'offshoot.subscribe' });
    line.say({ type: 'offshoot.subscribe', address: one });
    line.say({ type: 'offshoot.subscribe', address: two, deltas: false });
    await line.until('offshoot.up-to-date', 3);
    expect(chunksAt(line, undefined)).toEqual((await readAll(`${at}/stream`)).chunks);
    expect(chunksAt(line, one)).toEqual((await readAll(`${one}/stream`)).chunks);
    const whole = (await readAll(`${two}/stream`)).chunks;
    expect(chunksAt(line, two)).toEqual(whole.filter(({ chunk }) => !isDelta(chunk.type)));
    line.say({ type: 'offshoot.unsubscribe' });
    line.say({ type: 'offshoot.subscribe', address: at, from: 1, batch: true });
    await line.until('offshoot.up-to-date', 4);
    const before = chunksAt(line, undefined).length;
    await post(`${at}/start`, { message: told({ text: 'again' }), wait: true });
    const { chunks } = await readAll(`${at}/stream`);
    const batched = () => framesOf(line.frames, 'offshoot.chunks').flatMap((frame) => frame.chunks);
    await vi.waitFor(() => expect(batched()).toEqual(chunks));
    expect(framesOf(line.frames, 'offshoot.chunks').length).toBeLessThan(chunks.length);
    expect(chunksAt(line, undefined)).toHaveLength(before);
  });

  it('[W32, W12] they go on after the root has slept', async () => {
    const at = await tree();
    const line = await connect(at);
    line.say({ type: 'offshoot.subscribe', address: at, batch: true, deltas: false });
    await line.until('offshoot.up-to-date', 1);
    await evictDurableObject(bindings.TOP.getByName(at.split('/')[3] ?? ''));
    await post(`${at}/start`, { message: told({ text: 'again' }), wait: true });
    const { chunks } = await readAll(`${at}/stream?deltas=0`);
    await vi.waitFor(() =>
      expect(framesOf(line.frames, 'offshoot.chunks').flatMap((frame) => frame.chunks)).toEqual(chunks),
    );
  });

  it('[W32, W12] one that has ended says nothing after the root has slept, named or not', async () => {
    const at = await tree();
    const lines = [await connect(at), await connect(at), await connect(at)] as const;
    const [unnamed, named, going] = lines;
    for (const line of lines) line.say({ type: 'offshoot.subscribe', ...(line === unnamed ? {} : { address: at }) });
    for (const line of lines) await line.until('offshoot.up-to-date', 1);
    unnamed.say({ type: 'offshoot.unsubscribe' });
    named.say({ type: 'offshoot.unsubscribe', address: at });
    // Frames are taken in order: once this one is answered the others have been.
    for (const line of lines) line.say({ type: 'offshoot.call', id: 'last', verb: 'status' });
    for (const line of lines) await line.until('offshoot.result', 1);
    const before = [chunksAt(unnamed, undefined), chunksAt(named, at)];
    await evictDurableObject(bindings.TOP.getByName(at.split('/')[3] ?? ''));
    await post(`${at}/start`, { message: told({ text: 'again' }), wait: true });
    const { chunks } = await readAll(`${at}/stream`);
    await vi.waitFor(() => expect(chunksAt(going, at)).toEqual(chunks), { interval: 5 });
    expect([chunksAt(unnamed, undefined), chunksAt(named, at)]).toEqual(before);
  });

  it('[W32, W11] are refused beyond the agent of the socket, of nobody, and past their number', async () => {
    const at = await tree(2);
    const leaf = `${at}/sub/leaf/1~1`;
    const line = await connect(leaf);
    const others = [
      ...[at, `${leaf}/sub/leaf/9~1`, '/agents/top/other'],
      // Below it, and no address of an agent.
      ...[
        `${leaf}/`,
        `${leaf}/sub`,
        `${leaf}/sub/leaf`,
        `${leaf}/sub/leaf/..`,
        `${leaf}/sub/Leaf/1~1`,
        `${leaf}/files`,
      ],
    ];
    for (const other of others) line.say({ type: 'offshoot.subscribe', address: other });
    await line.until('offshoot.error', others.length);
    expect(framesOf(line.frames, 'offshoot.error').map(({ code }) => code)).toEqual(others.map(() => 'not_found'));
    expect(framesOf(line.frames, 'offshoot.chunk')).toEqual([]);
    const many = await tree(WIRE_LIMITS.maxSubscriptions + 1);
    const wide = await connect(many);
    for (let slot = 1; slot <= WIRE_LIMITS.maxSubscriptions; slot++)
      wide.say({ type: 'offshoot.subscribe', address: `${many}/sub/leaf/${slot}~1`, from: 1 });
    await wide.until('offshoot.up-to-date', WIRE_LIMITS.maxSubscriptions);
    expect(framesOf(wide.frames, 'offshoot.error')).toEqual([]);
    wide.say({ type: 'offshoot.subscribe', address: `${many}/sub/leaf/${WIRE_LIMITS.maxSubscriptions + 1}~1` });
    await wide.until('offshoot.error', 1);
    expect(framesOf(wide.frames, 'offshoot.error')).toMatchObject([{ code: 'invalid_request' }]);
  });
});
