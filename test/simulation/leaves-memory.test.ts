/**
 * Trees that wait: no object is in memory 13 s after the wait has begun. The platform takes an object from memory that has
 * been idle for 10 s, so nothing may be set, asked or rung from the third second on.
 */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { OffshootError } from '../../src/protocol/errors';
import { inObjects } from '../support/alone';
import { child, clientTool, deepWait, failsFirst, note } from '../support/control';
import { Tree, type TreeParts } from '../support/harness';
import { present } from '../support/present';
import { Limited } from '../support/rate-limits';
import { agentOf, answer, hangTool, noteTool, question } from '../support/trees';
import { finished, GONE_MS, type Kind, leavesMemory, MINUTE_MS, suspended } from '../support/waits';

const HOUR_MS = 60 * MINUTE_MS;

/** A root whose first step calls this, and whose second ends. */
const single =
  (call: object, make: (tree: Tree) => Parameters<typeof agentOf>[1]) =>
  (tree: Tree): TreeParts => ({
    agents: [agentOf('top', make(tree))],
    scripts: { top: [{ calls: [{ name: '', ...call }] }, { text: 'Done.' }] },
  });

/** A model that refuses its first request for so long, in ms; those after it are answered. */
function refusing(tree: Tree, place: 'root' | 'child', code: 'model_rate_limited' | 'model_overloaded'): TreeParts {
  const kid = agentOf('kid', { outputSchema: answer });
  const top = agentOf('top', { tools: [...(place === 'child' ? [subagent(kid)] : [noteTool(tree)])] });
  const refuses = place === 'child' ? 'kid' : 'top';
  let asked = 0;
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: [place === 'child' ? child('kid') : note] }, { text: 'Done.' }],
      kid: [{ finish: { answer: 'k' } }],
    },
    models: ({ name }) =>
      name === refuses
        ? {
            provider: () => 'slow.chat',
            call: (request, options) => {
              if (asked++ === 0) throw new OffshootError(code, 'Later.', { retryAfterMs: 50_000 });
              return tree.port.call(request, options);
            },
          }
        : undefined,
  };
}
const refused = (tree: Tree) => tree.time.until(() => tree.log.some(({ chunk }) => chunk.type === 'step_discarded'));

const KINDS: readonly Kind[] = [
  { name: 'a person, four levels down', parts: (tree) => deepWait(tree), until: suspended },
  { name: 'a person up to a time', parts: (tree) => deepWait(tree, false, HOUR_MS), until: suspended },
  {
    name: 'a person, in objects of their own',
    parts: inObjects((tree) => deepWait(tree, false, HOUR_MS)),
    until: suspended,
  },
  {
    name: 'a client',
    parts: single({ name: 'look' }, () => ({ tools: [clientTool({ answerWithinMs: HOUR_MS })] })),
    until: suspended,
  },
  {
    name: 'nothing, after an answer that came too late',
    parts: single({ name: 'look' }, () => ({ tools: [clientTool({ answerWithinMs: MINUTE_MS })] })),
    until: async (tree) => {
      await suspended(tree);
      const [late] = tree.pending;
      await tree.time.pass(5_000);
      tree.crash();
      await finished(tree);
      await tree.time.pass(20_000);
      tree.crash();
      const said = tree.answer(present(late), { kind: 'client-tool-result', result: { success: true, value: 'late' } });
      await said.catch(() => undefined);
    },
  },
  ...(['root', 'child'] as const).flatMap((place) =>
    (['model_rate_limited', 'model_overloaded'] as const).flatMap((code): Kind[] => [
      { name: `a model of the ${place}: ${code}`, parts: (tree) => refusing(tree, place, code), until: refused },
      ...(place === 'child'
        ? [
            {
              name: `a model of an object: ${code}`,
              parts: inObjects((tree) => refusing(tree, place, code)),
              until: refused,
            },
          ]
        : []),
    ]),
  ),
  { name: 'a decision about a child that failed', parts: (tree) => failsFirst(tree), until: suspended },
  { name: 'nothing, after its end', parts: single(note, (tree) => ({ tools: [noteTool(tree)] })), until: finished },
  {
    name: 'nothing, after an interrupt',
    parts: single({ name: 'hang' }, (tree) => ({ tools: [hangTool(tree)] })),
    until: async (tree) => {
      await tree.time.until(() => tree.bodies.size > 0);
      await tree.soon(tree.stopAt(tree.address, 'interrupt'));
      await finished(tree);
    },
  },
];

const subagent = (kid: ReturnType<typeof agentOf>) => createSubAgentTool(kid, question);

describe('a tree that waits', () => {
  it.each(KINDS)('[B10] leaves memory while it waits for $name', leavesMemory);
});

/** Trees whose agents wait for a model that refused its first request, and how late their alarm is, in ms. */
const MODELS = KINDS.filter(({ until }) => until === refused).flatMap((kind) =>
  [0, 2 * MINUTE_MS].map((lateMs) => ({ ...kind, lateMs })),
);

describe('a step whose model refuses requests', () => {
  it.each(MODELS)(
    '[MT12, RC4, RC8] leaves memory and asks again by an alarm that is $lateMs ms late, where it waits for $name',
    async ({ parts, until, lateMs }) => {
      const tree = new Tree(parts);
      try {
        await tree.start();
        await until(tree);
        const refusedAt = tree.time.now;
        await tree.time.pass(GONE_MS);
        tree.crash();
        tree.time.setBack(-lateMs);
        await tree.finish();
        expect(tree.outcome).toMatchObject({ output: 'Done.' });
        const again = tree.log.filter(({ chunk }) => chunk.type === 'step_discarded' || chunk.type === 'run_recovered');
        const waited = present(again[0]).chunk.address;
        // Nothing of it was under way, so nothing is counted as lost.
        expect(again.filter(({ chunk }) => chunk.address === waited)).toHaveLength(1);
        const asked = tree.log.find(
          ({ chunk, sequence }) => sequence > present(again[0]).sequence && chunk.address === waited,
        );
        expect(present(asked).chunk.timestamp - refusedAt).toBeGreaterThanOrEqual(50_000);
        expect(present(asked).chunk.timestamp - refusedAt).toBeLessThan(50_000 * 1.25 + 2_000 + lateMs);
      } finally {
        tree.close();
      }
    },
  );

  it('[RC8] is recovered where a crash cuts off the request that it sent after its wait', async () => {
    let asked = 0;
    const tree = new Tree((parts) => ({
      ...refusing(parts, 'root', 'model_overloaded'),
      models: () => ({
        call: (request, options) => {
          asked += 1;
          if (asked === 1) throw new OffshootError('model_overloaded', 'Later.', { retryAfterMs: 50_000 });
          return asked === 2 ? new Promise(() => undefined) : parts.port.call(request, options);
        },
      }),
    }));
    try {
      await tree.start();
      await tree.time.until(() => asked === 2);
      tree.crash();
      await tree.finish();
      expect(tree.log.filter(({ chunk }) => chunk.type === 'run_recovered')).toHaveLength(1);
    } finally {
      tree.close();
    }
  });

  it('[MT12, MT4] of many agents each is asked in its turn after all have left memory', async () => {
    const limit = { count: 4, windowMs: 40_000, hint: 'retry-after' } as const;
    const limited = new Limited({ children: 12, limit });
    await limited.start();
    await limited.time.until(() => limited.limited.refusals === 8);
    await limited.time.pass(GONE_MS);
    expect(limited.world.holding(limited.address)).toEqual([]);
    limited.crash();
    await limited.finish();
    expect(limited.ends).toEqual(Array.from({ length: 12 }, () => 'completed'));
    expect(limited.log.filter(({ chunk }) => chunk.type === 'run_recovered' && chunk.agentType === 'limited')).toEqual(
      [],
    );
    expect(limited.limited.requests).toBeLessThanOrEqual(24);
  });
});
