/** The agent that `ask` asks where none is named, from the list of a server. */
import { expect, it } from 'vitest';
import { onlyAgent } from '../../../src/cli/which-agent';

const BASE = 'http://localhost:1';

/** A server that answers the list of its agents so. */
const serverOf = (body: object, status = 200) => ({
  base: BASE,
  fetch: async (url: string | URL | Request) => {
    expect(url).toBe(`${BASE}/directory/agents`);
    return Response.json(body, { status });
  },
});

const asked = (body: object, status?: number) => onlyAgent(serverOf(body, status), new AbortController().signal);
const agent = (addressClass: string, root = true) => ({ addressClass, root });

it('[K30] is the only one that can be started', async () => {
  expect(await asked({ items: [agent('planner'), agent('timekeeper', false)] })).toBe('planner');
});

it.each([
  [
    'two',
    { items: [agent('planner'), agent('desk'), agent('helper', false)] },
    /several agents: planner, desk\n.*--agent planner/,
  ],
  ['one of a list that continues', { items: [agent('planner')], cursor: 'c' }, /several agents: planner, …\n/],
  ['none', { items: [agent('helper', false)] }, /no agent that can be started/],
  ['no list', { items: 'planner' }, /no agent that can be started/],
])('[K30] %s: is refused with what to do', async (_name, body, says) => {
  await expect(asked(body)).rejects.toThrow(says);
});

it('[K30] a token that may not list agents is told to name one', async () => {
  const refusal = { type: 'about:blank', title: 'Forbidden', status: 403, code: 'forbidden', detail: 'May not.' };
  await expect(asked(refusal, 403)).rejects.toThrow(/--agent TYPE/);
});
