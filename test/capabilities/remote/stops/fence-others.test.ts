/** A further task of a companion elsewhere that waits there behind others, or comes where others are by now. */
import { describe, expect, it } from 'vitest';
import { type RemoteAnswer, RemoteError } from '../../../../src/core/definition/remote-transport';
import { removeTree } from '../../../../src/engine/root/removal';
import { command } from '../../../../src/verbs/command';
import { type Tree, withTree } from '../../../support/harness';
import { present } from '../../../support/present';
import { critics, type Script, spawn } from '../support/critic-elsewhere';
import {
  comeLate,
  failures,
  type Net,
  newNet,
  ofOthers,
  outcomes,
  parts,
  refusal,
  stop,
  TOLD,
  turns,
  waits,
  within,
} from '../support/further-task';

/** What comes of both tasks where the second has waited for somebody else. */
const TOLD_AFTER = [TOLD[0], { task: 2, output: { answer: 'about Draft 1 and Of somebody else and Draft 2' } }];

const endsThere = (tree: Tree, there: string) =>
  tree.soon(command(tree.world.object(there), there, 'abort', { runId: tree.state(there).run?.runId }));

type Body = (tree: Tree, there: string, net: Net) => Promise<void>;

/**
 * Its second task comes there behind a turn of somebody else, who works until it is stopped. `before`: what a test does
 * before it comes.
 */
async function behindOthers(given: Partial<Net>, body: Body, before?: (tree: Tree, there: string, net: Net) => void) {
  const net = newNet({ hangs: 'Of somebody else', loses: undefined, onConcurrentStart: 'queue', ...given });
  net.says = ({ verb }) => (net.isSecond && verb === 'start' ? refusal(503, 'unavailable') : undefined);
  await withTree(parts(net), {}, async (tree) => {
    await tree.start();
    await tree.time.until(() => net.isSecond && net.calls.some(({ verb }) => verb === 'usage'));
    const there = present(critics(tree)[0]);
    await ofOthers(tree, there);
    delete net.says;
    before?.(tree, there, net);
    await tree.time.until(() => tree.state(there).queued.length > 0);
    await body(tree, there, net);
  });
}

describe('a further task elsewhere that waits there behind a turn of somebody else', () => {
  it('[RM10, EN1, RM51] is not lost with a stream that is cut meanwhile', () =>
    behindOthers({ cutsAfter: (stream) => (stream === 2 ? 1 : undefined) }, async (tree, there) => {
      await waits(tree, 5_000);
      expect(failures(tree)).toEqual([]);
      await endsThere(tree, there);
      await tree.time.until(() => tree.ended);
      expect(outcomes(tree)).toMatchObject(TOLD_AFTER);
    }));

  it.each(['at once', 'after a crash'])(
    '[RM25, EN5, RM86] ends with its stop, and has kept what it was told when its parent goes on: %s',
    (when) =>
      behindOthers({}, async (tree, there) => {
        await waits(tree, 500);
        await stop(tree, 'interrupt');
        if (when === 'after a crash') tree.crash();
        await endsThere(tree, there);
        expect(await tree.resume()).toBe(true);
        await tree.time.until(() => tree.ended);
        expect(outcomes(tree)).toMatchObject(TOLD_AFTER);
      }),
  );

  it('[RM25, EN5] has not failed where its turn comes there before its stop is answered', () => {
    let answered: (() => void) | undefined;
    const lose = (tree: Tree, there: string, net: Net): void => {
      const late = async (perform: () => Promise<RemoteAnswer>): Promise<RemoteAnswer> => {
        const said = await perform();
        await new Promise<void>((resolve) => {
          answered = resolve;
        });
        return said;
      };
      const lost = async (perform: () => Promise<RemoteAnswer>): Promise<RemoteAnswer> => {
        delete net.says;
        await perform();
        answered?.();
        await waits(tree, 100);
        await endsThere(tree, there);
        await waits(tree, 100);
        throw new RemoteError('remote_timed_out', 'No answer came.');
      };
      net.says = ({ verb }, perform) =>
        verb === 'start' ? late(perform) : verb === 'interrupt' ? lost(perform) : undefined;
    };
    return behindOthers(
      {},
      async (tree) => {
        await stop(tree, 'interrupt');
        await tree.rest();
        expect(await tree.resume()).toBe(true);
        await tree.time.until(() => tree.ended);
        expect(outcomes(tree)).toMatchObject(TOLD_AFTER);
      },
      lose,
    );
  });
});

describe('a session elsewhere that was removed, and begun anew by somebody else', () => {
  it('[RM25, RM84] is not stopped for the task that was in the one before', async () => {
    const net = newNet({ hangs: 'Draft 2', loses: undefined });
    await within(net, async (tree, there) => {
      await tree.time.until(() => tree.port.working > 0);
      net.hangs = 'Of somebody else';
      await tree.soon(removeTree(tree.world.object(there)));
      await tree.time.until(() => !tree.addresses.includes(there));
      const runId = await ofOthers(tree, there);
      await tree.time.until(() => tree.ended);
      await waits(tree, 600_000);
      expect(failures(tree)).toEqual(['subagent_lost']);
      expect(tree.state(there).run).toMatchObject({ runId, phase: 'active' });
      expect(net.calls.some(({ verb }) => verb === 'abort')).toBe(true);
    });
  });

  it('[RM24, RM25, RM84] is neither stopped nor removed for a start that was on its way to the one before', async () => {
    const net = newNet({ hangs: 'Of somebody else' });
    await within(net, async (tree, there) => {
      await tree.soon(removeTree(tree.world.object(there)));
      await stop(tree, 'abort');
      await tree.time.until(() => critics(tree).length === 0);
      await waits(tree, 1_000);
      const runId = await ofOthers(tree, there);
      await waits(tree, 4_000_000);
      for (const said of await comeLate(tree, net)) expect(said).toMatchObject({ code: 'idempotency_conflict' });
      expect(tree.state(there)).toMatchObject({ run: { runId, phase: 'active' }, queued: [] });
      expect(tree.state(there).run).not.toHaveProperty('stop');
    });
  });
});

describe('a further task elsewhere that was given up as the next one was given', () => {
  /** A writer that gives a third task once the second was given up, as nobody there takes its stop. */
  async function withThird(net: Net, body: (tree: Tree, there: string) => Promise<void>): Promise<void> {
    const known = parts(net);
    const writer: Script = ({ step }) => {
      if (step > 3) return { text: 'Published.' };
      net.isSecond = step > 1;
      if (step === 3) net.loses = undefined;
      return { calls: [spawn(`Draft ${step}`, { keepMemory: step > 1 })] };
    };
    const made = (tree: Tree) => {
      const base = known(tree);
      return { ...base, scripts: { ...base.scripts, writer } };
    };
    net.says = ({ verb }) => (verb === 'abort' ? refusal(503, 'unavailable') : undefined);
    await withTree(made, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.ended);
      expect(outcomes(tree)).toMatchObject([
        TOLD[0],
        { task: 2, code: 'subagent_lost' },
        { task: 3, status: 'completed' },
      ]);
      await body(tree, present(critics(tree)[0]));
    });
  }

  it.each(['', ', after a crash'])(
    '[RM25, RM85] is stopped there by its start all the same, before that comes%s',
    (when) => {
      const net = newNet();
      return withThird(net, async (tree, there) => {
        if (when !== '') tree.crash();
        delete net.says;
        await tree.rest();
        expect([tree.store().remotes().length, tree.time.pending]).toEqual([1, 0]);
        for (const said of await comeLate(tree, net)) expect(said).toMatchObject({ code: 'idempotency_conflict' });
        expect(turns(tree, there)).toBe(2);
      });
    },
  );

  it('[RM25, RM85] is never stopped there without its start, which would stop the next one', () => {
    const net = newNet();
    return withThird(net, async (tree) => {
      const from = net.calls.length;
      net.says = ({ verb, body }) =>
        verb === 'abort' && body?.start !== undefined ? refusal(400, 'invalid_request') : undefined;
      await tree.rest();
      const stops = net.calls.slice(from).filter(({ verb }) => verb === 'abort');
      expect(stops.length).toBeGreaterThan(0);
      for (const { body } of stops) expect(body).toHaveProperty('start');
      expect([tree.store().remotes().length, tree.time.pending]).toEqual([1, 0]);
    });
  });
});
