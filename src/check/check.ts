/**
 * `offshoot check`: all that is wrong with an app, at once.
 *
 * OC7. What the folder shows is listed first; where that is right, the Worker is started here, and says what it lacks.
 */
import { type AppFacts, type Finding, findingsOf } from './findings';

/** The app, as the command sees it. */
export interface AppIo {
  facts(): Promise<AppFacts>;
  /**
   * Starts the Worker on this machine, asks a path, and ends it.
   * @throws Error with the output of wrangler where it does not start
   */
  ask(path: string): Promise<{ readonly status: number; readonly body: unknown }>;
  write(line: string): void;
}

const HEALTH = '/healthz';

/** Prints the findings. The exit code: 0 where there are none, 1 otherwise. */
export async function check(io: AppIo, basePath = ''): Promise<number> {
  const found = findingsOf(await io.facts());
  const all = found.length > 0 ? found : await lackedBy(io, basePath);
  for (const { says, lines = [] } of all) {
    io.write(`✗ ${says}`);
    for (const line of lines) io.write(`    ${line}`);
  }
  if (all.length === 0) io.write('✓ Everything is in place.');
  else if (found.length > 0) io.write('The Worker is checked once this is mended.');
  return all.length === 0 ? 0 : 1;
}

/** What the Worker says of itself. */
async function lackedBy(io: AppIo, basePath: string): Promise<Finding[]> {
  try {
    const { status, body } = await io.ask(`${basePath}${HEALTH}`);
    if (status === 200 && textAt(body, 'name') === 'offshoot') return [];
    const detail = textAt(body, 'detail');
    if (textAt(body, 'code') === 'misconfigured' && detail !== undefined)
      return detail.replace('The Worker is misconfigured.', '').split(/\n(?:- )?/).flatMap((line) =>
        line.trim() === '' ? [] : [{ says: line.trim() }],
      );
    const where = 'Give the base path of Offshoot where it has one: offshoot check --base-path /ai';
    return [{ says: `The Worker answers ${basePath}${HEALTH} with ${status}, and not as Offshoot does. ${where}` }];
  } catch (error) {
    return [{ says: `The Worker does not start: ${error instanceof Error ? error.message : String(error)}` }];
  }
}

function textAt(body: unknown, key: string): string | undefined {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, key) : undefined;
  return typeof value === 'string' ? value : undefined;
}
