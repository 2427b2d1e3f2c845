/** The tools of copies, worked out by the core alone. */
import { expect, it } from 'vitest';
import { livesElsewhere } from '../../../src/core/definition/children/elsewhere';
import type { Json } from '../../../src/protocol/json';
import { Machine } from '../../support/machine';
import { agentOf, answer } from '../../support/trees';

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
