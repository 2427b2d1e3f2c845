/** The details of a run against the reference reducer. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AgentView, findAgent, viewFrom } from '../../../src/client';
import { detailAfter, detailPatch } from '../../../src/console/data/tree/detail-patch';
import { Details } from '../../../src/console/data/tree/details';
import type { SequencedChunk } from '../../../src/protocol/chunks';
import { reduce } from '../../../src/protocol/view/reduce';
import { anyLog } from '../../support/any-log';
import { newLog } from '../../support/log';

const AGENTS = ['s_0', 's_1', 's_2', 's_3'];

const referenceOf = (entries: readonly SequencedChunk[]) =>
  entries.reduce((view, entry) => reduce(view, entry, 'filtered').view, viewFrom(1));

describe('the details of a run', () => {
  it('[CN9] are what the reference reducer says of each agent', () => {
    fc.assert(
      fc.property(anyLog, (entries) => {
        const details = new Details();
        for (const entry of entries) details.take(entry);
        const view = referenceOf(entries);
        for (const agentId of AGENTS) expect(details.show(agentId).view).toEqual(findAgent(view, agentId));
      }),
      { numRuns: 1_000 },
    );
  });

  it('[CN9] are the same for a page that was told changes, whenever they came', () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.nat({ max: 60 })), fc.constantFrom(...AGENTS), (entries, patches, agentId) => {
        const details = new Details();
        let [told, held]: (AgentView | undefined)[] = [];
        const patch = () => {
          const { view } = details.show(agentId);
          if (view === undefined) return;
          held = detailAfter(held, structuredClone(detailPatch(told, view)));
          told = view;
        };
        for (const [index, entry] of entries.entries()) {
          details.take(entry);
          if (patches.includes(index)) patch();
        }
        patch();
        expect(held).toEqual(findAgent(referenceOf(entries), agentId));
      }),
      { numRuns: 1_000 },
    );
  });

  it('[CN11] that were forgotten are read anew, and miss nothing that came meanwhile', () => {
    const roomy = new Details(1, 20_000);
    const base = { agentType: 'a', address: '/agents/a/x', runId: 'r', step: 1, attempt: 1, timestamp: 1 };
    const say = (sequence: number, agentId: string, delta: string): SequencedChunk => ({
      sequence,
      chunk: { ...base, agentId, type: 'text_delta', part: 0, delta },
    });
    const log = [say(1, 'one', 'a'.repeat(9_000)), say(2, 'two', 'b'.repeat(9_000)), say(3, 'two', 'c'.repeat(5_000))];
    for (const entry of log) roomy.take(entry);
    expect(roomy.show('one')).toEqual({ view: undefined, cut: false, read: true, loading: true });
    const late = say(4, 'one', 'z');
    roomy.take(late);
    for (const entry of [...log, late]) roomy.again('one', entry);
    roomy.caughtUp('one');
    expect(roomy.show('one').view).toEqual(findAgent(referenceOf([...log, late]), 'one'));
  });

  it('[CN11] that were looked at longest ago are forgotten first, down to half the bound, and the present one is not', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const text = 'x'.repeat(1_000);
    const say = (agentId: string, index: number): SequencedChunk => ({
      sequence: index + 1,
      chunk: {
        ...{ agentId, agentType: 'a', address: `/agents/a/${agentId}`, runId: 'r', step: 1, attempt: 1, timestamp: 1 },
        ...{ type: 'text_delta', part: 0, delta: text },
      },
    });
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ids.slice(0, -1)), { maxLength: 12 }), (looks) => {
        // Each counts a little more than its text, so that five have room and six have not, and half is two.
        const details = new Details(1, 6_500);
        for (const [index, id] of ids.slice(0, -1).entries()) details.take(say(id, index));
        for (const id of looks) details.show(id);
        details.take(say('f', 5));
        const lastLook = (id: string) => looks.lastIndexOf(id);
        const others = ids
          .filter((id) => id !== looks.at(-1))
          .toSorted((one, other) => lastLook(one) - lastLook(other));
        const gone = others.slice(0, 4);
        for (const id of ids) expect([id, details.show(id).read]).toEqual([id, gone.includes(id)]);
      }),
    );
  });

  it('[CN11] of the agent that is looked at lose their older steps beyond the bound, and say so', () => {
    const details = new Details(1, 10_000);
    details.show('one');
    const base = { agentId: 'one', agentType: 'a', address: '/agents/a/x', runId: 'r', attempt: 1, timestamp: 1 };
    let sequence = 0;
    for (let step = 1; step <= 200; step += 1) {
      const facts = { messageId: `m_${step}`, from: 'caller', role: 'user' as const, text: 'Go.' };
      details.take({ sequence: ++sequence, chunk: { ...base, step, type: 'message_delivered', ...facts } });
      details.take({
        sequence: ++sequence,
        chunk: { ...base, step, type: 'text_delta', part: 0, delta: 'a'.repeat(100) },
      });
    }
    details.take({
      sequence: ++sequence,
      chunk: { ...base, step: 200, type: 'message_queued', messageId: 'm_201', from: 'caller' },
    });
    const { view, cut } = details.show('one');
    const steps = view?.runs[0]?.steps ?? [];
    expect(cut).toBe(true);
    expect(steps.at(-1)?.step).toBe(200);
    expect(steps.length).toBeLessThan(34);
    // The transcript of the server has the others.
    const told = steps.map(({ step }) => `m_${step}`);
    expect(view?.messages.map(({ messageId }) => messageId)).toEqual([...told, 'm_201']);
  });

  it('[CN11] lose with a run the messages that began it, also where another run went on with its step', () => {
    const log = newLog();
    const root = log.root('a', 'x').run('r_1').step(1);
    root.emit({ type: 'message_delivered', messageId: 'm_1', from: 'caller', role: 'user', text: 'Go.' });
    root.text('a'.repeat(100)).interrupted().resumed('r_2').step(1).text('a'.repeat(100)).commit();
    for (let step = 2; step <= 200; step += 1) root.step(step).text('a'.repeat(100)).commit();
    const details = new Details(1, 10_000);
    details.show(root.agentId);
    for (const entry of log.entries) details.take(entry);
    const { view, cut } = details.show(root.agentId);
    expect([cut, view?.runs.map(({ runId }) => runId), view?.messages]).toEqual([true, ['r_2'], []]);
  });
});
