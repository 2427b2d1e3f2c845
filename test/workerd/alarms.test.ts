/** The platform delivers an alarm at least once: twice at once, or again after it was cut off. What it wakes for is done once. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { address, post } from '../support/api';
import { bindings } from '../support/bindings';
import { asks, calls, cameTo, openGate, type PuppetStep, takeBegun, told } from '../support/puppet';
import { stands, statusOf } from './standing';

/** A chain of agents, each the parent of the next, whose last one has a leaf that does this. */
function chain(levels: number, way: string, ...last: PuppetStep[]): PuppetStep[] {
  const below = levels === 1 ? calls(way, last) : calls('nest', chain(levels - 1, way, ...last));
  return [below, { text: `level ${levels}` }];
}

/** Where an agent works, from the root down: what the root does, and the address of whoever works below it. */
const PLACES: Readonly<Record<string, { steps(...last: PuppetStep[]): PuppetStep[]; readonly below: string }>> = {
  'a root': { steps: (...last) => last, below: '' },
  'a facet of a tree': { steps: (...last) => chain(2, 'nest', ...last), below: '/sub/nest/1~1/sub/nest/1~1' },
  'an object of its own': { steps: (...last) => chain(1, 'apart', ...last), below: '/sub/leaf/1~1' },
};

/** The objects whose alarms matter to an agent: its root's, and its own where it stands alone. */
async function ringing(at: string, below: string) {
  const root = bindings.NEST.getByName(at.split('/')[3] ?? '');
  if (!below.startsWith('/sub/leaf')) return [root];
  const { sessionId } = await statusOf(`${at}${below}`);
  return [root, bindings.LEAF.getByName(`child:${sessionId}`)];
}

/** Each alarm rings twice at once: as the platform rings it, and in the life that is there. */
async function ringTwice(stubs: readonly DurableObjectStub[]): Promise<void> {
  await Promise.all(stubs.flatMap((stub) => [runDurableObjectAlarm(stub), runDurableObjectAlarm(stub)]));
  const twice = ({ alarm }: { alarm?: () => unknown }, self: object) => [alarm?.call(self), alarm?.call(self)];
  await Promise.all(stubs.map((stub) => runInDurableObject(stub, (object) => Promise.all(twice(object, object)))));
}

describe.each(Object.entries(PLACES))('an alarm that rings twice at once for %s', (_place, { steps, below }) => {
  it('[RT9] takes up the work of a life that was lost once', async () => {
    takeBegun();
    const at = address('nest');
    expect((await post(`${at}/start`, { message: told(...steps({ gate: at, text: 'end' })) })).status).toBe(202);
    await vi.waitFor(() => expect(cameTo(at)).toBe(1), { interval: 5 });
    const { sessionId } = await stands(`${at}${below}`, 'running');
    const stubs = await ringing(at, below);
    await abortAllDurableObjects();
    await ringTwice(stubs);
    await vi.waitFor(() => expect(cameTo(at)).toBe(2), { interval: 5 });
    await ringTwice(stubs);
    openGate(at);
    await stands(at, 'completed');
    const begun = [...takeBegun()];
    expect(begun.filter(([, count]) => count > 1)).toEqual([[`model ${sessionId} 1`, 2]]);
  });
});

describe('an alarm that rings twice at once for a scheduled effect', () => {
  it.each([
    ['a root', (put: PuppetStep) => [put]],
    ['a facet of a tree', (put: PuppetStep) => [calls('middle', [calls('leaf', [put])])]],
  ])('[RT9, SF1] of %s has it done once', async (_place, steps) => {
    takeBegun();
    const at = address();
    const message = told(...steps(asks(['put_off', { text: at, gate: at, ms: 0 }])));
    expect((await post(`${at}/start`, { message })).status).toBe(202);
    await vi.waitFor(() => expect(cameTo(at)).toBe(1), { interval: 5 });
    await stands(at, 'completed');
    const root = bindings.TOP.getByName(at.split('/')[3] ?? '');
    await ringTwice([root]);
    openGate(at);
    const alarm = () => runInDurableObject(root, (_: object, { storage }) => storage.getAlarm());
    await vi.waitFor(async () => expect(await alarm()).toBeNull(), { interval: 20, timeout: 20_000 });
    await ringTwice([root]);
    expect([...takeBegun()].filter(([what]) => what.startsWith('later'))).toEqual([
      [`later ${at}`, 1],
      [`later ${at} is done`, 1],
    ]);
  });
});
