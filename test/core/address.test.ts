import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRootName, formatAddress, isWithin, parseAddress, parseSlot } from '../../src/protocol/address';
import { OffshootError } from '../../src/protocol/errors';
import { kebabCase, pascalCase } from '../../src/protocol/ids';
import { ANY_CHARACTER } from '../support/any-character';

/** Whether something is refused as no address, and as nothing else. */
function isRefused(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch (error) {
    if (error instanceof OffshootError && error.code === 'invalid_address') return true;
    throw error;
  }
}

describe('addresses', () => {
  it('[AD1] are read level by level, and end where the levels end', () => {
    expect(parseAddress('/agents/fact-checker/my.root_1/sub/leaf/7~3/messages/2')).toEqual({
      root: { addressClass: 'fact-checker', className: 'FactChecker', name: 'my.root_1' },
      below: [{ addressClass: 'leaf', className: 'Leaf', name: '7~3' }],
      address: '/agents/fact-checker/my.root_1/sub/leaf/7~3',
      rest: ['messages', '2'],
    });
    expect(parseAddress('/agents/a/b')).toMatchObject({ below: [], rest: [] });
  });

  it('[AD1] what lies in a rest is no level: a path of a file may look like one', () => {
    const { below, rest } = parseAddress('/agents/a/b/files/sub/child/notes.md');
    expect([below, rest]).toEqual([[], ['files', 'sub', 'child', 'notes.md']]);
  });

  it.for([
    '',
    '/',
    '/agents',
    '/agents/',
    '/agents/a',
    '/agents/a/',
    'agents/a/b',
    '//agents/a/b',
    '/Agents/a/b',
    '/agents//b',
    '/agents/a/b/sub',
    '/agents/a/b/sub/c',
    '/agents/a/b/sub/c/',
    '/agents/a/b/sub//d',
    '/agents/sub/b',
    '/agents/a/b/sub/sub/d',
    '/agents/A/b',
    '/agents/a_b/c',
    '/agents/a--b/c',
    '/agents/-a/b',
    '/agents/a-/b',
    '/agents/1a/b',
    '/agents/a/.',
    '/agents/a/..',
    '/agents/a/%2e%2e',
    '/agents/a/b%2Fc',
    '/agents/a/b%00',
    '/agents/a/b\0',
    '/agents/a/ü',
    '/agents/a/b c',
    '/agents/a/b?c',
    '/agents/a/1~1',
    '/agents/a/17',
    `/agents/a/${'n'.repeat(129)}`,
    `/agents/${'c'.repeat(129)}/n`,
    `/agents/a/b/sub/c/${'n'.repeat(10_000)}`,
  ])('[AD1] %j is none', (path) => {
    expect(isRefused(() => parseAddress(path))).toBe(true);
  });

  it('[AD1, DF3] a name has at most 128 characters', () => {
    expect(parseAddress(`/agents/a/${'n'.repeat(128)}`).root.name).toHaveLength(128);
  });

  it('[AD1] slots and bare numbers are kept for children', () => {
    expect([
      parseSlot('7~3'),
      parseSlot('12~400'),
      parseSlot('0~1'),
      parseSlot('1~0'),
      parseSlot('01~1'),
      parseSlot('7~'),
      parseSlot('a~1'),
    ]).toEqual([
      { slot: 7, generation: 3 },
      { slot: 12, generation: 400 },
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    for (const name of ['7~3', '7', '007', '.', '..', '', 'a/b', 'ü', 'n'.repeat(129)])
      expect(
        isRefused(() => checkRootName(name)),
        name,
      ).toBe(true);
    for (const name of ['a7', '7a', '7~a', '~', '0~1', '7-3'])
      expect(
        isRefused(() => checkRootName(name)),
        name,
      ).toBe(false);
  });

  it('[AD2] of all texts for a class, one alone is an address: that of the agents that may be defined', () => {
    const text = fc.stringMatching(/^[a-z][a-z0-9]{0,3}(-[a-z0-9]{1,3}){0,3}$/).filter((one) => one !== 'sub');
    const opens = (one: string): boolean => {
      try {
        return parseAddress(`/agents/${one}/x`).address === `/agents/${one}/x`;
      } catch (error) {
        if (error instanceof OffshootError && error.code === 'not_found') return false;
        throw error;
      }
    };
    const holds = fc.property(text, (one) => {
      const own = kebabCase(pascalCase(one));
      expect([opens(one), opens(own)]).toEqual([one === own, true]);
    });
    fc.assert(holds, { examples: [['agent-2'], ['agent2'], ['a-1-b'], ['x-y-1z']] });
    for (const path of ['/agents/agent-2/x', '/agents/a/b/sub/leaf-1/7~3'])
      expect(() => parseAddress(path)).toThrow('No class is written');
  });

  it('[AD1] text and levels lead to each other, for all that is an address', () => {
    const part = (first: string, rest: string) =>
      fc
        .tuple(fc.constantFrom(...first), fc.string({ unit: fc.constantFrom(...rest), maxLength: 12 }))
        .map(([a, b]) => a + b);
    const addressClass = fc
      .array(part('abcxyz', 'abc019'), { minLength: 1, maxLength: 3 })
      .map((words) => kebabCase(pascalCase(words.join('-'))))
      .filter((text) => text !== 'sub');
    const name = part('abcXYZ_-', 'abcXYZ019._~-').filter((text) => text !== '.' && text !== '..');
    const level = fc.record({ addressClass, name });
    const holds = fc.property(
      level,
      fc.array(level, { maxLength: 4 }),
      fc.constantFrom('', '/messages', '/files/sub/a/b'),
      (root, below, rest) => {
        const parsed = parseAddress(formatAddress(root, below) + rest);
        expect(parsed).toMatchObject({ root, below, address: formatAddress(root, below) });
        expect(parsed.rest.join('/')).toBe(rest.slice(1));
      },
    );
    fc.assert(holds);
  });

  it('[AD1] nothing else gets through: whatever is read is written the same', () => {
    const holds = fc.property(fc.oneof(fc.string({ unit: ANY_CHARACTER }), fc.webPath()), (text) => {
      const path = `/agents/a/b/sub/${text}`;
      if (isRefused(() => parseAddress(path))) return;
      const { address, rest } = parseAddress(path);
      expect([address, ...rest].join('/')).toBe(path);
    });
    fc.assert(holds, { numRuns: 1_000 });
  });

  it('[AD1] an address lies within itself and what is above it, not beside a longer name', () => {
    expect(isWithin('/agents/a/b/sub/c/1~1', '/agents/a/b')).toBe(true);
    expect(isWithin('/agents/a/b', '/agents/a/b')).toBe(true);
    expect(isWithin('/agents/a/bc', '/agents/a/b')).toBe(false);
    expect(isWithin('/agents/a/b', '/agents/a/b/sub/c/1~1')).toBe(false);
  });
});
