/** Companions at their edges: what crosses an end, a stop or a wait in the same moment. */

import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { lineOf, standing } from '../../src/core/agent/built-in/companions/list';
import { openTasks } from '../../src/core/agent/children/await';
import { keyOf, runIdOf } from '../../src/core/agent/children/child';
import type { Outcome } from '../../src/core/agent/state';
import { failure } from '../../src/protocol/errors';
import type { Json } from '../../src/protocol/json';
import type { SessionStatus } from '../../src/protocol/status';
import { NO_USAGE } from '../../src/protocol/usage';
import { Machine, type MachineOptions, planned } from '../support/machine';
import { present } from '../support/present';
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

const keeping = (onFailure: 'wait' | 'result', onParentSuspend: 'respawn' | 'continue' = 'continue') =>
  agentOf('keeper', { persistentAgents: [{ agent: critic, mode: 'non-blocking', onFailure, onParentSuspend }] });
const ada = (): Machine => machineWith([spawn('scout', 'one', { name: 'ada' })]);
const said = (output: string): Outcome => ({ status: 'completed', output, completionReason: 'text' });
/** How often a message of the framework told of somebody, taken back or not. */
const told = (machine: Machine, name: string): number =>
  machine.changes.filter((change) => change.put === 'message' && String(change.message.content).includes(` ${name} `))
    .length;

describe('an answer that is waited for', () => {
  it('[CO4, CO5] is that of the task which has seen the message', () => {
    const machine = ada();
    machine.reply({ calls: [send('ada', 'two', { wait: true })] });
    ended(machine, 'ada', said('to one'), { taken: 1, unseen: 0 });
    expect([machine.open, notices(machine)]).toEqual([[0], [expect.stringContaining('to one')]]);
    ended(machine, 'ada', said('to two'), { taken: 2, unseen: 0 });
    expect(last(machine)).toMatchObject({ task: 2, result: 'to two' });
  });

  it('[CO4, CO7] also where it is waited for by a call beside the message; a wait before it means what is at work', () => {
    const machine = ada();
    machine.reply({ calls: [wait('ada'), send('ada', 'two'), wait('ada')] });
    ended(machine, 'ada', said('to one'), { taken: 2, unseen: 1 });
    expect(machine.open).toEqual([2]);
    ended(machine, 'ada', said('to two'), { taken: 2, unseen: 0 });
    expect(results(machine).slice(-2)).toMatchObject([{ result: 'to one' }, { result: 'to two' }]);
  });

  it('[CO7] tells an end again that it had taken back, where it is closed before it told anything', () => {
    const machine = machineWith(['ada', 'eve'].map((name) => spawn('scout', 'x', { name })));
    machine.namedEnded('ada');
    machine.reply({ calls: [call('waitForResult', { names: ['ada', 'eve'] })] });
    machine.interrupt();
    machine.namedEnded('eve', interrupted);
    machine.start('Something else');
    expect([last(machine), told(machine, 'ada')]).toEqual([{ code: 'superseded' }, 2]);
  });

  it('[CO5] tells what was not read, also where it comes before the message that would', () => {
    const machine = ada();
    machine.reply({ calls: [send('ada', 'two')] });
    ended(machine, 'ada', failed, { taken: 1, unseen: 0 });
    machine.reply({ calls: [wait('ada')] });
    expect([last(machine), notices(machine)]).toEqual([
      { name: 'ada', task: 1, status: 'failed', error: 'No.', code: 'model_error', unreadMessages: 1 },
      [],
    ]);
  });

  it('[CO12] is refused of one that was paused and told nothing since', () => {
    const machine = ada();
    machine.reply({ calls: [call('stopChild', { name: 'ada', how: 'pause' }), wait('ada')] });
    expect(last(machine)).toEqual({ code: 'interrupted' });
    machine.namedEnded('ada', interrupted);
    machine.reply({ calls: [wait('ada'), send('ada', 'go on'), wait('ada')] });
    expect(results(machine).at(-2)).toEqual({ code: 'interrupted' });
    expect(machine.open).toEqual([2]);
  });
});

describe('a stop of a companion', () => {
  it.each<[string, ReturnType<typeof call>]>([
    ['the wait for it', wait('ada')],
    ['the wait for several', call('waitForResult', { names: ['ada', 'eve'], need: 'any' })],
    ['the wait for an answer', send('ada', 'two', { wait: true })],
  ])('[CO12] is no pause where that would never end: %s', (_what, waits) => {
    const pause = call('stopChild', { name: 'ada', how: 'pause' });
    const machine = machineWith(['ada', 'eve'].map((name) => spawn('scout', 'one', { name })));
    machine.reply({ calls: [waits, pause] });
    expect([last(machine), machine.named('ada').state.is]).toEqual([{ code: 'invalid_arguments' }, 'working']);
    machine.namedEnded('ada');
    machine.reply({ calls: [pause] });
    expect(last(machine)).toEqual({ name: 'ada', stopped: false, status: 'completed' });
  });

  it.each([
    ['paused', 'pause', 'pause'],
    ['paused, and is asked to end', 'pause', 'finish'],
    ['ended for good', 'terminate', 'pause'],
  ] as const)('[CO12] says of one that is being %s that it is being stopped', (_what, first, how) => {
    const one =
      first === 'pause' ? call('stopChild', { name: 'ada', how: first }) : call('terminateChild', { name: 'ada' });
    const machine = machineWith([spawn('scout', 'one', { name: 'ada' })]);
    machine.reply({ calls: [one, call('stopChild', { name: 'ada', how })] });
    expect(last(machine)).toEqual({ name: 'ada', stopped: false, status: 'running', stopping: true });
    expect(machine.named('ada').state).toMatchObject({
      is: 'stopping',
      verb: first === 'pause' ? 'interrupt' : 'terminate',
    });
    expect(machine.named('ada').mailbox?.messages).toHaveLength(1);
    expect(lineOf(machine.named('ada'), undefined)).toMatchObject({ status: 'running', stopping: true });
    machine.namedEnded('ada', first === 'pause' ? interrupted : terminated);
    expect(lineOf(machine.named('ada'), undefined)).not.toHaveProperty('stopping');
  });

  it('[CO34] is queued until its root has the begun run of its task, and running from then on', () => {
    const machine = machineWith([spawn('scout', 'x', { name: 'ada' })]);
    const look = { sessionId: 's', statusText: '', usage: NO_USAGE, pending: [], pendingCount: 0 };
    const seen = (facts?: { status: SessionStatus; lastAt?: number }) =>
      [lineOf, standing].map((tell) => tell(machine.named('ada'), facts && { ...look, ...facts }).status);
    for (const facts of [
      undefined,
      { status: 'queued', lastAt: 1 },
      { status: 'running' },
      { status: 'completed', lastAt: 1 },
    ] as const)
      expect(seen(facts)).toEqual(['queued', 'queued']);
    expect(seen({ status: 'running', lastAt: 1 })).toEqual(['running', 'running']);
    expect(seen({ status: 'suspended_client_tool', lastAt: 1 })).toEqual(['running', 'running']);
  });

  it('[CO5] is reported with the number of messages that it has not read, where there are any', () => {
    const machine = ada();
    const first = machine.named('ada').mailbox?.messages.length ?? 0;
    for (let unread = first; unread < first + 4; unread++) {
      for (const tell of [lineOf, standing])
        expect(tell(machine.named('ada'), undefined).unreadMessages).toBe(unread === 0 ? undefined : unread);
      machine.reply({ calls: [send('ada', `${unread}`)] });
    }
  });

  it('[CO12] is for the one that goes on with what it was told meanwhile', () => {
    const machine = ada();
    const pause = call('stopChild', { name: 'ada', how: 'pause' });
    machine.reply({ calls: [pause, send('ada', 'go on'), call('stopChild', { name: 'ada', how: 'finish' })] });
    expect(last(machine)).toEqual({ name: 'ada', stopped: true, status: 'running' });
    expect(machine.named('ada').mailbox?.messages.at(-1)).toMatchObject({ message: { from: 'offshoot' } });
    machine.namedEnded('ada', interrupted);
    expect(machine.named('ada').state.is).toBe('working');
  });

  it('[CO12] finishes what is about to begin anew, and says of one that waits for a person that it still does', () => {
    const machine = ada();
    machine.namedEnded('ada', failed);
    const finish = call('stopChild', { name: 'ada' });
    machine.reply({ calls: [spawn('scout', 'two', { name: 'ada' }), finish] });
    expect(machine.named('ada').state.is).toBe('respawning');
    expect(last(machine)).toEqual({ name: 'ada', stopped: true, status: 'running' });
    expect(machine.named('ada').mailbox?.messages.map(({ message }) => message.from)).toEqual(['parent', 'offshoot']);
    const other = machineWith([spawn('scout', 'one', { name: 'ada' })]);
    other.apply({
      type: 'child_waits',
      task: keyOf(other.named('ada')),
      runId: runIdOf(other.named('ada')),
      waits: true,
    });
    other.reply({ calls: [finish] });
    expect(last(other)).toEqual({ name: 'ada', stopped: true, status: 'paused_awaiting_client' });
  });

  it('[CO12] is no second pause where a message between them is waited for', () => {
    const pause = call('stopChild', { name: 'ada', how: 'pause' });
    const machine = ada();
    machine.reply({ calls: [pause, send('ada', 'go on', { wait: true }), pause] });
    expect(last(machine)).toEqual({ code: 'invalid_arguments' });
    machine.namedEnded('ada', interrupted);
    expect([machine.open, machine.named('ada').state.is]).toEqual([[1], 'working']);
  });

  it('[CO12, CO8] is a pause beside a wait that has a time', () => {
    const machine = ada();
    machine.reply({ calls: [wait('ada', { timeout: 50 }), call('stopChild', { name: 'ada', how: 'pause' })] });
    machine.namedEnded('ada', interrupted);
    machine.now += 50;
    machine.apply({ type: 'expire' });
    expect(last(machine)).toMatchObject({ name: 'ada', status: 'interrupted', timedOut: true });
  });

  it('[CO12] that is asked to end, and has, gets no further task; the wish is no message of its parent', () => {
    const machine = ada();
    machine.reply({ calls: [call('stopChild', { name: 'ada' })] });
    ended(machine, 'ada', undefined, { taken: 1, unseen: 0 });
    expect(machine.named('ada')).toMatchObject({ task: { number: 1 }, state: { is: 'ended' } });
    expect(notices(machine)).toEqual([expect.not.stringContaining('did not read')]);
  });

  it('[CO13] is no way round what may wait for one', () => {
    const machine = ada();
    machine.reply({ calls: Array.from({ length: 101 }, () => call('stopChild', { name: 'ada' })) });
    expect([machine.named('ada').mailbox?.messages.length, last(machine)]).toEqual([100, { code: 'inbox_full' }]);
  });

  it('[CO12] that is paused again rests, whatever it was told between', () => {
    const pause = call('stopChild', { name: 'ada', how: 'pause' });
    const machine = ada();
    machine.reply({ calls: [pause, send('ada', 'go on'), pause] });
    machine.namedEnded('ada', interrupted);
    expect([last(machine), machine.named('ada').state.is]).toMatchObject([{ stopped: true }, 'interrupted']);
  });

  it('[CO5, CO11] that is ended tells what it did not read; one that completed first has completed', () => {
    const machine = ada();
    machine.reply({ calls: [send('ada', 'two'), call('terminateChild', { name: 'ada' })] });
    ended(machine, 'ada', terminated, { taken: 1, unseen: 0 });
    expect(last(machine)).toMatchObject({ terminated: true, status: 'terminated', unreadMessages: 1 });
    const other = ada();
    other.reply({ calls: [call('terminateChild', { name: 'ada' })] });
    other.namedEnded('ada');
    expect(last(other)).toMatchObject({ terminated: false, status: 'completed', result: 'ada' });
  });

  it('[CO3, DG24] that had failed and was waited for begins anew under its name', () => {
    const machine = new Machine({ definition: keeping('wait') });
    machine.start();
    machine.reply({ calls: [spawn('critic', 'one', { name: 'judge' })] });
    machine.namedEnded('judge', failed);
    machine.reply({ calls: [call('terminateChild', { name: 'judge' }), spawn('critic', 'two', { name: 'judge' })] });
    expect(machine.named('judge').state.is).toBe('respawning');
  });

  it('[CO3, CO11] that was to begin afresh ends that: its name never goes on with what was before', () => {
    const again = spawn('scout', 'two', { name: 'ada' });
    const machine = ada();
    machine.namedEnded('ada', failed);
    machine.reply({ calls: [again] });
    expect(machine.named('ada').state.is).toBe('respawning');
    machine.reply({ calls: [call('terminateChild', { name: 'ada' }), send('ada', 'on'), again] });
    expect(results(machine).slice(-3)).toMatchObject([{ terminated: true }, { code: 'terminated' }, { task: 3 }]);
    expect(machine.named('ada').state).toEqual({ is: 'respawning', fresh: true });
  });

  it('[CO3] with its parent leaves a name that was to begin afresh to do so in the next turn', () => {
    const again = (more: { [key: string]: Json } = {}) => spawn('scout', 'two', { name: 'ada', ...more });
    const machine = ada();
    machine.namedEnded('ada', failed);
    machine.reply({ calls: [again()] });
    machine.stop('abort');
    machine.start('On');
    machine.reply({ calls: [send('ada', 'on'), again({ keepMemory: true }), again()] });
    expect(results(machine).slice(-3)).toMatchObject([
      { code: 'subagent_lost' },
      { code: 'invalid_arguments' },
      { task: 3 },
    ]);
    expect(machine.named('ada').state).toEqual({ is: 'respawning', fresh: true });
  });

  it.each<[string, (machine: Machine) => void]>([
    [
      'a person gives it up',
      (machine) => machine.apply({ type: 'child_decided', task: keyOf(machine.named('judge')), decision: 'give_up' }),
    ],
    ['its parent is aborted', (machine) => void machine.stop('abort')],
  ])('[CO3, DG24] that had failed has failed when %s', (_what, end) => {
    const machine = new Machine({ definition: keeping('wait') });
    machine.start();
    machine.reply({ calls: [spawn('critic', 'one', { name: 'judge' })] });
    machine.namedEnded('judge', failed);
    end(machine);
    if (machine.status !== 'running') machine.start('On');
    const again = (more: { [key: string]: Json } = {}) => spawn('critic', 'two', { name: 'judge', ...more });
    machine.reply({ calls: [send('judge', 'on'), again({ keepMemory: true })] });
    expect(results(machine).slice(-2)).toMatchObject([{ code: 'subagent_failed' }, { name: 'judge', task: 2 }]);
    expect(machine.named('judge').state.is).toBe('working');
  });

  it.each<[string, { [key: string]: Json }]>([
    ['beside', {}],
    ['awaited', { mode: 'blocking' }],
  ])('[CO3, CO11] that nobody worked on yet is an end for the call that began it: %s', (_what, mode) => {
    const end = call('terminateChild', { name: 'ada' });
    const machine = ada();
    machine.namedEnded('ada', failed);
    machine.reply({
      calls: [spawn('scout', 'two', { name: 'ada', ...mode }), end, spawn('scout', 'three', { name: 'ada' })],
    });
    expect(results(machine).slice(1)).toMatchObject([
      { task: 2, status: 'terminated' },
      { task: 2, terminated: true },
      { task: 3, status: 'running' },
    ]);
    expect([machine.open, told(machine, 'ada')]).toEqual([[], 1]);
  });

  it('[CO7, CO11] that had failed, and is waited for, is one for the calls before it', () => {
    const machine = new Machine({ definition: keeping('wait') });
    machine.start();
    machine.reply({ calls: [spawn('critic', 'one', { name: 'judge' })] });
    machine.namedEnded('judge', failed);
    const waits = [wait('judge'), send('judge', 'on', { wait: true })];
    machine.reply({ calls: [...waits, call('terminateChild', { name: 'judge' })] });
    expect(results(machine).slice(1)).toMatchObject([
      { task: 1, status: 'failed' },
      { task: 1, status: 'failed', unreadMessages: 1 },
      { task: 1, status: 'failed', terminated: false },
    ]);
    expect([machine.open, notices(machine)]).toEqual([[], []]);
  });

  it('[CO4, CS6] for its parent’s wait forgets nothing that it was told', () => {
    const machine = new Machine({ definition: keeping('result', 'respawn') });
    machine.start();
    machine.reply({ calls: [spawn('critic', 'one', { name: 'judge' })] });
    machine.apply({ type: 'mail_taken', childId: 1, upTo: 1 });
    expect(machine.owed.filter(({ kind }) => kind === 'mail')).toEqual([]);
    // It is kept for a session that may take the place of this one, and was read all the same.
    expect(lineOf(machine.named('judge'), undefined)).not.toHaveProperty('unreadMessages');
    machine.reply({ calls: [planned.client()] });
    const error = failure('parent_suspended');
    machine.namedEnded('judge', { status: 'failed', error, failureReason: 'parent_suspended' });
    expect(machine.named('judge')).toMatchObject({
      state: { is: 'respawning' },
      mailbox: { messages: [{ message: { content: 'one' } }] },
    });
  });
});

describe('the names and the moment of companions', () => {
  it('[CO2, CO3] are had by the first of two calls of one step, whether they are new or at rest', () => {
    const machine = new Machine({ definition: keeper });
    const twice = [spawn('scout', 'a', { name: 'ada' }), spawn('scout', 'b', { name: 'ada' })];
    machine.start();
    machine.reply({ calls: twice });
    machine.namedEnded('ada');
    machine.reply({ calls: twice });
    expect(results(machine)).toMatchObject([
      { name: 'ada', task: 1 },
      { code: 'already_running' },
      { name: 'ada', task: 2 },
      { code: 'already_running' },
    ]);
  });

  it.each(['constructor', 'toString', '__proto__', 'valueOf', 'hasOwnProperty'])('[CO2] may be %s', (name) => {
    expect(results(machineWith([spawn('scout', 'x', { name })]))).toMatchObject([{ name, status: 'queued' }]);
  });

  it('[CO2] have a letter of ASCII, and no character that an address would encode', () => {
    const { builtIns } = new Machine({ definition: keeper }).rules;
    const schema = builtIns.find(({ name }) => name === 'companion__spawnAgent')?.inputSchema;
    const fits = (name: string) => z.safeParse(present(schema), { agent: 'scout', initialMessage: 'x', name }).success;
    expect(['a', 'x'.repeat(128), '1-a', '_a', 'A.b'].filter((name) => !fits(name))).toEqual([]);
    const odd = [
      '',
      ' ',
      '.',
      '..',
      '-',
      '_',
      '1-2',
      '7~3',
      'a b',
      'a/b',
      'é',
      '子',
      'a\n',
      'x'.repeat(129),
      'x'.repeat(10_000),
    ];
    expect(odd.filter(fits)).toEqual([]);
  });

  it('[CO9] an end during the last model call of a turn begins the next one', () => {
    const machine = ada();
    machine.namedEnded('ada');
    machine.reply({ text: 'Done.' });
    expect([machine.status, machine.state.run?.turn, notices(machine)]).toEqual(['running', 2, []]);
    machine.reply({ text: 'Seen.' });
    expect([machine.status, machine.state.run?.turn]).toEqual(['completed', 2]);
  });

  it('[CO9] the end of one begins a turn of a root whose last run ended by itself, well or not', () => {
    const ends: { readonly [how: string]: (machine: Machine) => unknown } = {
      completed: (machine) => machine.reply({ text: 'Later.' }),
      'failed: model_error': (machine) => machine.fail('model_error', false),
      'failed: output_limit': (machine) => machine.reply({ text: 'Lat', finishReason: 'length' }),
      'failed: model_refused': (machine) => machine.reply({ text: 'No', finishReason: 'content-filter' }),
    };
    for (const [how, end] of Object.entries(ends)) {
      const machine = ada();
      end(machine);
      expect([machine.status, machine.state.run?.turn], how).toEqual([how.split(':')[0], 1]);
      machine.namedEnded('ada');
      expect([machine.status, machine.state.run?.turn, told(machine, 'ada')], how).toEqual(['running', 2, 1]);
    }
  });

  it('[CO9] the end of one that is stopped with its root, or comes before the stop, begins no turn', () => {
    const aborted = ada();
    aborted.stop('abort');
    ended(aborted, 'ada', { status: 'failed', error: failure('aborted'), failureReason: 'aborted' });
    const before = ada();
    before.namedEnded('ada');
    before.stop('abort');
    for (const machine of [aborted, before]) {
      expect([machine.status, machine.state.run?.turn, told(machine, 'ada')]).toEqual(['failed', 1, 1]);
      machine.start('On');
      expect([machine.status, machine.state.run?.turn, notices(machine)]).toEqual(['running', 2, []]);
    }
  });

  it('[CO9] the end of one begins no turn of a root that a hook broke off, which would break off that too', () => {
    const machine = new Machine({ definition: keeper, hooks: ['onAgentStart'] });
    machine.start();
    machine.hooksDone();
    machine.reply({ calls: [spawn('scout', 'one', { name: 'ada' })] });
    machine.reply({ text: 'Later.' });
    machine.namedEnded('ada');
    expect([machine.status, machine.state.run?.turn]).toEqual(['running', 2]);
    machine.hookDone('hook_failed');
    expect([machine.status, machine.state.run?.turn, told(machine, 'ada')]).toEqual(['failed', 2, 1]);
  });
});

describe('a wait with a time', () => {
  it('[CO8, TR10] is over when that is up, whichever tool waits and whatever the companion was doing when it was called', () => {
    const timed = { wait: true, timeout: 50 };
    const begun = (): Machine => machineWith([spawn('critic', 'x', { name: 'ada', mode: 'non-blocking' })]);
    const started = () => {
      const machine = new Machine({ definition: keeper });
      machine.start();
      return machine;
    };
    const over = () => {
      const machine = begun();
      machine.namedEnded('ada');
      return machine;
    };
    const asking = () => {
      const machine = begun();
      const child = machine.named('ada');
      machine.apply({ type: 'child_waits', task: keyOf(child), runId: runIdOf(child), waits: true });
      return machine;
    };
    const waits: { readonly [how: string]: readonly [() => Machine, ReturnType<typeof call>] } = {
      'a spawn': [started, spawn('critic', 'x', { name: 'ada', mode: 'blocking', timeout: 50 })],
      'a further task by a spawn': [over, spawn('critic', 'y', { name: 'ada', mode: 'blocking', timeout: 50 })],
      'a wait': [begun, wait('ada', { timeout: 50 })],
      'a message to one at work': [begun, send('ada', 'more', timed)],
      'a message to one that waits for a person': [asking, send('ada', 'more', timed)],
      'a message to one whose task has ended': [over, send('ada', 'more', timed)],
    };
    for (const [how, [made, waiting]] of Object.entries(waits)) {
      const machine = made();
      const before = results(machine).length;
      machine.reply({ calls: [waiting] });
      const tasks = [keyOf(machine.named('ada'))];
      expect(openTasks(machine.state), how).toEqual([{ tasks, need: 1, until: machine.now + 50 }]);
      machine.now += 40;
      machine.apply({ type: 'expire' });
      expect(results(machine).slice(before), how).toEqual([]);
      machine.now += 10;
      machine.apply({ type: 'expire' });
      expect(last(machine), how).toMatchObject({ name: 'ada', timedOut: true });
    }
  });
});

describe('a wait that stops the others', () => {
  const three = ['ada', 'bob', 'eve'];
  const any = (more: { [key: string]: Json } = {}) =>
    call('waitForResult', { names: three, need: 'any', others: 'stop', ...more });
  const working = () => machineWith(three.map((name) => spawn('scout', 'x', { name })));

  it('[CO26] pauses them when it goes on, and says so; each goes on with a message', () => {
    const machine = working();
    machine.reply({ calls: [any()] });
    machine.namedEnded('bob');
    const rest = { task: 1, status: 'interrupted', stopped: true };
    expect(last(machine)).toEqual({
      children: [
        { name: 'bob', task: 1, status: 'completed', result: 'bob' },
        { name: 'ada', ...rest },
        { name: 'eve', ...rest },
      ],
    });
    expect(machine.named('eve').state).toMatchObject({ is: 'stopping', verb: 'interrupt' });
    machine.namedEnded('eve', interrupted);
    machine.reply({ calls: [send('eve', 'go on')] });
    expect(machine.named('eve').state.is).toBe('working');
    // One that ended before the stop came to it has ended, and that is told.
    machine.namedEnded('ada');
    expect(notices(machine)).toEqual([expect.stringContaining('ada (task 1)')]);
  });

  it('[CO26] pauses whoever it needs no more, at work or waiting for a person, and nobody who has come to rest', () => {
    const machine = working();
    const eve = machine.named('eve');
    machine.apply({ type: 'child_waits', task: keyOf(eve), runId: runIdOf(eve), waits: true });
    machine.reply({ calls: [any()] });
    expect([machine.named('ada').state.is, machine.named('eve').state.is]).toEqual(['working', 'waiting']);
    machine.namedEnded('bob');
    const paused = { is: 'stopping', verb: 'interrupt' };
    expect([machine.named('ada').state, machine.named('eve').state]).toMatchObject([paused, paused]);
    expect(last(machine)).toMatchObject({ children: [{ name: 'bob' }, { stopped: true }, { stopped: true }] });
  });

  it('[CO26] also where enough had ended when it was called', () => {
    const machine = working();
    machine.namedEnded('bob');
    machine.reply({ calls: [any()] });
    expect(last(machine)).toMatchObject({ children: [{ name: 'bob' }, { stopped: true }, { stopped: true }] });
  });

  it('[CO26] lets those work for which another call waits, all by default, and all when its time is up', () => {
    const machine = working();
    machine.reply({ calls: [wait('ada'), any()] });
    machine.namedEnded('bob');
    expect(last(machine)).toMatchObject({
      children: [{ name: 'bob' }, { name: 'ada', stopped: false }, { stopped: true }],
    });
    expect(machine.named('ada').state.is).toBe('working');
    const other = working();
    other.reply({ calls: [any({ others: 'continue' })] });
    other.namedEnded('bob');
    expect([last(other), other.named('ada').state.is]).toEqual([{ children: [expect.anything()] }, 'working']);
    const late = working();
    late.reply({ calls: [any({ need: 2, timeout: 50 })] });
    late.namedEnded('bob');
    late.now += 50;
    late.apply({ type: 'expire' });
    expect(last(late)).toMatchObject({ timedOut: true });
    expect(late.named('ada').state.is).toBe('working');
  });

  it('[CO1] needs as many as there are, and a time that a timer has; who is named twice is one', () => {
    const { builtIns } = new Machine({ definition: keeper }).rules;
    const schema = builtIns.find((tool) => tool.name === 'companion__waitForResult')?.inputSchema;
    const wrong = [
      { need: 0 },
      { need: -1 },
      { need: 1.5 },
      { timeout: 0 },
      { timeout: -1 },
      { timeout: Number.NaN },
      { timeout: 1e12 },
    ];
    expect(wrong.filter((more) => z.safeParse(present(schema), { names: ['ada'], ...more }).success)).toEqual([]);
    const machine = working();
    machine.reply({
      calls: [
        call('waitForResult', { names: three, need: 99 }),
        call('waitForResult', { names: ['ada', 'ada'], need: 2 }),
      ],
    });
    expect(results(machine).slice(-2)).toEqual([{ code: 'invalid_arguments' }, { code: 'invalid_arguments' }]);
    machine.reply({ calls: [call('waitForResult', { names: ['ada', 'ada'], need: 'all' })] });
    machine.namedEnded('ada');
    expect(last(machine)).toEqual({ children: [{ name: 'ada', task: 1, status: 'completed', result: 'ada' }] });
  });

  it('[CO1, CO26] goes with several alone', () => {
    const { builtIns } = new Machine({ definition: keeper }).rules;
    const schema = builtIns.find((tool) => tool.name === 'companion__waitForResult')?.inputSchema;
    expect(z.safeParse(present(schema), { name: 'ada', others: 'stop' }).success).toBe(false);
    expect(z.safeParse(present(schema), { names: ['ada'], others: 'stop' }).success).toBe(true);
  });
});

describe('the ends that a wait tells', () => {
  const names = ['ada', 'bob', 'eve'];
  const waiting = (maxToolResultBytes: number): Machine => {
    const machine = machineWith(
      names.map((name) => spawn('scout', 'x', { name })),
      { limits: { maxToolResultBytes } },
    );
    machine.reply({ calls: [call('waitForResult', { names })] });
    return machine;
  };
  const whole = (sizes: readonly number[]) =>
    names.map((name, at) => ({ name, task: 1, status: 'completed', result: 'x'.repeat(sizes[at] ?? 0) }));
  const endAll = (machine: Machine, sizes: readonly number[]): unknown => {
    for (const [at, name] of names.entries()) machine.namedEnded(name, said('x'.repeat(sizes[at] ?? 0)));
    return last(machine);
  };

  it('[CO27] are told without the largest where they are too large together, and whole at the limit', () => {
    const sizes = [10, 900, 800];
    const most = JSON.stringify({ children: whole(sizes) }).length;
    expect(endAll(waiting(most), sizes)).toEqual({ children: whole(sizes) });
    const [ada, , eve] = whole(sizes);
    const bob = {
      name: 'bob',
      task: 1,
      status: 'completed',
      code: 'tool_result_too_large',
      error: expect.stringContaining('902 bytes'),
    };
    expect(endAll(waiting(most - 1), sizes)).toEqual({ children: [ada, bob, eve] });
  });

  it('[CO27] keep a small one beside two that are too large', () => {
    const told = endAll(waiting(1_000), [10, 900, 900]);
    const leftOut = { status: 'completed', code: 'tool_result_too_large' };
    expect(told).toMatchObject({ children: [{ name: 'ada', result: 'x'.repeat(10) }, leftOut, leftOut] });
  });

  it.each<[string, Outcome]>([
    ['has ended its task', said('x')],
    ['has failed: ', failed],
    ['was terminated: ', terminated],
  ])('[CO28] are said by a message as they were: %s', (words, outcome) => {
    const machine = ada();
    machine.namedEnded('ada', outcome);
    expect(notices(machine)).toEqual([expect.stringContaining(`ada (task 1) ${words}`)]);
  });
});

describe('a name that is given a task by another definition', () => {
  it('[CO29] has the rules of that, also where they were dropped; the files of its session stay', () => {
    const before = ada();
    before.namedEnded('ada');
    const rich = {
      ...before.named('ada'),
      budget: { maxTokens: 5 },
      setup: { workspace: 'inherited', givesFiles: true },
    } as const;
    const plain = agentOf('keeper', { persistentAgents: [{ agent: scout, mode: 'non-blocking' }] });
    const machine = new Machine({ definition: plain });
    machine.changes.push({ put: 'child', child: rich, reuses: false });
    machine.start();
    machine.reply({ calls: [spawn('scout', 'two', { name: 'ada' })] });
    const now = machine.named('ada');
    expect(now).toMatchObject({ task: { number: 2 }, setup: { workspace: 'inherited', givesFiles: true } });
    expect([before.named('ada').terms.onIdle, now.terms.onIdle, now.terms.budget]).toEqual([
      'wake',
      undefined,
      undefined,
    ]);
    const anew = new Machine({ definition: plain });
    anew.changes.push({
      put: 'child',
      child: { ...rich, state: { is: 'ended', result: { success: true, value: 1 }, gone: true } },
      reuses: false,
    });
    anew.start();
    anew.reply({ calls: [spawn('scout', 'two', { name: 'ada' })] });
    expect(anew.named('ada').state).toEqual({ is: 'respawning', fresh: true });
    expect(anew.named('ada').setup).toEqual({});
  });
});

describe('a name that is given', () => {
  /** Who has names of the form of a kind that was added since. */
  const grown = (...names: string[]): Machine => {
    const none = agentOf('keeper', { persistentAgents: [{ agent: critic, mode: 'non-blocking' }] });
    const old = new Machine({ definition: none });
    old.start();
    old.reply({ calls: names.map((name) => spawn('critic', 'x', { name })) });
    for (const name of names) old.namedEnded(name);
    const machine = new Machine({ definition: keeper });
    machine.changes.push(...names.map((name) => ({ put: 'child' as const, child: old.named(name), reuses: false })));
    machine.start();
    return machine;
  };

  it('[CO2] is never that of another, also where one had it before its kind was there', () => {
    const machine = grown('scout-4', 'scout-5', 'scout-2', 'scout-7');
    machine.reply({
      calls: [spawn('scout', 'a'), spawn('critic', 'b', { mode: 'non-blocking' }), spawn('scout', 'c')],
    });
    expect(results(machine)).toMatchObject([{ name: 'scout-6' }, { name: 'critic-7' }, { name: 'scout-8' }]);
    expect([...machine.state.children.keys()]).toEqual([6, 7, 8]);
    expect(machine.named('scout-5').agentType).toBe('critic');
  });

  it('[CO2] leaves out the numbers of names that are somebody’s, however many', () => {
    const machine = grown('scout-5', 'scout-6', 'scout-4');
    machine.reply({ calls: [spawn('scout', 'a'), spawn('scout', 'b')] });
    expect(results(machine)).toMatchObject([{ name: 'scout-7' }, { name: 'scout-8' }]);
    machine.reply({ calls: [spawn('scout', 'c')] });
    expect(last(machine)).toMatchObject({ name: 'scout-9' });
  });
});

describe('the place of a companion whose run has ended', () => {
  const spawnFor = (name: string, retention: string) => spawn('scout', 'x', { name, retention });
  const nextTurn = (...names: string[]): Machine => {
    const machine = machineWith([spawnFor('ada', 'run'), spawnFor('bob', 'tree')], { limits: { maxCompanions: 2 } });
    for (const name of ['ada', 'bob']) machine.namedEnded(name);
    machine.reply({ text: 'Done.' });
    machine.start('More');
    machine.reply({ calls: names.map((name) => spawnFor(name, 'run')) });
    return machine;
  };

  it('[CR1, CO13] is free from then on, before it is removed', () => {
    const machine = nextTurn('cy', 'dan');
    expect(results(machine).slice(-2)).toMatchObject([{ name: 'cy' }, { code: 'max_children' }]);
    const end = machine.chunksOf('tool_end').at(-1);
    expect(end?.success === false && end.error?.message).toContain('You have 2 companions');
    expect(end?.success === false && end.error?.message).toContain('for example "bob"');
  });

  it('[CR1, CO13] is taken again by its name, and by that once', () => {
    expect(results(nextTurn('ada', 'dan')).slice(-2)).toMatchObject([{ name: 'ada' }, { code: 'max_children' }]);
    expect(results(nextTurn('dan', 'ada')).slice(-2)).toMatchObject([{ name: 'dan' }, { code: 'max_children' }]);
  });
});

describe('the hooks of a companion call', () => {
  it('[HK19] are told of what it did, once it has its result, and of nothing that was refused', () => {
    const machine = machineWith([spawn('scout', 'x', { name: 'ada' }), wait('eve')], { hooks: ['afterTool'] });
    expect(machine.hooksDone()).toEqual(['afterTool']);
    machine.reply({ calls: [wait('ada')] });
    expect(machine.hooksDone()).toEqual([]);
    machine.namedEnded('ada');
    expect(machine.hooksDone()).toEqual(['afterTool']);
  });
});
