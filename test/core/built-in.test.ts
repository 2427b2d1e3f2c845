import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BUILT_IN_TOOLS } from '../../src/core/agent/built-in/table';
import type { PlannedCall } from '../../src/core/agent/events';
import type { BuiltInTool, OfferedTool } from '../../src/core/agent/rules';
import { Seat, seatOf } from '../../src/core/agent/seat';
import { defineTool } from '../../src/core/definition/define-tool';
import type { ModelReply, ReplyCall } from '../../src/core/definition/model-port';
import { planReply } from '../../src/engine/perform/check-calls';
import { failure } from '../../src/protocol/errors';
import type { Json } from '../../src/protocol/json';
import { NO_USAGE } from '../../src/protocol/usage';
import { HASHES } from '../support/hashes';
import { Machine, planned } from '../support/machine';
import { agentOf } from '../support/trees';

const argsSchema = z.object({ by: z.number().default(1) });
const customSchema = z.object({ sum: z.number().default(0) });

/** Adds to the custom state, and tells the sum: what the calls before it did is there. */
const adds: OfferedTool = {
  description: 'Adds.',
  endsRun: false,
  inputSchema: argsSchema,
  apply(draft, { callId, args }) {
    const before = customSchema.parse(draft.state.custom).sum;
    const { by } = argsSchema.parse(args);
    if (before + by > 100) return { kind: 'refused', error: failure('invalid_arguments', 'The sum would pass 100.') };
    const custom = { sum: before + by };
    draft.state = { ...draft.state, custom };
    draft.put({ put: 'custom', custom });
    return { kind: 'immediate', result: { success: true, value: { sum: custom.sum, callId } } };
  },
};

/** Has a child do it. */
const hands: OfferedTool = {
  ...adds,
  needs: () => ({ names: [] }),
  apply: (_draft, { args }) => ({
    kind: 'child',
    input: args,
    agentType: 'leaf',
    className: 'Leaf',
    addressClass: 'leaf',
    timeoutMs: 5_000,
    lifetime: 'call',
    await: 'step',
    deliver: 'result',
    placement: 'facet',
    workspace: 'session',
    onParentSuspend: 'continue',
    onFailure: 'result',
    onIdle: 'keep',
    retention: 'tree',
  }),
};

/** For agents with a state. */
const row = (name: string, tool: OfferedTool): BuiltInTool => ({
  name,
  of: ({ stateSchema }) => (stateSchema === undefined ? undefined : tool),
});
const TABLE = [...BUILT_IN_TOOLS, row('__add__', adds), row('__hand__', hands)];

const call = (name: string, args: Json): PlannedCall => ({
  providerId: 'p',
  name,
  input: { given: args },
  kind: 'built_in',
  args,
});

/** A machine whose model has asked for these calls. */
function asked(calls: PlannedCall[]): Machine {
  const machine = new Machine({ builtIns: TABLE });
  machine.start();
  machine.reply({ calls });
  return machine;
}

describe('a tool of the framework', () => {
  it('[BT3] has its results in the transaction of the reply, each from what the calls before it did', () => {
    const machine = asked([call('__add__', { by: 40 }), call('__add__', { by: 2 })]);
    const { calls } = machine.rowOf(1) ?? { calls: [] };
    expect(calls.map(({ settled }) => settled?.result)).toEqual([
      { success: true, value: { sum: 40, callId: calls[0]?.callId } },
      { success: true, value: { sum: 42, callId: calls[1]?.callId } },
    ]);
    expect(machine.state.custom).toEqual({ sum: 42 });
    expect(machine.changes.filter(({ put }) => put === 'custom')).toEqual([{ put: 'custom', custom: { sum: 42 } }]);
    expect(machine.state.step).toMatchObject({ number: 2, phase: 'model' });
    expect(machine.due).toEqual(['model']);
  });

  it('[BT3] is shown as it was called, then with its result', () => {
    const machine = asked([call('__add__', { by: 1 })]);
    const { toolCallId } = machine.chunksOf('tool_start')[0] ?? {};
    expect(machine.chunksOf('tool_start')).toMatchObject([{ toolName: '__add__', arguments: { given: { by: 1 } } }]);
    expect(machine.chunksOf('tool_end')).toMatchObject([{ toolCallId, success: true, result: { sum: 1 } }]);
  });

  it('[BT3] goes beside other tools, whose results its step waits for', () => {
    const machine = asked([planned.tool(), call('__add__', { by: 1 })]);
    expect(machine.open).toEqual([0]);
    machine.settle(0);
    expect(machine.state.step).toMatchObject({ number: 2, phase: 'model' });
  });

  it('[BT3] refuses what cannot be done, and changes nothing by it', () => {
    const machine = asked([call('__add__', { by: 90 }), call('__add__', { by: 11 }), call('__add__', { by: 10 })]);
    const ends = machine.chunksOf('tool_end');
    expect(ends.map(({ success }) => success)).toEqual([true, false, true]);
    expect(ends[1]).toMatchObject({ error: { code: 'invalid_arguments', message: 'The sum would pass 100.' } });
    expect(machine.state.custom).toEqual({ sum: 100 });
  });

  it('[BT3] may have a child work on its call, whose end is its result', () => {
    const machine = asked([call('__hand__', { by: 3 })]);
    expect(machine.types.slice(-2)).toEqual(['tool_start', 'subagent_start']);
    // The step keeps what the model wrote, the task what the tool made of it.
    expect(machine.call(0)).toMatchObject({ input: { given: { by: 3 } }, plan: { kind: 'task', began: { task: 1 } } });
    expect(machine.child(0).task.input).toEqual({ by: 3 });
    expect(machine.due).toEqual(['child 0']);
    machine.childEnded(0);
    expect(machine.chunksOf('tool_end')).toMatchObject([{ success: true, result: 0 }]);
    expect(machine.state.step).toMatchObject({ number: 2 });
  });

  it('[BT3, ST10] is not worked out in a reply that was cut off', () => {
    const machine = new Machine({ builtIns: TABLE });
    machine.start();
    machine.reply({ calls: [call('__add__', { by: 1 })], finishReason: 'length' });
    expect(machine.chunksOf('tool_end')).toMatchObject([{ success: false, error: { code: 'invalid_arguments' } }]);
    expect(machine.state.custom).toEqual({});
  });

  it('[BT3, CL4] that the agent does not have when its reply is committed is a refused call', () => {
    const machine = new Machine({ builtIns: BUILT_IN_TOOLS });
    machine.start();
    machine.reply({ calls: [call('__add__', { by: 1 })] });
    expect(machine.chunksOf('tool_end')).toMatchObject([{ success: false, error: { code: 'unknown_tool' } }]);
  });
});

const NOBODY = { state: {}, env: {}, agent: { type: 'a', sessionId: 's_1', address: '/agents/a/one', runId: 'r_1' } };

const plan = async (seat: Seat, toolName: string, input: Json): Promise<PlannedCall | undefined> => {
  const asked: ReplyCall = { type: 'tool-call', providerId: 'p', toolName, input };
  const reply: ModelReply = { content: [asked], finishReason: 'tool-calls', usage: NO_USAGE, model: 'm' };
  return (await planReply(seat, reply, NOBODY, HASHES))[0];
};

describe('the table of them', () => {
  const counting = new Seat(agentOf('a', { stateSchema: z.object({}) }), TABLE);

  it('[BT3] offers each row to the agents that it is for, after their own tools, with its arguments', () => {
    expect(counting.tools.map(({ name }) => name)).toEqual(['__add__', '__hand__']);
    expect(counting.tools[0]?.inputSchema).toMatchObject({ properties: { by: { type: 'number' } } });
    expect(new Seat(agentOf('a'), TABLE).tools).toEqual([]);
    const typed = agentOf('a', { outputSchema: z.object({}) });
    expect(new Seat(typed, TABLE).rules.finishTools).toEqual(['__finish__']);
    expect(seatOf(typed)).toBe(seatOf(typed));
  });

  it('[BT3, CL4] checks the arguments of a row by its schema', async () => {
    expect(await plan(counting, '__add__', {})).toMatchObject({ kind: 'built_in', input: {}, args: { by: 1 } });
    expect(await plan(counting, '__add__', { by: 'x' })).toMatchObject({
      kind: 'refused',
      error: { code: 'invalid_arguments', message: expect.stringContaining('by: ') },
    });
    expect(await plan(counting, '__finish__', {})).toMatchObject({
      kind: 'refused',
      error: { code: 'unknown_tool', message: expect.stringContaining('Your tools: __add__, __hand__.') },
    });
  });

  it('[BT3, DF1] has names that no tool of an author can have', () => {
    for (const { name } of BUILT_IN_TOOLS)
      expect(() => defineTool({ name, description: 'Works.', inputSchema: z.object({}), execute: () => null })).toThrow(
        /reserved/,
      );
    expect(new Set(BUILT_IN_TOOLS.map(({ name }) => name)).size).toBe(BUILT_IN_TOOLS.length);
  });
});
