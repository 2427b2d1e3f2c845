/** The tools of copies, worked out by the core alone. */
import { describe, expect, it } from 'vitest';
import { forkChild, keepChild } from '../../../src/capabilities/copies/tools';
import type { Child } from '../../../src/core/agent/children/child';
import { Draft } from '../../../src/core/agent/draft';
import type { BuiltInCall } from '../../../src/core/agent/rules';
import { livesElsewhere } from '../../../src/core/definition/children/elsewhere';
import { createSubAgentTool } from '../../../src/core/definition/children/relationship';
import type { Json, JsonObject } from '../../../src/protocol/json';
import { Machine } from '../../support/machine';
import { agentOf, answer, question } from '../../support/trees';

const scout = agentOf('scout');
const keeper = agentOf('keeper', { persistentAgents: [{ agent: scout, mode: 'non-blocking' }] });

const call = (tool: string, args: { [key: string]: Json }) => {
  const name = `companion__${tool}`;
  return { providerId: 'p', name, input: args, kind: 'built_in' as const, args };
};

const results = (machine: Machine): unknown[] =>
  machine.chunksOf('tool_end').map((end) => (end.success ? end.result : { code: end.error?.code }));

it('[CP1] of an agent that keeps companions are offered behind those for companions', () => {
  const offered = (definition: typeof keeper) => new Machine({ definition }).rules.builtIns.map(({ name }) => name);
  expect(offered(keeper).at(-1)).toBe('companion__forkChild');
  expect(offered(scout)).toEqual([]);
});

it('[CP30] give a name to the first of two copies in one step', () => {
  const machine = new Machine({ definition: keeper });
  const fork = call('forkChild', { name: 'ada', newName: 'eve', message: 'x' });
  machine.start();
  machine.reply({ calls: [call('spawnAgent', { agent: 'scout', initialMessage: 'a', name: 'ada' }), fork, fork] });
  expect(results(machine)).toMatchObject([{ name: 'ada', task: 1 }, { name: 'eve', task: 1 }, { code: 'name_taken' }]);
});

it('[CP67] copy no companion that is remote', () => {
  const critic = agentOf('critic', { outputSchema: answer });
  livesElsewhere(critic, () => {
    throw new Error('Nobody is asked.');
  });
  const machine = new Machine({ definition: agentOf('writer', { persistentAgents: [{ agent: critic }] }) });
  const spawn = { agent: 'critic', name: 'judge', initialMessage: 'a', mode: 'non-blocking' };
  machine.start();
  machine.reply({ calls: [call('spawnAgent', spawn)] });
  machine.namedEnded('judge');
  machine.reply({ calls: [call('forkChild', { name: 'judge', newName: 'second', message: 'b' })] });
  expect(results(machine).at(-1)).toEqual({ code: 'not_copyable' });
});

/** What a tool plans for a call, by an agent that keeps scouts, with these children at rest, or called before. */
describe('a call of a tool of copies', () => {
  const clerk = agentOf('clerk');
  const far = agentOf('far', { outputSchema: answer });
  livesElsewhere(far, () => {
    throw new Error('Nobody is asked.');
  });
  const top = agentOf('top', {
    tools: [createSubAgentTool(scout, question), createSubAgentTool(clerk, question)],
    persistentAgents: [{ agent: scout, mode: 'non-blocking' }, { agent: far }, { agent: keeper, mode: 'blocking' }],
  });
  const machine = new Machine({ definition: top });
  machine.start();
  const ended = { is: 'ended', result: { success: true, value: 'x' } } as const;
  const child = (more: Partial<Child> = {}): Child => ({
    ...{ childId: 3, sessionId: 's_ada', agentType: 'scout', address: '/agents/top/one/sub/scout/ada', name: 'ada' },
    ...{ lifetime: 'named', placement: { via: 'facet', className: 'Scout', segment: 'ada' }, setup: {}, begun: true },
    terms: { timeoutMs: 1_000, onParentSuspend: 'continue', onFailure: 'result' },
    task: { number: 2, callId: 'c_old', stepId: 4, await: 'notice', deliver: 'notice', firstRun: 2 },
    ...{ runNumber: 5, state: ended },
    ...more,
  });
  const remote = { via: 'remote', className: 'Far', segment: '1~1', way: 't' } as const;
  const message = { messageId: expect.any(String), role: 'user', content: 'Go.', from: 'parent' };
  const plan = (tool: typeof forkChild, args: Json, { known = [] as Child[], called = [] as Child[] }) => {
    const bound = tool.of(top);
    const call: BuiltInCall = {
      ...{ callId: 'c_1', stepId: 1, index: 0, args: bound?.inputSchema.parse(args) as Json, at: 100 },
      ...{ token: 't'.repeat(26), atRest: known, called, earlier: [], files: {} as BuiltInCall['files'] },
    };
    return bound?.apply(new Draft(machine.state), call, machine.rules);
  };
  const code = (found: ReturnType<typeof plan>) => (found?.kind === 'refused' ? found.error.code : found?.kind);
  const need = (source: Child, more: object = {}) => {
    const { sessionId, address, placement, runNumber } = source;
    return {
      ...{ capability: 'copies', via: placement.via, runsBefore: runNumber },
      row: { of: { sessionId, address, placement, runNumber, ...more } },
    };
  };
  const fork = (more: JsonObject = {}, known = [child()]) =>
    plan(forkChild, { name: 'ada', newName: 'eve', message: 'Go.', ...more }, { known });
  const keep = (more: JsonObject, called: Child[], known: Child[] = []) =>
    plan(keepChild, { agent: 'scout', name: 'eve', message: 'Go.', ...more }, { known, called });

  it('[CP1, CP22, CP7] copies a companion: its memory or that up to a checkpoint, its terms, and who waits for it', () => {
    const facts = { kind: 'child', childName: 'eve', agentType: 'scout', input: null, message };
    const never = { begun: undefined } as unknown as Partial<Child>;
    for (const [more, source, row, waits] of [
      [{}, child(), {}, undefined],
      [{ mode: 'blocking' }, child(), {}, {}],
      [{ mode: 'blocking', timeout: 7_000 }, child(), {}, { until: 7_100 }],
      [{ mode: 'non-blocking', timeout: 7_000 }, child(), {}, undefined],
      [{ checkpoint: 's_ada.4' }, child(), { upTo: 4 }, undefined],
      [{}, child(never), { mayBeNew: true }, undefined],
      // A checkpoint is of one that has begun.
      [{ checkpoint: 's_ada.4' }, child(never), { upTo: 4 }, undefined],
      [{}, child({ agentType: 'keeper' }), {}, {}],
    ] as const) {
      const found = fork(more, [source]);
      expect([more, found]).toMatchObject([more, { ...facts, agentType: source.agentType, first: need(source, row) }]);
      expect([more, found && Object.hasOwn(found, 'waits')]).toEqual([more, waits !== undefined]);
      if (waits) expect(found).toMatchObject({ waits });
      expect(found && 'first' in found && Object.keys(found.first?.row.of ?? {}).length).toBe(
        4 + Object.keys(row).length,
      );
    }
    // It is kept as long as the original is.
    expect([fork({}, [child({ ofRun: 1 })]), fork()]).toMatchObject([{ retention: 'run' }, { retention: 'tree' }]);
  });

  it('[CP6, CP30, CP67] is refused, each for its own reason', () => {
    for (const [more, known, expected] of [
      [{}, [], 'not_found'],
      [{ name: 'bob' }, [child()], 'not_found'],
      [{ newName: 'ada' }, [child()], 'name_taken'],
      [{ newName: 'bob' }, [child(), child({ childId: 4, name: 'bob' })], 'name_taken'],
      [{ newName: 'scout-7' }, [child()], 'invalid_arguments'],
      [{ message: 'x'.repeat(machine.rules.limits.maxMessageBytes + 1) }, [child()], 'invalid_arguments'],
      [{ message: 'x'.repeat(machine.rules.limits.maxMessageBytes) }, [child()], 'child'],
      [{ checkpoint: 's_other.4' }, [child()], 'not_found'],
      [{}, [child({ placement: remote })], 'not_copyable'],
      [{}, [child({ state: { is: 'respawning' } })], 'subagent_lost'],
      [{}, [child({ state: { ...ended, gone: true } })], 'subagent_lost'],
      // Its kind is of an older version of the agent.
      [{}, [child({ agentType: 'older' })], 'subagent_lost'],
      ...(['working', 'waiting'] as const).map((is) => [{}, [child({ state: { is } })], 'child'] as const),
    ] as const)
      expect([more, known, code(fork(more, [...known]))]).toEqual([more, known, expected]);
  });

  it('[CP48] is offered to keep agents that are called and kept, both here', () => {
    const kinds = (definition: typeof top) => {
      const { inputSchema } = keepChild.of(definition) ?? {};
      const takes = (agent: string) => inputSchema?.safeParse({ agent, name: 'eve', message: 'Go.' }).success ?? false;
      return ['scout', 'clerk', 'far', 'keeper'].filter(takes);
    };
    expect(kinds(top)).toEqual(['scout']);
    const calls = [createSubAgentTool(scout, question)];
    const kept = [{ agent: scout, mode: 'blocking' as const }];
    expect(kinds(agentOf('both', { tools: calls, persistentAgents: kept }))).toEqual(['scout']);
    expect(keepChild.of(agentOf('calls', { tools: calls }))).toBeUndefined();
    expect(keepChild.of(agentOf('keeps', { persistentAgents: kept }))).toBeUndefined();
    const others = [createSubAgentTool(clerk, question)];
    expect(keepChild.of(agentOf('other', { tools: others, persistentAgents: kept }))).toBeUndefined();
    expect(forkChild.of(agentOf('keeps', { persistentAgents: kept }))).toBeDefined();
    expect(forkChild.of(agentOf('calls', { tools: calls }))).toBeUndefined();
  });

  it('[CP13] keeps the one that was called last, or the one that many before it', () => {
    const of = (childId: number, more: Partial<Child> = {}) => {
      const { name: _name, ...rest } = child({ childId, sessionId: `s_${childId}`, lifetime: 'call', ...more });
      return rest;
    };
    const called = [of(5), of(9), of(7), of(8, { agentType: 'clerk' })];
    for (const [which, id] of [
      [undefined, 9],
      [1, 9],
      [2, 7],
      [3, 5],
    ] as const) {
      const found = keep(which === undefined ? {} : { which }, called);
      expect([which, found]).toMatchObject([
        which,
        { kind: 'child', childName: 'eve', agentType: 'scout', message, retention: 'tree', first: need(of(id)) },
      ]);
      expect(found && Object.hasOwn(found, 'waits')).toBe(false);
    }
    for (const which of [0, -1, 1.5]) expect(() => keep({ which }, called)).toThrow();
    expect(code(keep({ which: 4 }, called))).toBe('not_found');
    expect(keep({ mode: 'blocking', timeout: 7_000 }, called)).toMatchObject({ waits: { until: 7_100 } });
    const failed = of(9, { state: { ...ended, result: { success: false, error: { code: 'tool_failed' } as never } } });
    expect(code(keep({}, [failed]))).toBe('child');
    for (const [more, one, taken, expected] of [
      [{ name: 'ada' }, of(9), [child()], 'name_taken'],
      [{ name: 'scout-7' }, of(9), [], 'invalid_arguments'],
      [{}, of(9, { placement: remote }), [], 'subagent_lost'],
      [{}, of(9, { state: { is: 'respawning' } }), [], 'subagent_lost'],
    ] as const)
      expect([more, code(keep(more, [one], [...taken]))]).toEqual([more, expected]);
    // Its object is known to be there, whatever its record says.
    const first = keep({}, [of(9, { begun: undefined } as unknown as Partial<Child>)]);
    expect(first).toMatchObject({ first: need(of(9)) });
    expect(first && 'first' in first && first.first?.row.of).not.toHaveProperty('mayBeNew');
  });
});
