/**
 * The pages of the console: files that the platform keeps beside the Worker, with headers under which a page can do
 * nothing but talk to its own origin. They hold no data, so that they load without a token.
 *
 * Keeps CN1, CN126.
 */

import { refuseUnknown } from '../../core/definition/invalid';
import { OffshootError } from '../../protocol/errors';
import { checkPath } from '../checked-path';
import type { DoorRequest, PathDoor } from './door';

/** The binding that the files are read through. */
const BINDING = 'OFFSHOOT_CONSOLE';

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types offshoot-worker",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** What the built page says of where it lies; it is replaced by where that is. */
const PLACE = 'data-base="" data-at="/console"';
const OWN_FILES = '"./assets/';
/** The pages of docs/, which the build of the console writes there. */
const DOCS_FILE = '/docs.json';
/** What stands for `/` of the Worker, in the place of a path of the console. */
const HOME = ' ';

interface Files {
  fetch(request: Request): Promise<Response>;
}

/** The page, or one of its files; undefined where there is none. */
async function consoleResponse(
  { request, env, base }: DoorRequest,
  { at, docs, files: folder }: Required<ConsoleOptions>,
  path: string,
): Promise<Response | undefined> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const isDocs = path === DOCS_FILE;
  if (isDocs && !docs) return undefined;
  const isAsset = /^\/assets\/[\w.-]+$/u.test(path);
  const isFile = isAsset || isDocs;
  const files: Files | undefined = Reflect.get(env, BINDING);
  if (files === undefined) return isFile ? undefined : notDeployed(path, folder);
  const fetched = (name: string) => files.fetch(new Request(new URL(folder + name, request.url)));
  let answer = await fetched(isFile ? path : '/index.html');
  // The page is its folder with the platform's own `html_handling`, by which its file is a redirect there.
  if (!answer.ok && !isFile && folder !== '') answer = await fetched('/');
  if (!answer.ok) return isFile ? undefined : notDeployed(path, folder);
  const headers = new Headers({ ...HEADERS, 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
  // The name of a file changes with its content; the page's does not.
  headers.set('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
  headers.set('vary', 'accept');
  if (isFile) return new Response(answer.body, { headers });
  const text = await answer.text();
  const place = (own: string) => own.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const page = text
    .replaceAll(PLACE, () => `data-base="${place(base)}" data-at="${place(base + at)}"${docs ? ' data-docs' : ''}`)
    .replaceAll(OWN_FILES, () => `"${place(base + at)}/assets/`);
  return new Response(page, { headers });
}

/** The way to the files, for the person who opened a page. Those who open `/` get what programs get there. */
function notDeployed(path: string, folder: string): undefined {
  if (path === HOME) return undefined;
  const place = folder === '' ? '' : `, and copy them to \`${folder}\` in their directory`;
  throw new OffshootError(
    'not_found',
    `The console's files were not deployed: add \`assets\` with the binding \`${BINDING}\` to wrangler.jsonc${place} (docs/guides/deploy.md#the-console).`,
  );
}

/** Options of the console. */
export interface ConsoleOptions {
  /** The path at which it is served, below `basePath`. Default: `/console`. */
  readonly at?: string;
  /**
   * The folder of the console's files among the Worker's assets, such as `/console`, if the app has a page, too.
   * Default: the files are all of the assets.
   */
  readonly files?: string;
  /** Adds the documentation of Offshoot, at `/console/docs`. Default: false. */
  readonly docs?: boolean;
}

/**
 * The console, a set of web pages: at `/console` or `at`, and for browsers also at `/`. Its files are assets of the
 * Worker with the binding `OFFSHOOT_CONSOLE`.
 * @throws OffshootError `invalid_definition` for an unknown option, or an invalid path
 * @example
 * export default serve([planner], { doors: [webConsole()] });
 */
export function webConsole(options: ConsoleOptions = {}): PathDoor {
  refuseUnknown('webConsole', options, ['at', 'docs', 'files']);
  const { at = '/console', docs = false, files = '' } = options;
  checkPath('webConsole: at', at);
  if (files !== '') checkPath('webConsole: files', files);
  return {
    name: 'console',
    at,
    answer: (request, path) => consoleResponse(request, { at, docs, files }, path),
    home: (request) => consoleResponse(request, { at, docs, files }, HOME),
  };
}
