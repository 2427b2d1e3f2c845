/** Rights of sockets, asked for by questions that the test answers. */
import { expect, it } from 'vitest';
import { failure } from '../../../src/protocol/errors';
import { FreshRights } from '../../../src/sockets/fresh-rights';

it('[X11, W40] is asked once for all who wait, and again after a refusal, a failure and its time', async () => {
  let now = 1_000_000;
  const rights = new FreshRights(() => now);
  const socket: WebSocket = Object.create(null);
  const asked: ((answer: ReturnType<typeof failure> | Error | undefined) => void)[] = [];
  const ask = () =>
    new Promise<ReturnType<typeof failure> | undefined>((resolve, reject) => {
      asked.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
    });
  const refusal = () => rights.refusal(socket, 'write', ask);
  const [one, other] = [refusal(), refusal()];
  asked[0]?.(new Error('The object was lost.'));
  await expect(one).rejects.toThrow('lost');
  await expect(other).rejects.toThrow('lost');
  const refused = refusal();
  asked[1]?.(failure('forbidden'));
  expect(await refused).toMatchObject({ code: 'forbidden' });
  const allowed = refusal();
  asked[2]?.(undefined);
  expect(await allowed).toBeUndefined();
  expect([refusal(), asked.length]).toEqual([undefined, 3]);
  void rights.refusal(socket, 'read', ask);
  now -= 1;
  void refusal();
  rights.forget(socket);
  void refusal();
  expect(asked).toHaveLength(6);
});
