/** Variables on the platform: sealed by what workerd has, and refused over HTTP where there is no key. */
import { env } from 'cloudflare:test';
import { describe, expect, it, onTestFinished } from 'vitest';
import { vaultOf } from '../../src/store/vault';
import { address, get, post } from '../support/api';
import { told } from '../support/puppet';

const KEY = Buffer.alloc(32, 5).toString('base64');

describe('variables in workerd', () => {
  it('[VR4] are sealed and opened, each for its name alone', () => {
    const vault = vaultOf(() => KEY);
    const sealed = vault.seal('NAME', 'a secret');
    expect(sealed).not.toContain('secret');
    expect(vault.open('NAME', sealed)).toBe('a secret');
    expect(() => vault.open('OTHER', sealed)).toThrow('cannot be opened');
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
    Object.assign(env, { ENCRYPTION_KEY: KEY });
    onTestFinished(() => void Reflect.deleteProperty(env, 'ENCRYPTION_KEY'));
    const at = address();
    const begun = await post(`${at}/start`, { message: told({ text: 'x' }), env: { KEY: 'canary-5e1' }, wait: true });
    expect(begun.status).toBe(200);
    const readings = ['status', 'messages', 'state', 'audit', 'runs', 'logs', 'calls', 'checkpoints', 'limits'];
    for (const reading of readings)
      expect(JSON.stringify((await get(`${at}/${reading}`)).body), reading).not.toContain('canary-5e1');
    const wrong = await post(`${at}/start`, { message: told({ text: 'x' }), env: { 'NO-NAME': 'canary-5e1' } });
    expect([wrong.status, JSON.stringify(wrong.body).includes('canary-5e1')]).toEqual([400, false]);
    const none = await get(`${at}/variables/v_none`);
    expect([none.status, none.body.code]).toEqual([404, 'not_found']);
  });
});
