import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import type { LibraryShelf } from '../../../src/desk/library-types';
import { address, del, get, post } from '../../support/api';
import { bindings } from '../../support/bindings';
import { told } from '../../support/puppet';
import { forgottenDocuments, refusals } from '../../support/worker';
import { items } from '../standing';

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

/** The real library, as the desk and the platform know it. */
type Shelf = LibraryShelf & DurableObjectStub;

describe('the library of a root', () => {
  const { LIBRARY, FORM } = bindings;

  /** A root with a document, and its own library. */
  async function stocked() {
    const at = address('form');
    await post(`${at}/start`, { message: told({ finish: { answer: 'x' } }), wait: true });
    const library = LIBRARY.getByName(`root ${at}`);
    expect((await library.add({ name: 'a.md', mediaType: 'text/markdown', text: '# A\n\nSome words.' })).ok).toBe(true);
    expect(await items(`${at}/documents`)).toContainEqual(expect.objectContaining({ name: 'a.md', origin: 'own' }));
    return { at, library };
  }

  /** The tables that a library has. */
  const tables = (library: Shelf) =>
    runInDurableObject(
      library,
      (_, { storage }) =>
        storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'pass%' OR name = 'documents'").toArray()
          .length,
    );

  it('[D57] is empty when the root was deleted', async () => {
    const { at, library } = await stocked();
    expect(await tables(library)).toBeGreaterThan(0);
    expect((await del(at)).status).toBe(204);
    expect(await tables(library)).toBe(0);
    expect((await library.list()).documents).toEqual([]);
    expect((await library.search({ query: 'words' })).passages).toEqual([]);
  });

  it('[D60] that cannot be emptied is tried again by the alarm until it is, and the name is not free before', async () => {
    // Objects that are made from now on go by this clock.
    const { now } = Date;
    let ahead = 0;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
    const { at, library } = await stocked();
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    refusals.set(at, 0);
    const root = FORM.getByName(at.split('/')[3] ?? '');
    const alarm = async () => {
      ahead += 60_000;
      await runDurableObjectAlarm(root).catch(() => false);
    };
    await del(at);
    for (const tries of [1, 2]) {
      await vi.waitFor(() => expect(refusals.get(at)).toBeGreaterThanOrEqual(tries), { timeout: 10_000 });
      expect((await library.list()).documents).toMatchObject([{ name: 'a.md' }]);
      expect((await post(`${at}/start`, { message: told({ finish: { answer: 'y' } }) })).status).not.toBe(202);
      if (tries === 2) refusals.delete(at);
      await alarm();
    }
    await vi.waitFor(async () => expect(await tables(library)).toBe(0), { timeout: 10_000 });
    await vi.waitFor(async () => expect((await get(`${at}/status`)).status).toBe(404), { timeout: 10_000 });
    expect(logged.mock.calls.flat().map(String)).toContainEqual(expect.stringContaining('could not be deleted'));
    logged.mockRestore();
    clock.mockRestore();
  });
});
