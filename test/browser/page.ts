/** Pages of tests: a program of `pages/`, bundled for a browser, that a browser finds on the server under test itself. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { root } from '../../scripts/lib/paths.mjs';
import type { Chromium } from './chromium';

/** A bundled program. */
export interface Program {
  readonly code: string;
  /** Compressed, in bytes. */
  readonly size: number;
  /** The files that it is made of, from the project's folder. */
  readonly inputs: readonly string[];
}

/** Programs that this process has bundled. */
const programs = new Map<string, Promise<Program>>();

/** Bundles `pages/{name}.ts`, once. */
export function bundled(name: string): Promise<Program> {
  const program = programs.get(name) ?? bundle(name);
  programs.set(name, program);
  return program;
}

async function bundle(name: string): Promise<Program> {
  const result = await build({
    entryPoints: [join(root, 'test', 'browser', 'pages', `${name}.ts`)],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const code = result.outputFiles[0]?.text ?? '';
  return { code, size: gzipSync(code).byteLength, inputs: Object.keys(result.metafile.inputs) };
}

/** Opens a page with a program on a server, which itself knows nothing of the page. */
export async function openPage(
  { context, mayAsk }: Chromium,
  { server, program, hash }: { server: string; program: Program; hash: string },
): Promise<Page> {
  mayAsk(server);
  const page = await context.newPage();
  // A document of the server's own, so that the browser takes the page for one of its.
  await page.goto(`${server}/healthz#${hash}`);
  await page.addScriptTag({ content: program.code, type: 'module' });
  return page;
}
