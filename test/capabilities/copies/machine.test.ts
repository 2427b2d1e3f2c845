/** A copy of a companion that a person asks for, worked out by the core alone. */
import { describe, expect, it } from 'vitest';
import { copyEvent } from '../../../src/capabilities/copies/machine';
import type { ForkEvent } from '../../../src/capabilities/copies/messages';
import { sourceOf } from '../../../src/capabilities/copies/source';
import type { StopVerb } from '../../../src/core/agent/runs/stop-verb';
import { Machine, type MachineOptions } from '../../support/machine';
import { agentOf } from '../../support/trees';

const critic = agentOf('critic', { description: 'Judges drafts.' });
const keeper = agentOf('keeper', { persistentAgents: [{ agent: critic }] });
const spawn = { agent: 'critic', name: 'ada', initialMessage: 'a', mode: 'non-blocking' };

function keeping(options: MachineOptions = {}): Machine {
  const machine = new Machine({ definition: keeper, ...options });
  machine.start();
  machine.reply({
    calls: [{ providerId: 'p', name: 'companion__spawnAgent', input: spawn, kind: 'built_in', args: spawn }],
  });
  return machine;
}

function forked(machine: Machine, asked: Partial<ForkEvent> = {}, count = 1) {
  const open = [...machine.state.children.values()];
  const named = Object.fromEntries(open.flatMap((child) => (child.name === undefined ? [] : [[child.name, child]])));
  const children = { next: open.length + 1, slots: {}, named, files: {}, lasting: { count, example: 'ada' } };
  return machine.apply(copyEvent(0, { type: 'fork', name: 'ada', newName: 'bob', message: 'b', ...asked, children }));
}
const code = (answer: ReturnType<typeof forked>): string => (answer.ok ? 'ok' : answer.refused.code);

describe('a copy of a companion that a person asks for', () => {
  it('[CP8, CB8] has its first task at once, and its end is a message to the model of its parent', () => {
    const machine = keeping();
    const ada = machine.named('ada');
    expect(code(forked(machine))).toBe('ok');
    const bob = machine.named('bob');
    expect(bob).toMatchObject({ runNumber: ada.runNumber + 1, mailbox: { messages: [{ message: { content: 'b' } }] } });
    expect(sourceOf(machine.state, bob)).toMatchObject({ sessionId: ada.sessionId });
    expect(machine.chunksOf('subagent_start').at(-1)).toMatchObject({ name: 'bob' });
    expect(machine.owed).toContainEqual(expect.objectContaining({ kind: 'child', child: bob }));
    machine.namedEnded('bob');
    expect(sourceOf(machine.state, bob)).toBeUndefined();
    expect(machine.state.inbox.map(({ content }) => String(content))).toEqual([
      expect.stringContaining('bob (task 1)'),
    ]);
  });

  it('[CP30, CP8] is made once under a name', () => {
    const machine = keeping();
    forked(machine);
    const { children } = machine.state;
    expect(code(forked(machine))).toBe('name_taken');
    expect(machine.state.children).toBe(children);
  });

  it('[CP6, CP8, CP29] is refused for nobody, for a name that is given, and where there are as many as may be', () => {
    const machine = keeping();
    expect(code(forked(machine, { name: 'eve' }))).toBe('not_found');
    expect(code(forked(machine, { newName: 'critic-7' }))).toBe('invalid_arguments');
    expect(code(forked(machine, { newName: '7~3' }))).toBe('invalid_request');
    expect(code(forked(machine, { checkpoint: 's_other.1' }))).toBe('not_found');
    const { maxCompanions } = machine.rules.limits;
    expect(code(forked(machine, {}, maxCompanions))).toBe('max_children');
    expect(code(forked(machine, {}, maxCompanions - 1))).toBe('ok');
  });

  it.each<[StopVerb, string]>([
    ['interrupt', 'already_running'],
    ['terminate', 'already_running'],
  ])('[CP8] is refused while its parent is stopped (%s)', (verb, refused) => {
    const machine = keeping();
    machine.stop(verb);
    expect(code(forked(machine))).toBe(refused);
  });

  it('[CP8] is refused by an agent that keeps no companions', () => {
    const machine = new Machine({ definition: critic });
    machine.start();
    expect(code(forked(machine))).toBe('invalid_request');
  });
});
