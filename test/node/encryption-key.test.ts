import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withEncryptionKey } from '../../scripts/lib/encryption-key.mjs';
import { vaultOf } from '../../src/store/vault';

describe('the key of a server on this machine', () => {
  it('[VR7] is made once beside the state, for this user alone, unless there is one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'offshoot-key-'));
    try {
      const envFile = join(folder, '.env');
      writeFileSync(envFile, 'OTHER=1\n');
      const where = { envFiles: [envFile, join(folder, 'missing')], folder };
      const made = withEncryptionKey({ A: 'b' }, where);
      const vault = vaultOf(() => made.ENCRYPTION_KEY);
      expect(vault.open('X', vault.seal('X', 'y'))).toBe('y');
      expect(made.A).toBe('b');
      expect(withEncryptionKey({}, where).ENCRYPTION_KEY).toBe(made.ENCRYPTION_KEY);
      const file = join(folder, 'encryption-key');
      expect([statSync(file).mode & 0o777, readFileSync(file, 'utf8')]).toEqual([0o600, made.ENCRYPTION_KEY]);
      expect(withEncryptionKey({ ENCRYPTION_KEY: 'own' }, where)).toEqual({ ENCRYPTION_KEY: 'own' });
      writeFileSync(envFile, 'OTHER=1\n ENCRYPTION_KEY = "own"\n');
      expect(withEncryptionKey({}, where)).toEqual({});
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
