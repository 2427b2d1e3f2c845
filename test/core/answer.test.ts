import { describe, expect, it } from 'vitest';
import { pendingIn, whyNotAnswer } from '../../src/core/agent/calls/answer';
import type { PersonsAnswer, PlannedCall } from '../../src/core/agent/events';
import type { NewMessage } from '../../src/core/agent/inbound';
import type { RepliedStep } from '../../src/core/agent/state';
import { Machine, type MachineOptions, planned, refusal } from '../support/machine';

function asked(calls: readonly PlannedCall[], options: MachineOptions = {}): Machine {
  const machine = new Machine(options);
  machine.start();
  machine.reply({ calls });
  return machine;
}

/** What became of a call: `open`, its value, or the code of its failure. */
const resultOf = (machine: Machine, index: number): unknown => {
  const { settled } = machine.call(index);
  if (settled === undefined) return 'open';
  return settled.result.success ? settled.result.value : settled.result.error.code;
};

const notices = (machine: Machine): unknown[] =>
  machine.changes.flatMap((change) =>
    change.put === 'message' && change.message.from === 'offshoot' ? [change.message.content] : [],
  );

/** The step of a call that is asked about later, as the host looks it up. */
const pastOf = (machine: Machine, stepId: number): { past?: RepliedStep } => {
  const past = machine.rowOf(stepId);
  return past === undefined || stepId === machine.state.step?.id ? {} : { past };
};

const RESULT: PersonsAnswer = { kind: 'client-tool-result', result: { success: true, value: 'x' } };
const YES: PersonsAnswer = { kind: 'approval-response', approved: true };

describe('an approval', () => {
  it('[AN4, SU1] that is given lets the body run once, and nothing before', () => {
    const machine = asked([planned.approval()]);
    expect([machine.due, machine.status]).toEqual([[], 'suspended_client_tool']);
    machine.approve(0);
    expect([machine.due, machine.status]).toEqual([['tool 0'], 'running']);
    expect(machine.chunksOf('tool_answered')).toEqual([
      {
        type: 'tool_answered',
        toolCallId: machine.call(0).callId,
        kind: 'approval-response',
        approved: true,
        actor: 'ada',
      },
    ]);
    expect(pendingIn(machine.state)).toEqual([]);
    machine.settle(0, { success: true, value: 'published' });
    expect(machine.chunksOf('tool_end')).toMatchObject([{ success: true, result: 'published' }]);
    expect(machine.due).toEqual(['model']);
  });

  it('[AN4] with other arguments keeps them for the body, and tells the model with its next step', () => {
    const machine = asked([planned.approval()]);
    const { input } = machine.call(0);
    machine.approve(0, { title: 'Better' });
    expect(machine.owed).toMatchObject([{ kind: 'tool', call: { input, answer: { input: { title: 'Better' } } } }]);
    expect(notices(machine)).toEqual([
      'The arguments of your call of "publish" were changed before it was approved. It ran with: {"title":"Better"}',
    ]);
    machine.settle(0);
    expect(machine.state.step).toMatchObject({ phase: 'model', messagesUpTo: 2 });
    expect(machine.chunksOf('message_delivered'), 'it is hidden').toHaveLength(1);
  });

  it('[AN4] with other arguments is told by its place, where the reply has another call of the tool', () => {
    const machine = asked([planned.approval(undefined, 'send'), planned.approval(), planned.approval()]);
    machine.approve(2, { title: 'Better' });
    machine.approve(0, { to: 'Ada' });
    expect(notices(machine)).toEqual([
      'The arguments of your call of "publish" (call 3 of your reply) were changed before it was approved. It ran with: {"title":"Better"}',
      'The arguments of your call of "send" were changed before it was approved. It ran with: {"to":"Ada"}',
    ]);
  });

  it('[AN4] that is denied settles the call at once, the model reads why, and nothing runs', () => {
    const machine = asked([planned.approval(), planned.client()]);
    machine.deny(0, 'Not today.');
    expect(machine.call(0).settled).toMatchObject({
      result: {
        success: false,
        error: { code: 'approval_denied', message: expect.stringMatching(/did not run.*Not today/) },
      },
      answer: { approved: false, reason: 'Not today.', actor: 'ada' },
    });
    expect(machine.due).toEqual([]);
  });

  it('[AN2, AN4] is denied by a failure of the client, too: the tool did not run either way', () => {
    const machine = asked([planned.approval(), planned.client()]);
    machine.giveUp(0);
    expect(resultOf(machine, 0)).toBe('approval_denied');
    expect(machine.due).toEqual([]);
  });

  it('[AN4, CL4] edited arguments of a denial mean nothing', () => {
    const machine = asked([planned.approval(), planned.client()]);
    machine.answer(0, { kind: 'approval-response', approved: false, input: { a: 1 } });
    expect(machine.call(0).settled?.answer).not.toHaveProperty('input');
    expect(notices(machine)).toEqual([]);
  });

  it('[AN4, HK2] is followed by its hook, then by its body', () => {
    const machine = asked([planned.approval(), planned.tool()], { hooks: ['beforeTool'] });
    expect(machine.hooksDone()).toEqual(['beforeTool']);
    expect(machine.due).toEqual(['tool 1']);
    machine.approve(0);
    expect(machine.due).toEqual(['hook', 'tool 1']);
    machine.hookDone();
    expect(machine.due).toEqual(['tool 1', 'tool 0']);
  });
});

describe("a client's tool", () => {
  it('[AN1, CL2] has the result that the client gives, or its failure', () => {
    const machine = asked([planned.client(), planned.client()]);
    machine.give(0, { colour: 'blue' });
    expect(resultOf(machine, 0)).toEqual({ colour: 'blue' });
    machine.giveUp(1);
    expect(machine.chunksOf('tool_end')).toMatchObject([{ success: true }, { error: { code: 'client_tool_failed' } }]);
    expect(machine.chunksOf('tool_answered').map((chunk) => chunk.approved)).toEqual([undefined, undefined]);
    expect(machine.due).toEqual(['model']);
  });

  it('[AN5, CL6] several answers come in any order; the step goes on when all are there, bodies in the order of the answers', () => {
    const calls = [planned.approval(), planned.client(), planned.approval(), planned.approval()];
    const machine = asked(calls, { limits: { maxConcurrentCalls: 1 } });
    expect(pendingIn(machine.state).map(({ kind }) => kind)).toEqual([
      'approval',
      'client-tool',
      'approval',
      'approval',
    ]);
    machine.approve(2);
    expect(machine.due).toEqual(['tool 2']);
    machine.approve(0);
    machine.give(1, 'x');
    expect(machine.due, 'it keeps its place').toEqual(['tool 2']);
    machine.settle(2);
    expect([machine.due, machine.status]).toEqual([['tool 0'], 'running']);
    machine.settle(0);
    expect(machine.status).toBe('suspended_client_tool');
    expect(pendingIn(machine.state)).toMatchObject([{ toolCallId: machine.call(3).callId }]);
    machine.deny(3);
    expect(machine.due).toEqual(['model']);
    expect(machine.chunksOf('tool_end').map(({ success }) => success)).toEqual([true, true, true, false]);
  });
});

describe('an answer that is not wanted', () => {
  it('[AN1, SE4] for a call that was answered is told the decision, as long as the step is known', () => {
    const machine = asked([planned.approval(), planned.client(), planned.approval()]);
    machine.approve(0, { a: 1 });
    machine.give(1, 'x');
    machine.deny(2, 'no');
    const step: RepliedStep = machine.step;
    const decisions = [
      { kind: 'approval-response', approved: true, input: { a: 1 }, actor: 'ada' },
      { kind: 'client-tool-result', actor: 'ada' },
      { kind: 'approval-response', approved: false, reason: 'no', actor: 'ada' },
    ];
    for (const [index, decision] of decisions.entries()) {
      const again = index === 1 ? RESULT : YES;
      const refused = machine.answer(index, again, 'eve');
      const message = expect.stringContaining('`details.decision` has the decision');
      expect(refused).toMatchObject({
        ok: false,
        refused: { code: 'already_answered', message, details: { decision } },
      });
    }
    machine.settle(0);
    expect(machine.state.step).toMatchObject({ phase: 'model' });
    for (const [index, { callId }] of step.calls.entries()) {
      const question = {
        type: 'answer',
        callId,
        answer: index === 1 ? RESULT : YES,
        ...pastOf(machine, step.id),
      } as const;
      expect(machine.apply(question)).toMatchObject({
        refused: { code: 'already_answered', details: { decision: decisions[index] } },
      });
    }
    expect(machine.chunksOf('tool_answered')).toHaveLength(3);
  });

  it('[AN2, SE4] of the wrong kind is refused, and the call still waits', () => {
    const machine = asked([planned.approval(), planned.client()]);
    const { state } = machine;
    expect(refusal(machine.give(0, 'I ran it myself.'))).toBe('kind_mismatch');
    expect(refusal(machine.approve(1))).toBe('kind_mismatch');
    expect(refusal(machine.deny(1))).toBe('kind_mismatch');
    expect(machine.state).toBe(state);
    expect(machine.status).toBe('suspended_client_tool');
  });

  it('[AN2, SE4] for a call that nobody is asked for, or that there never was, is unknown', () => {
    const machine = asked([planned.tool(), planned.child(), planned.client(), planned.refused()]);
    const { state } = machine;
    for (const index of [0, 1, 3]) expect(refusal(machine.answer(index, YES)), `${index}`).toBe('unknown_tool_call');
    expect(refusal(machine.apply({ type: 'answer', callId: 'c_forged', answer: RESULT }))).toBe('unknown_tool_call');
    expect(machine.state).toBe(state);
    expect(refusal(new Machine().apply({ type: 'answer', callId: 'c_x', answer: YES }))).toBe('unknown_tool_call');
  });

  it('[AN6] while the agent is interrupted is refused, and wanted again after the resume, under the same id and until the same time', () => {
    const machine = asked([planned.approval(60_000), planned.client()]);
    const pending = pendingIn(machine.state);
    machine.interrupt();
    expect(pendingIn(machine.state)).toEqual([]);
    const { state } = machine;
    expect([refusal(machine.approve(0)), refusal(machine.give(1, 'x'))]).toEqual(['interrupted', 'interrupted']);
    expect(machine.state).toBe(state);
    machine.resume();
    expect(pendingIn(machine.state)).toEqual(pending);
    machine.give(1, 'x');
    machine.approve(0);
    expect(machine.due).toEqual(['tool 0']);
  });

  it('[AN6, SP4] while the run is being stopped is too late', () => {
    for (const verb of ['interrupt', 'abort'] as const) {
      const machine = asked([planned.client(), planned.approval(), planned.child()]);
      machine.stop(verb);
      expect([refusal(machine.give(0, 'x')), refusal(machine.approve(1))], verb).toEqual([
        'late_answer',
        'late_answer',
      ]);
      expect(pendingIn(machine.state)).toEqual([]);
    }
  });

  it('[AN3, SP5, RS5] for a call that was settled without a person is too late, and says what became of it', () => {
    const machine = asked([planned.client()]);
    const { callId } = machine.call(0);
    machine.stop('abort');
    expect(machine.give(0, 'x')).toMatchObject({
      refused: { code: 'late_answer', message: expect.stringMatching(/Enough/) },
    });
    machine.start();
    expect(refusal(machine.apply({ type: 'answer', callId, answer: RESULT, ...pastOf(machine, 1) }))).toBe(
      'late_answer',
    );
    expect(notices(machine)).toEqual([]);
  });
});

describe('a time to answer', () => {
  it('[AN3] of an approval: at its end the call is denied; an answer after it is too late, whether or not anybody looked', () => {
    const machine = asked([planned.approval(100), planned.approval()]);
    expect(machine.chunksOf('tool_approval_request').map(({ expiresAt }) => expiresAt)).toEqual([
      machine.now + 100,
      undefined,
    ]);
    machine.expire(98);
    expect(resultOf(machine, 0)).toBe('open');
    machine.now += 1;
    expect(refusal(machine.approve(0))).toBe('late_answer');
    expect(resultOf(machine, 0)).toBe('open');
    machine.expire();
    expect(resultOf(machine, 0)).toBe('approval_expired');
    expect(refusal(machine.approve(0))).toBe('late_answer');
    expect([machine.due, machine.status]).toEqual([[], 'suspended_client_tool']);
    machine.expire(1_000_000);
    expect(resultOf(machine, 1)).toBe('open');
  });

  it.each([
    [-1, 'approval_denied'],
    [0, 'approval_expired'],
    [1, 'approval_expired'],
  ])(
    '[AN8, AN3] that a message would deny is no longer denied by it from `expiresAt` on: %i ms from it',
    (later, code) => {
      const machine = asked([planned.approval(100), planned.tool()]);
      machine.rules = { ...machine.rules, deniesByMessage: true };
      const [{ expiresAt = 0 } = {}] = machine.chunksOf('tool_approval_request');
      const at = expiresAt + later;
      const message = { messageId: 'm_9', role: 'user', content: 'No.', from: 'caller' } as const;
      const said = machine.applyWhole({ type: 'send', token: 't'.repeat(16), runId: 'r_9', message, at });
      expect(said.ok).toBe(true);
      machine.applyWhole({ type: 'expire', token: 'u'.repeat(16), at: Math.max(at, expiresAt) });
      expect(resultOf(machine, 0)).toBe(code);
    },
  );

  it.each<[NewMessage['content'], string | undefined]>([
    ['Not that one.', 'ada'],
    ['Not that one.', undefined],
    [[{ type: 'text', text: ' ' }], 'ada'],
  ])(
    '[AN8, AN1] a message that denies comes to the same as a denial of each by that person: %j of %s',
    (content, actor) => {
      const from = actor === undefined ? {} : { actor };
      const waiting = () => asked([planned.approval(), planned.client(), planned.approval(), planned.tool()]);
      const [byMessage, byAnswers] = [waiting(), waiting()];
      const at = byMessage.now + 5;
      byMessage.rules = { ...byMessage.rules, deniesByMessage: true };
      const said = { runId: 'r_9', message: byMessage.message(content), at, ...from };
      byMessage.applyWhole({ type: 'send', token: 't'.repeat(16), ...said });
      const reason = typeof content === 'string' ? { reason: content } : {};
      const answer: PersonsAnswer = { kind: 'approval-response', approved: false, ...reason };
      for (const { callId } of [byAnswers.call(0), byAnswers.call(2)])
        byAnswers.applyWhole({ type: 'answer', token: 'u'.repeat(16), callId, answer, at, ...from });
      const came = (machine: Machine) => ({
        calls: machine.step.calls,
        chunks: [...machine.chunksOf('tool_answered'), ...machine.chunksOf('tool_end')],
      });
      expect(came(byMessage)).toStrictEqual(came(byAnswers));
      expect(byMessage.chunksOf('tool_answered')).toHaveLength(2);
    },
  );

  it.each([
    [-1, true],
    [0, false],
    [1, false],
  ])('[AN3] of an approval is over at `expiresAt`: %i ms from it an answer is taken: %s', (later, taken) => {
    for (const approved of [true, false]) {
      const machine = asked([planned.approval(100), planned.client()]);
      const { callId } = machine.call(0);
      const [{ expiresAt = 0 } = {}] = machine.chunksOf('tool_approval_request');
      const answer: PersonsAnswer = { kind: 'approval-response', approved };
      const at = expiresAt + later;
      const problem = whyNotAnswer(machine.state, { callId, answer, at });
      const said = machine.applyWhole({ type: 'answer', token: 't'.repeat(16), callId, answer, at });
      expect([problem?.code, refusal(said)]).toEqual(taken ? [undefined, undefined] : ['late_answer', 'late_answer']);
      expect(machine.call(0).answer?.approved).toBe(taken ? approved : undefined);
    }
  });

  it.each([
    [-1, 'open', undefined],
    [0, 'approval_expired', { is: 'expired' }],
    [1, 'approval_expired', { is: 'expired' }],
  ] as const)(
    '[AN3] its denial comes at `expiresAt` and no earlier: %i ms from it, it is %s',
    (later, result, stand) => {
      const machine = asked([planned.approval(100), planned.client(100), planned.client()]);
      const [{ expiresAt = 0 } = {}] = machine.chunksOf('tool_approval_request');
      machine.applyWhole({ type: 'expire', token: 't'.repeat(16), at: expiresAt + later });
      expect([resultOf(machine, 0), machine.call(1).state]).toEqual([result, stand]);
      expect(pendingIn(machine.state).map(({ toolCallId }) => toolCallId)).toEqual(
        [0, 1, 2].slice(stand ? 2 : 0).map((index) => machine.call(index).callId),
      );
    },
  );

  it('[AN3] of an approval: an answer in the last moment counts', () => {
    const machine = asked([planned.approval(100)]);
    machine.now += 98;
    machine.approve(0);
    machine.expire(1_000);
    expect(machine.due).toEqual(['tool 0']);
  });

  it("[AN3] of a client's tool, first case: an answer before its end is its result", () => {
    const machine = asked([planned.client(100), planned.client()]);
    machine.expire(50);
    machine.give(0, 'in time');
    machine.expire(100);
    expect(resultOf(machine, 0)).toBe('in time');
  });

  it('[AN3, SU1] second case: after its end, while other calls keep the step open, the real answer is still taken', () => {
    const machine = asked([planned.client(100), planned.tool()]);
    machine.expire(100);
    expect([resultOf(machine, 0), machine.call(0).state, pendingIn(machine.state)]).toEqual([
      'open',
      { is: 'expired' },
      [],
    ]);
    machine.give(0, 'late but real');
    machine.settle(1);
    expect(machine.chunksOf('tool_end')).toMatchObject([{ result: 'late but real' }, { success: true }]);
    expect(notices(machine)).toEqual([]);
  });

  it('[AN3] after its end it has failed as soon as it alone keeps the step open', () => {
    for (const more of [[], [planned.client(100)], [planned.tool()]]) {
      const machine = asked([planned.client(100), ...more]);
      machine.expire(100);
      if (more[0]?.kind === 'tool') machine.settle(1);
      expect(machine.chunksOf('tool_end').filter(({ error }) => error?.code === 'client_tool_timeout')).toHaveLength(
        more[0]?.kind === 'client' ? 2 : 1,
      );
      expect(machine.due).toEqual(['model']);
    }
  });

  it('[AN3, CL2] third case: once a model has seen the failure the answer is kept, told once, and no result; fourth: a second one is nothing', () => {
    for (const standing of ['asked', 'replied', 'ended', 'interrupted'] as const) {
      const machine = asked([planned.client(100)]);
      const { callId } = machine.call(0);
      machine.expire(100);
      if (standing === 'replied') machine.reply({ calls: [planned.tool()] });
      if (standing === 'ended') machine.reply({ text: 'done' });
      if (standing === 'interrupted') machine.interrupt();
      const late = () => machine.apply({ type: 'answer', callId, answer: RESULT, ...pastOf(machine, 1) });
      expect(late(), standing).toMatchObject({ ok: true, late: { code: 'late_answer' } });
      expect(machine.rowOf(1)?.calls[0]?.settled, standing).toMatchObject({
        result: { success: false, error: { code: 'client_tool_timeout' } },
        lateAt: machine.now,
      });
      expect(notices(machine), standing).toEqual([expect.stringMatching(/"ask_user" came after its deadline: "x"/)]);
      const { state } = machine;
      expect(refusal(late()), standing).toBe('late_answer');
      expect(machine.state, standing).toBe(state);
      expect(
        machine.chunksOf('tool_end').filter(({ toolCallId }) => toolCallId === callId),
        standing,
      ).toHaveLength(1);
      expect(machine.chunksOf('tool_answered'), standing).toEqual([]);
    }
  });

  it('[AN3] what a late answer says is seen by the next question', () => {
    const machine = asked([planned.client(100)]);
    const { callId } = machine.call(0);
    machine.expire(100);
    machine.apply({ type: 'answer', callId, answer: RESULT, ...pastOf(machine, 1) });
    expect(machine.state.step).toMatchObject({ phase: 'model', messagesUpTo: 1 });
    machine.reply({ calls: [planned.refused()] });
    expect(machine.state.step).toMatchObject({ phase: 'model', messagesUpTo: 2 });
  });

  it('[AN3, AN6] that ends while the agent is interrupted ends the wait when it is resumed', () => {
    const machine = asked([planned.client(100), planned.approval(100)]);
    machine.interrupt();
    const { state } = machine;
    machine.expire(1_000);
    expect(machine.state).toEqual(state);
    machine.resume();
    machine.expire();
    expect(machine.chunksOf('tool_end').map(({ error }) => error?.code)).toEqual([
      'approval_expired',
      'client_tool_timeout',
    ]);
    expect(machine.due).toEqual(['model']);
  });

  it('[AN3, SE3] is asked of the state without changing it', () => {
    const machine = asked([planned.approval(100), planned.client(100)]);
    const { callId } = machine.call(0);
    const question = { callId, answer: YES };
    expect(whyNotAnswer(machine.state, { ...question, at: machine.now + 99 })).toBeUndefined();
    expect(whyNotAnswer(machine.state, { ...question, at: machine.now + 100 })).toMatchObject({ code: 'late_answer' });
    const client = { callId: machine.call(1).callId, answer: RESULT };
    expect(whyNotAnswer(machine.state, { ...client, at: machine.now + 100 })).toBeUndefined();
  });
});
