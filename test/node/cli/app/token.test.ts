/** The token that the command finds in the folder of an app. */
import { describe, expect, it } from 'vitest';
import { parseCommand, tokenIn, withLocalToken } from '../../../../src/cli/args';
import { fakeServer } from '../../../support/fake-server';
import { deskRun, tryAsk } from '../surroundings';

const QUESTION = 'How does an interrupt reach a grandchild?';
const COMMON = { json: false, yes: false, colour: false, urlGiven: true } as const;

describe('the token of the folder', () => {
  const files = { '.dev.vars': `OFFSHOOT_TOKEN=old\n# x\nexport OFFSHOOT_TOKEN = "open-sesame" # the secret\nA=b\n` };

  it('[K29] is sent to a server on this machine where none is given', async () => {
    await using server = await fakeServer(deskRun());
    server.behaviour.token = 'open-sesame';
    expect(await tryAsk({ args: [QUESTION], env: { OFFSHOOT_URL: server.url }, files }).done).toBe(0);
    const given = { OFFSHOOT_URL: server.url, OFFSHOOT_TOKEN: 'open-barley' };
    expect(await tryAsk({ args: [QUESTION], env: given, files }).done).toBe(1);
  });

  it('[K29] goes to no other machine, whichever way it was named', async () => {
    const command = (url: string) => ({ kind: 'watch', address: '/agents/a/b', url, ...COMMON }) as const;
    const io = { readFile: async () => new TextEncoder().encode(files['.dev.vars']) };
    const sent = async (url: string) => ({ token: undefined, ...(await withLocalToken(io, command(url))) }).token;
    for (const url of ['http://localhost:1', 'https://localhost', 'http://127.0.0.1:8787/ai', 'http://[::1]:1'])
      expect([url, await sent(url)]).toEqual([url, 'open-sesame']);
    for (const url of ['https://app.example.com', 'http://localhost.example.com', 'http://127.0.0.1.example.com:80'])
      expect([url, await sent(url)]).toEqual([url, undefined]);
    const watched = parseCommand(['--watch', 'https://app.example.com/agents/a/b'], {});
    expect(await withLocalToken(io, watched)).toEqual(watched);
  });

  it('[K29] is read as wrangler reads it, and refused where no header can carry it', async () => {
    expect(
      ["OFFSHOOT_TOKEN='a#b'", 'OFFSHOOT_TOKEN=a#b', 'MY_OFFSHOOT_TOKEN=a', 'OFFSHOOT_TOKEN='].map(tokenIn),
    ).toEqual(['a#b', 'a', undefined, undefined]);
    const trial = tryAsk({ args: [QUESTION], files: { '.dev.vars': 'OFFSHOOT_TOKEN=a b' } });
    expect([await trial.done, trial.stderr()]).toEqual([2, expect.stringContaining('printable ASCII')]);
  });
});
