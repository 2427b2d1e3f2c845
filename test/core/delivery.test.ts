import { describe, expect, it } from 'vitest';
import { whyNotTakenBack } from '../../src/core/agent/delivery';
import type { InboundMessage, NewMessage } from '../../src/core/agent/inbound';
import { askedWith, lastStepBefore } from '../../src/core/agent/runs/asked';
import type { AgentState } from '../../src/core/agent/state';
import { transcriptOf } from '../../src/core/agent/transcript';
import { childRunId } from '../../src/protocol/ids';
import { Machine, planned } from '../support/machine';
import { present } from '../support/present';

/** The contents of the messages that the open step sees and older ones did not. */
const rows = (machine: Machine) =>
  machine.changes.flatMap((change) => (change.put === 'message' ? [change.message] : []));

describe('messages', () => {
  it('[DL1] are rows from the transition that accepts them, numbered in the order of arrival', () => {
    const machine = new Machine();
    const accepted = [machine.start('a', 'b'), machine.send('c'), machine.send('d')];
    for (const answer of accepted) expect(answer.ok && answer.changes.some(({ put }) => put === 'message')).toBe(true);
    expect(rows(machine).map(({ id, content }) => [id, content])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
      [4, 'd'],
    ]);
  });

  it('[DL1, DL5] to a working agent are queued, and seen by its next step, each once', () => {
    const machine = new Machine();
    machine.start('a');
    machine.send('b');
    machine.reply({ calls: [planned.tool()] });
    machine.send('c');
    expect(machine.state.inbox.map(({ content }) => content)).toEqual(['b', 'c']);
    machine.settle(0);
    expect(machine.state.inbox).toEqual([]);
    expect(machine.state.step).toMatchObject({ number: 2, messagesUpTo: 3 });
    expect(machine.chunksOf('message_queued')).toHaveLength(2);
    expect(machine.chunksOf('message_delivered').map(({ messageId }) => messageId)).toEqual(
      rows(machine).map(({ messageId }) => messageId),
    );
  });

  const TASK = { childId: 1, task: 1 };
  const runId = (number: number) => childRunId('s_me', number);
  const mail = [1, 2].map((number) => ({
    ...{ number, callId: 'c_1' },
    message: { messageId: `m_${number}`, role: 'user' as const, content: `part ${number}`, from: 'parent' as const },
  }));

  it.each([
    { type: 'mail', task: TASK },
    { type: 'start', runId: runId(2), task: TASK, messages: [] },
    { type: 'resume', runId: runId(2), task: TASK },
    { type: 'resume', runId: runId(3), task: TASK },
  ] as const)('[DL5, DL12] that come to a working agent by $type are reported as queued, each once', (event) => {
    const machine = new Machine({ child: true });
    machine.apply({
      type: 'start',
      runId: runId(2),
      task: TASK,
      messages: [machine.message('a')],
      mail: mail.slice(0, 1),
    });
    machine.reply({ calls: [planned.tool()] });
    const told = (type: 'message_queued' | 'message_delivered') =>
      machine.chunksOf(type).map(({ messageId }) => messageId);
    expect(told('message_queued'), 'what it begins with is seen at once').toEqual([]);
    for (let times = 0; times < 2; times++) {
      expect(machine.apply({ ...event, mail }).ok).toBe(true);
      expect([told('message_queued'), told('message_delivered').length]).toEqual([['m_2'], 2]);
    }
    machine.settle(0);
    expect(told('message_delivered').slice(1)).toEqual(['m_1', 'm_2']);
  });

  it.each(['start', 'resume'] as const)(
    '[DL12] that come by a repeated %s to a run which is terminated are not',
    (type) => {
      const machine = new Machine({ child: true });
      const message = machine.message('a');
      machine.apply({ type: 'start', runId: runId(2), task: TASK, messages: [message], mail: mail.slice(0, 1) });
      machine.reply({ calls: [planned.child()] });
      machine.stop('abort');
      machine.apply({ type, runId: runId(2), task: TASK, messages: [], mail });
      expect(machine.chunksOf('message_queued')).toEqual([]);
    },
  );

  it('[DL12] that come with a resume of what a waiting agent waits for are reported as queued', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.child()] });
    machine.childEnded(0, { status: 'interrupted', reason: 'x' });
    const message = machine.message('On.');
    expect(machine.apply({ type: 'resume', runId: 'r_2', message }).ok).toBe(true);
    expect(machine.state.inbox.map(({ content }) => content)).toEqual(['On.']);
    expect(machine.chunksOf('message_queued').map(({ messageId }) => messageId)).toEqual([message.messageId]);
  });

  it('[DL5, SA43] are shown when a step sees them, unless they are silent or of the framework', () => {
    const machine = new Machine();
    machine.start('a');
    machine.reply({ calls: [planned.tool()] });
    const senders = ['caller', 'parent', 'child', 'agent', 'offshoot'] as const;
    const messages = senders.flatMap((from) => [
      { messageId: `m_${from}`, role: 'user' as const, content: from, from },
      { messageId: `m_${from}_silent`, role: 'user' as const, content: `${from}, silent`, from, silent: true as const },
    ]);
    for (const message of messages)
      expect(machine.apply({ type: 'thread_message', message })).toMatchObject({ ok: true });
    machine.settle(0);
    const shown = messages.filter(({ from, ...message }) => from !== 'offshoot' && !('silent' in message));
    const [, ...delivered] = machine.chunksOf('message_delivered').map(({ messageId }) => messageId);
    expect(delivered).toEqual(shown.map(({ messageId }) => messageId));
    expect(
      rows(machine)
        .slice(1)
        .map(({ content }) => content),
    ).toEqual(messages.map(({ content }) => content));
    expect(machine.state.step).toMatchObject({ messagesUpTo: 1 + messages.length });
  });

  it('[DL8] are taken back until a step begins with them, and told so once; no number of theirs is missed', () => {
    const machine = new Machine();
    machine.start('a');
    machine.send('b');
    machine.send('c');
    const [, b, c] = rows(machine).map(({ messageId }) => messageId);
    const cancel = (messageId = '') =>
      machine.apply({ type: 'cancel_message', messageId, delivered: machine.state.inbox.length === 0 });
    expect(cancel(c)).toMatchObject({ ok: true, changes: [{ put: 'no_message', id: 3 }] });
    expect(cancel(c)).toMatchObject({ ok: false, refused: { code: 'not_found' } });
    expect(machine.chunksOf('message_cancelled')).toMatchObject([{ messageId: c }]);
    machine.send('d');
    machine.reply({ calls: [planned.tool()] });
    machine.settle(0);
    expect(machine.state).toMatchObject({ inbox: [], step: { number: 2, messagesUpTo: 3 } });
    expect(cancel(b)).toMatchObject({ ok: false, refused: { code: 'already_delivered' } });
    expect(machine.chunksOf('message_delivered').map(({ text }) => text)).toEqual(['a', 'b', 'd']);
  });

  it('[DL8] of anybody but a caller, and of a sub-agent that has ended, are not taken back, and it is said why', () => {
    const { state } = new Machine();
    const why = (from: InboundMessage['from'], changes: Partial<AgentState> = {}) =>
      whyNotTakenBack({ ...state, ...changes }, { from })?.code;
    const session = { ...state.session, parent: { sessionId: 's', address: '/agents/top/one' } };
    const active = new Machine();
    active.start('a');
    expect([why('caller'), why('parent'), why('agent'), why('child'), why('offshoot')]).toEqual([
      undefined,
      ...Array.from({ length: 4 }, () => 'not_cancellable'),
    ]);
    expect([why('caller', { session }), why('caller', { session, run: present(active.state.run) })]).toEqual([
      'owned_by_parent',
      undefined,
    ]);
  });

  it('[DL11] ask a turn: the first of a caller that no older turn has seen, through resumes', () => {
    const machine = new Machine();
    const asked = () => {
      const before = lastStepBefore(machine.state);
      const steps = machine.changes.flatMap((change) => (change.put === 'step' ? [change.step] : []));
      const seen = steps.findLast(({ id }) => id === before)?.messagesUpTo ?? 0;
      return askedWith(rows(machine).filter(({ id }) => id > seen))?.content;
    };
    machine.start('first');
    expect(asked()).toBe('first');
    machine.reply({ calls: [planned.tool()] });
    machine.send('more');
    machine.settle(0);
    machine.stop('interrupt');
    machine.resume();
    expect([machine.state.run?.turn, asked()]).toEqual([2, 'first']);
    machine.reply({ text: 'done' });
    machine.start('second');
    expect([machine.state.step?.number, asked()]).toEqual([1, 'second']);
  });

  it('[DL6] are shown where they are delivered: role, text and the names of their files, as far as a chunk holds them', () => {
    const shown = (content: NewMessage['content']) => {
      const machine = new Machine();
      machine.start('a');
      machine.reply({ calls: [planned.tool()] });
      machine.send(content);
      machine.settle(0);
      const { text, attachments, cut, role } = present(machine.chunksOf('message_delivered')[1]);
      return { role, text, attachments, cut };
    };
    const file = (filename?: string) => ({
      type: 'file' as const,
      mediaType: 'text/csv',
      data: '',
      ...(filename === undefined ? {} : { filename }),
    });
    const say = (text: string, ...files: ReturnType<typeof file>[]) => shown([{ type: 'text', text }, ...files]);
    const limit = 'x'.repeat(8_192);
    expect(shown(limit)).toEqual({ role: 'user', text: limit, attachments: undefined, cut: undefined });
    expect(shown(`${limit}y`)).toMatchObject({ text: limit, cut: true });
    const pair = `${limit.slice(1)}😀`;
    expect(shown(pair), 'no half of a pair').toMatchObject({ text: limit.slice(1), cut: true });
    expect(say('See', file('a.csv'), file())).toMatchObject({ text: 'See', attachments: ['a.csv', 'text/csv'] });
    const names = Array.from({ length: 21 }, (_, index) => `${index}`);
    expect(say('', ...names.slice(1).map(file))).toMatchObject({ attachments: names.slice(1), cut: undefined });
    expect(say('', ...names.map(file))).toMatchObject({ attachments: names.slice(0, 20), cut: true });
    const [name, longer] = ['n'.repeat(200), 'n'.repeat(201)];
    expect(say('', file(name))).toMatchObject({ attachments: [name], cut: undefined });
    expect(say('', file(longer))).toMatchObject({ attachments: [name], cut: true });
  });

  it('[DL4, SE4] wait up to the limit; a further one is refused, until a step has seen them', () => {
    const machine = new Machine({ limits: { maxInbox: 2 } });
    machine.start('a');
    expect(machine.send('b').ok).toBe(true);
    expect(machine.send('c').ok).toBe(true);
    const { state } = machine;
    expect(machine.send('d')).toMatchObject({ ok: false, refused: { code: 'inbox_full', retryable: true } });
    expect(machine.state).toEqual(state);
    machine.reply({ calls: [planned.tool()] });
    machine.settle(0);
    expect(machine.send('e').ok).toBe(true);
  });

  it('[DL4, DL5] that fill the inbox of an agent at rest do not keep the next one out: it begins a turn', () => {
    const machine = new Machine({ limits: { maxInbox: 1 } });
    machine.start('a');
    machine.send('b');
    machine.fail('model_refused');
    expect(machine.send('c').ok).toBe(true);
    expect(machine.state).toMatchObject({ inbox: [], step: { messagesUpTo: 3 } });
  });

  it('[DL1, RC2] that arrive while a model call is repeated are not seen by its later attempts', () => {
    const machine = new Machine();
    machine.start('a');
    machine.send('b');
    machine.fail('model_overloaded');
    machine.now += 3_600_000;
    machine.apply({ type: 'model_asked', ...machine.fence });
    machine.recover();
    expect(machine.state.step).toMatchObject({ attempt: 3, messagesUpTo: 1 });
    machine.reply({ calls: [planned.refused()] });
    expect(machine.state.step).toMatchObject({ number: 2, messagesUpTo: 2 });
  });

  it('[DL5, RN5] to an agent at rest begin a turn', () => {
    const machine = new Machine();
    expect(machine.send('a').ok).toBe(true);
    machine.reply({ text: 'x' });
    machine.send('b');
    expect(machine.state.run).toMatchObject({ phase: 'active', turn: 2 });
    expect(machine.chunksOf('message_queued')).toEqual([]);
  });

  it('[DL5] that come while the last answer is given are seen before the run ends', () => {
    for (const calls of [[], [planned.finish('first')]]) {
      const machine = new Machine({ finishTools: calls.length > 0 ? ['__finish__'] : [] });
      machine.start('a');
      machine.send('wait');
      machine.reply({ text: 'first', calls });
      expect(machine.outcome).toBeUndefined();
      expect(machine.state.step).toMatchObject({ number: 2, messagesUpTo: 2 });
      machine.reply({ text: 'second', calls: calls.length > 0 ? [planned.finish('second')] : [] });
      expect(machine.outcome).toMatchObject({ status: 'completed', output: 'second' });
    }
  });

  it('[DL7, ST2] begin the next turn where the run completes without a further step', () => {
    const machine = new Machine({ limits: { maxSteps: 1 } });
    machine.start('a');
    machine.send('b');
    machine.reply({ text: 'x' });
    expect(machine.chunksOf('run_completed')).toMatchObject([{ output: 'x' }]);
    expect(machine.state.run).toMatchObject({ phase: 'active', turn: 2 });
    expect(machine.state.step).toMatchObject({ turn: 2, messagesUpTo: 2 });
    machine.reply({ text: 'y' });
    expect(machine.outcome).toMatchObject({ status: 'completed', output: 'y' });
    expect(machine.chunksOf('message_delivered')).toHaveLength(2);
  });

  it('[DL7] that come while the last hooks run begin the next turn of a root, and are refused by a sub-agent', () => {
    for (const child of [false, true]) {
      const machine = new Machine({ hooks: ['onAgentComplete'], child });
      machine.start('a');
      machine.reply({ text: 'x' });
      expect(machine.hookDue).toBe('onAgentComplete');
      const sent = machine.send('b');
      machine.hookDone();
      expect(sent).toMatchObject(child ? { ok: false, refused: { code: 'owned_by_parent' } } : { ok: true });
      expect(machine.state.run).toMatchObject(child ? { phase: 'ended' } : { phase: 'active', turn: 2 });
    }
  });

  it('[DL5, SP9] do not keep a run going that is stopped or has failed', () => {
    for (const end of [(machine: Machine) => machine.stop(), (machine: Machine) => machine.fail('model_refused')]) {
      const machine = new Machine();
      machine.start('a');
      machine.send('b');
      end(machine);
      expect(machine.outcome).toMatchObject({ status: 'failed' });
      expect(machine.state.inbox).toHaveLength(1);
    }
  });

  it('[DL1] stand in the transcript where a step has seen them', () => {
    const machine = new Machine();
    machine.start('a');
    machine.reply({ calls: [planned.tool()] });
    machine.send('b');
    const first = machine.step;
    machine.settle(0);
    machine.reply({ text: 'seen' });
    const steps = [
      {
        ...first,
        calls: machine.changes.flatMap((change) =>
          change.put === 'step' && change.step.id === 1 && change.step.phase === 'calls' ? change.step.calls : [],
        ),
      },
    ];
    const messages = transcriptOf(rows(machine), [...steps, machine.step]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
  });
});

describe('the outcome on its way to the parent', () => {
  it('[DL3] is owed until it is acknowledged, also after crashes', () => {
    const machine = new Machine({ child: true });
    machine.start();
    machine.reply({ text: 'x' });
    const owed = machine.owed;
    expect(owed).toMatchObject([
      {
        kind: 'deliver_outcome',
        task: { childId: 1, task: 1 },
        outcome: { status: 'completed', output: 'x' },
      },
    ]);
    machine.recover();
    machine.stop();
    expect(machine.owed).toEqual(owed);
    machine.apply({ type: 'outcome_acknowledged', runId: 'r_other' });
    expect(machine.owed).toEqual(owed);
    machine.apply({ type: 'outcome_acknowledged', runId: machine.state.run?.runId ?? '' });
    expect(machine.owed).toEqual([]);
    const before = machine.state;
    machine.apply({ type: 'outcome_acknowledged', runId: machine.state.run?.runId ?? '' });
    expect(machine.state).toBe(before);
  });

  it('[DL3] is owed whatever it is', () => {
    for (const end of [
      (machine: Machine) => machine.fail('model_refused'),
      (machine: Machine) => machine.stop(),
      (machine: Machine) => machine.stop('terminate'),
    ]) {
      const machine = new Machine({ child: true });
      machine.start();
      end(machine);
      expect(machine.owed).toMatchObject([{ kind: 'deliver_outcome', outcome: machine.outcome }]);
    }
  });

  it('[DL3] is not owed by a root', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ text: 'x' });
    expect(machine.owed).toEqual([]);
  });
});

it('[WT7, SU5] an acknowledgement of what has changed since is none of the wait that goes on', () => {
  const machine = new Machine({ child: true });
  machine.start();
  machine.reply({ calls: [planned.client()] });
  const runId = machine.state.run?.runId ?? '';
  expect(machine.due).toEqual(['deliver waits']);
  machine.applyWhole({ type: 'wait_acknowledged', at: machine.now, runId, waits: false });
  machine.applyWhole({ type: 'wait_acknowledged', at: machine.now, runId: 'r_other', waits: true });
  expect(machine.due).toEqual(['deliver waits']);
  // The parent may have heard of the wait all the same, so it is to hear that it is over.
  machine.give(0, 'x');
  expect(machine.due).toContain('deliver goes on');
});

it('[SA45, SAT7, WT7] a word and a wait are owed to the parent until it has acknowledged both of them as they are now', () => {
  const known = { waits: [true, false], word: [undefined, 1, 2, 3] } as const;
  for (const word of known.word) {
    const machine = new Machine({ child: true });
    machine.start();
    const { run } = machine.state;
    if (run?.phase !== 'active') throw new TypeError('No run is at work.');
    const said = word === undefined ? {} : { word: { number: word, text: `Word ${word}` } };
    const before: AgentState = { ...machine.state, run: { ...run, knownToParent: 'undelivered', ...said } };
    for (const waits of known.waits)
      for (const heard of known.word) {
        machine.state = before;
        const acknowledged = heard === undefined ? {} : { word: heard };
        machine.apply({ type: 'wait_acknowledged', runId: run.runId, waits, ...acknowledged });
        const isNow = !waits && heard === word;
        expect(machine.due.includes('deliver goes on'), JSON.stringify({ word, waits, heard })).toBe(!isNow);
      }
  }
});
