/** What a parent still owes a companion of what it told it, whatever comes in between. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { untaken } from '../../src/core/agent/children/child-messages';
import { Machine } from '../support/machine';
import { agentOf } from '../support/trees';

const keeper = agentOf('keeper', {
  persistentAgents: [{ agent: agentOf('scout'), mode: 'non-blocking' }],
  limits: { maxSteps: 100 },
});

const call = (tool: string, args: { readonly [key: string]: string }) => ({
  providerId: 'p',
  name: `companion__${tool}`,
  input: args,
  kind: 'built_in' as const,
  args,
});

/** It is told something, it has taken all up to a number, or the files of one message were refused. */
const step = fc.oneof(
  fc.record({ is: fc.constant('told' as const), messages: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ is: fc.constant('taken' as const), upTo: fc.integer({ min: 0, max: 12 }) }),
  fc.record({ is: fc.constant('refused' as const), number: fc.integer({ min: 1, max: 12 }) }),
);

it('[CO4] of what a companion was told its parent owes exactly what it has neither taken nor refused, in order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const machine = new Machine({ definition: keeper, limits: { maxSteps: 100 } });
      machine.start();
      machine.reply({ calls: [call('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'm1' })] });
      let owed = [1];
      let last = 1;
      for (const one of steps) {
        if (one.is === 'told') {
          const numbers = Array.from({ length: one.messages }, () => ++last);
          machine.reply({
            calls: numbers.map((number) => call('sendMessage', { name: 'ada', message: `m${number}` })),
          });
          owed = [...owed, ...numbers];
        } else if (one.is === 'taken') {
          machine.apply({ type: 'mail_taken', childId: 1, upTo: one.upTo });
          owed = owed.filter((number) => number > one.upTo);
        } else {
          machine.apply({ type: 'mail_refused', childId: 1, number: one.number, why: 'Too large.' });
          owed = owed.filter((number) => number !== one.number);
        }
        const left = untaken(machine.named('ada'));
        expect(left.map(({ number, message }) => [number, message.content])).toEqual(
          owed.map((number) => [number, `m${number}`]),
        );
      }
    }),
  );
});
