/** How long a companion is kept, by its kind and by the calls that gave it its tasks. */
import { expect, it } from 'vitest';
import { retentionOf } from '../../src/core/agent/children/child-retention';
import { RETENTIONS } from '../../src/core/definition/children/companion';
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
