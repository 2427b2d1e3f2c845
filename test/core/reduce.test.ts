import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputHashOf } from '../../src/engine/perform/input-hash';
import type { Chunk, SequencedChunk } from '../../src/protocol/chunks';
import { failure } from '../../src/protocol/errors';
import { addUsage, NO_USAGE } from '../../src/protocol/usage';
import { reduce, reduceAll } from '../../src/protocol/view/reduce';
import {
  currentRun,
  currentStep,
  emptyView,
  findAgent,
  pendingOf,
  stepText,
  stepThinking,
  type TreeView,
  topAgents,
  treeUsage,
  viewFrom,
} from '../../src/protocol/view/view';
import { anyLog } from '../support/any-log';
import { deskLog, LOG_HASHES, LOG_START, newLog, STEP_USAGE } from '../support/log';
import { present } from '../support/present';

const agentNamed = (view: TreeView, agentId: string) => {
  const agent = findAgent(view, agentId);
  if (agent === undefined) throw new Error(`no agent ${agentId}`);
  return agent;
};

function freezeDeep<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const each of Object.values(value)) freezeDeep(each);
  }
  return value;
}

describe('reduction of a log', () => {
  it('[R1] gives the tree of a whole run: types, texts, calls, children and outcomes', () => {
    const log = deskLog();
    const view = reduceAll(log.entries);
    expect(view.lastSequence).toBe(log.entries.length);
    expect(view.agents.map(({ agentType, parentId, status }) => [agentType, parentId, status])).toEqual([
      ['coordinator', undefined, 'completed'],
      ['researcher', 's_cedar-3f9k', 'completed'],
      ['researcher', 's_cedar-3f9k', 'completed'],
      ['fact-checker', 's_c_1', 'completed'],
    ]);
    expect(topAgents(view).map((agent) => agent.agentId)).toEqual(['s_cedar-3f9k']);
    const root = agentNamed(view, 's_cedar-3f9k');
    expect(currentRun(root)).toMatchObject({
      runId: 'r_root',
      turn: 1,
      input: 'How does an interrupt reach a grandchild?',
      output: '# Report\n\nIts parent tells it.',
      end: { status: 'completed', output: '# Report\n\nIts parent tells it.' },
    });
    expect(currentRun(root)?.steps.map((each) => [each.step, stepText(each), each.status])).toEqual([
      [1, 'I split the question.', 'committed'],
      [2, '# Report\n\nIts parent tells it.', 'committed'],
    ]);
    expect(root.delegations.map(({ callId, agentId, outcome }) => [callId, agentId, outcome.status])).toEqual([
      ['c_1', 's_c_1', 'completed'],
      ['c_2', 's_c_2', 'completed'],
    ]);
    expect(agentNamed(view, 's_c_1').calls).toMatchObject([
      {
        toolCallId: 'c_3',
        toolName: 'search',
        status: 'succeeded',
        arguments: { query: 'interrupt' },
        result: { hits: 3 },
      },
      { toolCallId: 'c_4', toolName: 'subagent__fact-checker', status: 'succeeded', result: 'Both hold.' },
    ]);
  });

  it('[R1] tells when an agent, a run, a step and a call began and ended, by the clocks of the emitters', () => {
    const log = newLog();
    const root = log.root('solo', 'a').run('r').step(1).tool('c', 'search', {});
    root.toolEnd('c', 1).commit().completed('done');
    const [agent] = reduceAll(log.entries).agents;
    const at = (sequence: number) => LOG_START + sequence * 500;
    expect(agent).toMatchObject({ firstAt: at(1), lastAt: at(7) });
    expect(agent?.runs).toMatchObject([{ startedAt: at(1), end: { at: at(7) } }]);
    expect(agent?.runs[0]?.steps).toMatchObject([{ startedAt: at(2), endedAt: at(5) }]);
    expect(agent?.calls).toMatchObject([{ startedAt: at(3), endedAt: at(4) }]);
  });

  it('[R1] adds up usage by agent and for the tree, and counts a child without steps of its own by its delegation', () => {
    const view = reduceAll(deskLog().entries);
    expect(agentNamed(view, 's_cedar-3f9k').usage).toEqual(addUsage(STEP_USAGE, STEP_USAGE));
    const five = [1, 2, 3, 4, 5].reduce((sum) => addUsage(sum, STEP_USAGE), NO_USAGE);
    expect(treeUsage(view)).toEqual(five);
    const log = newLog();
    const root = log.root('boss', 'b').run('r').step(1);
    const silent = root.spawn('c', 'remote', '1~1', {});
    expect(treeUsage(reduceAll(log.entries))).toEqual(NO_USAGE);
    root.settled('c', silent, 'ok');
    expect(treeUsage(reduceAll(log.entries))).toEqual(STEP_USAGE);
  });

  it('[R2] a sequence that the view holds already changes nothing', () => {
    const { entries } = deskLog();
    const view = reduceAll(entries);
    for (const entry of entries) expect(reduce(view, entry)).toEqual({ gap: false, view });
    for (const entry of entries) expect(reduce(view, entry).view).toBe(view);
  });

  it('[R3] a missing chunk is reported with its sequence, and the view stays as it was', () => {
    const { entries } = deskLog();
    const view = reduceAll(entries.slice(0, 5));
    const result = reduce(view, present(entries[6]));
    expect(result).toEqual({ gap: true, view, expected: 6 });
    expect(result.view).toBe(view);
    expect(() => reduceAll([present(entries[0]), present(entries[2])])).toThrow(RangeError);
    expect(() => reduceAll([present(entries[0]), present(entries[2])])).toThrow(
      'The log has 3 where 2 should be. Read it again from 2.',
    );
  });

  it('[R3] the filtered log of a subtree has no gaps to report', () => {
    const { entries } = deskLog();
    const below = entries.filter(({ chunk }) => chunk.address.includes('/researcher/1~1'));
    let view = emptyView;
    for (const entry of below) {
      const next = reduce(view, entry, 'filtered');
      expect(next.gap).toBe(false);
      view = next.view;
    }
    expect(topAgents(view).map((agent) => agent.agentId)).toEqual(['s_c_1']);
    expect(agentNamed(view, 's_c_1')).toMatchObject({ status: 'completed' });
    expect(view.lastSequence).toBe(below.at(-1)?.sequence);
  });

  it('[R3] after a reset a reader begins at the sequence that it was told', () => {
    const { entries } = deskLog();
    const view = reduceAll(entries.slice(9), viewFrom(10));
    expect(view.lastSequence).toBe(entries.length);
    expect(view.agents.find((agent) => agent.agentId === 's_cedar-3f9k')?.status).toBe('completed');
  });

  it('[R18] blocks of one step are told apart, however their pieces come', () => {
    const log = newLog();
    const agent = log.root('solo', 'a').run('r').step(1);
    const pieces = [
      ['thinking', 0, 'Hm'],
      ['text_delta', 3, 'Second, '],
      ['text_delta', 1, 'First, '],
      ['thinking', 0, '.'],
      ['text_delta', 3, 'two.'],
      ['text_delta', 1, 'one.'],
    ] as const;
    for (const [type, part, delta] of pieces) agent.emit({ type, part, delta });
    const step = present(currentStep(present(reduceAll(log.entries).agents[0])));
    expect(step.parts).toEqual([
      { kind: 'thinking', part: 0, text: 'Hm.' },
      { kind: 'text', part: 1, text: 'First, one.' },
      { kind: 'text', part: 3, text: 'Second, two.' },
    ]);
    expect([stepText(step), stepThinking(step)]).toEqual(['First, one.Second, two.', 'Hm.']);
  });

  it('[R4] a discarded attempt leaves no text, no thinking and no half-written call behind', () => {
    const log = newLog();
    const agent = log.root('solo', 'a').run('r').step(1).text('Half a ');
    agent.emit({ type: 'thinking', part: 1, delta: 'hm' });
    agent.emit({ type: 'tool_arg_stream_start', toolCallId: 'c_old', toolName: 'search' });
    agent.emit({ type: 'tool_arg_stream_delta', toolCallId: 'c_old', delta: '{"q' });
    const before = present(reduceAll(log.entries).agents[0]);
    expect(currentStep(before)).toMatchObject({
      parts: [
        { kind: 'text', part: 0, text: 'Half a ' },
        { kind: 'thinking', part: 1, text: 'hm' },
      ],
      attempt: 1,
    });
    expect(before.calls).toMatchObject([{ status: 'drafting', argumentText: '{"q' }]);
    agent.discard('model_overloaded');
    const dropped = present(reduceAll(log.entries).agents[0]);
    expect(currentStep(dropped)).toMatchObject({ parts: [], status: 'open' });
    expect(dropped.calls).toEqual([]);
    agent.text('Whole.').commit();
    expect(currentStep(present(reduceAll(log.entries).agents[0]))).toMatchObject({
      parts: [{ text: 'Whole.' }],
      attempt: 2,
      status: 'committed',
      discarded: [{ attempt: 1, reason: 'model_overloaded' }],
    });
  });

  it('[R4] what belongs to a discarded attempt and arrives late is dropped too', () => {
    const log = newLog();
    const agent = log.root('solo', 'a').run('r').step(1).text('old');
    agent.emit({ type: 'tool_arg_stream_start', toolCallId: 'c_old', toolName: 'search' });
    const late = log.entries.slice(2).map((entry) => entry.chunk);
    agent.discard();
    const lateAgain = () => {
      for (const chunk of late) log.entries.push({ sequence: log.entries.length + 1, chunk });
      return present(reduceAll(log.entries).agents[0]);
    };
    const said = () => currentStep(lateAgain())?.parts.map(({ text }) => text);
    expect([said(), lateAgain().calls]).toEqual([[], []]);
    agent.text('new');
    expect([said(), lateAgain().calls]).toEqual([['new'], []]);
  });

  it('[R5] the same log read in any pieces, with any repeats, gives the same view', () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 12 }), (entries, pieces) => {
        const whole = reduceAll(entries);
        let view = emptyView;
        for (const [back, length] of pieces) {
          // A resumed reader may be sent what it has already, never less than it asked for.
          const from = Math.max(0, view.lastSequence - (back % 8));
          for (const entry of entries.slice(from, from + (length % 20))) view = reduce(view, entry).view;
          view = JSON.parse(JSON.stringify(view));
        }
        expect(reduceAll(entries, view)).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });

  it('[R5] a view is plain JSON, and making the next one changes neither it nor the chunk', () => {
    fc.assert(
      fc.property(anyLog, (entries) => {
        let view = freezeDeep(emptyView);
        for (const entry of entries) view = freezeDeep(reduce(view, freezeDeep(entry)).view);
        expect(JSON.parse(JSON.stringify(view))).toEqual(view);
        expect(Object.getPrototypeOf({})).not.toHaveProperty('delta');
      }),
    );
  });

  it('[R5] the view of a log is that of the log without the deltas of discarded attempts', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string(), { maxLength: 4 }), { minLength: 1, maxLength: 5 }), (attempts) => {
        const log = newLog();
        const agent = log.root('solo', 'a').run('r').step(1);
        attempts.forEach((deltas, index) => {
          if (index > 0) agent.discard();
          agent.text(...deltas);
        });
        expect(stepText(present(currentStep(present(reduceAll(log.entries).agents[0]))))).toBe(
          attempts.at(-1)?.join(''),
        );
      }),
    );
  });

  it('[R6] a child without an end of its own takes the end that its parent reports', () => {
    const log = newLog();
    const root = log.root('boss', 'b').run('r').step(1);
    const lost = root.spawn('c', 'worker', '1~1', {}).run('r_w').step(1).text('…');
    expect(agentNamed(reduceAll(log.entries), lost.agentId).status).toBe('running');
    root.emit({
      type: 'subagent_end',
      subAgentType: 'worker',
      subSessionId: lost.agentId,
      callId: 'c',
      generation: 1,
      childId: 1,
      task: 1,
      success: false,
      error: failure('subagent_lost'),
      usage: NO_USAGE,
    });
    const view = reduceAll(log.entries);
    expect(agentNamed(view, lost.agentId)).toMatchObject({ status: 'failed', parentId: root.agentId });
    expect(agentNamed(view, root.agentId).delegations).toMatchObject([
      { outcome: { status: 'failed', error: { code: 'subagent_lost' } } },
    ]);
  });

  it('[R6] the end of another task settles nothing', () => {
    const log = newLog();
    const root = log.root('boss', 'b').run('r').step(1);
    const child = root.spawn('c', 'worker', '1~1', {});
    const start = { subAgentType: 'worker', subSessionId: child.agentId, callId: 'c' };
    root.emit({
      type: 'subagent_start',
      ...start,
      subAddress: child.address,
      mode: 'ephemeral',
      placement: 'facet',
      generation: 2,
      childId: 1,
      task: 2,
    });
    for (const task of [1, 3]) {
      root.emit({
        type: 'subagent_end',
        ...start,
        generation: task,
        childId: 1,
        task,
        success: true,
        result: 'not mine',
        usage: NO_USAGE,
      });
    }
    expect(agentNamed(reduceAll(log.entries), root.agentId).delegations).toMatchObject([
      { callId: 'c', generation: 2, outcome: { status: 'running' } },
    ]);
  });

  it('[R6] a child is queued until its first run, then its own runs tell its status', () => {
    const log = newLog();
    const root = log.root('boss', 'b').run('r').step(1);
    const child = root.spawn('c', 'worker', '1~1', {});
    const status = () => agentNamed(reduceAll(log.entries), child.agentId).status;
    const told = (text: string, statusText?: string) =>
      root.emit({
        type: 'subagent_status',
        subSessionId: child.agentId,
        status: text,
        ...(statusText === undefined ? {} : { statusText }),
      });
    expect(status()).toBe('queued');
    child.run('r_w');
    told('queued', 'reading');
    expect(status()).toBe('running');
    expect(agentNamed(reduceAll(log.entries), child.agentId).statusText).toBe('reading');
    child.completed('ok');
    told('running');
    expect(status()).toBe('completed');
    told('terminated');
    expect(status()).toBe('terminated');
  });

  it('[R7] a chunk of a kind that it does not know takes its place in the log and changes no more', () => {
    const log = newLog();
    log.root('solo', 'a').run('r').step(1).text('x');
    const view = reduceAll(log.entries);
    const novel: Chunk = JSON.parse(JSON.stringify({ ...present(log.entries[2]).chunk, type: 'hologram', beam: 9 }));
    const next = reduceAll([{ sequence: 4, chunk: novel }], view);
    expect(next).toEqual({ ...view, lastSequence: 4, agents: [{ ...view.agents[0], lastAt: novel.timestamp }] });
  });

  it('[R7, R19] keeps messages, custom events, state patches and the free status text', () => {
    const log = newLog();
    const agent = log.root('solo', 'a');
    agent.emit({ type: 'message_queued', messageId: 'm_1', from: 'user' });
    expect(reduceAll(log.entries).agents[0]).toMatchObject({ status: 'idle', messages: [{ status: 'queued' }] });
    agent.emit({ type: 'message_queued', messageId: 'm_0', from: 'caller' });
    agent.emit({ type: 'message_cancelled', messageId: 'm_0' });
    expect(reduceAll(log.entries).agents[0]?.messages).toMatchObject([{ messageId: 'm_1' }]);
    const said = { role: 'user', text: 'See', attachments: ['a.txt'], cut: true } as const;
    agent
      .run('r')
      .step(1)
      .emit({ type: 'message_delivered', messageId: 'm_1', from: 'user', ...said });
    agent.emit({ type: 'message_delivered', messageId: 'm_2', from: 'user', role: 'system', text: 'Hi' });
    agent.emit({ type: 'custom', name: 'status', data: 'Reading page 3' });
    agent.emit({ type: 'custom', name: '__proto__', data: { polluted: true } });
    agent.emit({ type: 'custom', name: '__proto__', data: 2 });
    agent.emit({ type: 'state_patch', patch: [{ op: 'add', path: '/a', value: 1 }] });
    agent.emit({ type: 'state_patch', patch: [{ op: 'remove', path: '/a' }] });
    expect(reduceAll(log.entries).agents[0]).toMatchObject({
      messages: [
        { messageId: 'm_1', from: 'user', status: 'delivered', runId: 'r', step: 1, ...said },
        { messageId: 'm_2', status: 'delivered', role: 'system', text: 'Hi', attachments: [], cut: false },
      ],
      statusText: 'Reading page 3',
      customs: [
        { name: 'status', count: 1 },
        { name: '__proto__', data: 2, count: 2 },
      ],
      statePatches: [
        { sequence: 11, patch: [{ op: 'add', path: '/a', value: 1 }] },
        { sequence: 12, patch: [{ op: 'remove', path: '/a' }] },
      ],
    });
  });

  it('[R1] keeps every run of a session, and the status follows the newest', () => {
    const log = newLog();
    const agent = log.root('solo', 'a').run('r_1').step(1);
    agent.emit({ type: 'run_recovered', reason: 'crash' });
    agent.failed(failure('model_error'));
    agent.emit({ type: 'run_interrupted', reason: 'one end is enough' });
    expect(reduceAll(log.entries).agents[0]).toMatchObject({ status: 'failed', runs: [{ end: { status: 'failed' } }] });
    agent.run('r_2', 'again');
    expect(reduceAll(log.entries).agents[0]).toMatchObject({
      status: 'running',
      runs: [
        { runId: 'r_1', recoveries: [{ reason: 'crash', step: 1 }] },
        { runId: 'r_2', input: 'again' },
      ],
    });
    const stale: Chunk = { ...present(log.entries[0]).chunk, type: 'run_terminated', reason: 'late' };
    const later = reduceAll([...log.entries, { sequence: log.entries.length + 1, chunk: stale }]);
    expect(later.agents[0]?.status).toBe('running');
    agent.completed('done');
    const awake: Chunk = { ...present(log.entries[0]).chunk, type: 'run_recovered', reason: 'late' };
    const done = reduceAll([...log.entries, { sequence: log.entries.length + 1, chunk: awake }]);
    expect(done.agents[0]?.status).toBe('completed');
  });

  it('[R11] [R12] in any log a run has each step once, and nobody is asked for an agent that has ended', () => {
    fc.assert(
      fc.property(anyLog, (entries) => {
        const view = reduceAll(entries);
        for (const { runs } of view.agents) {
          for (const { steps } of runs) expect(new Set(steps.map(({ step }) => step)).size).toBe(steps.length);
        }
        const pending = pendingOf(view);
        const ended = ['completed', 'failed', 'interrupted', 'terminated'];
        for (const { agentId } of pending) expect(ended).not.toContain(agentNamed(view, agentId).status);
        const asked = pending.map(({ call }) => call.requestedAt);
        expect(asked).toEqual(asked.toSorted((one, other) => one - other));
      }),
    );
  });

  it('[R1, R4] in any log a step tells of its commit and its discarded attempts what their chunks tell, all of it', () => {
    const facts = ({ chunk }: SequencedChunk) => {
      const base = ['type', 'agentId', 'agentType', 'address', 'runId', 'step', 'timestamp'];
      return Object.fromEntries(Object.entries(chunk).filter(([name]) => !base.includes(name)));
    };
    const seen = { commits: 0, discards: 0 };
    fc.assert(
      fc.property(anyLog, (log) => {
        for (const { agentId, runs } of reduceAll(log).agents) {
          const own = log.filter(({ chunk }) => chunk.agentId === agentId);
          for (const step of runs.flatMap(({ steps }) => steps)) {
            const discards = own.filter(({ chunk }) => chunk.type === 'step_discarded' && chunk.step === step.step);
            for (const each of step.discarded) expect(discards.map(facts)).toContainEqual(each);
            seen.discards += step.discarded.length;
            if (step.status !== 'committed') continue;
            const [commit] = own.filter(({ chunk }) => chunk.timestamp === step.endedAt);
            expect(step).toMatchObject(facts(present(commit)));
            seen.commits++;
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
  });

  it('[R8] a suspended run has no end; its agent shows how it waits until it goes on', () => {
    const log = newLog();
    const agent = log.root('solo', 'a').run('r').step(1).tool('c', 'publish', {});
    const shown = () => {
      const [view] = reduceAll(log.entries).agents;
      return [view?.status, view?.runs.map((run) => run.end)];
    };
    agent.asks('approval', 'c', 'publish', {}).suspended('suspended_step_partial');
    expect(shown()).toEqual(['suspended_step_partial', [undefined]]);
    agent.suspended('suspended_client_tool').emit({ type: 'run_recovered', reason: 'evicted' });
    expect(shown()).toEqual(['suspended_client_tool', [undefined]]);
    agent.emit({ type: 'unsuspended' });
    expect(shown()).toEqual(['running', [undefined]]);
    agent.suspended('suspended_awaiting_children').failed(failure('aborted'));
    agent.emit({ type: 'unsuspended' }).suspended('suspended_client_tool');
    expect(shown()).toMatchObject(['failed', [{ status: 'failed' }]]);
    agent.run('r_2');
    expect(shown()).toMatchObject(['running', [{ status: 'failed' }, undefined]]);
  });

  it('[R9] a call that waits for a person tells since when and until when, and keeps what was answered', () => {
    const log = newLog();
    const agent = log.root('solo', 'a').run('r').step(1);
    const call = (toolCallId: string) =>
      reduceAll(log.entries).agents[0]?.calls.find((each) => each.toolCallId === toolCallId);
    const now = () => log.entries.at(-1)?.chunk.timestamp;
    agent.tool('c_1', 'publish', { path: 'a.md' });
    const startedAt = now();
    agent.asks('approval', 'c_1', 'publish', { path: 'a.md' }, 9_000);
    const requestedAt = now();
    const facts = {
      toolCallId: 'c_1',
      toolName: 'publish',
      runId: 'r',
      step: 1,
      arguments: { path: 'a.md' },
      startedAt,
    };
    const inputHash = inputHashOf(LOG_HASHES, { path: 'a.md' });
    const asked = { ...facts, status: 'waiting', kind: 'approval', requestedAt, inputHash };
    expect(call('c_1')).toEqual({ ...asked, expiresAt: 9_000 });
    agent.asks('approval', 'c_1', 'publish', { path: 'a.md' });
    expect(call('c_1')).toEqual(asked);
    agent.answered('c_1', { kind: 'approval-response', approved: true, actor: 'ann' });
    const answer = { kind: 'approval-response', approved: true, actor: 'ann', at: now() };
    expect(call('c_1')).toEqual({ ...facts, status: 'running', answer });
    agent.tool('c_1', 'publish', { path: 'b.md' }).toolEnd('c_1', 'ok');
    expect(call('c_1')).toMatchObject({ status: 'succeeded', arguments: { path: 'b.md' }, answer, result: 'ok' });
    const settled = call('c_1');
    agent.asks('approval', 'c_1', 'publish', {}).answered('c_1', { kind: 'approval-response', approved: false });
    expect(call('c_1')).toEqual(settled);

    agent.tool('c_2', 'pick', {}).asks('client-tool', 'c_2', 'pick', {});
    expect(call('c_2')).toMatchObject({ status: 'waiting', kind: 'client-tool' });
    agent.answered('c_2', { kind: 'client-tool-result' });
    const told = { kind: 'client-tool-result', at: now() };
    agent.toolFailed('c_2', failure('tool_failed'));
    expect(call('c_2')).toMatchObject({ status: 'failed', error: { code: 'tool_failed' }, answer: told });
    agent.answered('c_gone', { kind: 'client-tool-result' });
    expect(call('c_gone')).toMatchObject({ status: 'running', arguments: null, answer: { at: now() } });
  });

  it('[R10] an interrupt leaves calls and delegations open; a later run of the agent settles them', () => {
    const log = newLog();
    const root = log.root('boss', 'b').run('r_1').step(1).tool('c_1', 'search', {});
    const child = root.spawn('c_2', 'worker', '1~1', {}).run('r_w').step(1);
    child.interrupted();
    root.interrupted();
    const open = agentNamed(reduceAll(log.entries), root.agentId);
    expect(open.status).toBe('interrupted');
    expect(open.calls.map(({ status }) => status)).toEqual(['running', 'running']);
    expect(open.delegations).toMatchObject([{ outcome: { status: 'running' } }]);

    root.run('r_2').toolFailed('c_1', failure('superseded'));
    const other = agentNamed(reduceAll(log.entries), root.agentId);
    expect(other.calls).toMatchObject([
      { status: 'failed', runId: 'r_1', error: { code: 'superseded' } },
      { status: 'running', runId: 'r_1' },
    ]);
    child.resumed('r_w2').commit().completed('ok');
    root.settled('c_2', child, 'ok');
    const closed = agentNamed(reduceAll(log.entries), root.agentId);
    expect(closed.delegations).toMatchObject([{ outcome: { status: 'completed', result: 'ok' } }]);
    expect(closed.calls).toMatchObject([{ status: 'failed' }, { status: 'succeeded', result: 'ok' }]);
  });

  it('[R11] what waits for a person now is listed with its agent, the oldest first', () => {
    const log = newLog();
    const root = log.root('boss', 'b').run('r').step(1);
    const child = root.spawn('c', 'worker', '1~1', {}).run('r_w').step(1).tool('c_w', 'pick', {});
    root.tool('c_r', 'publish', { path: 'a.md' });
    child.asks('client-tool', 'c_w', 'pick', {}).suspended('suspended_client_tool');
    root.asks('approval', 'c_r', 'publish', { path: 'a.md' }).suspended('suspended_step_partial');
    const pending = () => pendingOf(reduceAll(log.entries));
    const ids = () => pending().map(({ call }) => call.toolCallId);
    expect(pending()).toMatchObject([
      { agentId: child.agentId, agentType: 'worker', address: child.address, call: { kind: 'client-tool' } },
      { agentId: root.agentId, address: root.address, call: { kind: 'approval', arguments: { path: 'a.md' } } },
    ]);
    child.interrupted();
    expect(ids()).toEqual(['c_r']);
    root.interrupted();
    expect(ids()).toEqual([]);
    root.resumed('r_2');
    expect(ids()).toEqual(['c_r']);
    root.asks('approval', 'c_r', 'publish', { path: 'a.md' });
    child.resumed('r_w2').asks('client-tool', 'c_w', 'pick', {});
    expect(ids()).toEqual(['c_w', 'c_r']);
    root.answered('c_r', { kind: 'approval-response', approved: false });
    expect(ids()).toEqual(['c_w']);
    child.failed(failure('aborted'));
    expect(ids()).toEqual([]);
  });

  it('[R12] an open step goes on in the run that continues it, without the attempt that was dropped', () => {
    const log = newLog();
    const agent = log.root('solo', 'a').run('r_1').step(1).text('One.').commit().step(2).text('Half a th');
    agent.emit({ type: 'tool_arg_stream_start', toolCallId: 'c_old', toolName: 'search' });
    agent.interrupted().resumed('r_2');
    const runs = () => reduceAll(log.entries).agents[0]?.runs.map(({ runId, steps }) => [runId, steps.map(stepText)]);
    expect(runs()).toEqual([
      ['r_1', ['One.']],
      ['r_2', ['Half a th']],
    ]);
    agent.discard('interrupted');
    expect(reduceAll(log.entries).agents[0]?.calls).toEqual([]);
    agent.text('Two.');
    expect(runs()).toEqual([
      ['r_1', ['One.']],
      ['r_2', ['Two.']],
    ]);
    const all = reduceAll(log.entries);
    expect(currentStep(present(all.agents[0]))).toMatchObject({ discarded: [{ attempt: 1, reason: 'interrupted' }] });
    expect(currentRun(present(all.agents[0]))).toMatchObject({ resumedFrom: 'r_1' });
    const compacted = reduceAll(log.entries.slice(8), viewFrom(9));
    expect(compacted.agents[0]?.runs).toMatchObject([
      { runId: 'r_2', steps: [{ parts: [{ text: 'Two.' }], status: 'open' }] },
    ]);
  });

  it('[R12] a step that is committed after a resume is in the new run, with its calls and delegations', () => {
    const log = newLog();
    const root = log.root('boss', 'b').run('r_1').step(1).text('I ask.');
    const child = root.spawn('c', 'worker', '1~1', {}).run('r_w');
    child.interrupted();
    root.interrupted().resumed('r_2');
    child.resumed('r_w2').completed('ok');
    root.settled('c', child, 'ok').commit();
    const view = agentNamed(reduceAll(log.entries), root.agentId);
    expect(view.runs).toMatchObject([
      { runId: 'r_1', steps: [], end: { status: 'interrupted' } },
      { runId: 'r_2', steps: [{ step: 1, parts: [{ text: 'I ask.' }], status: 'committed' }] },
    ]);
    expect(view.calls).toMatchObject([{ runId: 'r_2', step: 1, status: 'succeeded' }]);
    expect(view.delegations).toMatchObject([{ runId: 'r_2', step: 1, outcome: { status: 'completed' } }]);
    expect(view.usage).toEqual(STEP_USAGE);
  });

  it('[R12] a run that has a step of that number keeps its own', () => {
    const log = newLog();
    const agent = log.root('solo', 'a').run('r_1').step(1).text('old').run('r_2').step(1).text('own');
    const steps = () => reduceAll(log.entries).agents[0]?.runs.map((run) => run.steps.map(stepText));
    agent.emit({ type: 'run_started', turn: 2, chainTurn: 1, resumedFrom: 'r_1' });
    expect(steps()).toEqual([['old'], ['own']]);
    agent.emit({ type: 'run_started', turn: 2, chainTurn: 1, resumedFrom: 'r_2' });
    expect(steps()).toEqual([['old'], ['own']]);
  });

  it('[R12] however often a run is interrupted and resumed, each step and call is told once, with its last attempt', () => {
    const deltas = fc.array(fc.string(), { maxLength: 3 });
    const step = fc.record({
      dropped: fc.array(deltas, { maxLength: 2 }),
      said: deltas,
      asks: fc.boolean(),
      breaks: fc.nat({ max: 2 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
        const log = newLog();
        const agent = log.root('solo', 'a').run('r_1');
        let runs = 1;
        const breakOff = () => agent.interrupted().resumed(`r_${++runs}`);
        steps.forEach(({ dropped, said, asks, breaks }, index) => {
          const id = `c_${index}`;
          agent.step(index + 1);
          for (const attempt of dropped) {
            agent.text(...attempt).emit({ type: 'tool_arg_stream_start', toolCallId: `${id}_x`, toolName: 'search' });
            breakOff().discard('interrupted');
          }
          agent.text(...said).tool(id, 'search', {});
          for (let round = 0; round <= breaks; round++) {
            if (round > 0) breakOff();
            if (asks) agent.asks('approval', id, 'search', {}).suspended('suspended_client_tool');
          }
          if (asks) agent.answered(id, { kind: 'approval-response', approved: true }).emit({ type: 'unsuspended' });
          agent.toolEnd(id, index).commit();
        });
        agent.completed('done');
        const [view] = reduceAll(log.entries).agents;
        expect(view?.runs.map(({ runId }) => runId)).toEqual(Array.from({ length: runs }, (_, at) => `r_${at + 1}`));
        const told = view?.runs.flatMap((run) => run.steps.map((each) => ({ runId: run.runId, ...each }))) ?? [];
        expect(told.map((each) => [each.status, stepText(each), each.discarded.length])).toEqual(
          steps.map(({ said, dropped }) => ['committed', said.join(''), dropped.length]),
        );
        expect(view?.calls).toMatchObject(
          told.map(({ runId, step: number }) => ({ runId, step: number, status: 'succeeded', result: number - 1 })),
        );
      }),
    );
  });

  it('[R13] a child that is started anew takes the delegation; the older child stays, and nobody is asked for it', () => {
    const log = newLog();
    const root = log.root('boss', 'b').run('r').step(1);
    const older = root.spawn('c', 'worker', '1~1', {}).run('r_w').step(1).tool('c_w', 'pick', {});
    older.asks('client-tool', 'c_w', 'pick', {});
    expect(pendingOf(reduceAll(log.entries))).toHaveLength(1);
    root.emit({
      type: 'subagent_start',
      subAgentType: 'worker',
      subSessionId: 's_anew',
      subAddress: '/agents/boss/b/sub/worker/1~2',
      callId: 'c',
      mode: 'ephemeral',
      placement: 'facet',
      generation: 2,
      childId: 1,
      task: 2,
    });
    const view = reduceAll(log.entries);
    expect(view.agents.map(({ agentId, parentId }) => [agentId, parentId])).toEqual([
      [root.agentId, undefined],
      [older.agentId, root.agentId],
      ['s_anew', root.agentId],
    ]);
    expect(agentNamed(view, root.agentId).delegations).toMatchObject([
      { callId: 'c', generation: 2, agentId: 's_anew', outcome: { status: 'running' } },
    ]);
    expect(agentNamed(view, older.agentId).calls).toMatchObject([{ status: 'waiting' }]);
    expect(pendingOf(view)).toEqual([]);
  });

  it('[R15, R16] a stop that was accepted tells its reason until the next run; the end at rest is a status', () => {
    const log = newLog();
    const agent = log.root('solo', 'a').run('r').step(1);
    const told = (status: string, statusText?: string) =>
      agent.emit({
        type: 'subagent_status',
        subSessionId: agent.agentId,
        status,
        ...(statusText === undefined ? {} : { statusText }),
      });
    const shown = () => {
      const [view] = reduceAll(log.entries).agents;
      return [view?.status, view?.statusText];
    };
    for (const stop of ['interrupting', 'aborting', 'terminating']) {
      told(stop, `${stop} by ann`);
      expect(shown()).toEqual(['running', `${stop} by ann`]);
    }
    agent.interrupted('ann').resumed('r_2');
    expect(shown()).toEqual(['running', undefined]);
    agent.interrupted('bob');
    told('terminated', 'cleaned up');
    expect(shown()).toEqual(['terminated', 'cleaned up']);
  });

  it('[RM33] a status text is cut after 1,000 characters, whichever chunk brings it', () => {
    const log = newLog();
    const agent = log.root('solo', 'a').run('r').step(1);
    const shown = () => reduceAll(log.entries).agents[0]?.statusText;
    agent.emit({ type: 'custom', name: 'status', data: 'a'.repeat(1_001) });
    expect(shown()).toBe('a'.repeat(1_000));
    const long = { subSessionId: agent.agentId, status: 'interrupting', statusText: 'b'.repeat(5_000) };
    agent.emit({ type: 'subagent_status', ...long });
    expect(shown()).toBe('b'.repeat(1_000));
    agent.emit({ type: 'custom', name: 'status', data: '' });
    expect(shown()).toBe('');
  });

  it('[R15] a stop that is told of a child before its first run is no status either', () => {
    const log = newLog();
    const root = log.root('boss', 'b').run('r').step(1);
    const child = root.spawn('c', 'worker', '1~1', {});
    root.emit({ type: 'subagent_status', subSessionId: child.agentId, status: 'aborting', statusText: 'too late' });
    const view = agentNamed(reduceAll(log.entries), child.agentId);
    expect([view.status, view.statusText]).toEqual(['queued', 'too late']);
  });
});
