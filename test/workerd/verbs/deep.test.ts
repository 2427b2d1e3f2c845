import { describe, expect, it } from 'vitest';
import { address, get, post, problemIn, readAll, send } from '../../support/api';
import { bindings } from '../../support/bindings';
import { deep, deepText } from '../../support/deep';
import { told } from '../../support/puppet';
import { items, stands, statusOf, threeLevels } from '../standing';

const LEVELS = [2_000, 5_000, 20_000];

/** The lists and the stream of an agent, all of which are answered. */
async function readable(at: string): Promise<string> {
  const said: unknown[] = [];
  for (const list of ['calls', 'messages', 'runs', 'logs', 'pending', 'status', 'state', 'tree']) {
    const answered = await get(`${at}/${list}`);
    expect([list, answered.status]).toEqual([list, 200]);
    said.push(answered.body);
  }
  said.push((await readAll(`${at}/stream`)).events);
  return JSON.stringify(said);
}

describe('an input', () => {
  const message = told({ text: 'x' });
  const rpc = bindings.RPC;
  /** Over HTTP; its outermost levels are the body and its metadata. */
  const overHttp = async (at: string, levels: number): Promise<unknown> => {
    const body = `{"message":${JSON.stringify(message)},"metadata":{"is":${deepText(levels - 2)}}}`;
    const headers = { 'content-type': 'application/json' };
    const response = await send(`${at}/start`, { method: 'POST', headers, body });
    return response.ok ? 'taken' : (await problemIn(response)).code;
  };
  const overBinding = async (at: string, levels: number): Promise<unknown> => {
    try {
      const answer = await rpc.start(at, { message, metadata: { is: deep(levels - 2) } });
      return answer.ok ? 'taken' : answer.code;
    } catch (error) {
      // What the platform cannot write down fails at the caller, and never arrives.
      return error instanceof RangeError && levels > 2_000 ? 'invalid_request' : error;
    }
  };

  it.each([
    ['HTTP', overHttp],
    ['a binding', overBinding],
  ])(
    '[A23, Y4, JS1, A21, Y8] over %s may have 100 levels, and with more it is refused and makes nothing',
    async (_door, start) => {
      expect(await start(address(), 100)).toBe('taken');
      for (const levels of [101, ...LEVELS]) {
        const at = address();
        expect([levels, await start(at, levels)]).toEqual([levels, 'invalid_request']);
        expect((await get(`${at}/status`)).status).toBe(404);
      }
    },
  );
});

describe.each(LEVELS)('JSON of %i levels', (levels) => {
  it('[JS1, CL4] as the input of a child and the arguments of a tool is refused, and the run goes on', async () => {
    const at = address();
    const calls = ['subagent__leaf', 'note', 'nobody'].map((name) => ({
      name,
      rawInput: `{"steps":${deepText(levels)}}`,
    }));
    const started = await post(`${at}/start`, { message: told({ calls }, { text: 'and so on' }), wait: true });
    expect(started).toMatchObject({ status: 200, body: { status: 'completed' } });
    const [child, tool, nobody] = await items(`${at}/calls`);
    for (const call of [child, tool])
      expect(call).toMatchObject({
        status: 'failed',
        error: { code: 'invalid_arguments', message: expect.stringContaining('deeper than 100') },
      });
    expect(nobody).toMatchObject({ status: 'failed', error: { code: 'unknown_tool' } });
    expect(await items(`${at}/children`)).toEqual([]);
    await readable(at);
  });

  it.each([
    ['interrupt', 'interrupted'],
    ['abort', 'failed'],
    ['terminate', 'terminated'],
  ])('[JS1, SP9] in what a child is at work on does not keep it from an %s', async (verb, status) => {
    const tree = await threeLevels(
      { calls: [{ name: 'note', rawInput: `{"text":${deepText(levels)}}` }] },
      { hang: 'until-aborted' },
    );
    await stands(tree.leaf, 'running');
    expect((await post(`${tree.at}/${verb}`, {})).status).toBe(202);
    await stands(tree.at, status);
    for (const at of [tree.middle, tree.leaf]) expect((await statusOf(at)).status).toBe(status);
  });
});
