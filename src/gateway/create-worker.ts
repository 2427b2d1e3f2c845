/**
 * The default export of a Worker: its routes over the agents that it exports.
 *
 * Keeps A79, DF30.
 */

import type { Hono } from 'hono';
import type { Authorize } from '../access/authorize';
import { addAuthorizer } from '../access/authorizers';
import type { AgentDefinition } from '../core/definition/definition';
import { checkKinds, invalidDefinition, refuseUnknown } from '../core/definition/invalid';
import type { Bound } from '../core/definition/types';
import type { NewRootLimits } from '../core/tree/root-claims';
import { listAgents } from './agents/listed';
import { listOf, type ServedAgent } from './agents/worker';
import { createApp, type HttpOptions, isOwn } from './app';
import { checkPath } from './checked-path';
import { checkDoors } from './doors/check';
import type { Door } from './doors/door';
import { checkThreads, THREADS } from './threads-route';

/** Options of `createWorker`. */
export interface WorkerOptions {
  /**
   * All agents, including sub-agents: definitions, which share the class `OffshootAgent`, or classes made with
   * `AgentObject.of(definition)`. The Worker must export each class under its own name.
   */
  readonly agents: readonly ServedAgent[];
  /**
   * Checks the permissions of callers. Without it, callers need `OFFSHOOT_TOKEN`; if that is not set either, only this machine
   * has access.
   */
  readonly authorize?: Authorize;
  /**
   * Origins (`https://app.example`) whose pages may use the whole API, besides the Worker's own. Their browsers send
   * cookies if the `reads` of `authorize` includes `cookie`.
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Limits for each caller: how many roots it may have (`perCaller`), and how many it may create over HTTP within 60
   * s (`perMinute`). A caller is a subject that `authorize` returns. Further roots are refused with `too_many_roots`.
   * No limit by default.
   */
  readonly newRoots?: NewRootLimits;
  /** Returns one line about the models in use, for every caller that may open `/`. */
  readonly describeModel?: (env: object) => string;
  /**
   * Prefix of all paths, such as `/ai` or `/v1/ai`: segments of letters, digits, `-`, `.`, `_` and `~`. Links have the
   * prefix, addresses do not. Omit it if another app mounts `app`. Empty by default.
   */
  readonly basePath?: string;
  /**
   * Prefix of `/{thread}/variables/{request}`, the route of Standard Agents for a sub-agent's variables, below `basePath`.
   * Default: `/threads`.
   */
  readonly threadsPath?: string;
  /** Other protocols and pages besides the API, such as `webConsole()` of `offshoot/console`. Default: none. */
  readonly doors?: readonly Door[];
}

/** Options of `serve`: those of `createWorker`, except the agents. */
export type ServeOptions = Omit<WorkerOptions, 'agents'>;

/** The result of `createWorker`: the default export of a Worker, and ways to add it to a Worker with other routes. */
export interface OffshootWorker {
  /** Answers every request; 404 for an unknown route. */
  fetch(request: Request, env: object, context: object): Promise<Response>;
  /** Like `fetch`, but undefined for other requests; see `routeOffshootRequest`. */
  route(request: Request, env: object, context: object): Promise<Response> | undefined;
  /** The routes as a Hono app, for `app.route('/ai', offshoot.app)`; links in responses include that path. */
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
  'doors',
];

/**
 * Creates the default export of a Worker from a list of agents.
 * @throws OffshootError as `createWorker` does
 * @example
 * export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
 * export default serve([planner, timekeeper]);
 */
export function serve<const Agents extends readonly ServedAgent[]>(
  agents: Agents & BoundAgents<Agents>,
  options: ServeOptions = {},
): OffshootWorker {
  return createWorker({ ...options, agents });
}

/** Agents whose tools find in this Worker what they need. */
type BoundAgents<Agents extends readonly ServedAgent[]> = {
  readonly [At in keyof Agents]: Agents[At] extends AgentDefinition<infer Types> ? Bound<Types['env']> : unknown;
};

/**
 * Creates the default export of a Worker. Missing exports or migrations are reported at the first request: the response
 * and the log name the line to add.
 * @throws OffshootError `invalid_definition` for invalid agents or two with one address, all at once, and for an unknown
 *   option, an invalid origin, limit or path
 * @example
 * class Planner extends AgentObject.of(planner) {}
 * class Timekeeper extends AgentObject.of(timekeeper) {}
 * export { OffshootDirectory, Planner, Timekeeper };
 * export default createWorker({ agents: [Planner, Timekeeper] });
 */
export function createWorker(options: WorkerOptions): OffshootWorker {
  refuseUnknown('createWorker', options, OPTIONS);
  checkKinds('createWorker', options, {
    authorize: 'function',
    describeModel: 'function',
    allowedOrigins: 'list',
    doors: 'list',
  });
  const agents = listOf(options.agents);
  listAgents(agents);
  const definitions = new Map([...agents].map(([className, { definition }]) => [className, definition]));
  for (const origin of options.allowedOrigins ?? []) checkOrigin(origin);
  for (const name of options.authorize?.reads ?? []) checkHeader(name);
  const { authorize, allowedOrigins = [], newRoots, basePath = '', threadsPath = THREADS, doors = [] } = options;
  if (newRoots !== undefined) checkNewRoots(newRoots);
  if (basePath !== '') checkPath('createWorker: basePath', basePath);
  checkPath('createWorker: threadsPath', threadsPath);
  checkThreads(threadsPath);
  checkDoors(doors, threadsPath);
  const http: HttpOptions = {
    ...{ agents, definitions, authorize, allowedOrigins, newRoots, basePath, threadsPath, doors },
    authorizer: addAuthorizer(authorize),
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
 * Answers a request for an agent of the Worker or another route of Offshoot, and returns null for all others, like the
 * SDK's `routeAgentRequest`. Your Worker then handles those. Agents that were not passed to `createWorker` count as
 * others.
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

function checkNewRoots(limits: NewRootLimits): void {
  refuseUnknown('createWorker: `newRoots`', limits, ['perCaller', 'perMinute']);
  for (const [name, value] of Object.entries(limits)) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      invalidDefinition(`createWorker: newRoots.${name} must be a whole number of at least 1.`);
  }
}

/** One that is written otherwise than browsers ask for it would allow nothing, without a word. */
function checkHeader(name: string): void {
  if (typeof name === 'string' && /^[a-z0-9-]+$/.test(name)) return;
  invalidDefinition(
    `createWorker: "${name}" in \`reads\` of authorize is not a header name. Write it in lower case: x-api-key.`,
  );
}

/** One that is written otherwise than browsers send it would allow nothing, without a word. */
function checkOrigin(origin: string): void {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return;
  invalidDefinition(
    `createWorker: "${origin}" in allowedOrigins is not an origin. Write it as browsers send it: https://app.example, without a path.`,
  );
}
