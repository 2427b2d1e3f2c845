/** Waits for people at awkward moments: nested, beside an interrupt, past their time, and with much to show. */
import { describe, expect, it, vi } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { RootRuntime } from '../../src/engine/root/root';
import {
  child,
  clientTool,
  gate,
  gateTool,
  kidOf,
  kidsOf,
  leafWaits,
  results,
  slowTool,
  waitingCall,
} from '../support/control';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { yes } from '../support/people';
import { agentOf, answer, COMPLETED, hangTool, question } from '../support/trees';

/** What a call between objects may carry, in bytes. */
const RPC_BYTES = 32 * 1_048_576;

/** A parent and a child that each wait for a person beside a slow tool; the child's own child is started anew. */
function nestedWaits(tree: Tree): TreeParts {
  const leaf = agentOf('leaf', { tools: [slowTool(tree, 20_000)], outputSchema: answer });
  const kid = agentOf('kid', {
    tools: [createSubAgentTool(leaf, question, { onParentSuspend: 'respawn' }), gateTool(tree), slowTool(tree, 3_000)],
    outputSchema: answer,
  });
  const top = agentOf('top', {
    tools: [createSubAgentTool(kid, question, { onParentSuspend: 'pause' }), gateTool(tree), slowTool(tree, 8_000)],
  });
  return {
    agents: [top, kid, leaf],
    scripts: {
      top: [{ calls: [gate, { name: 'slow' }, child('kid')] }, { text: 'Done.' }],
      kid: [{ calls: [gate, { name: 'slow' }, child('leaf')] }, { finish: { answer: 'k' } }],
      leaf: [{ calls: [{ name: 'slow' }] }, { finish: { answer: 'l' } }],
    },
  };
}

/** A parent that soon waits for a person, and a child that is failed for that, in its own time. */
function failsSlowly(tree: Tree): TreeParts {
  const kid = agentOf('kid', { tools: [hangTool(tree)] });
  const think = slowTool(tree, 5_000, { name: 'think' });
  const top = agentOf('top', {
    tools: [gateTool(tree), think, createSubAgentTool(kid, question, { onParentSuspend: 'respawn' })],
  });
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: [gate, { name: 'think' }, child('kid')] }, { text: 'Done.' }],
      kid: [{ calls: [{ name: 'hang' }] }],
    },
  };
}

describe('a child that is failed for its parent that waits', () => {
  it.each([
    ['goes on', false],
    ['and the process are lost, then it goes on', true],
  ])('[CS10, SP7] and that a person aborts meanwhile, is not started anew when its parent %s', (_, crash) =>
    withTree(failsSlowly, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.log.some(({ chunk }) => chunk.type === 'subagent_status'));
      const { address } = kidOf(tree);
      expect(tree.state(address)?.run).toMatchObject({ stop: { verb: 'abort', error: { code: 'parent_suspended' } } });
      expect(await tree.soon(tree.stopAt(address, 'abort'))).toMatchObject({ ok: true });
      if (crash) tree.crash();
      await tree.rest();
      const waiting = waitingCall(tree);
      expect(await tree.soon(tree.answer(waiting, yes(waiting)))).toMatchObject({ ok: true });
      await tree.finish();
      expect(results(tree)[2]).toContain('"code":"aborted"');
      expect(kidsOf(tree)).toHaveLength(1);
      expect(tree.outcome).toMatchObject(COMPLETED);
    }),
  );
});

describe('a tree that waits', () => {
  it('[AN1, SU2, SU5] is said to be at work once its answer was accepted', () =>
    withTree(
      (tree) => leafWaits(tree),
      {},
      async (tree) => {
        await tree.start();
        await tree.rest();
        expect(tree.nodes[0]?.status).toBe('suspended_awaiting_children');
        const waiting = waitingCall(tree);
        let seen: unknown;
        void tree.answer(waiting, yes(waiting)).then(({ ok }) => {
          seen = { ok, status: tree.nodes[0]?.status, pending: tree.pending.length };
        });
        await tree.time.until(() => seen !== undefined);
        expect(seen).toEqual({ ok: true, status: 'running', pending: 0 });
      },
    ));

  it('[AN3, AN6, WT5] past the time of its answers, which passed while it was interrupted, goes on once it is resumed', () =>
    withTree(
      (tree) => {
        const time = { answerWithinMs: 10_000 };
        const kid = agentOf('kid', { tools: [gateTool(tree, time), clientTool(time)], outputSchema: answer });
        const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
        return {
          agents: [top, kid],
          scripts: {
            top: [{ calls: [child('kid')] }, { text: 'Done.' }],
            kid: [{ calls: [gate, { name: 'look' }] }, { finish: { answer: 'k' } }],
          },
        };
      },
      {},
      async (tree) => {
        await tree.start();
        await tree.time.pass(2_000);
        expect(tree.stop('interrupt')).toBe(true);
        await tree.time.until(() => tree.ended);
        await tree.time.pass(60_000);
        const before = tree.time.now;
        await tree.resume();
        await tree.time.until(() => tree.ended);
        expect(tree.time.now - before).toBeLessThan(10_000);
        expect(tree.outcome).toMatchObject(COMPLETED);
        const told = JSON.stringify(tree.transcript(kidOf(tree).address));
        expect(told).toContain('approval_expired');
        expect(told).toContain('client_tool_timeout');
      },
    ));

  it('[AN5, CS2, CS4, CS6] at two levels, whose children pause and are started anew, completes with every result', () =>
    withTree(nestedWaits, {}, async (tree) => {
      await tree.start();
      await tree.time.pass(30_000);
      for (let round = 0; round < 6 && !tree.ended; round++) {
        // The child first: it may not go on while its parent waits.
        const waiting = tree.pending.find(({ address }) => address.includes('kid')) ?? tree.pending[0];
        if (waiting) void tree.answer(waiting, yes(waiting));
        await tree.time.pass(40_000);
      }
      await tree.finish();
      expect(tree.outcome).toMatchObject(COMPLETED);
      const well = expect.stringContaining('"success":true');
      expect(results(tree)).toEqual([well, well, well]);
    }));

  it('[AN5, OB2] tells its root of 8 calls with arguments of 900 kB in pieces that a call between objects carries', async () => {
    const take = vi.spyOn(RootRuntime.prototype, 'take');
    try {
      await withTree(
        (tree) => {
          const kid = agentOf('kid', { tools: [gateTool(tree)], outputSchema: answer });
          const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
          const large = { name: 'gate', input: { text: 'x'.repeat(900_000) } };
          return {
            agents: [top, kid],
            scripts: {
              top: [{ calls: [child('kid')] }, { text: 'Done.' }],
              kid: [{ calls: Array.from({ length: 8 }, () => large) }, { finish: { answer: 'k' } }],
            },
          };
        },
        {},
        async (tree) => {
          await tree.start();
          await tree.rest();
          expect(tree.pending).toHaveLength(8);
          const sizes = take.mock.calls.map(([message]) => JSON.stringify(message).length);
          expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(8 * 900_000);
          expect(Math.max(...sizes)).toBeLessThan(RPC_BYTES);
        },
      );
    } finally {
      take.mockRestore();
    }
  });
});

/** Four children, one place: each waits for a yes and then works for a while. */
function oneplace(tree: Tree): TreeParts {
  const kid = agentOf('kid', { tools: [slowTool(tree, 20_000), gateTool(tree)], outputSchema: answer });
  const tools = [createSubAgentTool(kid, question)];
  const top = agentOf('top', { tools, limits: { maxConcurrentChildren: 1 } });
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: ['a', 'b', 'c', 'd'].map((q) => child('kid', q)) }, { text: 'Done.' }],
      kid: [{ calls: [gate] }, { calls: [{ name: 'slow' }] }, { finish: { answer: 'k' } }],
    },
  };
}

describe('places', () => {
  it('[TR6] are not held by those who wait for a person, who go on at once when they are answered', () =>
    withTree(oneplace, {}, async (tree) => {
      const working = () => kidsOf(tree).filter(({ schedule }) => schedule.phase === 'working').length;
      await tree.start();
      await tree.rest();
      expect([tree.pending.length, working()]).toEqual([4, 0]);
      for (const item of tree.pending)
        await tree.soon(tree.answer(item, { kind: 'approval-response', approved: true }));
      await tree.time.pass(2_000);
      expect(working()).toBe(4);
      await tree.finish();
      expect(tree.outcome).toMatchObject({ status: 'completed' });
    }));
});
