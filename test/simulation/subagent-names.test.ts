/** The name that a call gives a sub-agent: in its session, in the registry, and for nobody else. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../src/protocol/json';
import { type TreeParts, withTree } from '../support/harness';
import { dualOf, leadOf } from '../support/prompts';

/** A sub-agent of one call, as its session and the registry of its parent have it. */
async function called(label: Json | undefined, property: string | undefined) {
  const entry = { name: 'worker', ...(property === undefined ? {} : { initAgentNameProperty: property }) };
  // Its prompt takes any arguments.
  const worker = dualOf('worker', { requiredSchema: z.looseObject({}) });
  const make = (): TreeParts => ({
    agents: [leadOf([entry], [worker]), worker],
    scripts: {
      lead: [
        { calls: [{ name: 'worker', input: label === undefined ? { a: 1 } : { a: 1, label } }] },
        { text: 'Done.' },
      ],
      worker: () => ({ text: 'Did it.' }),
    },
  });
  return withTree(make, {}, async (tree) => {
    await tree.run();
    const { tags, displayName } = tree.state('/agents/lead/one/sub/worker/1~1').session;
    const [child] = tree.store().children();
    const first = tree.transcript('/agents/lead/one/sub/worker/1~1')[0];
    return { tags, displayName, threadName: child?.registered?.threadName, first };
  });
}

describe('initAgentNameProperty', () => {
  it.each([
    ['  a \n b ', 'a b'],
    ['x'.repeat(200), 'x'.repeat(120)],
  ])('[SA17] names the sub-agent: its session has the tag and the name, the registry too: %j', async (label, name) => {
    expect(await called(label, 'label')).toMatchObject({ tags: [`name:${name}`], displayName: name, threadName: name });
  });

  it.each([
    ['of another argument', 'Ann', 'title'],
    ['that is no text', 7, 'label'],
    ['that is missing', undefined, 'label'],
    ['where no property is named', 'Ann', undefined],
  ] as const)('[SA17] %s names nobody', async (_, label, property) => {
    const { tags, displayName, threadName } = await called(label, property);
    expect([tags, displayName, threadName]).toEqual([[], undefined, undefined]);
  });

  it('[SA17, SA15] leaves the argument in the first message, which has all of them', async () => {
    const { first } = await called('Ann', 'label');
    expect(first).toMatchObject({ role: 'user', content: JSON.stringify({ a: 1, label: 'Ann' }, null, 2) });
  });
});
