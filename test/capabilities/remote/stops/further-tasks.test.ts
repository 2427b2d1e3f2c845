/** A further task of a companion elsewhere that is stopped before it is known to have begun in the session there. */
import { describe, expect, it } from 'vitest';
import { RemoteError } from '../../../../src/core/definition/remote-transport';
import type { Message } from '../../../../src/protocol/messages';
import { command } from '../../../../src/verbs/command';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { present } from '../../../support/present';
import { sample } from '../../../support/sizes';
import { agentOf, answer, noteTool, toolResults } from '../../../support/trees';
import { critics, kind, questions, type Script, spawn } from '../support/critic-elsewhere';
import { type Between, elsewhere } from '../support/elsewhere';

/** Transactions that a sweep of `npm test` tries; a night tries all. */
const MOST = 10;
const VERBS = ['interrupt', 'abort', 'terminate'] as const;

/** What it makes of the last that it was told. */
const about = (messages: readonly Message[]) => ({ finish: { answer: `about ${questions(messages).at(-1)}` } });

/** A writer that gives its critic two tasks; `second` is called as it gives the second. */
function parts(between: Between, second: () => void, critic: Script = ({ messages }) => about(messages)) {
  const writer: Script = ({ step }) => {
    if (step === 1) return { calls: [spawn('Draft 1')] };
    if (step > 2) return { text: 'Published.' };
    second();
    return { calls: [spawn('Draft 2', { keepMemory: true })] };
  };
  return (tree: Tree): TreeParts => ({
    agents: [
      agentOf('writer', { persistentAgents: [{ agent: kind }], tools: [noteTool(tree)] }),
      agentOf('critic', { tools: [noteTool(tree)], outputSchema: answer }),
    ],
    scripts: { writer, critic },
    env: { transport: elsewhere(tree, between) },
  });
}

/** Waits so long, in ms. */
const waits = (tree: Tree, ms: number): Promise<void> => {
  const from = tree.time.now;
  return tree.time.until(() => tree.time.now >= from + ms);
};

const outcomes = (tree: Tree): unknown[] =>
  toolResults(tree).map((one) => (one.success ? one.value : { code: one.error.code }));

/** Stopped while nobody is there as its second task is given; how many calls there were. */
async function stopped(
  verb: (typeof VERBS)[number],
  body: (tree: Tree, calls: () => number) => Promise<void>,
  options: TreeOptions = {},
  critic?: Script,
  meanwhile: (tree: Tree) => Promise<void> = async () => undefined,
): Promise<void> {
  let [isAway, calls] = [false, 0];
  const between: Between = {
    isAway: () => isAway,
    call(_request, perform) {
      calls++;
      return perform();
    },
  };
  const leaves = (): void => {
    isAway = true;
  };
  await withTree(parts(between, leaves, critic), options, async (tree) => {
    await tree.start();
    await tree.time.until(() => isAway);
    await meanwhile(tree);
    await waits(tree, 1_000);
    tree.stopSurely(verb);
    await waits(tree, 2_000);
    isAway = false;
    await body(tree, () => calls);
  });
}

describe('a further task of a companion elsewhere that is stopped while nobody is there', () => {
  it.each(VERBS)('[RM24, RM77] never began, and nothing more is asked there: %s', async (verb) => {
    await stopped(verb, async (tree, calls) => {
      const from = tree.time.now;
      await tree.time.until(() => tree.ended);
      expect(tree.time.now - from).toBeLessThan(60_000);
      await tree.rest();
      const before = calls();
      expect(tree.nodes[1]).toMatchObject({ status: verb === 'interrupt' ? 'interrupted' : 'failed' });
      expect(tree.nodes[1]).not.toHaveProperty('stopOwed');
      expect(tree.store(present(critics(tree)[0])).runs({})).toHaveLength(1);
      expect(tree.time.pending).toBe(0);
      expect(calls()).toBe(before);
      expect(tree.time.problems).toEqual([]);
    });
  });

  it('[RM24, RM77] begins there as its parent goes on, whatever transaction everything is lost after', async () => {
    const once = async (crashAt: number): Promise<number> => {
      let [transactions, counts] = [0, false];
      let crash = (): void => undefined;
      const transaction = (): void => {
        if (counts && ++transactions === crashAt) crash();
      };
      await stopped(
        'interrupt',
        async (tree) => {
          const what = `after transaction ${crashAt}`;
          crash = () => tree.crash();
          counts = true;
          await tree.time.until(() => tree.ended);
          await tree.time.drain();
          counts = false;
          if (tree.outcome.status === 'interrupted') expect(await tree.resume(), what).toBe(true);
          await tree.time.until(() => tree.ended);
          expect(outcomes(tree), what).toMatchObject([
            { task: 1, output: { answer: 'about Draft 1' } },
            { task: 2, output: { answer: 'about Draft 2' } },
          ]);
          expect(critics(tree), what).toHaveLength(1);
        },
        { transaction },
      );
      return transactions;
    };
    const length = await once(0);
    expect(length).toBeGreaterThan(3);
    for (const transaction of sample(length, MOST)) await once(transaction);
  });

  it.each([true, false])(
    '[RM24, RM25, RM10] is not taken for a turn of others there, at work or ended: %s',
    async (works) => {
      const hangs = works;
      const critic: Script = ({ messages }) =>
        hangs && questions(messages).at(-1) === 'Of somebody else' ? { hang: true } : about(messages);
      const meanwhile = async (tree: Tree): Promise<void> => {
        const there = present(critics(tree)[0]);
        await tree.soon(command(tree.world.object(there), there, 'start', { message: 'Of somebody else' }));
      };
      const body = async (tree: Tree): Promise<void> => {
        const from = tree.time.now;
        await tree.time.until(() => tree.ended);
        expect(tree.time.now - from).toBeLessThan(60_000);
        const there = present(critics(tree)[0]);
        if (works) {
          expect(tree.state(there).run).toMatchObject({ phase: 'active', turn: 2 });
          await tree.soon(command(tree.world.object(there), there, 'abort', {}));
        }
        expect(await tree.resume()).toBe(true);
        await tree.time.until(() => tree.ended);
        expect(outcomes(tree)).toMatchObject([{ task: 1 }, { task: 2, output: { answer: 'about Draft 2' } }]);
      };
      await stopped('interrupt', body, {}, critic, meanwhile);
    },
  );
});

describe('a further task of a companion elsewhere whose start is under way as it is stopped', () => {
  /** The start of the second task comes there so late, in ms after the stop, or its answer is lost. */
  async function under(
    verb: (typeof VERBS)[number],
    comes: 'late' | 'unanswered',
    body: (tree: Tree) => Promise<void>,
  ) {
    let isSecond = false;
    let hangs = true;
    let held: (() => void) | undefined;
    const between: Between = {
      async call(request, perform) {
        if (request.verb !== 'start' || !isSecond || held) return perform();
        if (comes === 'unanswered') await perform();
        await new Promise<void>((resolve) => {
          held = resolve;
        });
        if (comes === 'late') return perform();
        throw new RemoteError('remote_timed_out', 'No answer came.');
      },
    };
    const critic: Script = ({ messages }) =>
      hangs && questions(messages).at(-1) === 'Draft 2' ? { hang: true } : about(messages);
    const gives = (): void => {
      isSecond = true;
    };
    await withTree(parts(between, gives, critic), {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => held !== undefined);
      tree.stopSurely(verb);
      await waits(tree, 2_000);
      present(held)();
      await tree.time.until(() => tree.ended);
      await tree.time.drain();
      expect(tree.port.working).toBe(0);
      expect(tree.state(present(critics(tree)[0])).run).toMatchObject({ phase: 'ended' });
      hangs = false;
      await body(tree);
    });
  }

  it.each(VERBS)('[RM24, RM19, RM78] is stopped there where that comes after its stop: %s', async (verb) => {
    await under(verb, 'late', async (tree) => {
      expect(tree.outcome).toMatchObject({ status: verb === 'interrupt' ? 'interrupted' : expect.anything() });
      if (verb !== 'interrupt') return;
      expect(await tree.resume()).toBe(true);
      await tree.time.until(() => tree.ended);
      expect(outcomes(tree)).toMatchObject([{ task: 1 }, { task: 2, output: { answer: 'about Draft 2' } }]);
    });
  });

  it.each(VERBS)('[RM24] is stopped there where it had come, and nobody knows: %s', async (verb) => {
    await under(verb, 'unanswered', async (tree) => {
      expect(tree.time.pending).toBe(0);
    });
  });
});

describe('a companion elsewhere that begins under another name', () => {
  it('[RM22, RM3, RM74] has the whole log there from its beginning, whatever was taken under the name before', async () => {
    let isSecond = false;
    let isAnswered = false;
    const between: Between = {
      async call(request, perform) {
        if (isSecond) return perform();
        if (request.verb === 'status') return { ok: false, code: 'forbidden', title: 'No.', status: 403 };
        if (request.verb !== 'start') return perform();
        if (!isAnswered) await perform();
        isAnswered = true;
        throw new RemoteError('remote_timed_out', 'No answer came.');
      },
    };
    const sessions = new Set<string>();
    const critic: Script = ({ sessionId, messages }) => {
      sessions.add(sessionId);
      return sessions.size > 1 ? about(messages) : { hang: true };
    };
    const gives = (): void => {
      isSecond = true;
    };
    await withTree(parts(between, gives, critic), {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => critics(tree).length > 0);
      await tree.soon(tree.stopAt('/agents/writer/one/sub/critic/judge', 'abort'));
      await tree.time.until(() => tree.ended, 60_000);
      expect(outcomes(tree)[1]).toMatchObject({ task: 2, output: { answer: 'about Draft 2' } });
      await tree.rest();
      expect(critics(tree)).toHaveLength(1);
    });
  });
});
