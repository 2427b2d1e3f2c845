/** How long a companion is kept, by its kind and by the calls that gave it its tasks. */
import { expect, it } from 'vitest';
import type { ChildState } from '../../src/core/agent/children/child';
import { retentionOf } from '../../src/core/agent/children/child-retention';
import { STOP_VERBS } from '../../src/core/agent/runs/stop-verb';
import type { Outcome } from '../../src/core/agent/state';
import { RETENTIONS } from '../../src/core/definition/children/companion';
import type { RetentionRule } from '../../src/core/definition/definition';
import { failure } from '../../src/protocol/errors';
import type { JsonObject } from '../../src/protocol/json';
import { Machine } from '../support/machine';
import { agentOf } from '../support/trees';

const call = (tool: string, args: JsonObject) => ({
  providerId: 'p',
  name: `companion__${tool}`,
  input: args,
  kind: 'built_in' as const,
  args,
});
const spawn = (retention: string | undefined) => {
  const given = { agent: 'scout', name: 'ada', initialMessage: 'x' };
  return call('spawnAgent', retention === undefined ? given : { ...given, retention });
};

it('[CR4] a companion is kept as the last call said that said anything, else as its kind is', () => {
  const choices = [undefined, ...RETENTIONS];
  for (const kind of RETENTIONS)
    for (const first of choices)
      for (const next of [...choices, 'sent'] as const) {
        const companion = { agent: agentOf('scout'), mode: 'non-blocking', retention: kind } as const;
        const machine = new Machine({ definition: agentOf('keeper', { persistentAgents: [companion] }) });
        const what = JSON.stringify({ kind, first, next });
        machine.start();
        machine.reply({ calls: [spawn(first)] });
        expect(retentionOf(machine.named('ada')), what).toBe(first ?? kind);
        machine.namedEnded('ada');
        const task = next === 'sent' ? call('sendMessage', { name: 'ada', message: 'y' }) : spawn(next);
        machine.reply({ calls: [task] });
        expect(machine.named('ada').task.number, what).toBe(2);
        expect(retentionOf(machine.named('ada')), what).toBe(
          next === 'sent' ? (first ?? kind) : (next ?? first ?? kind),
        );
      }
});

const error = failure('model_error');
/** Each way in which a companion can stand while its task is open. */
const OPEN: readonly ChildState[] = [
  { is: 'working' },
  { is: 'waiting' },
  ...STOP_VERBS.map((verb) => ({ is: 'stopping', verb, error: failure('aborted'), cause: 'stop' }) as const),
  { is: 'interrupted', cause: 'stop' },
  { is: 'interrupted', cause: 'parent_suspended' },
  { is: 'failed', error },
  { is: 'respawning' },
  { is: 'respawning', fresh: true },
];
const ENDS: readonly Outcome[] = [
  { status: 'terminated', reason: 'x' },
  { status: 'completed', output: 'done', completionReason: 'text' },
  { status: 'failed', error },
];

/** A machine whose run has ended, and then the task of its companion, which stood so: its end is to begin a turn. */
function endedAfterRun(retention: RetentionRule, state: ChildState, end: Outcome, fails = false): Machine {
  const companion = { agent: agentOf('scout'), mode: 'non-blocking', onIdle: 'wake', retention } as const;
  const machine = new Machine({ definition: agentOf('keeper', { persistentAgents: [companion] }) });
  machine.start();
  machine.reply({ calls: [spawn(undefined)] });
  const child = machine.named('ada');
  machine.state = { ...machine.state, children: new Map([[child.childId, { ...child, state }]]) };
  if (fails) machine.fail('model_error', false);
  else machine.reply({ text: 'Done.' });
  if (machine.state.children.size > 0) machine.namedEnded('ada', end);
  machine.expire();
  return machine;
}

it('[CR3] the end of one whose run has ended is reported once and begins no turn, however it stood and ends', () => {
  for (const state of OPEN)
    for (const end of ENDS)
      for (const fails of [false, true]) {
        const machine = endedAfterRun('run', state, end, fails);
        const what = JSON.stringify({ state, end, fails });
        expect(machine.outcome?.status, what).toBe(fails ? 'failed' : 'completed');
        const { inbox, children } = machine.state;
        const told = inbox.filter(({ content }) => String(content).includes('ada (task 1)'));
        expect([children.size, told.length], what).toEqual([0, 1]);
      }
});

it('[CO9] the end of one that stays does begin a turn', () => {
  for (const end of ENDS) expect(endedAfterRun('tree', { is: 'working' }, end).outcome).toBeUndefined();
});
