/** Pictures that companions return with their ends: the model is shown each once, whenever it waits, if it does. */
import { expect, it } from 'vitest';
import { keyOf, runIdOf } from '../../../src/core/agent/children/child';
import type { InboundMessage } from '../../../src/core/agent/inbound';
import type { Json } from '../../../src/protocol/json';
import { NO_USAGE } from '../../../src/protocol/usage';
import { Machine } from '../../support/machine';
import { agentOf } from '../../support/trees';

const artist = agentOf('artist', { description: 'Draws.' });
const keeper = agentOf('keeper', { persistentAgents: [{ agent: artist, mode: 'non-blocking', returnsFiles: true }] });

const call = (tool: string, args: { [key: string]: Json }) => ({
  providerId: 'p',
  name: `companion__${tool}`,
  input: args,
  kind: 'built_in' as const,
  args,
});
const spawn = (name: string, more: { [key: string]: Json } = {}) =>
  call('spawnAgent', { agent: 'artist', name, initialMessage: 'Draw.', ...more });
const wait = (more: { [key: string]: Json }) => call('waitForResult', more);
const send = (name: string) => call('sendMessage', { name, message: 'Again.', wait: true });

type Act = readonly ReturnType<typeof call>[] | 'a' | 'b' | 'time passes';

/** Replies of the model, and ends of companions, in order; and whose pictures it is shown. */
const ROWS: Readonly<Record<string, { readonly acts: readonly Act[]; readonly shown: readonly string[] }>> = {
  'by the call that began it': { acts: [[spawn('a', { mode: 'blocking' })], 'a'], shown: ['a'] },
  'by a wait before its end': { acts: [[spawn('a')], [wait({ name: 'a' })], 'a'], shown: ['a'] },
  'by a wait after its end': { acts: [[spawn('a')], 'a', [wait({ name: 'a' })]], shown: ['a'] },
  'by two waits after its end': {
    acts: [[spawn('a')], 'a', [wait({ name: 'a' }), wait({ name: 'a' })]],
    shown: ['a', 'a'],
  },
  'by a wait for both, one of which has ended': {
    acts: [[spawn('a'), spawn('b')], 'a', [wait({ names: ['a', 'b'] })], 'b'],
    shown: ['a', 'b'],
  },
  'by a wait for both, which have ended': {
    acts: [[spawn('a'), spawn('b')], 'b', 'a', [wait({ names: ['a', 'b'] })]],
    shown: ['a', 'b'],
  },
  'by a wait for any, one of which has ended': {
    acts: [[spawn('a'), spawn('b')], 'b', [wait({ names: ['a', 'b'], need: 'any' })]],
    shown: ['b'],
  },
  'by a wait whose time is up': {
    acts: [[spawn('a'), spawn('b')], 'a', [wait({ names: ['a', 'b'], timeout: 5 })], 'time passes'],
    shown: ['a'],
  },
  'by the answer to a message': { acts: [[spawn('a')], [send('a')], 'a'], shown: ['a'] },
  'by a message about its end': { acts: [[spawn('a')], 'a'], shown: ['a'] },
};

it('[M92] the model is shown the picture of an end behind the message about that end, whenever it waits', () => {
  for (const [what, { acts, shown }] of Object.entries(ROWS)) {
    const machine = new Machine({ definition: keeper });
    machine.start();
    for (const act of acts) {
      if (act === 'time passes') machine.expire(1_000);
      else if (act === 'a' || act === 'b') {
        const child = machine.named(act);
        const file = { path: `${act}.png`, size: 3, mediaType: 'image/png', etag: act };
        const { last = 0 } = child.mailbox ?? {};
        const answer = machine.apply({
          type: 'child_settled',
          ...{ runId: runIdOf(child), task: keyOf(child), usage: NO_USAGE },
          outcome: { status: 'completed', output: act, completionReason: 'text' },
          mail: { taken: last, unseen: 0 },
          brought: { files: [file] },
        });
        expect(answer.ok, what).toBe(true);
      } else expect(machine.reply({ calls: act }).ok, what).toBe(true);
    }
    const kept = new Map<number, InboundMessage>();
    for (const change of machine.changes)
      if (change.put === 'message') kept.set(change.message.id, change.message);
      else if (change.put === 'no_message') kept.delete(change.id);
    const pictures = [...kept.values()].flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.filter(({ type }) => type === 'file'),
    );
    expect(pictures, what).toEqual(
      shown.map((name) => ({
        ...{ type: 'file', mediaType: 'image/png', filename: `${name}.png`, path: `${name}.png`, size: 3, etag: name },
      })),
    );
  }
});
