/**
 * A log whose beginning is gone while a page reads it (CN9, CN20): the page begins anew, and holds what a page holds that
 * is opened then.
 */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type AgentView, findAgent, viewFrom } from '../../../src/client';
import { Reading } from '../../../src/console/data/reading';
import type { FromWorker } from '../../../src/console/data/run-messages';
import { detailAfter } from '../../../src/console/data/tree/detail-patch';
import { Outline } from '../../../src/console/data/tree/outline';
import type { SequencedChunk } from '../../../src/protocol/chunks';
import { reduce } from '../../../src/protocol/view/reduce';
import { deskLog } from '../../support/log';
import { present } from '../../support/present';

const ADDRESS = '/agents/coordinator/cedar-3f9k';
const { entries } = deskLog();
const eventOf = ({ sequence, chunk }: SequencedChunk) => `id: ${sequence}\ndata: ${JSON.stringify(chunk)}\n\n`;

/** A server of these streams, one after another; each but the last ends when the next is opened. */
function openedOn(streams: readonly string[]) {
  vi.useFakeTimers({ now: 1_000_000 });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const asked: number[] = [];
  const left = [...streams];
  const fetch = async (url: string): Promise<Response> => {
    if (!url.includes('/stream')) throw new TypeError('fetch failed');
    asked.push(Number(new URL(url).searchParams.get('from')));
    const text = left.shift();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        if (text !== undefined) controller.enqueue(new TextEncoder().encode(text));
        if (left.length > 0) controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  class NoSocket {
    constructor() {
      throw new TypeError('No socket.');
    }
  }
  vi.stubGlobal('fetch', fetch);
  vi.stubGlobal('WebSocket', NoSocket);
  const reading = new Reading('https://offshoot.test', ADDRESS, undefined, () => undefined);
  void reading.follow();
  return { reading, asked };
}

/** What a page holds of the selected agent after these messages. */
function heldOf(messages: readonly FromWorker[]): AgentView | undefined {
  return messages.reduce<AgentView | undefined>(
    (held, { detail }) => (detail?.patch === undefined ? held : detailAfter(held, structuredClone(detail.patch))),
    undefined,
  );
}

const viewOf = (read: readonly SequencedChunk[], from: number) =>
  read.reduce((view, entry) => reduce(view, entry, 'filtered').view, viewFrom(from));

describe('a log whose beginning is gone', () => {
  const middle = Math.floor(entries.length / 2);

  it.each([
    ['behind what was read', 5, middle],
    ['within what was read', middle, 6],
    ['behind all that there is yet', middle, entries.length + 1],
  ])('[CN9, CN20] %s is read anew from there, as by a page that is opened then', async (_, read, from) => {
    const before = entries.slice(0, read);
    const rest = entries.filter(({ sequence }) => sequence >= from);
    const { reading, asked } = openedOn([
      `${before.map(eventOf).join('')}event: reset\ndata: {"from":${from}}\n\n`,
      `${rest.map(eventOf).join('')}event: up-to-date\ndata: {}\n\n`,
    ]);
    reading.select(present(entries[0]).chunk.address);
    await vi.advanceTimersByTimeAsync(3_000);
    const { message } = reading.changes(Date.now());
    const outline = new Outline();
    for (const entry of rest) outline.take(entry);
    expect({ ...message, detail: undefined }).toEqual({
      ...{ connection: { kind: 'live' }, over: message.over, anew: true, edge: from, detail: undefined },
      ...{ sequence: rest.at(-1)?.sequence ?? from - 1, outline: outline.changes() },
    });
    expect(heldOf([message])).toEqual(findAgent(viewOf(rest, from), present(entries[0]).chunk.agentId));
    expect(asked).toEqual([1, from]);
  });
});

describe('the selected agent of a log', () => {
  it('[CN9] is told once, then what has changed of it, and nothing where nothing has', async () => {
    const agents = [...new Set(entries.map(({ chunk }) => chunk.address))];
    const { reading } = openedOn([`${entries.map(eventOf).join('')}event: up-to-date\ndata: {}\n\n`]);
    await vi.advanceTimersByTimeAsync(20_000);
    const next = () => {
      vi.setSystemTime(Date.now() + 1_000);
      return reading.changes(Date.now()).message;
    };
    expect(next().detail).toBeUndefined();
    for (const address of [...agents, ...agents]) {
      reading.select(address);
      const told = next();
      const { agentId } = present(entries.find(({ chunk }) => chunk.address === address)).chunk;
      expect(heldOf([told])).toEqual(findAgent(viewOf(entries, 1), agentId));
      expect(told.detail).toMatchObject({ cut: false, loading: false });
      expect(next().detail).toBeUndefined();
    }
    reading.select('/agents/coordinator/nobody');
    expect(next().detail).toBeUndefined();
  });
});
