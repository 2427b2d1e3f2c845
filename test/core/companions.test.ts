/** The tools for companions, worked out by the core alone. */
import { describe, expect, it } from 'vitest';
import { isAtRest } from '../../src/core/agent/runs/status';
import { Seat } from '../../src/core/agent/seat';
import type { Outcome } from '../../src/core/agent/state';
import type { AgentDefinition } from '../../src/core/definition/definition';
import { failure } from '../../src/protocol/errors';
import type { Json } from '../../src/protocol/json';
import { Machine, type MachineOptions } from '../support/machine';
import { agentOf } from '../support/trees';

const critic = agentOf('critic', { description: 'Judges drafts.' });
const scout = agentOf('scout', { description: 'Looks around.' });
const keeper = agentOf('keeper', {
  persistentAgents: [{ agent: critic }, { agent: scout, mode: 'non-blocking', onIdle: 'wake' }],
});

const call = (tool: string, args: { [key: string]: Json }) => ({
  providerId: 'p',
  name: `companion__${tool}`,
  input: args,
  kind: 'built_in' as const,
  args,
});
const spawn = (agent: string, initialMessage: string, more: { [key: string]: Json } = {}) =>
  call('spawnAgent', { agent, initialMessage, ...more });
const send = (name: string, message: string, more: { [key: string]: Json } = {}) =>
  call('sendMessage', { name, message, ...more });
const wait = (name: string, more: { [key: string]: Json } = {}) => call('waitForResult', { name, ...more });

function machineWith(calls: ReturnType<typeof call>[], options: MachineOptions = {}): Machine {
  const machine = new Machine({ definition: keeper, ...options });
  machine.start();
  machine.reply({ calls });
  return machine;
}

const results = (machine: Machine): unknown[] =>
  machine.chunksOf('tool_end').map((end) => (end.success ? end.result : { code: end.error?.code }));
const last = (machine: Machine): unknown => results(machine).at(-1);
const notices = (machine: Machine): string[] =>
  machine.state.inbox.flatMap(({ from, content }) => (from === 'offshoot' ? [String(content)] : []));
const failed: Outcome = { status: 'failed', error: failure('model_error', 'No.') };
const terminated: Outcome = { status: 'terminated', reason: 'x' };
const interrupted: Outcome = { status: 'interrupted', reason: 'x' };
const ended = (machine: Machine, name: string, outcome?: Outcome, mail?: { taken: number; unseen: number }) =>
  machine.namedEnded(name, outcome, mail ? { mail } : {});

describe('companion__spawnAgent', () => {
  it('[CO1] is offered to agents that keep companions, with what those are', () => {
    const { builtIns } = new Machine({ definition: keeper }).rules;
    expect(builtIns.map(({ name }) => name).slice(0, 5)).toEqual(
      ['spawnAgent', 'sendMessage', 'waitForResult', 'stopChild', 'terminateChild'].map((name) => `companion__${name}`),
    );
    const offered = (definition: AgentDefinition) => new Seat(definition).tools.map(({ name }) => name);
    expect(offered(keeper)).toEqual(expect.arrayContaining(['companion__listChildren', 'companion__getChildStatus']));
    expect(offered(critic).filter((name) => name.startsWith('companion__'))).toEqual([]);
    expect(builtIns[0]?.description).toContain('- critic (blocking): Judges drafts.\n- scout (non-blocking): Looks');
    expect(new Machine({ definition: critic }).rules.builtIns).toEqual([]);
  });

  it('[CO10, CO34] has the output as its result where it waits, and says at once that its task is queued where it does not', () => {
    const machine = machineWith([spawn('critic', 'Judge this.', { name: 'judge' }), spawn('scout', 'Look.')]);
    expect([machine.status, isAtRest(machine.state)]).toEqual(['suspended_awaiting_children', false]);
    expect(results(machine)).toEqual([{ name: 'scout-2', task: 1, status: 'queued' }]);
    expect(machine.chunksOf('subagent_start')).toMatchObject([{ name: 'judge' }, { name: 'scout-2' }]);
    const [judge] = machine.owed;
    expect(judge).toMatchObject({ kind: 'child', child: { name: 'judge', mailbox: { messages: [{ number: 1 }] } } });
    machine.namedEnded('judge');
    expect(last(machine)).toEqual({ name: 'judge', task: 1, status: 'completed', output: 'judge' });
    expect(notices(machine)).toEqual([]);
  });

  it('[CO10] takes the mode of the call before that of the definition', () => {
    const machine = machineWith([
      spawn('critic', 'a', { mode: 'non-blocking' }),
      spawn('scout', 'b', { mode: 'blocking' }),
    ]);
    expect(results(machine)).toEqual([{ name: 'critic-1', task: 1, status: 'queued' }]);
    machine.namedEnded('scout-2', failed);
    expect(last(machine)).toEqual({
      name: 'scout-2',
      task: 1,
      status: 'failed',
      error: 'No.',
      code: 'model_error',
    });
  });

  it('[CO2] gives ten that have no name ten names, and keeps names of that form', () => {
    const machine = machineWith(Array.from({ length: 10 }, () => spawn('scout', 'x')));
    const names = [...machine.state.children.values()].map(({ name }) => name);
    expect(new Set(names).size).toBe(10);
    expect(results(machine)).toMatchObject(names.map((name) => ({ name })));
    machine.reply({ calls: [spawn('scout', 'x', { name: 'scout-99' }), spawn('critic', 'x', { name: 'scout-1' })] });
    expect(results(machine).slice(-2)).toEqual([{ code: 'invalid_arguments' }, { code: 'already_running' }]);
  });

  it('[CO3] refuses a name that works, and gives one that completed its next task in the same session', () => {
    const machine = machineWith([
      spawn('critic', 'one', { name: 'judge' }),
      spawn('critic', 'again', { name: 'judge' }),
    ]);
    expect(results(machine)).toEqual([{ code: 'already_running' }]);
    const { sessionId } = machine.named('judge');
    ended(machine, 'judge', undefined, { taken: 1, unseen: 0 });
    machine.reply({ calls: [spawn('critic', 'two', { name: 'judge' })] });
    expect(machine.named('judge')).toMatchObject({ sessionId, task: { number: 2 }, state: { is: 'working' } });
    expect(machine.named('judge').mailbox?.messages).toMatchObject([{ number: 2, message: { content: 'two' } }]);
    machine.namedEnded('judge');
    machine.reply({ calls: [spawn('scout', 'x', { name: 'judge' })] });
    expect(last(machine)).toEqual({ code: 'invalid_arguments' });
  });

  it.each([
    ['failed', failed, {}, 'respawning'],
    ['failed, with its memory', failed, { keepMemory: true }, 'working'],
    ['ended for good', terminated, {}, 'respawning'],
  ] as const)('[CO3] begins anew under the name of one that %s', (_how, outcome, more, state) => {
    const machine = machineWith([spawn('critic', 'one', { name: 'judge' })]);
    const before = machine.named('judge').sessionId;
    machine.namedEnded('judge', outcome);
    machine.reply({ calls: [spawn('critic', 'two', { name: 'judge', ...more })] });
    expect(machine.named('judge').state.is).toBe(state);
    if (state === 'working') return expect(machine.named('judge').sessionId).toBe(before);
    machine.respawned(0);
    expect(machine.named('judge')).toMatchObject({ task: { number: 2, firstRun: 1 }, runNumber: 1 });
    expect(machine.named('judge').sessionId).not.toBe(before);
    machine.namedEnded('judge');
    expect(last(machine)).toMatchObject({ name: 'judge', task: 2, status: 'completed' });
  });

  it('[CO3] refuses to keep a memory that ended for good, and the one that has it stays as it was', () => {
    const machine = machineWith([spawn('critic', 'one', { name: 'judge' })]);
    machine.namedEnded('judge', terminated);
    const before = machine.named('judge');
    machine.reply({ calls: [spawn('critic', 'two', { name: 'judge', keepMemory: true })] });
    expect(last(machine)).toEqual({ code: 'invalid_arguments' });
    expect(machine.named('judge')).toEqual(before);
    machine.reply({ calls: [spawn('critic', 'two', { name: 'judge' })] });
    expect(machine.named('judge').state.is).toBe('respawning');
  });

  it('[CO3] with `keepMemory` begins under a free name, and keeps the memory of one that an abort stopped', () => {
    const again = spawn('critic', 'on', { name: 'judge', keepMemory: true });
    const machine = machineWith([again]);
    const { sessionId, state } = machine.named('judge');
    expect([state.is, machine.chunksOf('subagent_start')]).toEqual(['working', [expect.anything()]]);
    machine.namedEnded('judge', failed);
    machine.reply({ calls: [again] });
    expect(machine.named('judge')).toMatchObject({ sessionId, task: { number: 2 }, state: { is: 'working' } });
  });

  it('[CO3] begins nothing with `keepMemory` and without a name', () => {
    const machine = machineWith([spawn('critic', 'two', { keepMemory: true })]);
    expect(results(machine)).toEqual([{ code: 'invalid_arguments' }]);
    expect(machine.chunksOf('subagent_start')).toEqual([]);
  });

  it('[CO13] keeps so many, and names one that is there where there may be no more', () => {
    const machine = machineWith([spawn('scout', 'a', { name: 'ada' }), spawn('scout', 'b'), spawn('scout', 'c')], {
      limits: { maxCompanions: 2 },
    });
    const end = machine.chunksOf('tool_end').at(-1);
    expect(end).toMatchObject({ success: false, error: { code: 'max_children' } });
    machine.reply({ calls: [spawn('scout', 'd')] });
    expect(machine.chunksOf('tool_end').at(-1)?.error?.message).toContain('"ada"');
  });

  it('[CO31] gives the place of one that was ended for good to another, and takes it again by its name', () => {
    const atCap = (): Machine => {
      const machine = machineWith([spawn('scout', 'a', { name: 'ada' }), spawn('scout', 'b', { name: 'bob' })], {
        limits: { maxCompanions: 2 },
      });
      machine.namedEnded('ada', { status: 'terminated', reason: 'Enough.' });
      return machine;
    };
    const other = atCap();
    other.reply({ calls: [spawn('scout', 'c', { name: 'cy' }), spawn('scout', 'd', { name: 'dan' })] });
    expect(results(other).slice(-2)).toMatchObject([{ name: 'cy' }, { code: 'max_children' }]);
    expect(other.chunksOf('tool_end').at(-1)?.error?.message).toContain('"bob"');
    other.reply({ calls: [spawn('scout', 'e', { name: 'ada' })] });
    expect(last(other)).toEqual({ code: 'max_children' });
    const same = atCap();
    same.reply({ calls: [spawn('scout', 'c', { name: 'ada' }), spawn('scout', 'd', { name: 'dan' })] });
    expect(results(same).slice(-2)).toMatchObject([{ name: 'ada' }, { code: 'max_children' }]);
  });

  it('[CO13] takes a message of 256 KiB and no byte more', () => {
    const most = 'x'.repeat(262_144);
    const machine = machineWith([spawn('scout', most), spawn('scout', `${most}x`)]);
    expect(results(machine)).toMatchObject([{ status: 'queued' }, { code: 'invalid_arguments' }]);
  });
});

describe('companion__sendMessage', () => {
  const working = (): Machine => machineWith([spawn('scout', 'one', { name: 'ada' })]);

  it('[CO4] tells one at work, which owes it until it has taken it', () => {
    const machine = working();
    machine.apply({ type: 'mail_taken', childId: 1, upTo: 1 });
    machine.reply({ calls: [send('ada', 'two'), send('ada', 'three')] });
    expect(results(machine).slice(-2)).toEqual([
      { delivered: true, name: 'ada', task: 1, status: 'running' },
      { delivered: true, name: 'ada', task: 1, status: 'running' },
    ]);
    expect(machine.chunksOf('subagent_message')).toHaveLength(2);
    expect(machine.owed.filter(({ kind }) => kind === 'mail')).toMatchObject([
      { child: { mailbox: { messages: [{ number: 2, message: { content: 'two' } }, { number: 3 }] } } },
    ]);
    machine.apply({ type: 'mail_taken', childId: 1, upTo: 3 });
    expect(machine.owed.filter(({ kind }) => kind === 'mail')).toEqual([]);
  });

  it('[CO5] what one did not take before its end is its next task', () => {
    const machine = working();
    machine.reply({ calls: [send('ada', 'two')] });
    ended(machine, 'ada', undefined, { taken: 1, unseen: 0 });
    expect(machine.named('ada')).toMatchObject({
      task: { number: 2 },
      state: { is: 'working' },
      mailbox: { messages: [{ number: 2 }] },
    });
    expect(machine.types.slice(-3)).toContain('subagent_start');
    ended(machine, 'ada', undefined, { taken: 2, unseen: 0 });
    expect(machine.named('ada').state.is).toBe('ended');
  });

  it('[CO5] what one took and no step saw is its next task too; a failed one leaves it unread, and says so', () => {
    const machine = working();
    ended(machine, 'ada', undefined, { taken: 1, unseen: 1 });
    expect(machine.named('ada')).toMatchObject({ task: { number: 2 }, state: { is: 'working' } });
    ended(machine, 'ada', failed, { taken: 1, unseen: 1 });
    expect(machine.named('ada').state.is).toBe('ended');
    expect(notices(machine).at(-1)).toContain('did not read the last 1');
  });

  it.each(['what it did not take', 'what no step saw', 'what it is told later', 'what a person says later'])(
    '[RG2, CO5, CO24] a next task is %s, with nothing of the task before: it reads nobody, and is asked for by who says it',
    (what) => {
      const definition = agentOf('keeper', { persistentAgents: [{ agent: critic, mayRead: true }, { agent: scout }] });
      const reads = { reads: ['bob'], readsMe: true };
      const spawnBoth = [spawn('scout', 'x', { name: 'bob' }), spawn('critic', 'one', { name: 'ada', ...reads })];
      const machine = machineWith(
        spawnBoth.map((one) => ({ ...one, args: { ...one.args, mode: 'non-blocking' } })),
        { definition },
      );
      const first = machine.named('ada').task;
      expect(first).toMatchObject({ number: 1, reads: expect.anything() });
      const by = { actor: 'bea' };
      const says = (name: string) => {
        const child = machine.named(name);
        const children = {
          next: 3,
          slots: {},
          named: { [name]: child },
          files: {},
          lasting: { count: 2, example: name },
        };
        const message = { messageId: 'm_1', role: 'user', content: 'two', from: 'caller' } as const;
        return machine.apply({ type: 'child_message', name, by, message, children });
      };
      if (what === 'what it did not take') machine.reply({ calls: [send('ada', 'two')] });
      ended(machine, 'ada', undefined, { taken: 1, unseen: what === 'what no step saw' ? 1 : 0 });
      if (what === 'what it is told later') machine.reply({ calls: [send('ada', 'two')] });
      if (what === 'what a person says later') says('ada');
      const { callId, stepId, ...next } = machine.named('ada').task;
      expect([callId, stepId]).toEqual([expect.any(String), expect.any(Number)]);
      const byWhom = what === 'what a person says later' ? { by } : {};
      expect(next).toEqual({ number: 2, firstRun: 2, await: 'notice', deliver: 'notice', told: true, ...byWhom });
    },
  );

  it('[CO5, SP9] what is left when the parent is interrupted begins with its resume', () => {
    const machine = working();
    machine.reply({ calls: [send('ada', 'two')] });
    machine.interrupt();
    ended(machine, 'ada', undefined, { taken: 1, unseen: 0 });
    expect(machine.named('ada')).toMatchObject({ task: { number: 2 }, state: { is: 'interrupted' } });
    machine.resume();
    expect(machine.named('ada')).toMatchObject({ task: { number: 2, firstRun: 2 }, runNumber: 2 });
  });

  it('[CO4] gives one at rest its next task, and waits for it where it is asked to', () => {
    const machine = working();
    ended(machine, 'ada', undefined, { taken: 1, unseen: 0 });
    machine.reply({ calls: [send('ada', 'two', { wait: true })] });
    expect(machine.named('ada')).toMatchObject({ task: { number: 2 }, mailbox: { messages: [{ number: 2 }] } });
    machine.namedEnded('ada');
    expect(last(machine)).toEqual({ delivered: true, name: 'ada', task: 2, status: 'completed', result: 'ada' });
  });

  it('[CO4] lets one that was interrupted go on', () => {
    const machine = working();
    const { task } = machine.named('ada');
    machine.reply({ calls: [call('stopChild', { name: 'ada', how: 'pause' })] });
    expect(last(machine)).toEqual({ name: 'ada', stopped: true, status: 'interrupted' });
    machine.namedEnded('ada', interrupted);
    expect(machine.named('ada').state.is).toBe('interrupted');
    machine.reply({ calls: [send('ada', 'go on')] });
    expect(machine.named('ada')).toMatchObject({ task, runNumber: 2, state: { is: 'working' } });
  });

  it.each([
    ['failed', failed, 'subagent_failed'],
    ['ended for good', terminated, 'terminated'],
  ] as const)('[CO1] is refused for one that %s, which says how to go on', (_how, outcome, code) => {
    const machine = working();
    machine.namedEnded('ada', outcome);
    machine.reply({ calls: [send('ada', 'two'), send('eve', 'x')] });
    expect(results(machine).slice(-2)).toEqual([{ code }, { code: 'not_found' }]);
  });

  it('[CO13] is refused where 100 messages wait', () => {
    const machine = working();
    machine.reply({ calls: Array.from({ length: 100 }, (_, at) => send('ada', `${at}`)) });
    expect(results(machine).slice(-2)).toEqual([
      { delivered: true, name: 'ada', task: 1, status: 'running' },
      { code: 'inbox_full' },
    ]);
  });
});

describe('files that go along', () => {
  const files = { 'a.md': { size: 3, mediaType: 'text/markdown', etag: 'e' } };
  const sent = { files: ['a.md'] };
  const shared = 'It works on the same files as you: name them in the message.';
  const gone = [{ path: expect.stringMatching(/^attachments\/a-\w+\.md$/), ...files['a.md'] }];

  it.each([
    ['its own', {}, undefined],
    ['its own of each task', { workspaceLifetime: 'per-invocation' }, undefined],
    ['those of its parent', { inheritWorkspace: true }, shared],
    ['those of its parent, to read', { inheritWorkspace: 'read' }, shared],
  ] as const)(
    '[CF4, WS26] to one that works on %s are sent as copies, or named, by each call',
    (_whose, of, refusal) => {
      const definition = agentOf('keeper', { persistentAgents: [{ agent: scout, mode: 'non-blocking', ...of }] });
      const begin = (name: string, more: { [key: string]: Json } = {}) => spawn('scout', 'one', { name, ...more });
      /** What a call answers at one at work and at one at rest, and the files that go to whom it is for. */
      const told = (name: string, rests: boolean, made: ReturnType<typeof call>) => {
        const machine = machineWith([begin('ada')], { definition });
        if (rests) machine.namedEnded('ada');
        machine.reply({ calls: [made], files });
        const end = machine.chunksOf('tool_end').at(-1);
        const last = machine.changes.findLast((change) => change.put === 'child' && change.child.name === name);
        const mail = last?.put === 'child' ? last.child.mailbox?.messages.at(-1) : undefined;
        return end?.success ? mail?.message.files : `${end?.error?.code}: ${end?.error?.message}`;
      };
      const expected = refusal === undefined ? gone : `invalid_arguments: ${refusal}`;
      for (const rests of [false, true])
        for (const [name, made] of [
          ['bob', begin('bob', sent)],
          ['ada', send('ada', 'two', sent)],
          ['eve', call('forkChild', { name: 'ada', newName: 'eve', message: 'two', ...sent })],
        ] as const)
          expect([rests, made.name, told(name, rests, made)]).toEqual([rests, made.name, expected]);
    },
  );
});

describe('companion__waitForResult', () => {
  it('[CO7] binds to the task of that moment, in either order with a message', () => {
    const machine = machineWith([spawn('scout', 'one', { name: 'ada' })]);
    ended(machine, 'ada', undefined, { taken: 1, unseen: 0 });
    machine.reply({ calls: [wait('ada'), send('ada', 'two'), wait('ada')] });
    expect(results(machine).slice(-2)).toEqual([
      { name: 'ada', task: 1, status: 'completed', result: 'ada' },
      { delivered: true, name: 'ada', task: 2, status: 'queued' },
    ]);
    machine.namedEnded('ada', { status: 'completed', output: 'new', completionReason: 'text' });
    expect(last(machine)).toEqual({ name: 'ada', task: 2, status: 'completed', result: 'new' });
  });

  it('[CO7] takes back the message of an end that no step has seen', () => {
    const machine = machineWith([spawn('scout', 'one', { name: 'ada' })]);
    machine.namedEnded('ada');
    expect(notices(machine)).toHaveLength(1);
    machine.reply({ calls: [wait('ada')] });
    expect(last(machine)).toEqual({ name: 'ada', task: 1, status: 'completed', result: 'ada' });
    expect(notices(machine)).toEqual([]);
    expect(machine.changes.filter(({ put }) => put === 'no_message')).toHaveLength(1);
  });

  it('[CO8] goes on when its time is up, and the end is told by a message then', () => {
    const machine = machineWith([spawn('scout', 'one', { name: 'ada' })]);
    machine.reply({ calls: [wait('ada', { timeout: 50 })] });
    machine.apply({ type: 'expire' });
    expect(machine.open).toEqual([0]);
    machine.now += 50;
    machine.apply({ type: 'expire' });
    expect(last(machine)).toEqual({ name: 'ada', task: 1, status: 'running', timedOut: true });
    machine.namedEnded('ada');
    expect(notices(machine)).toEqual([expect.stringContaining('ada')]);
  });

  it('[CO8, CO10] of several tells those that have ended and those that have not', () => {
    const machine = machineWith(['ada', 'eve', 'kim'].map((name) => spawn('scout', 'x', { name })));
    machine.reply({ calls: [call('waitForResult', { names: ['ada', 'eve', 'kim'], need: 2, timeout: 50 })] });
    machine.namedEnded('eve', failed);
    machine.now += 50;
    machine.apply({ type: 'expire' });
    expect(last(machine)).toEqual({
      timedOut: true,
      children: [
        { name: 'eve', task: 1, status: 'failed', error: 'No.', code: 'model_error' },
        { name: 'ada', task: 1, status: 'running', timedOut: true },
        { name: 'kim', task: 1, status: 'running', timedOut: true },
      ],
    });
    expect(notices(machine)).toEqual([]);
  });

  it('[CO1] is refused for nobody, and for more than there are', () => {
    const machine = machineWith([spawn('scout', 'x', { name: 'ada' })]);
    machine.reply({ calls: [wait('eve'), call('waitForResult', { names: ['ada'], need: 2 })] });
    expect(results(machine).slice(-2)).toEqual([{ code: 'not_found' }, { code: 'invalid_arguments' }]);
  });
});

describe('the other tools for companions', () => {
  it('[CO11] terminate ends one at work and tells what it had done; one at rest stays as it is', () => {
    const machine = machineWith([spawn('scout', 'x', { name: 'ada' }), spawn('scout', 'x', { name: 'eve' })]);
    machine.namedEnded('eve');
    machine.reply({ calls: [call('terminateChild', { name: 'ada' }), call('terminateChild', { name: 'eve' })] });
    expect(last(machine)).toEqual({ name: 'eve', terminated: false, status: 'completed' });
    expect(machine.owed).toMatchObject([{ kind: 'stop_child', verb: 'terminate' }]);
    machine.namedEnded('ada', terminated);
    expect(last(machine)).toMatchObject({ name: 'ada', terminated: true, status: 'terminated' });
    expect(notices(machine).filter((notice) => notice.includes('ada'))).toEqual([]);
  });

  it('[CO12] stop asks one at work to end with what it has', () => {
    const machine = machineWith([spawn('scout', 'x', { name: 'ada' })]);
    machine.reply({ calls: [call('stopChild', { name: 'ada' })] });
    expect(machine.named('ada').mailbox?.messages.at(-1)?.message.content).toContain('end now');
    machine.namedEnded('ada');
    machine.reply({ calls: [call('stopChild', { name: 'ada' })] });
    expect(last(machine)).toEqual({ name: 'ada', stopped: false, status: 'completed' });
  });

  it('[CO9] the end of a task wakes a root at rest that wants it, and no other', () => {
    const machine = machineWith([
      spawn('scout', 'x', { name: 'ada' }),
      spawn('critic', 'x', { name: 'judge', mode: 'non-blocking' }),
    ]);
    machine.reply({ text: 'Later.' });
    machine.namedEnded('judge');
    expect(machine.status).toBe('completed');
    machine.namedEnded('ada');
    expect([machine.status, machine.state.run?.turn]).toEqual(['running', 2]);
    expect(machine.state.step).toMatchObject({ phase: 'model', messagesUpTo: machine.state.lastMessage });
    const below = machineWith([spawn('scout', 'x', { name: 'ada' })], { child: true });
    below.reply({ text: 'Later.' });
    below.namedEnded('ada');
    expect(below.status).toBe('completed');
  });
});
