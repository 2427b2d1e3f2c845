/**
 * The default export of a Worker: its routes over the agents that it exports.
 *
 * Keeps A79, DF30.
 */

import type { Hono } from 'hono';
import type { Authorize } from '../access/auth';
import { addDoor } from '../access/doors';
import { checkKinds, invalidDefinition, kindOf, refuseUnknown } from '../core/definition/invalid';
import type { NewRootLimits } from '../core/tree/root-claims';
import { createApp, type HttpOptions, isOwn } from './app';
import { checkThreads, THREADS } from './threads-route';
import { type AgentClass, definitionsOf, listAgents } from './worker-agents';

/** How a Worker is made. */
export interface WorkerOptions {
  /** The classes made by `AgentObject.of(definition)`, sub-agents too. The Worker must export each under its own name. */
  readonly agents: readonly AgentClass[];
  /** Who may do what; without it, who has `OFFSHOOT_TOKEN`; without that, whoever is on this machine. */
  readonly authorize?: Authorize;
  /** Origins (`https://app.example`) whose pages may change something and open sockets, beside the Worker's own. */
  readonly allowedOrigins?: readonly string[];
  /**
   * How many roots each caller may begin, over HTTP: `perCaller` at once, `perMinute` within 60 s, whole numbers from 1
   * on. Callers are the subjects that `authorize` names. Default: no limit. A further one is refused with `too_many_roots`.
   */
  readonly newRoots?: NewRootLimits;
  /** One line about the models in use, for whoever may open `/`. */
  readonly describeModel?: (env: object) => string;
  /**
   * What all paths begin with (`/ai`, `/v1/ai`): segments of letters, digits, `-`, `.`, `_` and `~`. Empty by default.
   * Addresses stay as they are; links have it. Leave it out where another app mounts `app`.
   */
  readonly basePath?: string;
  /**
   * Where `/{thread}/variables/{request}` lies, by which Standard Agents give a sub-agent its variables: a path like
   * `basePath`, below that. Default: `/threads`.
   */
  readonly threadsPath?: string;
  /**
   * Serves the console, pages for people, at `/console` or `at` (a path like `basePath`, below that), and at `/` to
   * browsers. Its files are assets of the Worker with the binding `OFFSHOOT_CONSOLE`. Default: none.
   */
  readonly console?: boolean | { readonly at: string };
}

/** What `createWorker` gives: the default export of a Worker, and ways to put it into one that has routes of its own. */
export interface OffshootWorker {
  /** Answers every request; 404 where there is no such route. */
  fetch(request: Request, env: object, context: object): Promise<Response>;
  /** The same as `fetch`, but undefined for what is not its own; see `routeOffshootRequest`. */
  route(request: Request, env: object, context: object): Promise<Response> | undefined;
  /** The routes as a Hono app, for `app.route('/ai', offshoot.app)`: links follow it there. */
  readonly app: Hono;
}

const OPTIONS = [
  'agents',
  'authorize',
  'allowedOrigins',
  'newRoots',
  'describeModel',
  'basePath',
  'threadsPath',
  'console',
];

/**
 * Makes the default export of a Worker. What is missing in the Worker's exports or migrations is found with the first
 * request: the answer and the log name the line to add.
 * @throws OffshootError `invalid_definition` for an unknown option, when two agents become one class, a class is no agent, or an allowed origin, a limit or the base path is none
 * @example
 * class Planner extends AgentObject.of(planner) {}
 * class Timekeeper extends AgentObject.of(timekeeper) {}
 * export { OffshootDirectory, Planner, Timekeeper };
 * export default createWorker({ agents: [Planner, Timekeeper] });
 */
export function createWorker(options: WorkerOptions): OffshootWorker {
  refuseUnknown('createWorker', options, OPTIONS);
  checkKinds('createWorker', options, { authorize: 'function', describeModel: 'function', allowedOrigins: 'list' });
  const definitions = definitionsOf(options.agents);
  listAgents(definitions);
  for (const origin of options.allowedOrigins ?? []) checkOrigin(origin);
  const { authorize, allowedOrigins = [], newRoots, basePath = '', threadsPath = THREADS } = options;
  if (newRoots !== undefined) checkNewRoots(newRoots);
  if (basePath !== '') checkPath('basePath', basePath);
  checkPath('threadsPath', threadsPath);
  checkThreads(threadsPath);
  const consolePath = consoleAt(options.console);
  const http: HttpOptions = {
    ...{
      definitions,
      authorize,
      door: addDoor(authorize),
      allowedOrigins,
      newRoots,
      basePath,
      threadsPath,
      consolePath,
    },
    model: (env) => options.describeModel?.(env),
  };
  const app = createApp(http);
  const fetch = async (request: Request, env: object, context: object): Promise<Response> =>
    app.fetch(request, env, context as never);
  return {
    app,
    fetch,
    route: (request, env, context) => (isOwn(http, request) ? fetch(request, env, context) : undefined),
  };
}

/**
 * Answers a request that is for one of a Worker's agents or for another route of its own, and gives null for all others,
 * as the SDK's `routeAgentRequest` does: a Worker with routes of its own goes on with those. An agent whose class
 * `createWorker` does not know is not its own.
 * @example
 * const offshoot = createWorker({ agents: [AgentObject.of(planner)], basePath: '/ai' });
 * export default {
 *   fetch: async (request: Request, env: Env, context: ExecutionContext) =>
 *     (await routeOffshootRequest(request, env, context, offshoot)) ?? new Response('My own page'),
 * };
 */
export async function routeOffshootRequest(
  request: Request,
  env: object,
  context: object,
  offshoot: Pick<OffshootWorker, 'route'>,
): Promise<Response | null> {
  return (await offshoot.route(request, env, context)) ?? null;
}

function consoleAt(given: WorkerOptions['console']): string | undefined {
  if (given === undefined || typeof given === 'boolean') return given ? '/console' : undefined;
  if (typeof given !== 'object' || given === null)
    invalidDefinition(`createWorker: \`console\` must be true, false or { at: '/path' }, but is ${kindOf(given)}.`);
  refuseUnknown('createWorker: `console`', given, ['at']);
  checkPath('console.at', given.at);
  return given.at;
}

function checkPath(name: 'basePath' | 'threadsPath' | 'console.at', path: string): void {
  if (typeof path === 'string' && /^(\/[\w.~-]*[\w~-][\w.~-]*)+$/.test(path)) return;
  invalidDefinition(`createWorker: ${name} is a path like "/ai", without a slash at its end; not "${path}".`);
}

function checkNewRoots(limits: NewRootLimits): void {
  refuseUnknown('createWorker: `newRoots`', limits, ['perCaller', 'perMinute']);
  for (const [name, value] of Object.entries(limits)) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      invalidDefinition(`createWorker: newRoots.${name} is a whole number from 1 on.`);
  }
}

/** One that is written otherwise than browsers send it would allow nothing, without a word. */
function checkOrigin(origin: string): void {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return;
  invalidDefinition(
    `createWorker: "${origin}" in allowedOrigins is no origin. Write it as browsers send it: https://app.example, without a path.`,
  );
}
