/** Children elsewhere that cannot be counted on: what is not reached, gone, refused or not lawful. */
import { describe, expect, it } from 'vitest';
import { RemoteError } from '../../../src/core/definition/remote-transport';
import { ERROR_CODES } from '../../../src/protocol/errors';
import { command } from '../../../src/verbs/command';
import { Tree, type TreeParts } from '../../support/harness';
import { present } from '../../support/present';
import { noted } from '../../support/told';
import { agentOf, noteTool, toolResults } from '../../support/trees';
import type { Between } from './support/elsewhere';
import { examined, farParts, hanging, ran, remotes, statusThere } from './support/far';

describe('a child elsewhere that cannot be counted on', () => {
  const failsWith = async (code: string, between: Between, change: (made: TreeParts) => TreeParts = (made) => made) => {
    const tree = new Tree((it) => change(farParts(it, between)));
    await tree.run();
    const [result] = toolResults(tree);
    expect(result).toMatchObject({ success: false, error: { code } });
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    const types = tree.log.flatMap(({ chunk }) => (chunk.address === tree.address ? [chunk.type] : []));
    expect(types.filter((type) => type === 'subagent_end')).toEqual(['subagent_end']);
    return tree;
  };

  it('[RM9] F31: is lost where it is not reached for 5 minutes', async () => {
    const began = await failsWith('subagent_lost', {
      call: () => Promise.reject(new RemoteError('remote_unreachable', 'Nobody is there.')),
    });
    const [from, to] = ['subagent_start', 'subagent_end'].map(
      (type) => present(began.log.find(({ chunk }) => chunk.type === type)).chunk.timestamp,
    );
    expect(present(to) - present(from)).toBeGreaterThanOrEqual(300_000);
    expect(present(to) - present(from)).toBeLessThan(330_000);
    began.close();
  });

  it('[RM9, RM21, RM71] is lost where it has ended and the rest of its log does not come for 5 minutes, whatever its stream says', async () => {
    let [asked, streams] = [0, 0];
    const between: Between = {
      call(request, perform) {
        if (request.verb === 'status') asked++;
        return perform();
      },
      event(event, stream) {
        streams = stream;
        // It ends properly, or begins anew; each time without the last chunks.
        return event.type === 'chunk' && event.sequence > 3 ? [{ type: 'reset', from: 1 }] : [event];
      },
    };
    const tree = await failsWith('subagent_lost', between);
    const [start, end] = ['subagent_start', 'subagent_end'].map(
      (type) =>
        present(tree.log.find(({ chunk }) => chunk.type === type && chunk.address === tree.address)).chunk.timestamp,
    );
    expect(present(end) - present(start)).toBeGreaterThanOrEqual(300_000);
    expect(present(end) - present(start)).toBeLessThan(330_000);
    // With growing delays; the alarm of the root looks after it each 5 s.
    expect(streams).toBeLessThan(80);
    expect(asked).toBeLessThan(80);
    await tree.rest();
    expect(tree.time.pending).toBe(0);
    tree.close();
  });

  it('[RM9, RM49] fails the call where it refuses, and is lost where it is gone', async () => {
    const refusing = (status: number): Between => ({
      call: () => Promise.resolve({ ok: false, code: 'nonsense', title: 'No.', status }),
    });
    (await failsWith('subagent_failed', refusing(403))).close();
    (await failsWith('subagent_lost', refusing(404))).close();
  });

  it.each([
    ['The key KEY is missing there.', 'The key KEY is missing there.'],
    [undefined, 'No more of these.'],
  ])(
    '[RM9, A54] F93: tells the developer and the model why it refuses, and anyone no more than a sentence that is safe: %s',
    async (detail, told) => {
      const refusal = { ok: false, code: 'nonsense', title: 'No more of these.', status: 403 } as const;
      const tree = await failsWith('subagent_failed', {
        call: () => Promise.resolve(detail === undefined ? refusal : { ...refusal, detail }),
      });
      const { items } = await tree.soon(command(tree.world.object(tree.address), tree.address, 'calls', {}));
      const safe = ERROR_CODES.subagent_failed.title;
      expect(items[0]?.error).toMatchObject({ title: safe, message: expect.stringContaining(told) });
      const ended = tree.log.flatMap(({ chunk }) => (chunk.type === 'subagent_end' ? [chunk.error] : []));
      expect(ended).toMatchObject([{ code: 'subagent_failed', message: expect.stringContaining(told) }]);
      expect(JSON.stringify(toolResults(tree))).toContain(told);
      tree.close();
    },
  );

  it.each([
    ['completed', [noted('n'), { finish: { answer: 'far' } }], { success: true, value: { answer: 'far' } }],
    ['failed', [{ fail: { code: 'model_refused' } }], { success: false, error: { code: 'model_refused' } }],
    [
      'is at work',
      [noted('n'), noted('m'), { finish: { answer: 'far' } }],
      { success: true, value: { answer: 'far' } },
    ],
  ] as const)('[RM5] F85: is what its status says after everything here was lost: it %s', async (how, far, result) => {
    let isAway = false;
    const tree = new Tree((it) => {
      const made = farParts(it, { isAway: () => isAway });
      return { ...made, scripts: { ...made.scripts, far } };
    });
    await tree.start();
    const begun = () => remotes(tree).length > 0 && tree.port.asked.some(({ agentType }) => agentType === 'far');
    await tree.time.until(begun);
    isAway = true;
    if (how !== 'is at work') await tree.time.until(() => statusThere(tree) !== 'active');
    tree.crash();
    isAway = false;
    tree.world.object(tree.address);
    await tree.finish();
    expect(toolResults(tree)).toMatchObject([result]);
    const asked = tree.port.asked.filter(({ agentType }) => agentType === 'far');
    expect(new Set(asked.map(({ step }) => step)).size).toBe(far.length);
    if (how !== 'is at work') expect(asked).toHaveLength(far.length);
    tree.close();
  });

  it('[RM4, RM9, RM41] fails the call at once where it speaks for another agent, and is stopped there', async () => {
    const lying: Between = {
      event: (event) =>
        event.type === 'chunk' && event.chunk.type === 'step_started'
          ? [{ ...event, chunk: { ...event.chunk, address: '/agents/top/one' } }]
          : [event],
    };
    const tree = await failsWith('subagent_failed', lying, ({ scripts, ...made }) => ({
      ...made,
      scripts: { ...scripts, far: [{ hang: true }] },
    }));
    expect(statusThere(tree)).toBe('failed');
    tree.close();
  });

  it('[RM9, RM49] fails the call where its output does not fit the schema of the tool', async () => {
    const tree = await failsWith('output_invalid', {
      async call(request, perform) {
        const said = await perform();
        if (request.verb !== 'status' || !said.ok) return said;
        const lie = JSON.stringify(said.body).replace('"output":{"answer":"far"}', '"output":7');
        return { ok: true, body: JSON.parse(lie) };
      },
    });
    tree.close();
  });

  it('[RM15, RM57] fails the call where its log begins behind what was taken, and goes on where it leads back', async () => {
    /** The log there begins at that sequence, for the first stream after some chunks were taken. */
    const resets = (to: (taken: number) => number): Between => {
      let taken = 0;
      let isReset = false;
      return {
        cutsAfter: (stream) => (stream === 1 ? 8 : undefined),
        event: (event, stream) => {
          if (stream === 1 && event.type === 'chunk') taken = event.sequence;
          if (stream === 1 || isReset) return [event];
          isReset = true;
          return [{ type: 'reset', from: to(taken) }, event];
        },
      };
    };
    const ahead = await failsWith(
      'subagent_failed',
      resets((taken) => taken + 2),
    );
    ahead.close();
    for (const to of [(taken: number) => taken + 1, () => 1]) {
      const back = await ran({}, resets(to));
      examined(back);
      back.close();
    }
  });

  it('[RM15] is lost where its log has less than was taken', async () => {
    const tree = await failsWith('subagent_lost', {
      async call(request, perform) {
        const said = await perform();
        if (request.verb !== 'status' || !said.ok) return said;
        return {
          ok: true,
          body: JSON.parse(JSON.stringify(said.body).replace(/"lastSequence":\d+/, '"lastSequence":1')),
        };
      },
    });
    tree.close();
  });

  it('[RM9, RM48] fails the call where its status is none, and where its tool is gone', async () => {
    const lying = await failsWith('subagent_failed', {
      async call(request, perform) {
        return request.verb === 'status' ? { ok: true, body: { status: 'splendid' } } : perform();
      },
    });
    lying.close();
    const gone = await failsWith('subagent_failed', {}, (made) => ({ ...made, env: {} }));
    gone.close();
  });

  it('[RM9, PK1, RM48] L34: is lost where a release has no agents elsewhere any more', async () => {
    let isNewer = false;
    const changing = (tree: Tree): TreeParts => {
      const { agents, ...made } = hanging(tree, {});
      const [before, ...others] = agents;
      const after = agentOf('top', { tools: [noteTool(tree)] });
      const top = {
        ...before,
        get tools() {
          return (isNewer ? after : before).tools;
        },
        get relationships() {
          return (isNewer ? after : before).relationships;
        },
      };
      return { ...made, agents: [top, ...others] };
    };
    const tree = new Tree(changing);
    await tree.start();
    await tree.time.until(() => remotes(tree).length > 0 && tree.port.working > 0);
    isNewer = true;
    tree.crash();
    tree.world.object(tree.address);
    await tree.time.until(() => tree.ended);
    expect(toolResults(tree)).toMatchObject([{ success: false, error: { code: 'subagent_lost' } }]);
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    // Nothing leads to its run any more: it works on.
    expect(remotes(tree).map((there) => tree.state(there).run?.phase)).toEqual(['active']);
    expect(tree.time.problems).toEqual([]);
    tree.close();
  });
});
