/** The compiler over a copy of the sources in which texts were replaced. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Several checkers work out the same types again, each for its files: together they take twice the time of one. */
export const ONE_CHECKER = ['--singleThreaded'];

const ROOT = join(import.meta.dirname, '..', '..');

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

/** Texts of one file, and what each becomes. */
export interface Replaced {
  readonly file: string;
  readonly texts: readonly (readonly [is: string, becomes: string])[];
}

/**
 * Places where the compiler complains when these texts of the sources are replaced: each once, as `file declaration`.
 * @param folders of `src`: those that are looked at, with what they import
 */
export function complaints(replaced: readonly Replaced[], folders: readonly string[]): string[] {
  const copy = mkdtempSync(join(ROOT, '.offshoot-types-'));
  try {
    cpSync(join(ROOT, 'src'), join(copy, 'src'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    for (const file of ['tsconfig.json', 'package.json']) cpSync(join(ROOT, file), join(copy, file));
    for (const { file, texts } of replaced) {
      let text = readFileSync(join(copy, file), 'utf8');
      for (const [is, becomes] of texts) {
        if (!text.includes(is)) throw new Error(`${file} does not have: ${is}`);
        text = text.replace(is, becomes);
      }
      writeFileSync(join(copy, file), text);
    }
    const config = { extends: './tsconfig.json', include: folders.map((folder) => `src/${folder}`) };
    writeFileSync(join(copy, 'src.json'), JSON.stringify(config));
    const compiler = join(ROOT, 'node_modules', '.bin', 'tsc');
    const { stdout } = spawnSync(compiler, ['-p', 'src.json', '--pretty', 'false', ...ONE_CHECKER], {
      cwd: copy,
      encoding: 'utf8',
    });
    const places = [...stdout.matchAll(/^(src\/\S+)\((\d+),/gm)].map(([, at = '', line]) => {
      const lines = readFileSync(join(copy, at), 'utf8').split('\n');
      return `${at.slice(4)} ${declarationAt(lines, Number(line))}`;
    });
    return [...new Set(places)].sort();
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
