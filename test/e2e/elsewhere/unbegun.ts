/** A sub-agent in another Worker that is stopped before it has begun there: what a test of two Workers sees of it. */
import { expect, vi } from 'vitest';
import type { SequencedChunk } from '../../../src/protocol/chunks';
import { readStream } from '../../support/reader';
import { asks, calls, told } from '../../support/told';
import { get, post } from '../desk';

interface Children {
  readonly items: readonly { readonly status: string; readonly stopOwed?: object }[];
}

/** What its parent is told to do: to have one sub-agent, which looks something up. */
const TASK = told(calls('helper', [asks(['look', { text: 'x' }])]));

const LOOK = { interval: 20 };

/** Starts a parent whose sub-agent nobody takes in, and stops it; resolves once the stop was sent in vain. */
export async function stoppedUnbegun(url: string, address: string, verb: 'interrupt' | 'abort'): Promise<void> {
  await post(`${url}${address}/start`, { message: TASK });
  const children = () => get<Children>(`${url}${address}/children`);
  await vi.waitFor(async () => expect((await children()).items).toHaveLength(1), LOOK);
  await post(`${url}${address}/${verb}`, { reason: 'Enough.' });
  await vi.waitFor(async () => expect((await children()).items).toMatchObject([{ stopOwed: { verb } }]), LOOK);
}

/** The parent has ended by that, its sub-agent has not begun and owes nothing. */
export async function endedUnbegun(url: string, address: string, parent: string, child: string): Promise<void> {
  const seen: SequencedChunk[] = [];
  await vi.waitFor(async () => expect(await readStream(url, address, seen)).toBe(parent), LOOK);
  const { items } = await get<Children>(`${url}${address}/children`);
  expect(items).toMatchObject([{ status: child }]);
  expect(items[0]).not.toHaveProperty('stopOwed');
}

/** The parent goes on, and its sub-agent works. */
export async function goneOn(url: string, address: string): Promise<void> {
  await post(`${url}${address}/resume`, {});
  const seen: SequencedChunk[] = [];
  await vi.waitFor(async () => expect(await readStream(url, address, seen)).toBe('completed'), LOOK);
  const ends = seen.filter(({ chunk }) => chunk.type === 'tool_end' && chunk.address === address);
  expect(ends).toMatchObject([{ chunk: { success: true } }]);
}
