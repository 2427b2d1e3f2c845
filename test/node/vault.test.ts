import { describe, expect, it } from 'vitest';
import { vaultOf } from '../../src/store/vault';

const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const [ONE, TWO] = [keyOf(1), keyOf(2)];
const under = (setting: unknown) => vaultOf(() => setting);
const refused = (text: string | RegExp) =>
  expect.objectContaining({ code: 'no_encryption_key', message: expect.stringMatching(text) });

describe('the vault', () => {
  it('[VR4] opens what it sealed; a sealed value tells nothing, and no two are the same', () => {
    const value = `a secret with Ümläuts ${'x'.repeat(8_000)}`;
    const [first, second] = [under(ONE).seal('NAME', value), under(ONE).seal('NAME', value)];
    expect(first).not.toBe(second);
    for (const part of [first, ...first.split('.').map((text) => Buffer.from(text, 'base64url').toString('latin1'))])
      expect(part).not.toContain('secret');
    expect(under(ONE).open('NAME', first)).toBe(value);
    expect(under(ONE).open('NAME', under(ONE).seal('NAME', ''))).toBe('');
  });

  it('[VR4] is bound to the name: a value is not passed off as that of another variable, nor changed', () => {
    const sealed = under(ONE).seal('NAME', 'value');
    const [id = '', nonce = '', tag = '', text = ''] = sealed.split('.');
    const flipped = `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
    for (const [name, other] of [
      ['OTHER', sealed],
      ['NAME', [id, nonce, tag, flipped].join('.')],
      ['NAME', [id, nonce, tag.slice(0, 8), text].join('.')],
      ['NAME', id],
    ] as const)
      expect(() => under(ONE).open(name, other)).toThrow(refused('cannot be decrypted'));
  });

  it('[VR5] a key is changed by putting the new one in front: what the old one sealed still opens', () => {
    const old = under(ONE).seal('NAME', 'value');
    const both = under(`${TWO}, ${ONE}`);
    expect(both.open('NAME', old)).toBe('value');
    expect(under(TWO).open('NAME', both.seal('NAME', 'new'))).toBe('new');
    expect(() => under(TWO).open('NAME', old)).toThrow(refused('encrypted with another key'));
  });

  it.for([
    [undefined, 'no encryption key'],
    ['', 'no encryption key'],
    ['!not base64!', 'not base64'],
    [Buffer.alloc(31).toString('base64'), '31 bytes'],
    [Buffer.alloc(33).toString('base64'), '33 bytes'],
    [`${ONE},short`, '3 bytes'],
    [`${ONE},`, 'not base64'],
  ] as const)('[VR5] refuses the key %s with what to set, and does not show it', ([setting, text]) => {
    const sealing = () => under(setting).seal('NAME', 'value');
    expect(sealing).toThrow(refused(new RegExp(`${text}.*openssl rand -base64 32`)));
    if (setting) expect(sealing).not.toThrow(refused(setting.replaceAll(/[+/]/g, '.')));
  });

  it('[VR5] reads a key that is set later', () => {
    let setting: string | undefined;
    const vault = vaultOf(() => setting);
    expect(() => vault.seal('NAME', 'x')).toThrow(refused('ENCRYPTION_KEY'));
    setting = ONE;
    expect(vault.open('NAME', vault.seal('NAME', 'x'))).toBe('x');
  });
});
