/** Trees that wait, and looks at how they stand. */
import { expect, vi } from 'vitest';
import type { JsonObject } from '../../src/protocol/json';
import type { Document } from '../../src/protocol/wire/wire-types';
import { address, get, type PageAt, page, post } from '../support/api';
import { asks, calls, type PuppetStep, told } from '../support/puppet';

/** The items of a list. */
export async function items<const Path extends string>(path: Path): Promise<PageAt<Path>['items']> {
  return (await page(path)).items;
}

/** How an agent stands. */
export async function statusOf(at: string): Promise<Document<'status'>> {
  return (await get(`${at}/status`)).body;
}

/** Waits until an agent stands so. */
export async function stands(at: string, status: string): Promise<Document<'status'>> {
  return vi.waitFor(
    async () => {
      const found = await statusOf(at);
      expect(found.status).toBe(status);
      return found;
    },
    { interval: 10 },
  );
}

/** What waits at or below an agent, once there are so many. */
export async function waiting(at: string, count: number): Promise<readonly Document<'pendingItem'>[]> {
  return vi.waitFor(
    async () => {
      const found = await items(`${at}/pending`);
      expect(found).toHaveLength(count);
      return found;
    },
    { interval: 10 },
  );
}

/** The id of the only call that waits. */
export async function waitingCall(at: string): Promise<string> {
  const [item] = await waiting(at, 1);
  return String(item?.toolCallId);
}

/** An answer to an approval. */
export const yes = (toolCallId: string, more: JsonObject = {}): JsonObject => ({
  kind: 'approval-response',
  toolCallId,
  approved: true,
  ...more,
});

/** A client's result. */
export const picked = (toolCallId: string, what: string): JsonObject => ({
  kind: 'client-tool-result',
  toolCallId,
  result: { picked: what },
});

/** A call that needs a yes. */
export const publishes = (text: string): PuppetStep => asks(['publish', { text }]);

/** A tree of three levels whose leaf does this; all three end with what their level says. */
export async function threeLevels(...leaf: PuppetStep[]): Promise<{ at: string; middle: string; leaf: string }> {
  const at = address();
  const message = told(calls('middle', [calls('leaf', [...leaf, { text: 'l' }]), { text: 'm' }]), { text: 't' });
  const started = await post(`${at}/start`, { message });
  expect(started.status).toBe(202);
  const middle = `${at}/sub/middle/1~1`;
  return { at, middle, leaf: `${middle}/sub/leaf/1~1` };
}

/** A tree of three levels whose leaf waits at a gate, with a message in its transcript. */
export async function threeAtGate(): Promise<Awaited<ReturnType<typeof threeLevels>> & { gate: string }> {
  const gate = crypto.randomUUID();
  const tree = await threeLevels({ gate, text: 'go' });
  await vi.waitFor(async () => expect(await items(`${tree.leaf}/messages`)).toHaveLength(1));
  return { ...tree, gate };
}
