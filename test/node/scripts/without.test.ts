/** What `npm run without` takes out of a copy of the project. */
import { expect, it } from 'vitest';
import { capabilityNames, standingOn, withoutLines } from '../../../scripts/lib/capabilities/without.mjs';

const LIST = 'src/capabilities/index.ts';

it('[CB5] the lines of a capability go from a list, with the names that they brought and no other', () => {
  const list = [
    "import type { Capability } from '../engine/capability';",
    "import { effects } from './effects';",
    "import { effectsMore, type Kind } from './effects-more/index';",
    "export {\n  defineEffect,\n  type EffectOptions,\n} from './effects/define-effect';",
    '',
    'export const CAPABILITIES: readonly Capability[] = [effects, effectsMore];',
    '',
  ].join('\n');
  expect(withoutLines(list, LIST, ['src/capabilities/effects'])).toEqual({
    names: ['effects', 'defineEffect', 'EffectOptions'],
    text: [
      "import type { Capability } from '../engine/capability';",
      "import { effectsMore, type Kind } from './effects-more/index';",
      '',
      'export const CAPABILITIES: readonly Capability[] = [effectsMore];',
      '',
    ].join('\n'),
  });
  const none = 'const A = [effects];\n';
  expect(withoutLines(none, LIST, ['src/capabilities/effects'])).toEqual({ names: [], text: none });
});

it('[CB5] several capabilities go from a list at once', () => {
  const list = [
    "import { copies } from './copies';",
    "import { effects } from './effects';",
    '',
    'export const CAPABILITIES: readonly Capability[] = [effects, copies];',
    '',
  ].join('\n');
  expect(withoutLines(list, LIST, ['src/capabilities/effects', 'src/capabilities/copies']).text).toBe(
    '\nexport const CAPABILITIES: readonly Capability[] = [];\n',
  );
});

it('[CB5] a list of the tests loses the lines of files that are set aside', () => {
  const list =
    "import { one } from './copies/tree';\nimport { two } from './other/tree';\n\nexport const ALL = [one, two];\n";
  expect(withoutLines(list, 'test/capabilities/trees.ts', ['test/capabilities/copies/tree.ts'])).toEqual({
    names: ['one'],
    text: "import { two } from './other/tree';\n\nexport const ALL = [two];\n",
  });
});

it('[CB5] tests stand on a capability by its folder, by what the entry exports of it, or by such a file', () => {
  const texts = new Map([
    ['test/a.test.ts', "import { x } from '../src/capabilities/effects/machine';"],
    ['test/b.test.ts', "import { defineEffect } from '../src/index';"],
    ['test/support/c.ts', "import { y } from '../../src/capabilities/effects/index';"],
    ['test/core/d.test.ts', "import { z } from '../support/c';"],
    ['test/core/e.test.ts', "import { CAPABILITIES } from '../../src/capabilities';\nconst defineEffects = 1;"],
    ['test/core/f.test.ts', "import { x } from '../../src/capabilities/effects-more/machine';"],
    ['test/core/g.test.ts', "import { w } from '../capabilities/effects/support/parts';"],
    ['test/core/h.test.ts', "import { it } from 'vitest';\nit('[A1] names defineEffect', () => undefined);"],
  ]);
  expect([...standingOn(texts, 'effects', ['defineEffect'])].sort()).toEqual([
    'test/a.test.ts',
    'test/b.test.ts',
    'test/core/d.test.ts',
    'test/core/g.test.ts',
    'test/support/c.ts',
  ]);
});

it('[CB1, CB5] each folder of a capability has its page, its rules and tests of its own', async () => {
  const { existsSync } = await import('node:fs');
  const names = capabilityNames();
  expect(names).toContain('effects');
  for (const name of names)
    for (const path of [
      `src/capabilities/${name}/README.md`,
      `src/capabilities/${name}/RULES.md`,
      `test/capabilities/${name}`,
    ])
      expect(existsSync(path), path).toBe(true);
});
