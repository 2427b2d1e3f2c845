/** What stops lead to, over HTTP: the same cases as in a test runtime. */
import { expect, it } from 'vitest';
import { address, get, post } from '../../support/api';
import { messageOf, STOP_CASES, type StoppedTree, tryStops } from '../../support/stops';
import { items, stands, statusOf } from '../standing';

function over(root: string): StoppedTree {
  return {
    async act(verb, at, text) {
      const { status, body } = await post(
        `${root}${at}/${verb}`,
        verb === 'resume' || verb === 'retry' ? {} : { reason: text },
      );
      return status < 300 ? 'ok' : String(body.code);
    },
    status: (at) => statusOf(`${root}${at}`),
    stands: async (at, status) => void (await stands(`${root}${at}`, status)),
    results: async () =>
      (await items(`${root}/calls`)).map(
        ({ status, error }) => error?.code ?? (status === 'succeeded' ? 'ok' : 'open'),
      ),
  };
}

it.each(STOP_CASES.map((one) => [one.title, one] as const))(
  '[TT8, A32, A61, A64] over HTTP: %s',
  async (_title, one) => {
    const at = address(one.agent);
    expect((await post(`${at}/start`, { message: messageOf(one, at) })).status).toBe(202);
    await tryStops(one, over(at), at);
    expect((await get(`${at}/status`)).status).toBe(200);
  },
);
