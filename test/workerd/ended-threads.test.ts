/** What HTTP answers of an agent that was ended for good, with its sub-agents: everything to read, and nothing to do. */
import { describe, expect, it } from 'vitest';
import { address, get, post, send } from '../support/api';
import { calls, told } from '../support/puppet';

/** A top with a middle below it that has ended, and files; then ended for good. */
async function ended() {
  const at = address();
  const script = told(calls('middle', [{ text: 'Deep.' }]), { text: 'Top.' });
  expect((await post(`${at}/start`, { message: script, wait: true })).status).toBe(200);
  const put = await send(`${at}/files/attachments%2Fa.txt`, { method: 'PUT', body: 'bytes' });
  expect([put.status, await put.text()]).toEqual([201, expect.anything()]);
  const { items } = (await get(`${at}/children`)).body;
  const child = String(items[0]?.address);
  const reads = async () =>
    Promise.all(
      ['messages', 'files', 'runs', 'calls'].flatMap((path) =>
        [at, child].map(async (one) => {
          const { status, body } = await get(`${one}/${path}`);
          return [status, body.items];
        }),
      ),
    );
  const before = await reads();
  expect((await post(`${at}/terminate`, {})).status).toBe(202);
  return { at, child, before, reads };
}

describe('an agent that was ended for good', () => {
  it('[SA66] keeps what it has, and what its sub-agents have, to be read', async () => {
    const { at, before, reads } = await ended();
    expect(await reads()).toEqual(before);
    expect(before.map(([status]) => status)).toEqual(Array(before.length).fill(200));
    expect(await (await send(`${at}/files/attachments%2Fa.txt`)).text()).toBe('bytes');
    const stream = await (await send(`${at}/stream?from=1`)).text();
    expect(stream).toContain('run_completed');
  });

  it('[SA64, SAW38] takes nothing: each request is a conflict with the code, never a fault of the server', async () => {
    const { at } = await ended();
    const wanted = [
      ['start', { message: told({ text: 'More.' }) }],
      ['messages', { content: told({ text: 'More.' }) }],
      ['resume', {}],
      ['retry', {}],
    ] as const;
    for (const [verb, body] of wanted) {
      const { status, body: problem } = await post(`${at}/${verb}`, body);
      expect([status, problem.code], verb).toEqual([409, 'terminated']);
      expect(problem.detail, verb).toMatch(/terminated/);
    }
  });
});
