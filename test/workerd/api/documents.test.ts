import { describe, expect, it } from 'vitest';
import { address, del, get, post } from '../../support/api';
import { told } from '../../support/puppet';
import { forgottenDocuments } from '../../support/worker';
import { items } from './support';

const A_TEXT = told({ text: 'Done.' });

async function root(agent?: string): Promise<string> {
  const at = address(agent);
  await post(`${at}/start`, { message: A_TEXT, wait: true });
  return at;
}

describe('the documents of a root', () => {
  it('[D57] are listed and removed, and a name that is not there is 404', async () => {
    const at = await root();
    expect(await items(`${at}/documents`)).toEqual([{ name: 'a.md', title: 'A', origin: 'own', bytes: 1 }]);
    expect((await del(`${at}/documents/a.md`)).status).toBe(204);
    expect(await del(`${at}/documents/b.md`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('[D58] are shared and taken away, with an entry in the audit for each', async () => {
    const at = await root();
    expect(await post(`${at}/shared-documents`, { document: 'a.md' })).toMatchObject({
      status: 201,
      body: { name: 'shared/a.md', origin: 'shared' },
    });
    expect((await post(`${at}/shared-documents`, { document: 'b.md' })).status).toBe(404);
    expect((await del(`${at}/shared-documents/shared%2Fa.md`)).status).toBe(204);
    expect(await items(`${at}/audit`)).toMatchObject([
      { action: 'start' },
      { action: 'shareDocument', detail: { document: 'shared/a.md' } },
      { action: 'unshareDocument', detail: { document: 'shared/a.md' } },
    ]);
  });

  it('[D57] are forgotten when the root is deleted', async () => {
    const at = await root();
    expect(forgottenDocuments(at)).toBe(0);
    expect((await del(at)).status).toBe(204);
    expect(forgottenDocuments(at)).toBe(1);
  });

  it('[D57] are not there where the agents keep none, and such a root is deleted as ever', async () => {
    const at = await root('tiny');
    expect(await get(`${at}/documents`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('keep no documents') },
    });
    expect((await del(at)).status).toBe(204);
  });
});
