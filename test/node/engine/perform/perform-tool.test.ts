/** The end of a tool's body, as an event says it: each way in which it may end, under a stop or not, with hooks or without. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentEvent } from '../../../../src/core/agent/events';
import { seatOf } from '../../../../src/core/agent/seat';
import { defineTool } from '../../../../src/core/definition/define-tool';
import { defineHook } from '../../../../src/core/definition/hooks/standard-hooks';
import type { ToolContext } from '../../../../src/core/definition/tool-context';
import { performTool } from '../../../../src/engine/perform/perform-tool';
import type { BodyAgent } from '../../../../src/engine/perform/performer';
import { failure, OffshootError } from '../../../../src/protocol/errors';
import { isObject, type Json } from '../../../../src/protocol/json';
import { NO_USAGE } from '../../../../src/protocol/usage';
import { Machine, planned } from '../../../support/machine';
import { present } from '../../../support/present';
import { rowsOf } from '../../../support/rows';
import { agentOf } from '../../../support/trees';
import { VirtualTime } from '../../../support/virtual-time';

const machine = new Machine();
machine.start();
machine.reply({ calls: [planned.tool('pay')] });
const CALL = machine.call(0);
const RUN_ID = machine.state.run?.runId ?? '';

type Body = (input: unknown, context: ToolContext, time: VirtualTime, controller: AbortController) => unknown;
const SLOW: Body = (_input, _context, time) =>
  new Promise((resolve) => time.environment.timer(5_000, () => resolve(1)));

/** Performs the call with that body; what came of it. */
async function performed(
  body: Body,
  options: {
    readonly hook?: string;
    readonly gives?: unknown;
    readonly output?: z.ZodType;
    readonly name?: string;
    readonly input?: unknown;
    readonly custom?: Json;
    readonly answer?: object;
    readonly stopped?: 'before' | 'meanwhile';
    readonly graceMs?: number;
    readonly takes?: boolean;
  } = {},
) {
  const { custom = machine.state.custom } = options;
  const { hook, gives, output, name = 'pay', input = { n: 1 }, answer, stopped, graceMs = 0, takes = true } = options;
  const time = new VirtualTime();
  const controller = new AbortController();
  const told: { input: unknown; context: ToolContext }[] = [];
  const tool = defineTool({
    ...{ name: 'pay', description: 'Pays.', inputSchema: z.object({ n: z.number().default(7) }), replay: 'safe' },
    execute: (given: unknown, context: ToolContext) => {
      told.push({ input: structuredClone(given), context });
      return body(given, context, time, controller);
    },
    ...(output ? { outputSchema: output } : {}),
  } as never);
  const hooks = hook ? [defineHook({ id: 'mine', hook, execute: async () => gives } as never)] : [];
  const definition = agentOf('top', {
    tools: [tool],
    hooks,
    limits: { stopGraceMs: Math.max(1, graceMs), maxToolResultBytes: 1_024 },
  } as never);
  const events: AgentEvent[] = [];
  const late: unknown[] = [];
  const stop = {
    verb: 'abort',
    reason: 'So.',
    at: graceMs === 0 ? time.now - 9_000 : time.now,
    bodies: [CALL.callId],
  } as const;
  const { run } = machine.state;
  const agent = {
    state: { ...machine.state, custom, run: run && { ...run, ...(stopped ? { stop } : {}) } },
    environment: time.environment,
    seat: seatOf(definition),
    apply: (event: AgentEvent) => {
      events.push(event);
      return takes ? { ok: true } : { ok: false, refused: failure('superseded') };
    },
    spentLate: (usage: unknown) => void late.push(usage),
    deps: { files: () => ({}), capabilities: [], kept: { look: () => undefined }, variable: async () => undefined },
  } as unknown as BodyAgent;
  const call = { ...CALL, name, input, ...(answer ? { answer } : {}) };
  if (stopped === 'before') controller.abort();
  let over = false;
  const ended = performTool(
    agent,
    { kind: 'tool', id: 'e', runId: RUN_ID, epoch: 3, call, timeoutMs: 900, stopping: false } as never,
    controller.signal,
  );
  void ended.then(() => {
    over = true;
  });
  if (stopped === 'meanwhile') {
    await time.settle();
    controller.abort();
  }
  await time.until(() => over);
  const settled = present(events.find(({ type }) => type === 'tool_settled'));
  if (settled.type !== 'tool_settled') throw new Error('Nothing is settled.');
  const { at: _at, token: _token, startedAt: _since, ...end } = settled;
  return { end, events, told, late, pending: time.pending, lasted: settled.at - settled.startedAt };
}

const base = { type: 'tool_settled', callId: CALL.callId, epoch: 3 } as const;
const spent = (toolCalls: number) => ({ ...NO_USAGE, toolCalls });
const failed = (code: Parameters<typeof failure>[0], message = expect.any(String)) => ({
  success: false,
  error: expect.objectContaining({ code, message }),
});

it('[CL4, CL5, TM1, CL7, US5] is its result as the schema makes it, or why there is none, with what was spent and whether it ran', async () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const even = z
    .number()
    .transform((n) => n * 2)
    .refine((n) => n < 9, 'Too much');
  const rows: readonly (readonly [string, Body, Parameters<typeof performed>[1], unknown, ran: boolean])[] = [
    ['a value', () => ({ a: 1 }), {}, { success: true, value: { a: 1 } }, true],
    ['nothing', () => undefined, {}, { success: true, value: null }, true],
    ['a value later', async () => 'x', {}, { success: true, value: 'x' }, true],
    ['what the schema makes of it', () => 3, { output: even }, { success: true, value: 6 }, true],
    [
      'no value of the schema',
      () => 8,
      { output: even },
      failed('tool_result_invalid', expect.stringContaining('Too much')),
      true,
    ],
    ['no JSON', () => cyclic, {}, failed('tool_result_invalid', expect.stringContaining('not JSON')), true],
    ['the largest', () => 'x'.repeat(1_022), {}, { success: true, value: 'x'.repeat(1_022) }, true],
    ['a byte more', () => 'x'.repeat(1_023), {}, failed('tool_result_too_large'), true],
    [
      'an error',
      () => {
        throw new TypeError('No.');
      },
      {},
      failed('tool_failed', 'No.'),
      true,
    ],
    [
      'one with a code',
      () => {
        throw new OffshootError('forbidden', 'No.');
      },
      {},
      failed('forbidden', 'No.'),
      true,
    ],
    ['a refusal later', () => Promise.reject(new Error('No.')), {}, failed('tool_failed', 'No.'), true],
    ['too slow', SLOW, {}, failed('tool_timeout', expect.stringContaining('900 ms')), true],
    ['arguments that no longer fit', () => 1, { input: { n: 'x' } }, failed('invalid_arguments'), false],
    ['a tool that is gone', () => 1, { name: 'gone' }, failed('unknown_tool'), false],
  ];
  for (const [what, body, options, result, ran] of rows) {
    const { end, told, late, pending, lasted } = await performed(body, options);
    expect(end, what).toEqual({ ...base, result, usage: spent(ran ? 1 : 0), ...(ran ? {} : { unrun: true }) });
    expect([told.length, late, pending], what).toEqual([ran ? 1 : 0, [], what === 'too slow' ? 1 : 0]);
    expect(lasted, what).toBe(what === 'too slow' ? 900 : 0);
  }
});

it('[CL5, A37, AN3, US5, CL7] the body has the arguments that count, as the schema makes them, and who approved them', async () => {
  for (const { edited, actor, reason, input } of rowsOf({
    edited: [undefined, { n: 5 }, {}],
    actor: [undefined, 'ann'],
    reason: [undefined, 'Fine.'],
    input: [{}, { n: 2 }],
  } as const)) {
    const record = { kind: 'approval-response', approved: true, at: 44, order: 1 };
    const more = { ...(actor ? { actor } : {}), ...(reason ? { reason } : {}) };
    const answer = { ...record, ...more, ...(edited ? { input: edited } : {}) };
    const spends: Body = (_input, { recordUsage }) => recordUsage({ inputTokens: 3, outputTokens: 4, costUsd: 1 });
    const { told, end } = await performed(spends, { answer, input });
    expect(told[0]?.input).toEqual({ n: edited ? ('n' in edited ? edited.n : 7) : 'n' in input ? input.n : 7 });
    expect(told[0]?.context.approval).toEqual({ at: 44, ...more });
    expect(end.usage).toEqual({ ...spent(1), inputTokens: 3, outputTokens: 4, costUsd: 1 });
  }
  expect((await performed(() => 1)).told[0]?.context).not.toHaveProperty('approval');
});

it('[CL5, SE1] what a body changes in a state that it was given changes neither the state nor what others are given', async () => {
  const spoil = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(spoil);
      value.push('spoiled');
    } else if (isObject(value)) {
      Object.values(value).forEach(spoil);
      Object.assign(value, { spoiled: true });
    }
  };
  const states: readonly Json[] = [
    {},
    [],
    { list: ['a', { deep: [] }], more: { n: 1 } },
    [[{ a: null }]],
    'text',
    7,
    null,
  ];
  for (const state of states) {
    const custom = structuredClone(state);
    const given: unknown[] = [];
    const body: Body = (_input, { getState, updateState }) => {
      for (let n = 0; n < 2; n++) {
        given.push(structuredClone(getState()));
        spoil(getState());
        updateState((before) => {
          given.push(structuredClone(before));
          spoil(before);
          return structuredClone(state);
        });
      }
    };
    const { end, events } = await performed(body, { custom });
    expect(end.result).toEqual({ success: true, value: null });
    expect([custom, given, events.map(({ type }) => type)]).toEqual([state, Array(4).fill(state), ['tool_settled']]);
  }
});

it('[SP4, SP6, HK23, HK24] under a stop it counts what ends within the grace, discards what does not, and runs nothing new', async () => {
  const soon: Body = (_input, _context, time) =>
    new Promise((resolve) => time.environment.timer(300, () => resolve(1)));
  const late: Body = (_input, _context, time) =>
    new Promise((_resolve, reject) => time.environment.timer(300, () => reject(new Error('No.'))));
  const rows = [
    { stopped: 'before', graceMs: 0, body: soon, result: failed('aborted'), cut: 'body', ran: false },
    { stopped: 'before', graceMs: 500, body: soon, result: failed('aborted'), cut: 'body', ran: false },
    { stopped: 'meanwhile', graceMs: 0, body: soon, result: failed('aborted'), cut: 'body', ran: true },
    { stopped: 'meanwhile', graceMs: 299, body: soon, result: failed('aborted'), cut: 'body', ran: true },
    { stopped: 'meanwhile', graceMs: 301, body: soon, result: { success: true, value: 1 }, cut: undefined, ran: true },
    { stopped: 'meanwhile', graceMs: 301, body: late, result: failed('tool_failed'), cut: 'body', ran: true },
  ] as const;
  for (const { stopped, graceMs, body, result, cut, ran } of rows)
    for (const takes of [true, false]) {
      const { end, late: after } = await performed(body, { stopped, graceMs, takes });
      const what = JSON.stringify({ stopped, graceMs, ran });
      expect(end, what).toEqual({
        ...base,
        result,
        usage: spent(ran ? 1 : 0),
        ...(cut ? { cut } : {}),
        ...(ran ? {} : { unrun: true }),
      });
      // Nobody waits for it any more: what was spent on it counts all the same.
      expect(after, what).toEqual(takes ? [] : [NO_USAGE]);
    }
});

it('[HK20, HK23, HK24] hooks of its result make what is kept, and a result whose hooks a stop cuts off is nobody’s to see', async () => {
  const pays: Body = () => ({ a: 1 });
  const fails: Body = () => {
    throw new OffshootError('forbidden', 'No.');
  };
  const other = { success: true, value: 'other' };
  for (const hook of ['after_tool_call_success', 'after_tool_call_failure', 'before_store_tool_result'])
    for (const body of [pays, fails]) {
      const isAsked = hook === 'before_store_tool_result' || (hook === 'after_tool_call_success') === (body === pays);
      const own = body === pays ? { success: true, value: { a: 1 } } : failed('forbidden');
      const { end } = await performed(body, { hook, gives: other });
      expect(end, `${hook} ${body === pays}`).toEqual({ ...base, result: isAsked ? other : own, usage: spent(1) });
    }
  const never = new Promise(() => undefined);
  const stops: Body = (_input, _context, _time, controller) => {
    controller.abort();
    return 1;
  };
  const { end } = await performed(stops, {
    hook: 'before_store_tool_result',
    gives: never,
    stopped: 'meanwhile',
    graceMs: 200,
  });
  expect(end).toEqual({ ...base, result: failed('result_withheld'), usage: spent(1), cut: 'hooks' });
});
