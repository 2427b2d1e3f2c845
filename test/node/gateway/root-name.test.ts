/** Names of roots for people. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rootNameOf } from '../../../src/access';
import { checkRootName, parseAddress } from '../../../src/protocol/address';
import { OffshootError } from '../../../src/protocol/errors';
import { ANY_CHARACTER } from '../../support/any-character';

describe('the name of the root of a subject', () => {
  it.each([
    ['ann@example.com', 'ann_40example.com'],
    ['ann+work@example.com', 'ann_2bwork_40example.com'],
    ['auth0|6531', 'auth0_7c6531'],
    ['12345', '_312345'],
    ['7~3', '7_7e3'],
    ['team/7', 'team_2f7'],
    ['Zoë', '_5ao_c3_ab'],
    ['Zoë'.normalize('NFD'), '_5aoe_cc_88'],
    ['zoë', 'zo_c3_ab'],
    ['🦊', '_f0_9f_a6_8a'],
    ['a b', 'a_20b'],
    ['a_20b', 'a_5f20b'],
    ['.', '_2e'],
    ['..', '_2e.'],
    ['...', '...'],
    ['service:e36.access', 'service_3ae36.access'],
    ['n'.repeat(128), 'n'.repeat(128)],
    ['n'.repeat(129), '_-0bf2917cc7e3d671a8cb2cea35cfffbc6586cfda9f0ae830a6e1f2295b74fc8c'],
  ])('[X37] of %j is %s', (subject, name) => {
    expect(rootNameOf(subject)).toBe(name);
  });

  const subjects = fc.oneof(
    fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 200 }),
    fc.string({
      unit: fc.constantFrom('a', 'A', '_', '-', '.', '~', '4', '0', '@', 'é', 'e\u0301'),
      minLength: 1,
      maxLength: 6,
    }),
    fc.stringMatching(/^[0-9]{1,4}(~[0-9])?$/),
  );

  it('[X37] is valid for every text, has no capitals, and is never that of another text', () => {
    const owners = new Map<string, string>();
    fc.assert(
      fc.property(subjects, (subject) => {
        const name = rootNameOf(subject);
        checkRootName(name);
        expect(parseAddress(`/agents/helper/${name}`).root.name).toBe(name);
        expect(name).toBe(name.toLowerCase());
        expect(name).toBe(name.normalize('NFKC'));
        expect(owners.get(name) ?? subject).toBe(subject);
        owners.set(name, subject);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(['', '\ud83e', 'a\udd8a'])('[X37] is none for %j, which is no text', (subject) => {
    expect(() => rootNameOf(subject)).toThrow(OffshootError);
  });
});
