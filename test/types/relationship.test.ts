/** What the compiler holds: whoever adds a kind of child is told every place that has to decide about it. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const DEFINITION = join('src', 'core', 'definition', 'definition.ts');

/** The unions of a relationship, each with one value more. */
const WIDER: readonly (readonly [is: string, becomes: string])[] = [
  ["readonly lifetime: 'call' | 'named';", "readonly lifetime: 'call' | 'named' | 'other';"],
  ["readonly await: 'step' | 'notice';", "readonly await: 'step' | 'notice' | 'other';"],
  ["readonly deliver: 'result' | 'notice';", "readonly deliver: 'result' | 'notice' | 'other';"],
  ["readonly placement: 'facet';", "readonly placement: 'facet' | 'other';"],
  [
    "ParentSuspendRule = 'continue' | 'pause' | 'respawn';",
    "ParentSuspendRule = 'continue' | 'pause' | 'respawn' | 'other';",
  ],
  ["FailureRule = 'result' | 'wait';", "FailureRule = 'result' | 'wait' | 'other';"],
];

/** Which function, or other declaration, a line of a file is in. */
function declarationAt(lines: readonly string[], line: number): string {
  const declares = /^(?:export )?(?:async )?(?:function|const|class|type|interface) (\w+)/;
  return (
    lines
      .slice(0, line)
      .flatMap((text) => declares.exec(text)?.[1] ?? [])
      .at(-1) ?? ''
  );
}

/** Where the compiler complains about a copy of the sources with these texts replaced. */
function complaints(replaced: readonly (readonly [string, string])[]): string[] {
  const copy = mkdtempSync(join(ROOT, '.offshoot-types-'));
  try {
    cpSync(join(ROOT, 'src'), join(copy, 'src'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    for (const file of ['worker-configuration.d.ts', 'tsconfig.json', 'package.json'])
      cpSync(join(ROOT, file), join(copy, file));
    let text = readFileSync(join(copy, DEFINITION), 'utf8');
    for (const [is, becomes] of replaced) {
      expect(text, 'what is to be replaced').toContain(is);
      text = text.replace(is, becomes);
    }
    writeFileSync(join(copy, DEFINITION), text);
    const config = { extends: './tsconfig.json', include: ['worker-configuration.d.ts', 'src'] };
    writeFileSync(join(copy, 'src.json'), JSON.stringify(config));
    const compiler = join(ROOT, 'node_modules', '.bin', 'tsc');
    const { stdout } = spawnSync(compiler, ['-p', 'src.json', '--pretty', 'false'], { cwd: copy, encoding: 'utf8' });
    const places = [...stdout.matchAll(/^(src\/\S+)\((\d+),/gm)].map(([, file = '', line]) => {
      const lines = readFileSync(join(copy, file), 'utf8').split('\n');
      return `${file.slice(4)} ${declarationAt(lines, Number(line))}`;
    });
    return [...new Set(places)].sort();
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

describe('a further value in a relationship', () => {
  it('[DG28] does not compile before every machine that must decide about it has decided', () => {
    expect(complaints(WIDER)).toEqual([
      'api/registry.ts facetOf',
      'api/verbs/tree.ts children',
      'api/verbs/tree.ts placeOf',
      'core/agent/cascade.ts afterFailure',
      'core/agent/cascade.ts paused',
      'core/agent/child-plan.ts planChild',
      'core/agent/child-plan.ts taskOf',
      'core/agent/child.ts isAwaited',
      'core/agent/child.ts isLasting',
      'core/agent/child.ts isNotified',
      'core/agent/placement.ts placementBelow',
      'core/agent/task.ts modeOf',
      'core/tree/relationship-rules.ts goesWithItsTurn',
      'core/tree/relationship-rules.ts isClosedByNextTurn',
      'core/tree/relationship-rules.ts makesParentWait',
      'core/tree/relationship-rules.ts takesFurtherTasks',
    ]);
  });
});
