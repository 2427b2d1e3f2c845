/** A stop that goes to a companion elsewhere names the start that it is for: what comes late begins nothing, others stay. */
import { describe, expect, it } from 'vitest';
import { type RemoteAnswer, RemoteError } from '../../../../src/core/definition/remote-transport';
import { removeTree } from '../../../../src/engine/root/removal';
import { command } from '../../../../src/verbs/command';
import { type Tree, type TreeParts, withTree } from '../../../support/harness';
import { sample } from '../../../support/sizes';
import { critics, JUDGE } from '../support/critic-elsewhere';
import { elsewhere } from '../support/elsewhere';
import {
  comeLate,
  failures,
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

/** Transactions that a sweep of `npm test` tries; a night tries all. */
const MOST = 10;
const VERBS = ['interrupt', 'abort', 'terminate'] as const;
const SOFT_AND_HARD = ['interrupt', 'abort'] as const;

describe('the start of a further task elsewhere that comes after its stop', () => {
  it.each(VERBS)('[RM25, RM81] is refused there, and no turn is taken: %s', async (verb) => {
    const net = newNet({ hangs: 'Draft 2' });
    await within(net, async (tree, there) => {
      await stop(tree, verb);
      await tree.rest();
      expect(tree.nodes[1]).toMatchObject({ status: verb === 'interrupt' ? 'interrupted' : 'failed' });
      expect(net.starts.length).toBeGreaterThan(0);
      for (const said of await comeLate(tree, net)) expect(said).toMatchObject({ code: 'idempotency_conflict' });
      await tree.rest();
      expect([turns(tree, there), tree.port.working, tree.time.pending]).toEqual([1, 0, 0]);
      expect(tree.state(there).session.terminated !== undefined).toBe(verb === 'terminate');
      expect(tree.time.problems).toEqual([]);
    });
  });

  it('[RM25, RM10] costs it nothing: its session remembers, and the task begins there as its parent goes on', async () => {
    const net = newNet();
    await within(net, async (tree, there) => {
      await stop(tree, 'interrupt');
      net.loses = undefined;
      await comeLate(tree, net);
      expect(await tree.resume()).toBe(true);
      await tree.time.until(() => tree.ended);
      await tree.rest();
      expect(outcomes(tree)).toMatchObject(TOLD);
      expect([critics(tree), turns(tree, there)]).toEqual([[there], 2]);
      const keys = net.calls.flatMap(({ verb, idempotencyKey }) => (verb === 'start' ? [idempotencyKey] : []));
      expect(new Set(keys).size).toBe(3);
    });
  });

  it('[RM25] is refused there whatever transaction everything is lost after', async () => {
    const once = async (crashAt: number): Promise<number> => {
      let [transactions, counts] = [0, false];
      let crash = (): void => undefined;
      const transaction = (): void => {
        if (counts && ++transactions === crashAt) crash();
      };
      const net = newNet();
      const body = async (tree: Tree, there: string): Promise<void> => {
        const what = `after transaction ${crashAt}`;
        crash = () => tree.crash();
        counts = true;
        await stop(tree, 'interrupt');
        await tree.time.drain();
        counts = false;
        net.loses = undefined;
        for (const said of await comeLate(tree, net)) expect(said, what).toMatchObject({ ok: false });
        expect(turns(tree, there), what).toBe(1);
        expect(await tree.resume(), what).toBe(true);
        await tree.time.until(() => tree.ended);
        expect(outcomes(tree), what).toMatchObject(TOLD);
        expect(turns(tree, there), what).toBe(2);
      };
      await within(net, body, { transaction });
      return transactions;
    };
    const length = await once(0);
    expect(length).toBeGreaterThan(3);
    for (const transaction of sample(length, MOST)) await once(transaction);
  });

  it('[RM25] and is refused before its stop is answered takes nothing from that', async () => {
    let held: (() => void) | undefined;
    const net = newNet();
    const known = parts(net);
    const made = (tree: Tree): TreeParts => {
      const base = known(tree);
      const transport = elsewhere(tree, {
        async call(request, perform) {
          net.calls.push(request);
          if (!net.isSecond || net.loses === undefined) return perform();
          if (request.verb === 'start') {
            // It comes there once the stop is there, and is answered before that.
            await new Promise<void>((resolve) => {
              held = resolve;
            });
            return perform();
          }
          if (request.verb !== 'interrupt') return perform();
          const said = await perform();
          held?.();
          await waits(tree, 2_000);
          return said;
        },
      });
      return { ...base, env: { transport } };
    };
    await withTree(made, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => held !== undefined);
      await stop(tree, 'interrupt');
      expect(tree.outcome).toMatchObject({ status: 'interrupted' });
      net.loses = undefined;
      expect(await tree.resume()).toBe(true);
      await tree.time.until(() => tree.ended);
      expect(outcomes(tree)).toMatchObject(TOLD);
    });
  });

  it('[RM24, RM80] is stopped there, and what it begins removed, where the session is gone by then', async () => {
    const net = newNet({ hangs: 'Draft 2' });
    await within(net, async (tree, there) => {
      await tree.soon(removeTree(tree.world.object(there)));
      await stop(tree, 'abort');
      await tree.time.until(() => critics(tree).length === 0);
      await comeLate(tree, net);
      await tree.time.until(() => tree.port.working > 0);
      const from = tree.time.now;
      await tree.time.until(() => tree.port.working === 0);
      expect(tree.time.now - from).toBeLessThan(310_000);
      await tree.rest();
      expect([critics(tree), tree.time.pending]).toEqual([[], 0]);
    });
  });
});

describe('a stop of a further task elsewhere', () => {
  it.each(SOFT_AND_HARD)('[RM25, RM81] leaves what somebody else works at in its session: %s', async (verb) => {
    const net = newNet({ hangs: 'Of somebody else' });
    await within(net, async (tree, there) => {
      const runId = await ofOthers(tree, there);
      await stop(tree, verb);
      await comeLate(tree, net);
      expect(tree.state(there).run).toMatchObject({ runId, phase: 'active' });
      expect(tree.state(there).run).not.toHaveProperty('stop');
      expect(turns(tree, there)).toBe(2);
    });
  });

  it('[RM25, RM12] ends its session all the same with a terminate', async () => {
    const net = newNet({ hangs: 'Of somebody else' });
    await within(net, async (tree, there) => {
      await ofOthers(tree, there);
      await stop(tree, 'terminate');
      await tree.rest();
      expect(tree.state(there)).toMatchObject({ run: { phase: 'ended' }, session: { terminated: {} } });
    });
  });

  it.each(SOFT_AND_HARD)(
    '[RM25] that works there unknown to its parent stops it, and tells its end: %s',
    async (verb) => {
      const net = newNet({ hangs: 'Draft 2', loses: 'answer' });
      await within(net, async (tree, there) => {
        await tree.time.until(() => tree.port.working > 0);
        await stop(tree, verb);
        await tree.rest();
        const status = verb === 'interrupt' ? 'interrupted' : 'failed';
        expect(tree.state(there).run).toMatchObject({ phase: 'ended', outcome: { status } });
        // What was done there is in the log here, with its end.
        const types = tree.log.flatMap(({ chunk: { address, type } }) => (address === JUDGE ? [type] : []));
        expect(types.slice(-1)).toEqual([verb === 'interrupt' ? 'run_interrupted' : 'run_failed']);
        expect(types.filter((type) => type === 'run_started')).toHaveLength(2);
        if (verb !== 'interrupt') return;
        net.loses = undefined;
        net.hangs = undefined;
        expect(await tree.resume()).toBe(true);
        await tree.time.until(() => tree.ended);
        expect(outcomes(tree)).toMatchObject(TOLD);
        // It went on there, and was not begun once more.
        expect(tree.state(there).run).toMatchObject({ turn: 3, lineage: { chainTurn: 2 } });
      });
    },
  );

  it.each(SOFT_AND_HARD)(
    '[RM25] that is known there, and has ended, leaves the turn of somebody else: %s',
    async (verb) => {
      const net = newNet({ hangs: 'Draft 2', loses: undefined });
      await within(net, async (tree, there) => {
        await tree.time.until(() => tree.port.working > 0);
        // Somebody stops it there, and has a turn, before anybody here hears of it.
        net.says = ({ verb: asked }) => (asked === 'status' ? refusal(503, 'unavailable') : undefined);
        const stopThere = command(tree.world.object(there), there, 'abort', {});
        await tree.soon(stopThere);
        net.hangs = 'Of somebody else';
        const runId = await ofOthers(tree, there);
        tree.stopSurely(verb);
        await waits(tree, 2_000);
        delete net.says;
        await tree.time.until(() => tree.ended || tree.nodes[1]?.schedule.phase === 'ended');
        expect(failures(tree)).toEqual(['aborted']);
        expect(tree.state(there).run).toMatchObject({ runId, phase: 'active' });
        expect(tree.state(there).run).not.toHaveProperty('stop');
        expect(net.calls.some(({ verb: asked }) => asked === verb)).toBe(true);
      });
    },
  );

  it('[RM25, RM3] stops what it went on with, by the key of the start that began it', async () => {
    const net = newNet({ hangs: 'Draft 2', loses: undefined });
    await within(net, async (tree, there) => {
      await tree.time.until(() => tree.port.working > 0);
      await stop(tree, 'interrupt');
      expect(await tree.resume()).toBe(true);
      await tree.time.until(() => tree.port.working > 0);
      await stop(tree, 'abort');
      await tree.rest();
      expect(tree.state(there).run).toMatchObject({
        turn: 3,
        lineage: { chainTurn: 2 },
        phase: 'ended',
        outcome: { status: 'failed' },
      });
      const named = net.calls.flatMap(({ verb, body }) => (/interrupt|abort/.test(verb) ? [body?.start] : []));
      expect(new Set(named).size).toBe(1);
      expect(named[0]).toEqual(expect.any(String));
    });
  });

  it.each(['late', 'late, and its answer lost'])(
    '[RM8, RM25, RM47] is sent once more where what lets it go on comes there after it: %s',
    async (how) => {
      const net = newNet({ hangs: 'Draft 2', loses: undefined });
      await within(net, async (tree, there) => {
        await tree.time.until(() => tree.port.working > 0);
        await stop(tree, 'interrupt');
        let comes: (() => void) | undefined;
        const late = async (perform: () => Promise<RemoteAnswer>): Promise<RemoteAnswer> => {
          await new Promise<void>((resolve) => {
            comes = resolve;
          });
          const said = await perform();
          if (how === 'late') return said;
          throw new RemoteError('remote_timed_out', 'No answer came.');
        };
        net.says = ({ verb }, perform) => (verb === 'resume' ? late(perform) : undefined);
        expect(await tree.resume()).toBe(true);
        await tree.time.until(() => comes !== undefined);
        tree.stopSurely('abort');
        await tree.time.until(() => net.calls.some(({ verb }) => verb === 'abort'));
        await waits(tree, 100);
        comes?.();
        await tree.time.until(() => tree.ended);
        await tree.rest();
        const run = { turn: 3, lineage: { chainTurn: 2 }, phase: 'ended', outcome: { status: 'failed' } };
        expect(tree.state(there).run).toMatchObject(run);
        expect(failures(tree)).toEqual(['aborted']);
      });
    },
  );

  it.each(VERBS)(
    '[RM24, RM9, RM79] that is refused for good is lost, and never said not to have begun: %s',
    async (verb) => {
      const net = newNet();
      await within(net, async (tree) => {
        net.says = ({ verb: asked }) => (VERBS.some((one) => one === asked) ? refusal(403, 'forbidden') : undefined);
        await stop(tree, verb);
        await tree.rest();
        expect(failures(tree)).toEqual(['subagent_lost']);
        expect(tree.time.pending).toBe(0);
      });
    },
  );

  it.each(VERBS)('[RM25, RM83] is sent without its start to a side of an older release, at once: %s', async (verb) => {
    const net = newNet({ hangs: 'Of somebody else' });
    await within(net, async (tree, there) => {
      net.says = ({ body }) => (body?.start === undefined ? undefined : refusal(400, 'invalid_request'));
      await ofOthers(tree, there);
      const from = tree.time.now;
      await stop(tree, verb);
      expect(tree.time.now - from).toBeLessThan(1_000);
      // As it was: what works there is stopped, whoever began it.
      expect(tree.state(there).run).toMatchObject({ phase: 'ended' });
      const sent = net.calls.filter(({ verb: asked }) => asked === verb);
      expect(sent.map(({ body }) => body?.start !== undefined)).toEqual([true, false]);
      expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
    });
  });

  it('[RM25, RM83] is sent without its start where nothing is remembered there of one that was answered', async () => {
    const net = newNet({ hangs: 'Draft 2', loses: undefined });
    await within(net, async (tree, there) => {
      await tree.time.until(() => tree.port.working > 0);
      tree.world.object(there).store.receipt = () => undefined;
      await stop(tree, 'abort');
      expect(tree.state(there).run).toMatchObject({ phase: 'ended', outcome: { status: 'failed' } });
    });
  });
});

describe('a further task elsewhere that has ended before its parent asks how it stands', () => {
  it('[RM10, RM51] ends as its own log says, and nothing of the turn is told that somebody else has had since', async () => {
    const net = newNet({ hangs: 'Of somebody else', loses: undefined });
    net.says = ({ verb }) => (net.isSecond && verb === 'status' ? refusal(503, 'unavailable') : undefined);
    await within(net, async (tree, there) => {
      await tree.time.until(() => turns(tree, there) === 2 && tree.state(there).run?.phase === 'ended');
      const runId = await ofOthers(tree, there);
      delete net.says;
      await tree.time.until(() => tree.ended);
      expect(outcomes(tree)).toMatchObject(TOLD);
      expect(JSON.stringify(tree.log)).not.toContain('"text":"Of somebody else"');
      expect(tree.state(there).run).toMatchObject({ runId, phase: 'active' });
    });
  });
});
