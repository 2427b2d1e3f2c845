/**
 * A model that does what it is told: the last user message of a conversation is a script. So each test says in its own
 * start what the agents of its tree do, and tests do not share anything.
 */
import { vi } from 'vitest';
import { scriptedModel } from '../../src/model/scripted';
import { stepOf } from './told';

export { asks, calls, type PuppetStep, told } from './told';

const open = new Set<string>();

/** Opens a gate: whoever waits at it goes on, and whoever comes later. */
export function openGate(name: string): void {
  open.add(name);
}

const came = new Map<string, number>();

/** How many have come to a gate. */
export function cameTo(name: string): number {
  return came.get(name) ?? 0;
}

/** Looks again and again: a promise that another object resolves would not wake this one in time. */
export async function pass(name: string): Promise<void> {
  came.set(name, cameTo(name) + 1);
  await vi.waitUntil(() => open.has(name), { interval: 2 });
}

const begun = new Map<string, number>();

/** Counts one more beginning of what may begin once: a body of a tool by its key, a model call by its session and step. */
export function begins(what: string): void {
  begun.set(what, (begun.get(what) ?? 0) + 1);
}

/** How often each thing has begun since this was asked last; what has not is not in it. */
export function takeBegun(): ReadonlyMap<string, number> {
  const taken = new Map(begun);
  begun.clear();
  return taken;
}

/** The model of all test agents. */
export const puppet = scriptedModel(
  async (request) => {
    begins(`model ${request.sessionId} ${request.step}`);
    const { gate: name, until, ...step } = stepOf(request);
    if (name !== undefined) await pass(name);
    if (until === undefined || !open.has(until)) return step;
    const { fail: _, failAfterChunks: __, ...whole } = step;
    return whole;
  },
  { record: false },
);
