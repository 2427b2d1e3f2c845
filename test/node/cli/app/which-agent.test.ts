/** `offshoot ask` of an app, which knows no agent by itself. */
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../support/fake-server';
import { deskRun, tryAsk } from '../surroundings';

const agent = (addressClass: string, root = true) => ({
  agentType: addressClass.replace('-', '_'),
  addressClass,
  root,
});

async function asked(agents: object, ...args: string[]) {
  await using server = await fakeServer(deskRun());
  Object.assign(server.behaviour, { agents });
  const trial = tryAsk({ args: [...args, 'hi'], env: { OFFSHOOT_URL: server.url }, agent: 'none' });
  const code = await trial.done;
  const paths = server.requests.map(({ path }) => path);
  return {
    code,
    stderr: trial.stderr(),
    roots: [...server.known.keys()],
    lists: paths.filter((path) => /directory/.test(path)),
  };
}

describe('ask in an app', () => {
  it('[K30] asks the only agent that may be started, found by one request', async () => {
    const found = await asked({ items: [agent('call-planner'), agent('timekeeper', false)] });
    expect(found).toMatchObject({ code: 0, stderr: '', lists: ['/directory/agents'] });
    expect(found.roots).toEqual([expect.stringMatching(/^\/agents\/call-planner\/hi-/)]);
    const named = await asked({ items: [] }, '--agent', 'reporter');
    expect(named).toMatchObject({ code: 0, lists: [], roots: [expect.stringMatching(/^\/agents\/reporter\//)] });
  });

  it('[K30] lists several, and says so where there is none or no right to see them; nothing starts', async () => {
    const several = await asked({ items: [agent('planner'), agent('timekeeper', false), agent('reporter')] });
    expect(several).toMatchObject({
      code: 2,
      roots: [],
      stderr: 'The server has several agents: planner, reporter\nName one: npm run ask -- --agent planner "…"\n',
    });
    const more = await asked({ items: [agent('planner')], cursor: 'planner' });
    expect(more).toMatchObject({ code: 2, stderr: expect.stringContaining('planner, …\n') });
    const none = await asked({ items: [agent('timekeeper', false)] });
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('has no agent that can be started') });
    const later = await asked({ items: [agent('timekeeper', false)], cursor: 'timekeeper' });
    expect(later).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^The server has many agents\. Name the one/),
    });
    const hidden = await asked({ status: 403, code: 'forbidden' });
    expect(hidden).toMatchObject({
      code: 1,
      roots: [],
      stderr: expect.stringContaining('Name the agent to ask with --agent'),
    });
    const closed = await asked({ status: 401, code: 'unauthorized' });
    expect(closed).toMatchObject({ code: 1, stderr: expect.stringContaining('OFFSHOOT_TOKEN or --token') });
  });

  it('[K30] its help has the defaults of an app, and that of the desk its own', async () => {
    const help = async (name?: string) => {
      const trial = tryAsk({ args: ['--help'], ...(name === undefined ? {} : { agent: name }) });
      await trial.done;
      return trial.stdout();
    };
    expect(await help('none')).toContain('default the only one that can be started');
    expect(await help()).toContain('default coordinator');
  });
});
