/** Pages of tests: a program of `pages/`, bundled for a browser, that a browser finds on the server under test itself. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { root } from '../../scripts/lib/paths.mjs';

/** A bundled program. */
export interface Program {
  readonly code: string;
  /** Compressed, in bytes. */
  readonly size: number;
  /** The files that it is made of, from the project's folder. */
  readonly inputs: readonly string[];
}

/** Bundles `pages/{name}.ts`. */
export async function bundled(name: string): Promise<Program> {
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

/** An open page; `errors` are those that nobody has caught. */
export interface OpenPage {
  readonly page: Page;
  readonly errors: string[];
}

/** Opens a page with a program on a server, which itself knows nothing of the page. */
export async function openPage(
  context: BrowserContext,
  { server, program, hash }: { server: string; program: Program; hash: string },
): Promise<OpenPage> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  // A document of the server's own, so that the browser takes the page for one of its.
  await page.goto(`${server}/healthz#${hash}`);
  await page.addScriptTag({ content: program.code, type: 'module' });
  return { page, errors };
}
