/** Which companions a call may pause, by the calls before it in the same reply. */
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json';
import { Machine } from '../support/machine';
import { agentOf } from '../support/trees';

const keeper = agentOf('keeper', { persistentAgents: [{ agent: agentOf('scout'), mode: 'non-blocking' }] });

const call = (tool: string, args: JsonObject) => ({
  providerId: 'p',
  name: `companion__${tool}`,
  input: args,
  kind: 'built_in' as const,
  args,
});

it('[CO12] a companion is not paused while an earlier call of the step waits for it without a time, and is else', () => {
  for (const waitsFor of ['ada', 'bob', undefined])
    for (const timeout of [undefined, 1_000])
      for (const how of ['finish', 'pause'] as const) {
        const machine = new Machine({ definition: keeper });
        machine.start();
        const spawn = (name: string) => call('spawnAgent', { agent: 'scout', name, initialMessage: 'x' });
        machine.reply({ calls: [spawn('ada'), spawn('bob')] });
        const time = timeout === undefined ? {} : { timeout };
        const wait = waitsFor === undefined ? [] : [call('waitForResult', { name: waitsFor, ...time })];
        machine.reply({ calls: [...wait, call('stopChild', { name: 'ada', how })] });
        const end = machine.chunksOf('tool_end').at(-1);
        const isRefused = how === 'pause' && waitsFor === 'ada' && timeout === undefined;
        const what = JSON.stringify({ waitsFor, timeout, how });
        expect(end?.success ? end.result : end?.error?.code, what).toEqual(
          isRefused ? 'invalid_arguments' : expect.objectContaining({ name: 'ada', stopped: true }),
        );
      }
});
