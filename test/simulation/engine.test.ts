/** The engine: what it does between commits, what it owes to its root, and what the root does with it. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import { hasBegun } from '../../src/core/tree/node';
import { LogReader } from '../../src/engine/log-reader';
import type { ObjectCall } from '../../src/engine/object/object-calls';
import { FEW_AT_WORK, Gathering } from '../../src/engine/root/group-requests';
import type { RootRequest } from '../../src/engine/tree-messages';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { ran } from '../support/crashes';
import { examine, transcripts } from '../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { agentOf, answer, hangTool, noteTool, question, threeLevels } from '../support/trees';
import { VirtualTime } from '../support/virtual-time';

type Network = NonNullable<TreeOptions['network']>;

/** A silent agent is rung after so long, in ms. */
const LEASE_MS = 5_000;
/** How long a body that ignores its stop holds it up. */
const GRACE_MS = 2_000;
const TOP = '/agents/top/one';
const KID = `${TOP}/sub/kid/1~1`;

/** A top with one child that hangs in a tool until it is stopped. */
function hangingChild(tree: Tree): TreeParts {
  const kid = agentOf('kid', { tools: [noteTool(tree), hangTool(tree)], outputSchema: answer });
  const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: [{ name: 'subagent__kid', input: { q: 'x' } }] }, { text: 'Seen.' }],
      kid: [{ text: 'I go.', calls: [{ name: 'hang' }] }],
    },
  };
}

/** The error of the root's first call. */
function firstError(tree: Tree): string | undefined {
  const [step] = tree.store().steps({});
  const result = step?.phase === 'calls' ? step.calls[0]?.settled?.result : undefined;
  return result?.success === false ? result.error.code : undefined;
}

const requests =
  (
    network: (
      call: Extract<ObjectCall, { kind: 'root' }>['request'],
      perform: Parameters<Network>[2],
    ) => ReturnType<Network>,
  ): Network =>
  (address, call, perform) =>
    call.kind === 'root' && address === TOP ? network(call.request, perform) : perform();

describe('committing and performing', () => {
  it('[EG1, EG3] a transaction that fails keeps nothing, in memory or in the store, and nothing begins', async () => {
    let fails = true;
    const transaction = () => {
      if (fails) throw new Error('disk full');
    };
    await withTree(
      (tree) => threeLevels(tree),
      { transaction },
      async (tree) => {
        await expect(tree.start()).rejects.toThrow('disk full');
        await tree.time.drain();
        expect(tree.port.asked).toEqual([]);
        expect(tree.addresses).toEqual([]);
        fails = false;
        await tree.run();
        examine(tree);
        expect(tree.log[0]).toMatchObject({ sequence: 1, chunk: { type: 'run_started', turn: 1 } });
      },
    );
  });

  it('[M40] pieces of one block are written together, those of two never are', async () => {
    const text = (part: number, delta: string) => ({ type: 'text' as const, part, delta });
    const deltas = [text(0, 'One'), text(0, '.'), text(1, 'Two'), text(0, '!'), text(1, '.'), text(1, '?')];
    await withTree(
      () => ({ agents: [agentOf('top')], scripts: { top: [{ text: 'One.!Two.?', deltas }] } }),
      {},
      async (tree) => {
        await tree.run();
        const said = tree.log.flatMap(({ chunk }) => (chunk.type === 'text_delta' ? [[chunk.part, chunk.delta]] : []));
        expect(said).toEqual([
          [0, 'One.'],
          [1, 'Two'],
          [0, '!'],
          [1, '.?'],
        ]);
      },
    );
  });

  it('[EG3] a transaction that fails later leaves the state and the record as they were', async () => {
    await withTree(
      (tree) => threeLevels(tree),
      {},
      async (tree) => {
        await tree.run();
        const object = tree.world.object(TOP);
        const before = {
          state: object.agent?.state,
          nodes: [...(object.tree?.tree.all() ?? [])],
          last: object.tree?.log.last,
        };
        const event = {
          type: 'send',
          at: tree.time.now,
          token: 'token',
          runId: 'r_2',
          message: { messageId: 'm', role: 'user', content: 'x', from: 'caller' },
        } as const;
        const fails = () => {
          throw new Error('no');
        };
        expect(() => object.agent?.apply(event, fails)).toThrow('no');
        expect({
          state: object.agent?.state,
          nodes: [...(object.tree?.tree.all() ?? [])],
          last: object.tree?.log.last,
        }).toEqual(before);
        expect(tree.state()).toEqual(before.state);
        expect(tree.port.working).toBe(0);
        await tree.run('Again');
        examine(tree);
      },
    );
  });

  it('[EG2] what is in flight and not owed any more is aborted', async () => {
    const parts = (): TreeParts => ({ agents: [agentOf('top')], scripts: { top: [{ text: 'Well', hang: true }] } });
    await withTree(parts, {}, async (tree) => {
      await tree.start();
      await tree.time.settle();
      expect(tree.port.working).toBe(1);
      tree.stop();
      await tree.time.settle();
      expect(tree.port.working).toBe(0);
      await tree.finish();
      examine(tree);
    });
  });

  it('[RC7, RC3] a body, and a model call that is repeated, begin only when what asks for them survives a crash', async () => {
    let held: (() => void)[] = [];
    const durable = () => new Promise<void>((resolve) => held.push(resolve));
    const release = async (tree: Tree): Promise<void> => {
      for (const resolve of held.splice(0)) resolve();
      await tree.time.settle();
    };
    const crash = async (tree: Tree): Promise<void> => {
      tree.crash();
      held = [];
      await tree.world.object(TOP).alarm();
      await tree.time.pass(0);
    };
    const parts = (tree: Tree): TreeParts => ({
      agents: [agentOf('top', { tools: [noteTool(tree)] })],
      scripts: {
        top: ({ step, attempt }) =>
          step > 1
            ? { text: 'Done.' }
            : attempt === 1
              ? { hang: true }
              : { calls: [{ name: 'note', input: { text: 'x' } }] },
      },
    });
    await withTree(parts, { durable }, async (tree) => {
      await tree.start();
      await tree.time.settle();
      expect(tree.port.asked).toHaveLength(1);
      await crash(tree);
      expect(tree.port.asked).toHaveLength(1);
      await release(tree);
      expect(tree.port.asked).toHaveLength(2);
      for (const bodies of [1, 2]) {
        expect(tree.bodies.size).toBe(0);
        expect(tree.store().steps({}).at(-1)).toMatchObject({ phase: 'calls', calls: [{ bodies }] });
        if (bodies < 2) await crash(tree);
      }
      await release(tree);
      expect([...tree.bodies.values()]).toEqual([1]);
      while (held.length > 0) await release(tree);
      await tree.finish();
    });
  });

  it('[RC6, EG1] a message to an agent that was lost from memory finds it recovered, whatever comes first', async () => {
    const bodies: number[] = [];
    const parts = (tree: Tree): TreeParts => {
      const once = defineTool({
        name: 'once',
        description: 'Works.',
        inputSchema: z.object({}),
        execute: () => {
          bodies.push(tree.crashes);
          return new Promise(() => undefined);
        },
      });
      return {
        agents: [agentOf('top', { tools: [once] })],
        scripts: { top: [{ calls: [{ name: 'once' }] }, { text: 'Done.' }] },
      };
    };
    for (const first of ['alarm', 'send', 'wake'] as const) {
      bodies.length = 0;
      await withTree(parts, {}, async (tree) => {
        await tree.start();
        await tree.time.settle();
        tree.crash();
        const object = tree.world.object(TOP);
        if (first === 'alarm') await object.alarm();
        if (first === 'send') tree.send('Hello?');
        if (first === 'wake')
          await object.send(TOP, { type: 'wake', sessionId: object.agent?.state.session.sessionId ?? '' });
        await tree.finish();
        expect(bodies, first).toEqual([0]);
        expect(firstError(tree), first).toBe('outcome_unknown');
        expect(
          tree.log.filter(({ chunk }) => chunk.type === 'run_recovered'),
          first,
        ).toHaveLength(1);
      });
    }
  });
});

describe('the way to the root', () => {
  it('[OB1, OB2, TR1] keeps everything while the root cannot be reached, and sends it in order when it can', async () => {
    const calm = await ran((tree) => threeLevels(tree));
    let down = true;
    const network = requests((_, perform) => (down ? Promise.reject(new Error('unreachable')) : perform()));
    await withTree(
      (tree) => threeLevels(tree),
      { network },
      async (tree) => {
        await tree.start();
        await tree.time.pass(4 * 60_000);
        expect(tree.ended).toBe(false);
        expect(tree.nodes.every((node) => node.kind === 'root' || !hasBegun(node))).toBe(true);
        down = false;
        await tree.finish();
        examine(tree);
        expect(transcripts(tree)).toEqual(calm.transcripts);
      },
    );
  });

  it('[OB1, RC6] keeps it through a crash, too', async () => {
    let down = true;
    const network = requests((_, perform) => (down ? Promise.reject(new Error('unreachable')) : perform()));
    await withTree(
      (tree) => threeLevels(tree),
      { network },
      async (tree) => {
        await tree.start();
        await tree.time.pass(30_000);
        tree.crash();
        await tree.time.pass(30_000);
        down = false;
        await tree.finish();
        examine(tree);
      },
    );
  });

  it('[OB1, OB2] sends long chunks in calls that an RPC can carry', async () => {
    const sizes: number[] = [];
    let down = true;
    const network = requests((request: RootRequest, perform) => {
      if (down) return Promise.reject(new Error('unreachable'));
      sizes.push(JSON.stringify(request).length);
      return perform();
    });
    const parts = (tree: Tree): TreeParts => {
      const long = noteTool(tree, {
        name: 'long',
        inputSchema: z.object({ text: z.string().transform((text) => text.repeat(600_000)) }),
      });
      const kid = agentOf('kid', { tools: [long], limits: { maxConcurrentCalls: 1 } });
      const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
      const calls = Array.from({ length: 14 }, (_, index) => ({
        name: 'long',
        input: { text: String.fromCharCode(97 + (index % 26)) },
      }));
      return {
        agents: [top, kid],
        scripts: {
          top: [{ calls: [{ name: 'subagent__kid', input: { q: 'x' } }] }, { text: 'ok' }],
          kid: [{ calls }, { text: 'k' }],
        },
      };
    };
    await withTree(parts, { network }, async (tree) => {
      await tree.start();
      await tree.time.pass(10_000);
      down = false;
      await tree.finish();
      examine(tree);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(8_000_000);
      expect(Math.max(...sizes)).toBeLessThan(6_000_000);
    });
  });

  it('[TR5] an agent that the root gave up is told so, stops, and nothing of it enters the log any more', async () => {
    await withTree(hangingChild, {}, async (tree) => {
      await tree.start();
      await tree.time.pass(1_000);
      const { tree: root } = tree.world.object(TOP);
      const kid = tree.state(KID).session.sessionId;
      await root?.take({
        sessionId: tree.state().session.sessionId,
        batches: [],
        admit: [],
        deliver: [],
        withdraw: [],
        lost: [kid],
      });
      const { length } = tree.log;
      tree.apply(
        (facts) => ({
          type: 'custom_changed',
          at: facts.at,
          by: openCall(tree, KID),
          epoch: 1,
          custom: 1,
          patch: [],
        }),
        KID,
      );
      await tree.time.pass(1_000);
      expect(tree.log.length).toBe(length);
      expect(tree.apply((facts) => ({ type: 'recover', ...facts, reason: 'x' }), KID)).toMatchObject({
        ok: false,
        refused: { code: 'superseded' },
      });
    });
  });
});

function openCall(tree: Tree, address: string): string {
  const { step } = tree.state(address);
  return (step?.phase === 'calls' && step.calls.find(({ settled }) => settled === undefined)?.callId) || '';
}

describe('the root', () => {
  it('[RT2] sets no alarm before anybody works and none after, and one of 5 s or the next deadline in between', async () => {
    const armed: number[] = [];
    await withTree(hangingChild, {}, async (tree) => {
      const object = tree.world.object(TOP);
      const { arm } = object.ports;
      let takenBack = 0;
      const noted = (time: number | undefined): void => {
        if (time === undefined) takenBack++;
        else armed.push(time - tree.time.now);
        arm(time);
      };
      Object.assign(object.ports, { arm: noted });
      await tree.time.settle();
      expect([armed, tree.time.pending]).toEqual([[], 0]);
      await tree.start();
      await tree.time.pass(599_000);
      expect(armed.length).toBeGreaterThan(100);
      expect(Math.max(...armed)).toBe(LEASE_MS);
      expect(Math.min(...armed)).toBeGreaterThan(0);
      await tree.finish();
      expect(firstError(tree)).toBe('child_timeout');
      expect(tree.log.at(-1)?.chunk.timestamp).toBe((tree.log[0]?.chunk.timestamp ?? 0) + 600_000 + GRACE_MS);
      expect(takenBack).toBe(1);
      armed.length = 0;
      await tree.time.pass(60_000);
      expect([armed, tree.time.pending]).toEqual([[], 0]);
    });
  });

  it('[RT3] rings only who is silent, and ringing changes nothing', async () => {
    const rung: string[] = [];
    const network: Network = (address, call, perform) => {
      if (call.kind === 'agent' && call.message.type === 'wake') rung.push(address);
      return perform();
    };
    await withTree(hangingChild, { network }, async (tree) => {
      await tree.start();
      await tree.time.pass(1_000);
      const { length } = tree.commits;
      await tree.time.pass(20_000);
      expect(rung.length).toBeGreaterThanOrEqual(4);
      expect(new Set(rung)).toEqual(new Set([KID]));
      expect(tree.commits.length).toBe(length);
    });
  });

  it('[RT3, RC6] brings a tree back within its lease after a crash, without anybody asking', async () => {
    const crashAt = new Set([12, 13, 25]);
    const crashed: number[] = [];
    const onCommit = (tree: Tree, commit: number) => void (crashAt.has(commit) && crashed.push(tree.time.now));
    await withTree(
      (tree) => threeLevels(tree),
      { crashAt, onCommit },
      async (tree) => {
        await tree.run();
        examine(tree);
        const recovered = tree.log.flatMap(({ chunk }) =>
          chunk.type === 'run_recovered' && chunk.address === TOP ? [chunk.timestamp] : [],
        );
        expect(recovered).toHaveLength(3);
        for (const [index, at] of recovered.entries()) expect(at - (crashed[index] ?? 0)).toBeLessThanOrEqual(LEASE_MS);
      },
    );
  });

  it.for([0, 1, 3])(
    '[DG7, RC5] settles a child once whose store is gone, also where its parent hears of it late (%i times)',
    async (late) => {
      let failures = late;
      const network: Network = (address, call, perform) => {
        const lost =
          call.kind === 'agent' &&
          call.message.type === 'child_settled' &&
          !call.message.runId &&
          address === `${TOP}/sub/middle/1~1`;
        return lost && failures-- > 0 ? Promise.reject(new Error('unreachable')) : perform();
      };
      const parts = (tree: Tree): TreeParts => {
        const { agents, scripts } = hangingChild(tree);
        const [top, kid] = agents;
        const middle = agentOf('middle', { tools: top.tools, outputSchema: answer });
        const boss = agentOf('top', { tools: [createSubAgentTool(middle, question)] });
        return {
          agents: [boss, middle, ...(kid ? [kid] : [])],
          scripts: {
            ...scripts,
            top: [{ calls: [{ name: 'subagent__middle', input: { q: 'x' } }] }, { text: 'Seen.' }],
            middle: [{ calls: [{ name: 'subagent__kid', input: { q: 'x' } }] }, { finish: { answer: 'm' } }],
          },
        };
      };
      await withTree(parts, { network }, async (tree) => {
        await tree.start();
        await tree.time.pass(1_000);
        tree.world.remove(`${TOP}/sub/middle/1~1/sub/kid/1~1`);
        await tree.finish();
        expect(tree.outcome).toMatchObject({ output: 'Seen.' });
        expect(
          tree.log.flatMap(({ chunk }) =>
            chunk.type === 'subagent_end' ? [[chunk.subAgentType, chunk.error?.code]] : [],
          ),
        ).toEqual([
          ['kid', 'subagent_lost'],
          ['middle', undefined],
        ]);
        expect(tree.nodes.every(({ schedule }) => schedule.phase === 'ended')).toBe(true);
      });
    },
  );

  it('[DG7] settles a child once that cannot be reached at all, and loses no sibling', async () => {
    const network: Network = (address, _, perform) =>
      address.endsWith('/sub/leaf/1~1') ? Promise.reject(new Error('unreachable')) : perform();
    await withTree(
      (tree) => threeLevels(tree),
      { network },
      async (tree) => {
        await tree.run();
        const ends = tree.log.flatMap(({ chunk }) =>
          chunk.type === 'subagent_end' && chunk.subAgentType === 'leaf' ? [chunk.error?.code ?? 'well'] : [],
        );
        expect(ends.sort()).toEqual(['subagent_lost', 'subagent_lost', 'well', 'well']);
        expect(tree.outcome).toMatchObject({ output: 'All done.' });
        examine(tree);
      },
    );
  });

  it('[DG7] begins a child again that was never there, because its parent was lost before it could', async () => {
    let failures = 0;
    const network: Network = (address, call, perform) => {
      if (call.kind === 'agent' && call.message.type === 'assign' && address.includes('/leaf/') && failures++ < 3)
        return new Promise(() => undefined);
      return perform();
    };
    await withTree(
      (tree) => threeLevels(tree),
      { network },
      async (tree) => {
        await tree.run();
        examine(tree);
        expect(tree.outcome).toMatchObject({ output: 'All done.' });
      },
    );
  });

  it('[DG6] a child that waits in the queue has all of its time once it works', async () => {
    const parts = (tree: Tree): TreeParts => {
      const kid = agentOf('kid', { tools: [hangTool(tree)] });
      const top = agentOf('top', {
        tools: [createSubAgentTool(kid, question, { timeoutMs: 10_000 })],
        limits: { maxConcurrentChildren: 1 },
      });
      const calls = Array.from({ length: 3 }, () => ({ name: 'subagent__kid', input: { q: 'x' } }));
      return {
        agents: [top, kid],
        scripts: { top: [{ calls }, { text: 'ok' }], kid: [{ calls: [{ name: 'hang' }] }] },
      };
    };
    await withTree(parts, {}, async (tree) => {
      await tree.run();
      examine(tree);
      const begun = tree.log[0]?.chunk.timestamp ?? 0;
      const ends = tree.log.flatMap(({ chunk }) => (chunk.type === 'subagent_end' ? [chunk.timestamp - begun] : []));
      expect(ends).toEqual([10_000, 20_000, 30_000].map((ms, index) => ms + (index + 1) * GRACE_MS));
    });
  });
});

describe('readers of the log', () => {
  /** Reads all that there is whenever chunks are told of, or only now and then. */
  async function read(
    address: string,
    everyNth: number,
  ): Promise<{ seen: SequencedChunk[]; log: readonly SequencedChunk[] }> {
    return withTree(
      (tree) => threeLevels(tree),
      {},
      async (tree) => {
        await tree.start();
        const { tree: root } = tree.world.object(TOP);
        if (root === undefined) throw new Error('There is no root.');
        const reader = new LogReader(root, address, 1);
        const seen: SequencedChunk[] = [];
        let told = 0;
        const readAll = () => {
          for (let page = reader.read(); page.kind !== 'tail'; page = reader.read())
            if (page.kind === 'chunks') seen.push(...page.chunks);
        };
        root.log.listen(() => {
          if (told++ % everyNth === 0) readAll();
        });
        await tree.finish();
        readAll();
        return { seen, log: tree.log };
      },
    );
  }

  it.for([1, 2, 7, 1_000])(
    '[LG1, LG2] see every chunk in order, each once, however often they read (every %i)',
    async (everyNth) => {
      const { seen, log } = await read(TOP, everyNth);
      expect(seen).toEqual(log);
      expect(seen.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
    },
  );

  it('[LG2] of a subtree see what lies at or below its address alone', async () => {
    const address = `${TOP}/sub/middle/2~1`;
    const { seen, log } = await read(address, 3);
    expect(seen).toEqual(
      log.filter(({ chunk }) => chunk.address === address || chunk.address.startsWith(`${address}/`)),
    );
    expect(new Set(seen.map(({ chunk }) => chunk.address)).size).toBe(3);
  });
});

describe('requests that come together', () => {
  const gathering = () => {
    const time = new VirtualTime();
    const gathered = new Gathering(time.environment);
    const taken: string[] = [];
    const come = (who: string, working: number) => gathered.come(working).then(() => void taken.push(who));
    return { time, taken, come };
  };

  it('[RT6] wait for nobody where few agents work', async () => {
    const { time, taken, come } = gathering();
    await come('a', FEW_AT_WORK - 1);
    expect([taken, time.pending]).toEqual([['a'], 0]);
  });

  it('[RT6] are taken in one turn where several do, in their order, whoever comes within a millisecond', async () => {
    const { time, taken, come } = gathering();
    const all = [come('a', FEW_AT_WORK), come('b', FEW_AT_WORK), come('c', FEW_AT_WORK - 1)];
    await time.settle();
    expect([taken, time.pending]).toEqual([[], 1]);
    await time.pass(1);
    await Promise.all(all);
    expect(taken).toEqual(['a', 'b', 'c']);
    const later = come('d', FEW_AT_WORK);
    await time.settle();
    expect([taken.length, time.pending]).toEqual([3, 1]);
    await time.pass(1);
    await later;
    expect([taken.at(-1), time.pending]).toEqual(['d', 0]);
  });

  it('[RT6] of a wide tree each take a moment at the root, and a child alone takes none', async () => {
    const took = async (kids: number): Promise<Set<number>> => {
      const waits = new Set<number>();
      let tree: Tree | undefined;
      const network = requests(async (_request, perform) => {
        const from = tree?.time.now ?? 0;
        const answered = await perform();
        waits.add((tree?.time.now ?? 0) - from);
        return answered;
      });
      const parts = (): TreeParts => {
        const kid = agentOf('kid', { outputSchema: answer });
        const call = { name: 'subagent__kid', input: { q: 'x' } };
        return {
          agents: [agentOf('top', { tools: [createSubAgentTool(kid, question)] }), kid],
          scripts: {
            top: [{ calls: Array.from({ length: kids }, () => call) }, { text: 'Seen.' }],
            kid: [{ calls: [{ name: '__finish__', input: { a: 'y' } }] }],
          },
        };
      };
      await withTree(parts, { network }, async (made) => {
        tree = made;
        await made.run();
        examine(made);
      });
      return waits;
    };
    expect(await took(1)).toEqual(new Set([0]));
    expect(await took(8)).toContain(1);
  });
});
