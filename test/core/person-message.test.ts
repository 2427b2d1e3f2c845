/** A message of a person to a companion that is not at work, worked out by the core alone. */
import { describe, expect, it } from 'vitest';
import type { Child, ChildState } from '../../src/core/agent/children/child';
import type { NewMessage } from '../../src/core/agent/inbound';
import type { StopVerb } from '../../src/core/agent/runs/stop-verb';
import { failure } from '../../src/protocol/errors';
import { NO_USAGE } from '../../src/protocol/usage';
import { Machine, planned } from '../support/machine';
import { agentOf } from '../support/trees';

const critic = agentOf('critic', { description: 'Judges drafts.' });
const keeper = agentOf('keeper', { persistentAgents: [{ agent: critic }] });
const spawn = { agent: 'critic', name: 'ada', initialMessage: 'a', mode: 'non-blocking' };

function keeping(): Machine {
  const machine = new Machine({ definition: keeper, limits: { maxMessageBytes: 300 } });
  machine.start();
  machine.reply({
    calls: [{ providerId: 'p', name: 'companion__spawnAgent', input: spawn, kind: 'built_in', args: spawn }],
  });
  return machine;
}

const by = { actor: 'bea' };

function tell(machine: Machine, content: NewMessage['content'], name = 'ada', ada = machine.named('ada')) {
  const named: { readonly [name: string]: Child } = name === 'ada' ? { ada } : {};
  return machine.apply({
    type: 'child_message',
    name,
    by,
    message: { messageId: 'm_1', role: 'user', content, from: 'caller' },
    children: { next: 2, slots: {}, named, files: {}, lasting: { count: 1, example: 'ada' } },
  });
}
const code = (answer: ReturnType<typeof tell>): string => (answer.ok ? 'ok' : answer.refused.code);

describe('a message of a person to a companion that is not at work', () => {
  it('[CO24] is the next task of one whose task has ended, asked for by that person', () => {
    const machine = keeping();
    machine.namedEnded('ada');
    const before = machine.named('ada');
    expect(code(tell(machine, 'b'))).toBe('ok');
    const ada = machine.named('ada');
    expect(ada).toMatchObject({
      state: { is: 'working' },
      runNumber: before.runNumber + 1,
      task: { number: 2, by, await: 'notice', deliver: 'notice' },
      mailbox: { messages: [{ message: { content: 'b', from: 'caller' } }] },
    });
    expect(machine.chunksOf('subagent_start').at(-1)).toMatchObject({ name: 'ada', task: 2 });
    machine.namedEnded('ada');
    const notices = machine.state.inbox.map(({ content }) => String(content));
    expect(notices.filter((text) => text.includes('ada (task 2)'))).toHaveLength(1);
  });

  it('[CO24] lets one that was interrupted go on; what it is told then is no further task', () => {
    const machine = keeping();
    machine.namedEnded('ada', { status: 'interrupted', reason: 'x' });
    expect(machine.named('ada').state.is).toBe('interrupted');
    expect(code(tell(machine, [{ type: 'text', text: 'b' }]))).toBe('ok');
    const ada = machine.named('ada');
    expect(ada).toMatchObject({ state: { is: 'working' }, task: { number: 1 } });
    expect(ada.mailbox?.messages.at(-1)?.message.content).toEqual([{ type: 'text', text: 'b' }]);
    expect(machine.chunksOf('subagent_message')).toMatchObject([{ messageId: 'm_1' }]);
  });

  it('[CO24] is refused by one that failed, was ended for good or is gone, and nothing changes', () => {
    const refused = (outcome: Parameters<Machine['namedEnded']>[1], gone = false) => {
      const machine = keeping();
      machine.namedEnded('ada', outcome, { gone });
      const { state } = machine;
      const answer = tell(machine, 'b');
      expect(machine.state).toBe(state);
      return answer.ok ? [] : [answer.refused.code, answer.refused.message];
    };
    const advice = expect.stringContaining('Send the message to its parent');
    const error = failure('model_error');
    expect(refused({ status: 'failed', error })).toEqual(['owned_by_parent', advice]);
    expect(refused({ status: 'terminated', reason: 'x' })).toEqual(['terminated', advice]);
    const lost = { status: 'failed', error: failure('subagent_lost') } as const;
    expect(refused(lost, true)).toEqual(['gone', advice]);
  });

  it('[CO13, CO24] is refused for nobody, and past its bytes', () => {
    const machine = keeping();
    machine.namedEnded('ada');
    expect(code(tell(machine, 'b', 'eve'))).toBe('not_found');
    const around = JSON.stringify({ messageId: 'm_1', role: 'user', content: '', from: 'caller' }).length;
    expect(code(tell(machine, 'x'.repeat(301 - around)))).toBe('payload_too_large');
    expect(code(tell(machine, 'x'.repeat(300 - around)))).toBe('ok');
  });

  it.each<[StopVerb, string]>([
    ['interrupt', 'already_running'],
    ['terminate', 'already_running'],
  ])('[CO24] is refused while its parent is stopped (%s)', (verb, expected) => {
    const machine = keeping();
    machine.stop(verb);
    expect(code(tell(machine, 'b'))).toBe(expected);
  });

  it('[CO24] is refused where a call holds its task, or a person decides about its failure', () => {
    const machine = new Machine({ definition: keeper });
    machine.start();
    machine.reply({ calls: [{ ...planned.child(), childName: 'ada', lifetime: 'named', onFailure: 'wait' }] });
    const held = tell(machine, 'b');
    expect(held).toMatchObject({ refused: { code: 'owned_by_parent', message: expect.stringContaining('resume') } });
    machine.namedEnded('ada', { status: 'failed', error: failure('model_error') });
    const failed = tell(machine, 'b');
    expect(failed).toMatchObject({ refused: { code: 'owned_by_parent', message: expect.stringContaining('retry') } });
  });

  it('[CO24] is refused for the call of its task only until that has ended', () => {
    const error = failure('model_error');
    const ended = { is: 'ended', result: { success: false, error } } as const;
    const completed = { is: 'ended', result: { success: true, value: null } } as const;
    const stopping = (verb: StopVerb) => ({ is: 'stopping', verb, error, cause: 'stop' }) as const;
    /** The number of the task that the message is for then, or the code of its refusal. */
    const rows: readonly (readonly [ChildState, number | string])[] = [
      [{ is: 'working' }, 1],
      [{ is: 'waiting' }, 1],
      [stopping('interrupt'), 1],
      [stopping('abort'), 'terminated'],
      [stopping('terminate'), 'terminated'],
      [{ is: 'interrupted', cause: 'stop' }, 1],
      [{ is: 'interrupted', cause: 'parent_suspended' }, 1],
      [{ is: 'respawning' }, 1],
      [{ is: 'failed', error }, 'owned_by_parent'],
      [completed, 2],
      [{ ...completed, session: 'completed' }, 2],
      [{ ...ended, session: 'interrupted' }, 2],
      [{ ...ended, session: 'failed' }, 'owned_by_parent'],
      [{ ...ended, session: 'terminated' }, 'terminated'],
      [{ ...ended, gone: true }, 'gone'],
    ];
    for (const [state, free] of rows)
      for (const awaiting of ['notice', 'step'] as const) {
        const machine = keeping();
        const before = machine.named('ada');
        const ada = { ...before, state, task: { ...before.task, await: awaiting } };
        const isOpen = state.is !== 'ended';
        machine.state = { ...machine.state, children: new Map(isOpen ? [[ada.childId, ada]] : []) };
        const answer = tell(machine, 'b', 'ada', ada);
        const found = answer.ok ? machine.named('ada').task.number : answer.refused.code;
        expect(found, JSON.stringify([state, awaiting])).toBe(isOpen && awaiting === 'step' ? 'owned_by_parent' : free);
      }
  });

  it('[DL10] is taken back while its child is at rest, and not while it may be on its way; so is nothing of the parent', () => {
    const machine = keeping();
    const cancel = (messageId: string) => code(machine.apply({ type: 'cancel_mail', name: 'ada', messageId }));
    expect(code(tell(machine, 'b'))).toBe('ok');
    const working = machine.named('ada');
    const mail = (number: number, from: 'caller' | 'parent') =>
      ({ number, callId: 'c', message: { messageId: `m_${number}`, role: 'user', content: 'x', from } }) as const;
    const rests = { is: 'interrupted', cause: 'parent_suspended', usage: NO_USAGE } as const;
    const put = (child: typeof working) => {
      machine.state = { ...machine.state, children: new Map([[child.childId, child]]) };
    };
    const told = [mail(7, 'caller'), mail(8, 'parent'), mail(9, 'caller')];
    put({ ...working, mailbox: { messages: told, last: 9 } });
    expect(cancel('m_7')).toBe('unavailable');
    put({ ...working, state: rests, mailbox: { messages: told, last: 9, taken: 7 } });
    expect([cancel('m_7'), cancel('m_8'), cancel('m_none')]).toEqual(['not_found', 'not_cancellable', 'not_found']);
    const mailNow = () => machine.state.children.get(working.childId)?.mailbox?.messages.map(({ number }) => number);
    expect(mailNow()).toEqual([7, 8, 9]);
    expect([cancel('m_9'), cancel('m_9')]).toEqual(['ok', 'not_found']);
    expect(mailNow()).toEqual([7, 8]);
  });

  it("[CO25] does not let one go on that its parent's wait pauses", () => {
    const pausing = agentOf('keeper', { persistentAgents: [{ agent: critic, onParentSuspend: 'pause' }] });
    const machine = new Machine({ definition: pausing });
    machine.start();
    const call = {
      providerId: 'p',
      name: 'companion__spawnAgent',
      input: spawn,
      kind: 'built_in',
      args: spawn,
    } as const;
    machine.reply({ calls: [call, planned.client()] });
    const stopping = { is: 'stopping', verb: 'interrupt', cause: 'parent_suspended' };
    expect(machine.named('ada').state).toMatchObject(stopping);
    expect(code(tell(machine, 'b'))).toBe('ok');
    expect(machine.named('ada').state).not.toHaveProperty('goesOn');
    machine.namedEnded('ada', { status: 'interrupted', reason: 'x' }, { mail: { taken: 1, unseen: 0 } });
    expect(machine.named('ada').state).toMatchObject({ is: 'interrupted', cause: 'parent_suspended' });
    machine.give(1, 'said');
    expect(machine.named('ada')).toMatchObject({
      state: { is: 'working' },
      mailbox: { messages: [{ message: { content: 'b' } }] },
    });
  });
});
