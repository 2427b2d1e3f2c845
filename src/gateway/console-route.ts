/**
 * The pages of the console: files that the platform keeps beside the Worker, with headers under which a page can do
 * nothing but talk to its own origin. They hold no data, so that they load without a token.
 *
 * Keeps CN1.
 */

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

/** Where a page is asked for, and where the console lies. */
export interface ConsoleRequest {
  readonly request: Request;
  readonly env: object;
  /** What the path begins with before what is ours. */
  readonly base: string;
  /** Where the console lies below that. */
  readonly at: string;
}

interface Files {
  fetch(request: Request): Promise<Response>;
}

/** Whether a request is a person's who opens a page, and not a program's that wants JSON. */
export function wantsPage(request: Request): boolean {
  return (request.headers.get('accept') ?? '').includes('text/html');
}

/** The page, or one of its files; undefined where the files were not deployed with the Worker. */
export async function consoleResponse(
  { request, env, base, at }: ConsoleRequest,
  path: string,
): Promise<Response | undefined> {
  const files: Files | undefined = Reflect.get(env, BINDING);
  if (files === undefined) return undefined;
  const isFile = /^\/assets\/[\w.-]+$/u.test(path);
  const answer = await files.fetch(new Request(new URL(isFile ? path : '/index.html', request.url)));
  if (!answer.ok) return undefined;
  const headers = new Headers({ ...HEADERS, 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
  // The name of a file tells its content; the page's does not.
  headers.set('cache-control', isFile ? 'public, max-age=31536000, immutable' : 'no-cache');
  headers.set('vary', 'accept');
  if (isFile) return new Response(answer.body, { headers });
  const text = await answer.text();
  const place = (own: string) => own.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const page = text
    .replaceAll(PLACE, () => `data-base="${place(base)}" data-at="${place(base + at)}"`)
    .replaceAll(OWN_FILES, () => `"${place(base + at)}/assets/`);
  return new Response(page, { headers });
}
