/** The answer of an agent as one message: what is shown of agents below, and what a retry takes out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SNAPSHOT_BYTES } from '../../src/doors/chat/agents';
import { MessageFold } from '../../src/doors/chat/fold';
import { ChatResponse } from '../../src/doors/chat/response';
import type { UiChunk, UiPart } from '../../src/doors/chat/ui';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { failure } from '../../src/protocol/errors';
import { byteLength, type JsonObject } from '../../src/protocol/json';
import { newLog } from '../support/log';

/** Reads a log as it comes, at these times. */
function reader(address: string) {
  const response = new ChatResponse(address, '', { kind: 'start' });
  response.push({ kind: 'up-to-date' }, 0);
  const made: UiChunk[] = [];
  let read = 0;
  return {
    made,
    read(entries: readonly SequencedChunk[], now: number): UiChunk[] {
      const added = entries.slice(read).flatMap((entry) => response.push({ kind: 'chunk', ...entry }, now));
      read = entries.length;
      made.push(...added);
      return added;
    },
    show: (now: number) => response.show(now),
    parts(): readonly UiPart[] {
      const fold = new MessageFold();
      for (const chunk of made) fold.push(chunk);
      return fold.parts;
    },
  };
}

describe('an answer that waits for agents below', () => {
  it('[CH3] goes on while one of them works, and ends once each waits for a person', () => {
    const log = newLog();
    const top = log.root('top', 'one').run('r_1').step(1);
    top.spawn('c_1', 'leaf', '1~1', {});
    const one = reader(top.address);
    const waits = (status: 'working' | 'waiting') =>
      top.emit({
        ...{ type: 'suspended', status: 'suspended_awaiting_children', pending: [] },
        children: [{ callId: 'c_1', subSessionId: 's_1', status }],
      });
    waits('working');
    expect(one.read(log.entries, 1).map(({ type }) => type)).not.toContain('finish');
    waits('waiting');
    expect(one.read(log.entries, 2).at(-1)).toMatchObject({ type: 'finish', finishReason: 'tool-calls' });
  });
});

describe('an answer for a sub-agent beside a message', () => {
  it('[CH3, CH19] is waited for while the agent above still counts as suspended', () => {
    const log = newLog();
    const top = log.root('top', 'one').run('r_1').step(1);
    const child = top.spawn('c_1', 'leaf', '1~1', {}).run('r_2').step(1).asks('approval', 'c_2', 'publish', {});
    top.emit({
      ...{ type: 'suspended', status: 'suspended_awaiting_children', pending: [] },
      children: [{ callId: 'c_1', subSessionId: child.agentId, status: 'waiting' }],
    });
    const read = (given: readonly string[]) => {
      const response = new ChatResponse(top.address, '', {
        ...{ kind: 'message', messageId: 'm_2', run: 'r_1' },
        given: new Set(given),
      });
      const made: UiChunk[] = [];
      let from = 0;
      const push = () => {
        for (const entry of log.entries.slice(from)) made.push(...response.push({ kind: 'chunk', ...entry }, 1));
        from = log.entries.length;
        made.push(...response.push({ kind: 'up-to-date' }, 1));
        return response.isDone;
      };
      return { made, push };
    };
    const [given, none] = [read(['c_2']), read([])];
    expect([given.push(), none.push()]).toEqual([false, true]);
    expect(none.made).toContainEqual(expect.objectContaining({ type: 'tool-approval-request', approvalId: 'c_2' }));
    child.answered('c_2', { kind: 'approval-response', approved: true }).toolEnd('c_2', 'x').commit().completed('l');
    top.emit({ type: 'unsuspended' }).settled('c_1', child, 'l').commit().step(2);
    top
      .emit({ type: 'message_delivered', messageId: 'm_2' } as never)
      .text('Both.')
      .commit()
      .completed('Both.');
    expect(given.push()).toBe(true);
    expect(given.made).toContainEqual(expect.objectContaining({ type: 'text-delta', delta: 'Both.' }));
    expect(given.made.filter(({ type }) => type === 'tool-approval-request')).toEqual([]);
  });
});

describe('an answer that a message is read in', () => {
  type Deed = 'text' | 'tool' | 'step' | 'discard';
  const deeds = fc.array(fc.constantFrom<Deed>('text', 'tool', 'step', 'discard'), { maxLength: 5 });

  /** A run with these deeds before and behind the message. */
  function written(before: readonly Deed[], behind: readonly Deed[]) {
    const log = newLog();
    const top = log.root('top', 'one').run('r_1', 'Go');
    let [step, calls] = [0, 0];
    const act = (deed: Deed): void => {
      // Nothing is done before the first step.
      if (step === 0 || deed === 'step') top.step(++step);
      if (deed === 'text') top.text('Some', 'thing');
      if (deed === 'tool') top.tool(`c_${++calls}`, 'note', {}).toolEnd(`c_${calls}`, 1);
      if (deed === 'discard') top.discard();
    };
    for (const deed of before) act(deed);
    top.emit({ type: 'message_delivered', messageId: 'm_1', from: 'caller', role: 'user', text: 'Hi.' });
    for (const deed of behind) act(deed);
    top.completed('Done.');
    return log.entries;
  }

  it('[CH2, CH3, CH18] is sent whole where the message is its first, else behind it; it is interrupted where nothing new is shown', () => {
    fc.assert(
      fc.property(deeds, deeds, fc.boolean(), (before, behind, isLive) => {
        const entries = written(before, behind);
        const madeBy = (response: ChatResponse) => [
          ...(isLive ? response.push({ kind: 'up-to-date' }, 0) : []),
          ...entries.flatMap((entry) => response.push({ kind: 'chunk', ...entry }, 1)),
          ...response.push({ kind: 'up-to-date' }, 1),
        ];
        const made = madeBy(new ChatResponse('/agents/top/one', '', { kind: 'message', messageId: 'm_1' }));
        if (before.length === 0) {
          expect(made).toEqual(madeBy(new ChatResponse('/agents/top/one', '', { kind: 'start' })));
          return;
        }
        expect(made[0]).toEqual({ type: 'start', messageId: 's_one.1.m_1' });
        const shown = made.filter(({ type }) => type === 'text-delta' || type === 'tool-output-available');
        const told = behind.flatMap((deed): (string | number)[] =>
          deed === 'text' ? ['Some', 'thing'] : deed === 'tool' ? [1] : [],
        );
        expect(shown.map((one) => ('delta' in one ? one.delta : 'output' in one && one.output))).toEqual(told);
        const isNew = told.length > 0 || behind.includes('discard');
        expect(made.at(-1)).toEqual({ type: 'finish', finishReason: isNew ? 'stop' : 'interrupted' });
        expect(made.filter(({ type }) => type === 'start' || type === 'finish')).toHaveLength(2);
      }),
      { numRuns: 200 },
    );
  });
});

const outputs = (chunks: readonly UiChunk[]) => chunks.filter(({ type }) => type === 'tool-output-available');

describe('what is shown of a sub-agent', () => {
  it('[CH7] is renewed every 250 ms at most, and whole once nothing moves any more', () => {
    const log = newLog();
    const top = log.root('top', 'one').run('r_1').step(1);
    const child = top.spawn('c_1', 'leaf', '1~1', {});
    const one = reader(top.address);
    expect(outputs(one.read(log.entries, 1_000))).toHaveLength(1);
    child.run('r_2').step(1).text('a', 'b', 'c');
    expect(outputs(one.read(log.entries, 1_249))).toEqual([]);
    expect(one.show(1_249)).toEqual([]);
    expect(one.show(1_250)).toMatchObject([
      {
        preliminary: true,
        output: { status: 'running', message: { parts: [{ type: 'step-start' }, { text: 'abc' }] } },
      },
    ]);
    child.asks('approval', 'c_2', 'publish', { text: 'x' }).suspended('suspended_client_tool');
    top.suspended('suspended_awaiting_children');
    const last = one.read(log.entries, 1_260);
    expect(outputs(last)).toMatchObject([{ output: { status: 'suspended_client_tool' } }]);
    expect(outputs(last)[0]).not.toHaveProperty('preliminary');
    expect(last.map(({ type }) => type)).toEqual([
      ...['tool-input-available', 'tool-approval-request', 'tool-output-available', 'finish-step', 'finish'],
    ]);
  });

  it.each(['x', 'ü', '\n'])('[CH7] has the beginning of one text that is longer than 64 KB, of %j', (letter) => {
    const log = newLog();
    const top = log.root('top', 'one').run('r_1').step(1);
    top.spawn('c_1', 'leaf', '1~1', {}).run('r_2').step(1).text('Short.').commit().step(2).text(letter.repeat(70_000));
    const one = reader(top.address);
    one.read(log.entries, 1_000);
    const [shown] = outputs(one.show(2_000));
    const { output } = shown as unknown as { output: { truncated: boolean; message: { parts: { text: string }[] } } };
    const last = output.message.parts.at(-1);
    expect([output.truncated, last]).toMatchObject([true, { type: 'text', truncated: true }]);
    expect(last?.text.length).toBeGreaterThan(10_000);
    expect(byteLength(JSON.stringify(output))).toBeLessThanOrEqual(MAX_SNAPSHOT_BYTES);
  });

  it('[CH7] has at most 64 KB, with those below it, and says what is left out', () => {
    const log = newLog();
    const top = log.root('top', 'one').run('r_1').step(1);
    const child = top.spawn('c_1', 'middle', '1~1', {}).run('r_2').step(1).text('x'.repeat(60_000)).commit();
    const grandchild = child.step(2).spawn('c_2', 'leaf', '1~1', {}).run('r_3').step(1);
    for (let part = 0; part < 20; part++) grandchild.emit({ type: 'text_delta', part, delta: 'ü'.repeat(5_000) });
    const one = reader(top.address);
    const [shown] = outputs(one.read(log.entries, 1_000)).toReversed();
    one.read(top.suspended('suspended_awaiting_children') && log.entries, 2_000);
    const output = (one.parts().find(({ toolCallId }) => toolCallId === 'c_1')?.output ?? {}) as JsonObject;
    expect(shown).toBeDefined();
    expect(byteLength(JSON.stringify(output))).toBeLessThanOrEqual(MAX_SNAPSHOT_BYTES);
    expect(output).toMatchObject({
      truncated: true,
      message: { parts: [{ type: 'step-start' }, { type: 'dynamic-tool', output: { truncated: true } }] },
    });
  });
});

describe('a retry', () => {
  it('[CH1] check 10: takes out what it discards, and leaves what agents below have asked', () => {
    const log = newLog();
    const top = log.root('top', 'one').run('r_1').step(1);
    const child = top.spawn('c_1', 'leaf', '1~1', {});
    top.toolEnd('c_1', 'It works.').commit().step(2).text('Half of a');
    child.run('r_2').step(1).asks('approval', 'c_2', 'publish', { text: 'x' });
    const one = reader(top.address);
    one.read(log.entries, 1_000);
    one.made.push(...one.show(2_000));
    top.discard().text('Whole.').commit();
    one.read(log.entries, 2_001);
    expect(one.parts().filter(({ type }) => type === 'text')).toMatchObject([{ text: 'Whole.', state: 'done' }]);
    expect(one.parts().find(({ toolCallId }) => toolCallId === 'c_2')).toMatchObject({ state: 'approval-requested' });
    expect(one.parts().find(({ type }) => type === 'data-agent')).toMatchObject({ id: child.agentId });
  });

  it('[CH6] of nobody: what an agent that has ended has asked is denied, and errors have safe titles', () => {
    const log = newLog();
    const top = log.root('top', 'one').run('r_1').step(1);
    const child = top.spawn('c_1', 'leaf', '1~1', {}).run('r_2').step(1);
    child.asks('approval', 'c_2', 'publish', {}).asks('client-tool', 'c_3', 'pick', {});
    child.tool('c_4', 'note', {}).toolFailed('c_4', failure('tool_failed', 'secret'));
    top.settled('c_1', child, 'lost').tool('c_5', 'note', {}).toolFailed('c_5', failure('tool_failed', 'secret'));
    const one = reader(top.address);
    one.read(log.entries, 1_000);
    const states = one.parts().flatMap(({ toolCallId, state }) => (toolCallId ? [[toolCallId, state]] : []));
    expect(states).toEqual([
      ...[
        ['c_1', 'output-available'],
        ['c_2', 'output-denied'],
        ['c_3', 'output-error'],
        ['c_5', 'output-error'],
      ],
    ]);
    expect(JSON.stringify(one.made)).not.toContain('secret');
  });
});
