/** The programs of the README and of the pages in docs/, as files of an app that has the package. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';

/** One fenced program of a page. */
export interface Program {
  /** The page, relative to the repository. */
  readonly page: string;
  /** Its file: what its first line names (`// agents.ts`), else the number of the program in its page. */
  readonly file: string;
  readonly text: string;
}

const PROGRAM = /^```(ts|tsx|typescript)\n(.*?)^```/gms;

/** The programs of one page, in their order. */
export function programsOf(page: string, markdown: string): Program[] {
  return [...markdown.replaceAll('\r\n', '\n').matchAll(PROGRAM)].map(([, language, text = ''], at) => ({
    page,
    file: /^\/\/ ([\w./-]+\.m?tsx?)\n/.exec(text)?.[1] ?? `${at + 1}.${language === 'tsx' ? 'tsx' : 'ts'}`,
    text,
  }));
}

/** The paths of the README and of every page below docs/, in order. */
export function pagePaths(): string[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  return [
    'README.md',
    ...docs
      .filter((path) => path.endsWith('.md'))
      .map((path) => `docs/${path}`)
      .sort(),
  ];
}

/** The programs of all pages. */
export function programs(): Program[] {
  return pagePaths().flatMap((page) => programsOf(page, readFileSync(join(root, page), 'utf8')));
}

/** Where a program is below the folder of `written`: those of a page can import each other. */
export const placeOf = ({ page, file }: Program) =>
  `${page.replace(/^docs\/|\.md$/g, '').replaceAll('/', '-')}/${file}`;

/**
 * Writes programs to a folder of their own, with a configuration of the compiler; gives the folder, to be removed.
 * @param built the package that they import: of its types the compiler checks the uses alone, and not all sources again
 */
export function written(all: readonly Program[], built: string): string {
  const folder = mkdtempSync(join(root, '.offshoot-types-'));
  for (const program of all) {
    const path = join(folder, placeOf(program));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, program.text, { flag: 'wx' });
  }
  const paths = { offshoot: [join(built, 'index.d.ts')], 'offshoot/*': [join(built, '*.d.ts')] };
  const compilerOptions = { moduleDetection: 'force', noUnusedLocals: false, paths };
  // From here its own imports lead nowhere: with the Workers that it names, all sources would be compiled again.
  symlinkSync(join(root, 'worker-configuration.d.ts'), join(folder, 'worker-configuration.d.ts'));
  // By name: patterns leave out folders like this one.
  const files = ['worker-configuration.d.ts', ...all.map(placeOf)];
  const config = { extends: '../tsconfig.json', compilerOptions, include: [], files };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  return folder;
}

const NEEDS_NOTHING = /^(?:offshoot|offshoot\/(?:testing|protocol|models(?:\/[\w-]+)?)|vitest|zod|node:[\w/]+)$/;

/** The programs that need neither the platform nor a server: those that import nothing else, nor one that does. */
export function runnable(all: readonly Program[]): Program[] {
  const runs = (program: Program): boolean =>
    [...program.text.matchAll(/\bfrom '([^']+)'/g)].every(([, from = '']) => {
      if (!from.startsWith('.')) return NEEDS_NOTHING.test(from);
      const wanted = `${posix.join(dirname(program.file), from)}.ts`;
      const other = all.find(({ page, file }) => page === program.page && file === wanted);
      return other !== undefined && runs(other);
    });
  return all.filter((program) => program.text.includes('import ') && runs(program));
}
