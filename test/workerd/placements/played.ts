/** Scenarios of the contract of placements, played on the platform. */
import { expect, vi } from 'vitest';
import type { SequencedChunk } from '../../../src/protocol/chunks';
import { isEnded } from '../../../src/protocol/status';
import type { TreeShown } from '../../../src/protocol/wire/shapes';
import { type Scenario, type Stage, seenOf, WAKES } from '../../contract/delegation';
import { address, get, post } from '../../support/api';
import { play, wake } from '../../support/placed';
import { items, statusOf } from '../standing';

/** The log of a tree; naps that last until something in it end by that. */
async function logOf(at: string): Promise<readonly SequencedChunk[]> {
  const log = await items(`${at}/chunks?limit=500`);
  for (const [until, holds] of Object.entries(WAKES)) if (holds(log, at)) wake(until);
  return log;
}

const when = (at: string, holds: (log: readonly SequencedChunk[]) => boolean | Promise<boolean>) =>
  vi.waitUntil(async () => holds(await logOf(at)), { interval: 5 });

const ended = (at: string) => when(at, async () => isEnded((await statusOf(at)).status));

const stageOf = (at: string): Stage => ({
  working: () =>
    when(at, (log) => log.some(({ chunk }) => chunk.type === 'tool_start' && chunk.toolName === 'nap')).then(),
  async stop(verb) {
    expect((await post(`${at}/${verb}`, { reason: 'Enough.' })).status).toBe(202);
  },
  ended: () => ended(at).then(),
  async resume() {
    expect((await post(`${at}/resume`, {})).status).toBe(202);
  },
});

const allOf = (node: TreeShown): TreeShown[] => [node, ...node.nodes.flatMap(allOf)];

/** What is seen of a scenario of the agent `place`. */
export async function played(place: string, scenario: Scenario): Promise<object> {
  const at = address(place);
  play(scenario);
  expect((await post(`${at}/start`, { message: 'Go' })).status).toBe(202);
  await scenario.meanwhile?.(stageOf(at));
  await ended(at);
  const nodes = await vi.waitUntil(
    async () => {
      const all = allOf((await get(`${at}/tree`)).body);
      return all.every(({ status }) => isEnded(status)) && all;
    },
    { interval: 5 },
  );
  const { run, pending } = await statusOf(at);
  const calls = await items(`${at}/calls`);
  const messages = await items(`${at}/messages`);
  return seenOf({
    address: at,
    log: await logOf(at),
    heard: messages.flatMap(({ role, content }) => (role === 'user' && typeof content === 'string' ? [content] : [])),
    results: calls.map(({ result, error }) => error?.code ?? result ?? null),
    outcome: { status: run?.status, output: run?.output, error: run?.error?.code, reason: run?.reason },
    nodes,
    pending: pending.length,
  });
}
