/** What a run owes of its hooks, and what it keeps of those that failed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hookedMessage, replyMessage } from '../../src/core/agent/hooks/hooked-message';
import { hooksResult, MAX_HOOK_FAILURES } from '../../src/core/agent/hooks/hooks';
import type { InboundMessage } from '../../src/core/agent/inbound';
import type { HookFailure } from '../../src/core/agent/state';
import type { HookedMessage } from '../../src/core/definition/hooks/hooked-message';
import { failure } from '../../src/protocol/errors';
import { NO_USAGE } from '../../src/protocol/usage';
import { Machine, planned } from '../support/machine';
import { sized } from '../support/sizes';

describe('hooks that are owed', () => {
  it('[HK2] no body begins before its hook has ended, and no step while one is owed', () => {
    const machine = new Machine({ hooks: ['beforeTool', 'onStepStart', 'onStepEnd'] });
    machine.start();
    const kinds = () => machine.owed.map(({ kind }) => kind);
    const done = () => {
      const [hook] = machine.owed.filter((effect) => effect.kind === 'hook');
      if (hook?.kind !== 'hook') throw new Error('No hook is owed.');
      return machine.apply({ type: 'hook_done', id: hook.owed.id, epoch: hook.epoch });
    };
    expect(kinds()).toEqual(['hook']);
    done();
    expect(kinds()).toEqual(['model']);
    machine.reply({ calls: [planned.tool('a'), planned.tool('b'), planned.child()] });
    expect(kinds()).toEqual(['hook', 'child']);
    done();
    expect(kinds().sort()).toEqual(['child', 'hook', 'tool']);
    done();
    expect(kinds().sort()).toEqual(['child', 'tool', 'tool']);
    machine.settle(0);
    machine.settle(1);
    machine.childEnded(2);
    expect(machine.state.step?.id).toBe(1);
    expect(kinds()).toEqual(['hook']);
    expect(done().ok).toBe(true);
    expect(machine.state.step?.id).toBe(2);
  });

  it('[HK16] a last hook whose end a stop changes is told of that one', () => {
    const machine = new Machine({ hooks: ['onRunSettled'] });
    machine.start();
    machine.reply({ text: 'Done.' });
    const due = () =>
      machine.owed.flatMap((effect) => (effect.kind === 'hook' ? [effect.owed.id.split(' ').slice(1)] : []));
    expect(due()).toEqual([['onRunSettled', 'completed']]);
    machine.stop('abort');
    expect(due()).toEqual([['onRunSettled', 'failed']]);
    machine.hookDone();
    expect(machine.state.run).toMatchObject({ phase: 'ended', outcome: { status: 'failed' } });
  });
});

describe('a run that fails, and is aborted while that is told', () => {
  it('[HK4, HK15] tells the second end by a hook of its own: what reports from the first is refused', () => {
    const machine = new Machine({ hooks: ['onAgentFail'] });
    machine.start();
    machine.fail('model_error');
    const first = () => machine.owed.flatMap((effect) => (effect.kind === 'hook' ? [effect] : []))[0];
    const told = first();
    machine.stop('abort');
    expect([told?.owed.hook, first()?.owed.hook]).toEqual(['onAgentFail', 'onAgentFail']);
    expect(first()?.id).not.toBe(told?.id);
    const { epoch } = machine.state.run ?? { epoch: 0 };
    expect(machine.apply({ type: 'hook_done', id: told?.owed.id ?? '', epoch })).toMatchObject({ ok: false });
    machine.hookDone();
    expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'aborted' } });
  });
});

/** The hooks of a first run up to its first reply, in the order in which they are called. */
const BEFORE_CALLS = [
  ...(['after_thread_created', 'onAgentStart', 'before_create_message', 'after_create_message'] as const),
  'onStepStart' as const,
];

describe('the hooks of messages', () => {
  it('[HK20, SAW34] each is passed once by each message, in order, in whichever run, and what it gave is kept', () => {
    const given = fc.record({
      ids: fc.array(fc.constantFrom(undefined, 'a', 'b'), { minLength: 1, maxLength: 2 }),
      messages: fc.constantFrom(1, 2, 4, 25),
      what: fc.infiniteStream(
        fc.constantFrom('gives', 'gives', 'gives', 'gives nothing', 'is cut off', 'another comes'),
      ),
    });
    fc.assert(
      fc.property(given, ({ ids, messages, what }) => {
        const machine = new Machine();
        const hookIds = ids.map((id, at) => id && `${id}${at}`);
        const names = ['before_create_message', 'after_create_message'] as const;
        machine.rules = { ...machine.rules, hooks: new Map(names.map((hook) => [hook, hookIds])) };
        machine.start(...Array.from({ length: messages }, () => 'as sent'));
        const passed = new Map<string, string[]>();
        const contents = new Map<string, string>();
        // Far more than there are hooks.
        for (let count = 0; count < 2_000; count++) {
          const { run } = machine.state;
          if (run?.phase !== 'active') {
            machine.resume();
            continue;
          }
          const [owed, ...others] = run.hooks?.owed ?? [];
          if (owed?.messageId === undefined) break;
          const { hook, hookId, messageId } = owed;
          // So many that the row of the run stays small.
          expect(new Set([owed, ...others].map((one) => one.messageId)).size).toBeLessThanOrEqual(20);
          const next = what.next().value;
          if (next === 'is cut off') {
            machine.interrupt();
            continue;
          }
          if (next === 'another comes' && contents.size + messages < 50) machine.send('as sent');
          const content = next === 'gives' && hook === names[0] ? `${count}` : undefined;
          const changes = content === undefined ? {} : { changes: { content } };
          expect(machine.apply({ type: 'hook_done', id: owed.id, epoch: run.epoch, ...changes })).toMatchObject({
            ok: true,
          });
          passed.set(messageId, [...(passed.get(messageId) ?? []), `${hook} ${hookId}`]);
          contents.set(messageId, content ?? contents.get(messageId) ?? 'as sent');
        }
        const all = names.flatMap((hook) => hookIds.map((id) => `${hook} ${id}`));
        expect([...passed.values()]).toEqual(Array.from(passed, () => all));
        const rows = machine.changes.flatMap((change) => (change.put === 'message' ? [change.message] : []));
        const kept = new Map(rows.map(({ messageId, content }) => [messageId, content]));
        expect(kept).toEqual(contents);
        expect(machine.state.step).toMatchObject({ id: 1, messagesUpTo: kept.size });
      }),
      { numRuns: sized(15, 1_000) },
    );
  });
});

describe('a message', () => {
  it('[SAW34, HK4] is given with each field that it has, and with nothing of how it is kept', () => {
    const told = {
      ...({ messageId: 'm', role: 'user', content: 'Hi.', from: 'parent', metadata: null, to: 'side_b' } as const),
      ...({ silent: true, files: ['a.txt', 'b.txt'] } as const),
    } satisfies Required<Omit<HookedMessage, 'calls'>>;
    const files = told.files.map((path) => ({ path, size: 1, mediaType: 'text/plain', etag: 'e' }));
    const kept: Required<InboundMessage> = { ...told, id: 1, at: 2, wakes: true, hooked: 1, files };
    expect(hookedMessage(kept)).toEqual(told);
    const { metadata: _metadata, to: _to, silent: _silent, files: _files, ...bare } = kept;
    expect(hookedMessage(bare)).toStrictEqual({ messageId: 'm', role: 'user', content: 'Hi.', from: 'parent' });
  });

  it('[SAW34, HK4] of the model is given with its text and its calls, under the id of its checkpoint', () => {
    const machine = new Machine();
    machine.start();
    for (const [at, calls] of [[planned.tool('a'), planned.child()], []].entries()) {
      machine.reply({ text: `Text ${at}.`, calls });
      const named = calls.map(({ name, input }) => ({ toolName: name, input }));
      expect(replyMessage(machine.state.session, machine.step)).toStrictEqual({
        ...{ messageId: `s_me.${at + 1}`, role: 'assistant', content: `Text ${at}.`, from: 'agent' },
        ...(named.length === 0 ? {} : { calls: named }),
      });
      if (named.length > 0) machine.settle(0);
      if (named.length > 0) machine.childEnded(1);
    }
  });
});

describe('what a hook has spent', () => {
  it('[HK7] is counted for the session, and with the step that it came before or in', () => {
    const machine = new Machine({ hooks: ['onAgentStart', 'before_create_message', 'onStepStart', 'afterTool'] });
    machine.start();
    const before = machine.state.spent;
    const spends = (outputTokens: number) => {
      const { run } = machine.state;
      const owed = run?.phase === 'active' ? run.hooks?.owed[0]?.id : undefined;
      const usage = { ...NO_USAGE, outputTokens };
      const done = { type: 'hook_done', id: owed ?? '', epoch: machine.fence.epoch, usage } as const;
      expect(machine.apply(done)).toMatchObject({ ok: true });
    };
    const spent = () => [
      machine.state.spent.outputTokens - before.outputTokens,
      machine.state.step?.spent.outputTokens,
    ];
    spends(1);
    expect(spent()).toEqual([1, undefined]);
    spends(10);
    expect(spent()).toEqual([11, 11]);
    spends(100);
    expect(spent()).toEqual([111, 111]);
    machine.reply({ calls: [planned.tool(), planned.tool()], usage: { outputTokens: 1_000 } });
    machine.settle(0);
    const [, own = 0] = spent();
    spends(10_000);
    expect(spent()).toEqual([11_111, own + 10_000]);
  });
});

describe('hooks of results', () => {
  it('[HK25, RC4] are known to have begun, call by call, until that has its result', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.child(), planned.child(), planned.child()] });
    const begun = () => machine.step.calls.map(({ callId }) => hooksResult(machine.state, callId));
    const { epoch } = machine.fence;
    const begin = (index: number) => machine.apply({ type: 'result_hooks', by: machine.call(index).callId, epoch });
    expect([begun(), hooksResult(machine.state)]).toEqual([[false, false, false], false]);
    begin(2);
    expect([begun(), hooksResult(machine.state)]).toEqual([[false, false, true], true]);
    begin(0);
    expect(begin(0)).toMatchObject({ changes: [] });
    expect(begun()).toEqual([true, false, true]);
    machine.childEnded(2);
    expect([begun(), hooksResult(machine.state)]).toEqual([[true, false, false], true]);
    begin(1);
    machine.childEnded(0);
    expect([begun(), hooksResult(machine.state)]).toEqual([[false, true, false], true]);
  });
});

describe('a run that continues with a message', () => {
  it.each(['resume', 'send', 'retry'] as const)(
    '[HK1, SAW34] by %s reports its beginning before the message',
    (way) => {
      const machine = new Machine({ hooks: ['onAgentStart', 'onStepStart', 'before_create_message'] });
      machine.start();
      expect(machine.hooksDone()).toEqual(['onAgentStart', 'before_create_message', 'onStepStart']);
      if (way === 'retry') machine.fail('model_error');
      else machine.interrupt();
      expect(machine[way]('More.')).toMatchObject({ ok: true });
      // Its step was there already.
      expect(machine.hooksDone()).toEqual(['onAgentStart', 'onStepStart', 'before_create_message']);
      expect(machine.state.step).toMatchObject({ id: 1, messagesUpTo: 2 });
    },
  );
});

describe('a run that is stopped', () => {
  const told = [
    ...(['beforeTool', 'afterTool', 'onChildSettled', 'onStepEnd', 'onStepStart', 'onAgentComplete'] as const),
    ...(['after_create_message', 'onAgentFail', 'onRunSettled'] as const),
  ];

  it.each([
    ['interrupt', ['onRunSettled']],
    ['abort', ['onAgentFail', 'onRunSettled']],
    ['terminate', ['onRunSettled']],
  ] as const)('[HK15, HK16] by %s tells of its end, and of nothing that comes meanwhile', (verb, last) => {
    const machine = new Machine({ hooks: told });
    machine.start();
    machine.hooksDone();
    machine.reply({ calls: [planned.tool('a'), planned.tool('b'), planned.child()] });
    machine.hooksDone();
    machine.stop(verb);
    const seen: (string | undefined)[] = [];
    for (const goesOn of [
      () => machine.settle(0),
      () => machine.cut(1),
      () => machine.childEnded(2, { status: verb === 'terminate' ? 'terminated' : 'interrupted', reason: 'Enough.' }),
    ]) {
      seen.push(...machine.hooksDone());
      goesOn();
    }
    seen.push(...machine.hooksDone());
    expect(machine.state.run?.phase).toBe('ended');
    expect(seen).toEqual(last);
    // What was interrupted stays open: its step ends in the run that continues.
    if (verb !== 'interrupt') return;
    expect(machine.types).not.toContain('step_committed');
    machine.resume();
    while (machine.hookDue) machine.hooksDone();
    for (const index of machine.open) machine.settle(index);
    machine.hooksDone();
    expect(machine.types.filter((type) => type === 'step_committed')).toHaveLength(1);
  });

  it('[HK16] or ends in any other way, whose very last hook fails, ends as it would have', () => {
    for (const fails of [undefined, 'model_error'] as const) {
      const machine = new Machine({ hooks: ['onRunSettled'] });
      machine.start();
      if (fails) machine.fail(fails);
      else machine.reply({ text: 'Done.' });
      expect(machine.hookDue).toBe('onRunSettled');
      machine.hookDone('internal');
      expect(machine.outcome).toMatchObject(fails ? { status: 'failed', error: { code: fails } } : { output: 'Done.' });
      expect(machine.chunksOf('hook_failed')).toMatchObject([{ hook: 'onRunSettled', failsRun: false }]);
    }
  });
});

describe('hooks that failed', () => {
  it('[HK17, HK28] stay with their step: those before the first with that one, at most 20, their text cut', () => {
    const machine = new Machine({ hooks: ['onAgentStart', 'onStepStart', 'afterTool'] });
    machine.start();
    const fails = (message = 'Boom.') => {
      const { run } = machine.state;
      const [owed] = run?.phase === 'active' ? (run.hooks?.owed ?? []) : [];
      const error = failure('hook_failed', message);
      return machine.apply({
        type: 'hook_done',
        id: owed?.id ?? '',
        epoch: run?.phase === 'active' ? run.epoch : 0,
        error,
      });
    };
    expect(fails('x'.repeat(2_000)).ok).toBe(true);
    expect(fails().ok).toBe(true);
    const failed = () => machine.state.step?.hookFailures ?? [];
    expect(failed().map(({ hook, error }) => [hook, error.message.length])).toEqual([
      ['onAgentStart', 1_000],
      ['onStepStart', 5],
    ]);
    machine.reply({ calls: Array.from({ length: 25 }, (_, index) => planned.tool(`t${index}`)) });
    for (const [index, kept] of [...Array(24).keys()].map((each) => [each, Math.min(20, each + 3)] as const)) {
      machine.settle(index);
      expect(fails().ok).toBe(true);
      expect(failed()).toHaveLength(kept);
    }
    expect(failed().at(-1)).toMatchObject({ hook: 'afterTool', callId: expect.stringMatching(/^c_/) });
    expect(machine.types.filter((type) => type === 'hook_failed')).toHaveLength(26);
  });

  it('[HK17, HK1] are with the step that they came before or in, the first 20 in order, however many hooks there are', () => {
    const given = fc.record({
      ids: fc.array(fc.constantFrom(undefined, 'a', 'b'), { minLength: 1, maxLength: 3 }),
      messages: fc.constantFrom(1, 2, 11),
      fails: fc.infiniteStream(fc.boolean()),
    });
    fc.assert(
      fc.property(given, ({ ids, messages, fails }) => {
        const machine = new Machine();
        const hooks = new Map(BEFORE_CALLS.map((hook) => [hook, ids.map((id, at) => id && `${id}${at}`)]));
        machine.rules = { ...machine.rules, hooks };
        machine.start(...Array.from({ length: messages }, (_, at) => `${at}`));
        const failed: Pick<HookFailure, 'hook' | 'hookId' | 'at' | 'error'>[] = [];
        let count = 0;
        for (let run = machine.state.run; run?.phase === 'active' && count < 2_000; run = machine.state.run) {
          const [owed] = run.hooks?.owed ?? [];
          if (owed === undefined || owed.hook === 'stopWhen') break;
          count++;
          const error = failure('hook_failed', `${count}`);
          const isFailed = fails.next().value === true;
          const done = { type: 'hook_done', id: owed.id, epoch: run.epoch, ...(isFailed ? { error } : {}) } as const;
          expect(machine.apply(done)).toMatchObject({ ok: true });
          const { hook, hookId } = owed;
          if (isFailed) failed.push({ hook, ...(hookId === undefined ? {} : { hookId }), at: machine.now, error });
        }
        expect(count).toBe(ids.length * (3 + 2 * messages));
        expect(machine.state.step?.hookFailures ?? []).toEqual(failed.slice(0, 20));
        const shown = failed.map(({ at: _at, ...one }) => ({ type: 'hook_failed', ...one, failsRun: false }));
        expect(machine.chunksOf('hook_failed')).toEqual(shown);
        // The next step has its own.
        machine.reply({ calls: [planned.tool()] });
        machine.hooksDone();
        machine.settle(0);
        machine.hooksDone();
        expect(machine.state.step).toMatchObject({ id: 2 });
        expect(machine.state.step).not.toHaveProperty('hookFailures');
      }),
      { numRuns: sized(20, 1_000) },
    );
  });

  it('[HK17, HK28] are on the stream alone where the run ends before its first step, and never with a step of the next run', () => {
    for (const before of [1, 2, 3])
      for (const verb of ['interrupt', 'abort'] as const) {
        const machine = new Machine({ hooks: ['onAgentStart'] });
        machine.rules = { ...machine.rules, hooks: new Map([['onAgentStart', ['a', 'b', 'c', 'd']]]) };
        machine.start();
        for (let at = 0; at < before; at++) {
          const { run } = machine.state;
          const owed = run?.phase === 'active' ? run.hooks?.owed[0] : undefined;
          const fence = { id: owed?.id ?? '', epoch: run?.phase === 'active' ? run.epoch : 0 };
          machine.apply({ type: 'hook_done', ...fence, error: failure('hook_failed') });
        }
        machine.stop(verb);
        expect(machine.state.step).toBeUndefined();
        expect(machine.chunksOf('hook_failed')).toHaveLength(before);
        machine.start();
        machine.hooksDone();
        expect(machine.state.step).toMatchObject({ id: 1 });
        expect(machine.state.step).not.toHaveProperty('hookFailures');
      }
  });

  it('[HK17] of a result, a request or a message is shown once for each hook and for each thing that it speaks of', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.tool('a'), planned.tool('b')] });
    const rows = (['after_tool_call_success', 'before_store_tool_result'] as const).flatMap((hook) =>
      [undefined, 'one', 'two'].flatMap((hookId) =>
        ['c_a', 'c_b'].map((about) => ({ hook, about, ...(hookId === undefined ? {} : { hookId }) })),
      ),
    );
    const { run } = machine.state;
    const facts = {
      by: machine.call(0).callId,
      epoch: run?.phase === 'active' ? run.epoch : 0,
      error: failure('hook_failed', 'Boom.'),
    };
    const breaks = (row: (typeof rows)[number]) => machine.apply({ type: 'hook_broke', ...facts, ...row });
    for (const row of rows) {
      expect(breaks(row)).toMatchObject({ ok: true });
      expect(breaks(row)).toMatchObject({ ok: true });
    }
    for (const row of rows) breaks(row);
    expect(machine.state.step?.hookFailures).toEqual(
      rows.map((row) => ({ ...row, at: expect.any(Number), error: facts.error })),
    );
    expect(machine.types.filter((type) => type === 'hook_failed')).toHaveLength(rows.length);
    // Of more than are kept nobody would know whether they were shown.
    for (let n = 0; n < 2 * MAX_HOOK_FAILURES; n++)
      for (let times = 0; times < 2; times++) breaks({ hook: 'after_tool_call_success', about: `c_${n}` });
    expect(machine.types.filter((type) => type === 'hook_failed')).toHaveLength(MAX_HOOK_FAILURES);
  });
});
