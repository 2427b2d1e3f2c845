/** The program of docs/guides/deploy.md behind Cloudflare Access, in the Workers runtime, with a team whose keys it fetches. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fenced } from '../../scripts/lib/app.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { serve } from '../../scripts/lib/serve.mjs';
import { rootNameOf } from '../../src/access';
import { createClient, Refused } from '../../src/client';
import { ann, Certs, ISSUER, keyOf, tokenBy } from '../support/access-team';

const key = keyOf('one');
const CERTS = `${ISSUER}/cdn-cgi/access/certs`;
// Within the project, whose packages the program uses.
const folder = mkdtempSync(join(root, '.offshoot-app-'));
let server: Awaited<ReturnType<typeof serve>>;
let audience: string;

beforeAll(async () => {
  const program = fenced('docs/guides/deploy.md', 'ts').find((text) => text.includes('cloudflareAccess('));
  audience = /audience: '(\w+)'/.exec(program ?? '')?.[1] ?? '';
  // The team is on no network: the Worker fetches its keys from a stand-in.
  const published = await (await new Certs(key).fetch(CERTS)).json();
  const answer = `String(url) === '${CERTS}' ? Response.json(${JSON.stringify(published)}) : Response.error()`;
  // A package of its own: what is imported for its effects alone stays.
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(folder, 'team.ts'), `globalThis.fetch = async (url) => ${answer};`);
  writeFileSync(join(folder, 'program.ts'), program ?? '');
  writeFileSync(
    join(folder, 'index.ts'),
    `import './team';\nexport * from './program';\nexport { default } from './program';`,
  );
  const object = { type: 'durable-object', storage: 'sqlite' };
  const config = {
    ...{ name: 'app', main: 'index.ts', compatibility_date: '2026-11-01', compatibility_flags: ['nodejs_compat'] },
    exports: { OffshootAgent: object, OffshootDirectory: object },
  };
  writeFileSync(join(folder, 'wrangler.jsonc'), JSON.stringify(config));
  const at = (name: string) => join(folder, name);
  server = await serve({ persistTo: at('state'), config: at('wrangler.jsonc'), bundles: at('bundles') });
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A client whose requests have passed Access. */
const clientOf = (email: string) => {
  const token = tokenBy(key, ann(Date.now(), { aud: [audience], email }));
  const send: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('cf-access-jwt-assertion', token);
    return fetch(url, { ...init, headers });
  };
  return createClient({ baseUrl: server.url, fetch: send });
};

/** The refusal of a request. */
async function refusalOf(request: Promise<unknown>): Promise<{ status: number; code: string }> {
  try {
    await request;
  } catch (error) {
    if (error instanceof Refused) return { status: error.status, code: error.code };
    throw error;
  }
  throw new Error('It was not refused.');
}

describe('the program of docs/guides/deploy.md', () => {
  it('[X35, X36, X37] gives each person a root that nobody else reaches', async () => {
    const [own, other] = ['ann@example.com', 'bo@example.com'].map((email) => `/agents/helper/${rootNameOf(email)}`);
    const client = clientOf('Ann@example.com');
    expect(await client.start(own ?? '', { message: 'Help.' })).toMatchObject({ address: own });
    expect(await refusalOf(client.start(other ?? '', { message: 'Help.' }))).toEqual({
      status: 403,
      code: 'forbidden',
    });
    expect(await refusalOf(clientOf('bo@example.com').status(own ?? ''))).toEqual({ status: 403, code: 'forbidden' });
  });

  it('[X35, X37] lets nobody in by a header that anybody can send, and says how to make a name', async () => {
    const believed = { 'cf-access-authenticated-user-email': 'ann@example.com' };
    const path = `${server.url}/agents/helper/ann@example.com/status`;
    const answer = await fetch(path.replace('ann@', 'ann_40'), { headers: believed });
    expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'unauthorized' }]);
    expect(await (await fetch(path, { headers: believed })).json()).toMatchObject({
      detail: expect.stringContaining('rootNameOf'),
    });
    await expect(createClient({ baseUrl: server.url }).status('/agents/helper/ann@example.com')).rejects.toThrow(
      'rootNameOf',
    );
  });
});
