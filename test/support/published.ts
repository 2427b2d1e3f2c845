/** The package as it is installed: its types as `npm run package` recorded them, behind its own `exports`. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodePath, root, toolPath } from '../../scripts/lib/paths.mjs';
import { ONE_CHECKER } from './compiler';

/** The entries of the package that have types, as they are imported. */
export function entries(): string[] {
  const { exports }: { exports: Record<string, string | object> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return Object.entries(exports).flatMap(([path, to]) => (typeof to === 'string' ? [] : [`offshoot${path.slice(1)}`]));
}

/** What the compiler says of files of an app that has the package installed and writes declarations of its own. */
export function declared(files: Readonly<Record<string, string>>): { output: string; declarations: string } {
  const folder = mkdtempSync(join(root, '.offshoot-types-'));
  try {
    // A package of its own: what it imports is what it has installed, and not the project around it.
    writeFileSync(join(folder, 'package.json'), '{ "name": "app", "private": true, "type": "module" }\n');
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, 'offshoot'), { recursive: true });
    cpSync(join(root, 'package.json'), join(modules, 'offshoot', 'package.json'));
    cpSync(join(root, 'api'), join(modules, 'offshoot', 'dist'), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    symlinkSync(join(root, 'worker-configuration.d.ts'), join(folder, 'worker-configuration.d.ts'));
    const compilerOptions = { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: 'out', paths: {} };
    const config = { extends: '../tsconfig.json', compilerOptions, include: [], files: Object.keys(files) };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = [toolPath('typescript', 'tsc'), '-p', '.', '--pretty', 'false', ...ONE_CHECKER];
    const { stdout } = spawnSync(nodePath(), tsc, { cwd: folder, encoding: 'utf8' });
    const made = Object.keys(files).map((name) => join(folder, 'out', name.replace(/\.ts$/, '.d.ts')));
    return { output: stdout, declarations: made.map((path) => readFileSync(path, 'utf8')).join('\n') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
