/** Events of a remote stream in groups. */
import { expect, it } from 'vitest';
import { gathered } from '../../../../src/capabilities/remote/perform/event-groups';
import type { RemoteEvent } from '../../../../src/core/definition/remote-transport';
import { VirtualTime } from '../../../support/virtual-time';
import { atWork, textOf } from './child';

const chunk = (sequence: number): RemoteEvent => ({ type: 'chunk', sequence, chunk: textOf(atWork, `${sequence}`) });

/** The sequences of each group, and what the stream failed with. */
async function groupsOf(stream: AsyncIterable<RemoteEvent>) {
  const groups: number[][] = [];
  let failed: unknown;
  try {
    for await (const group of gathered(stream, new VirtualTime().environment))
      groups.push(group.flatMap((event) => ('sequence' in event ? [event.sequence] : [])));
  } catch (error) {
    failed = error;
  }
  return { groups, failed };
}

it('[RM3, AE18] what came before a failure is given before it', async () => {
  const cut = new Error('It was cut.');
  const found = await groupsOf(
    (async function* () {
      yield chunk(1);
      yield chunk(2);
      throw cut;
    })(),
  );
  expect(found).toEqual({ groups: [[1, 2]], failed: cut });
});

it('[RM3] a group has at most 64 events, each of the stream once and in order', async () => {
  const found = await groupsOf(
    (async function* () {
      for (let sequence = 1; sequence <= 150; sequence++) yield chunk(sequence);
    })(),
  );
  expect(found.groups.map((group) => group.length)).toEqual([64, 64, 22]);
  expect(found.groups.flat()).toEqual(Array.from({ length: 150 }, (_, at) => at + 1));
});
