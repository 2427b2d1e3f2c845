/** Variables on the platform: sealed by what workerd has, and refused over HTTP where there is no key. */
import { env, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, onTestFinished } from 'vitest';
import { vaultOf } from '../../src/store/vault';
import { address, get, post, readAll } from '../support/api';
import { bindings } from '../support/bindings';
import { told } from '../support/puppet';
import { noted } from '../support/told';
import { items, stands } from './standing';

const KEY = Buffer.alloc(32, 5).toString('base64');
const READINGS = ['status', 'messages', 'state', 'audit', 'runs', 'logs', 'calls', 'checkpoints', 'limits', 'tree'];

function withKey(): void {
  Object.assign(env, { ENCRYPTION_KEY: KEY });
  onTestFinished(() => void Reflect.deleteProperty(env, 'ENCRYPTION_KEY'));
}

/** Every row of every table of a root's object, its texts and bytes as characters; and how many variables it has. */
function storeOf(at: string): Promise<{ rows: string; variables: number }> {
  const root = bindings.TINY.getByName(at.split('/')[3] ?? '');
  return runInDurableObject(root, (_: object, { storage }) => {
    const tables = storage.sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
    const names = tables.map(({ name }) => name).filter((name) => !name.startsWith('_cf_'));
    const shown = (value: unknown) => (value instanceof ArrayBuffer ? Buffer.from(value).toString('latin1') : value);
    const rows = names.flatMap((name) => [...storage.sql.exec(`SELECT * FROM \`${name}\``).raw()]);
    const { count } = storage.sql.exec<{ count: number }>('SELECT count(*) AS count FROM variables').one();
    return { rows: JSON.stringify(rows.map((row) => row.map(shown))), variables: count };
  });
}

describe('variables in workerd', () => {
  it('[VR4] are sealed and opened, each for its name alone', () => {
    const vault = vaultOf(() => KEY);
    const sealed = vault.seal('NAME', 'a secret');
    expect(sealed).not.toContain('secret');
    expect(vault.open('NAME', sealed)).toBe('a secret');
    expect(() => vault.open('OTHER', sealed)).toThrow('cannot be decrypted');
  });

  it('[VR5] are refused with what to set where there is no key, and nothing begins', async () => {
    const at = address();
    const refused = await post(`${at}/start`, { message: told({ text: 'x' }), env: { KEY: 'canary-5e1' } });
    expect([refused.status, refused.body.code]).toEqual([503, 'no_encryption_key']);
    expect(JSON.stringify(refused.body)).toContain('ENCRYPTION_KEY');
    expect(JSON.stringify(refused.body)).not.toContain('canary-5e1');
    expect((await get(`${at}/status`)).status).toBe(404);
  });

  it('[VR3, VR6] come with a start over HTTP, and are shown by no reading', async () => {
    withKey();
    const at = address();
    const begun = await post(`${at}/start`, { message: told({ text: 'x' }), env: { KEY: 'canary-5e1' }, wait: true });
    expect(begun.status).toBe(200);
    for (const reading of READINGS)
      expect(JSON.stringify((await get(`${at}/${reading}`)).body), reading).not.toContain('canary-5e1');
    const wrong = await post(`${at}/start`, { message: told({ text: 'x' }), env: { 'NO-NAME': 'canary-5e1' } });
    expect([wrong.status, JSON.stringify(wrong.body).includes('canary-5e1')]).toEqual([400, false]);
    const none = await get(`${at}/variables/v_none`);
    expect([none.status, none.body.code]).toEqual([404, 'not_found']);
  });

  it('[VR4, VR6, CP9] of a root are in no row and no reading of its copy, nor in the open in its own', async () => {
    withKey();
    const at = address('tiny');
    const copy = `${at}-copy`;
    const secret = 'canary-8d2';
    const message = told(noted('first'), { text: 'one' });
    const begun = await post(`${at}/start`, { message, env: { KEY: secret, OTHER: secret }, wait: true });
    expect(begun.body).toMatchObject({ status: 'completed' });
    const [{ checkpointId = null } = {}] = await items(`${at}/checkpoints`);
    const ask = { name: copy.slice(copy.lastIndexOf('/') + 1), checkpoint: checkpointId, resume: true };
    const forked = await post(`${at}/fork`, ask);
    expect(forked.body).toMatchObject({ address: copy });
    await stands(copy, 'completed');
    const [own, its] = [await storeOf(at), await storeOf(copy)];
    expect([own.variables, its.variables]).toEqual([2, 0]);
    expect([own.rows, its.rows].map((rows) => [rows.includes('first'), rows.includes(secret)])).toEqual([
      [true, false],
      [true, false],
    ]);
    for (const of of [at, copy]) {
      for (const reading of READINGS) {
        const { status, body } = await get(`${of}/${reading}`);
        expect([status, JSON.stringify(body).includes(secret)], reading).toEqual([200, false]);
      }
      expect(JSON.stringify((await readAll(`${of}/stream`)).chunks)).not.toContain(secret);
    }
    expect(JSON.stringify(forked.body)).not.toContain(secret);
  });
});
