/**
 * The HTTP surface: fixed routes by Hono, addresses by our own router, every error a problem document.
 *
 * A78. It can lie below a base path, which an app that mounts it chooses: that is found out with each request. What is
 *      above it in that app comes first, and what is not ours falls through to it.
 */
import { type Context, Hono } from 'hono';
import { basePath } from 'hono/route';
import type * as z from 'zod';
import { type AccessOptions, access, foreignPage, isUpgrade, secretsOf } from '../access/auth';
import type { AgentDefinition } from '../core/definition/definition';
import type { NewRootLimits } from '../core/tree/root-claims';
import { failure } from '../protocol/errors';
import * as listing from '../protocol/wire/listings';
import { pageInput } from '../protocol/wire/shapes';
import { checked } from '../verbs/input';
import type { ListedAgent } from './agents/listed';
import { misconfiguration, missingParts, WARNING, warningsOf } from './agents/worker';
import { answerAgentRequest } from './agents-route';
import { agentsPage, childrenPage, type Directories, errorsPage, pendingPage, rootsPage } from './directory-route';
import { doorAgents } from './doors/agents';
import { agentDoorFor } from './doors/behind';
import { type AgentDoor, type Door, type DoorRequest, isPathDoor, type PathDoor } from './doors/door';
import { doorSocket } from './doors/socket';
import { meInput, whoAsks } from './me-route';
import { type Exports, exportsOf } from './objects';
import { openApiDocument } from './openapi';
import { methodsAt, type OriginRules, preflightAnswer, readableBy } from './origins';
import { accessProblem, failureFor, misconfigured, problemResponse } from './problem';
import { letGo, queryInput, readJson } from './request-body';
import type { RequestContext } from './request-context';
import { rawPath } from './route';
import { isThreadOf, ownPathOf } from './threads-route';
import { VERSION } from './version';

/** What the routes are made of. */
export interface HttpOptions {
  readonly agents: ReadonlyMap<string, ListedAgent>;
  /** The definitions of them. */
  readonly definitions: ReadonlyMap<string, AgentDefinition>;
  readonly authorize: AccessOptions['authorize'];
  /** The number of the authorizer that decides on access. */
  readonly authorizer: number;
  readonly allowedOrigins: readonly string[];
  readonly newRoots: NewRootLimits | undefined;
  /** What every path begins with: empty, or segments that each follow a slash. */
  readonly basePath: string;
  /** Where the threads lie below it. */
  readonly threadsPath: string;
  readonly doors: readonly Door[];
  /** One line about the models in use, if the app gives one. */
  model(env: object): string | undefined;
}

/** A request on its way to a route. */
interface Given {
  readonly request: Request;
  readonly requestId: string;
  /** What the path begins with before what is ours. */
  readonly base: string;
  readonly exports: Exports;
  readonly env: object;
  readonly access: AccessOptions;
}

const welcome = (base: string) => ({
  name: 'offshoot',
  version: VERSION,
  start: `POST ${base}/agents/{class}/{name}/start with { "message": "…" }`,
  watch: `GET ${base}/agents/{class}/{name}/stream`,
  agents: `${base}/directory/agents`,
  api: `${base}/openapi.json`,
});

function log(requestId: string): (error: unknown) => void {
  return (error) => console.error(`offshoot request ${requestId}:`, error);
}

/** A route without an address. `accessAddress` is what the access check is asked for; without one, everyone is answered. */
interface FixedRoute {
  readonly path: string;
  readonly accessAddress?: string;
  answer(given: Given): Promise<object> | object;
}

function fixedRoutes({ definitions, threadsPath, model }: HttpOptions): FixedRoute[] {
  const documents = new Map<string, object>();
  return [
    { path: '/', accessAddress: '/', answer: ({ base, env }) => ({ ...welcome(base), model: model(env) }) },
    { path: '/healthz', answer: () => ({ ok: true, name: 'offshoot', version: VERSION }) },
    {
      path: '/openapi.json',
      accessAddress: '/',
      answer({ base }) {
        const document = documents.get(base) ?? openApiDocument(VERSION, base, threadsPath);
        // A base with a parameter in it has as many values as its callers like.
        if (documents.size < MAX_DOCUMENTS) documents.set(base, document);
        return document;
      },
    },
    {
      path: '/directory/agents',
      accessAddress: '/directory',
      answer: ({ request: { url }, env }) => agentsPage(definitions, env, checked(pageInput, queryInput(url))),
    },
    listRoute('roots', listing.rootsInput, rootsPage, definitions),
    listRoute('pending', listing.listedPendingInput, pendingPage, definitions),
    listRoute('errors', listing.listedErrorsInput, errorsPage, definitions),
    listRoute('children', listing.listedChildrenInput, childrenPage, definitions),
    {
      path: '/directory/me',
      answer: ({ request, access: options }) => whoAsks(request, options, checked(meInput, queryInput(request.url))),
    },
  ];
}

/** The route of a list over all roots. */
function listRoute<Input extends z.ZodType>(
  name: string,
  schema: Input,
  page: (directories: Directories, input: z.output<Input>) => Promise<object>,
  definitions: HttpOptions['definitions'],
): FixedRoute {
  return {
    path: `/directory/${name}`,
    accessAddress: '/directory',
    answer: ({ request: { url }, exports }) => page({ definitions, exports }, checked(schema, queryInput(url))),
  };
}

/** Descriptions of the API that are kept, one for each base path. */
const MAX_DOCUMENTS = 8;

/** The methods that a route without an address takes, beside OPTIONS. */
const FIXED_METHODS = ['GET', 'HEAD'];
const ALLOW = [...FIXED_METHODS, 'OPTIONS'].join(', ');

/** Where the routes for addresses lie. */
const AGENTS = '/agents/';

async function answerFixed({ accessAddress, answer }: FixedRoute, given: Given): Promise<Response> {
  const { request, requestId } = given;
  const headers = { 'x-request-id': requestId };
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { ...headers, allow: ALLOW } });
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return problemResponse(failure('method_not_allowed', `This route takes ${ALLOW}.`), requestId, { allow: ALLOW });
  if (accessAddress !== undefined) {
    const allowed = await access(request, { address: accessAddress, action: 'read' }, given.access);
    if (!allowed.ok) return accessProblem(allowed.error, requestId);
  }
  return Response.json(await answer(given), { headers: { ...headers, 'cache-control': 'no-store' } });
}

/** True for the request of a person who opens a page: a program wants JSON. */
function wantsPage({ method, headers }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && (headers.get('accept') ?? '').includes('text/html');
}

/** The first door's answer to who opens `/`. */
async function homeOf(doors: readonly PathDoor[], request: DoorRequest): Promise<Response | undefined> {
  if (!wantsPage(request.request)) return undefined;
  for (const door of doors) {
    const answer = await door.home?.(request);
    if (answer) return ownAnswer(answer);
  }
  return undefined;
}

async function answerAtPath(door: PathDoor, request: DoorRequest): Promise<Response> {
  const path = rawPath(request.request.url).slice(`${request.base}${door.at}`.length);
  return atDoor(door, request, await door.answer(request, path));
}

function atDoor(door: Door, { requestId }: DoorRequest, answer: Response | undefined): Response {
  const detail = `The door "${door.name}" has nothing at this path.`;
  return answer ? ownAnswer(answer) : problemResponse(failure('not_found', detail), requestId);
}

/** The same answer with headers that can be set: those of a fetched one cannot. */
function ownAnswer(answer: Response): Response {
  return answer.webSocket ? answer : new Response(answer.body, answer);
}

/** The path of a request up to the place where an app mounted ours, as it was sent. */
function baseOf(c: Context): string {
  const segments = basePath(c).split('/').filter(Boolean);
  return rawPath(c.req.url)
    .split('/')
    .slice(0, segments.length + 1)
    .join('/');
}

/** The same request without its body. */
const bodiless = ({ url, method, headers, cf }: Request): Request =>
  new Request(url, { method, headers, ...(cf === undefined ? {} : { cf }) });

type Handler = (c: Context) => Promise<Response>;

/** Headers of every answer: it is read by its type alone, and pages of other origins may not embed it. */
const EVERY_ANSWER = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' } as const;

/** The same answer, guarded. That of a socket has no body, and headers that cannot be changed. */
function guarded(response: Response): Response {
  if (response.webSocket) return response;
  for (const [name, value] of Object.entries(EVERY_ANSWER)) response.headers.set(name, value);
  return response;
}

/** Makes handlers of what answers a request that is ours; nothing about a request is kept between requests. */
function handlers({ agents, authorize, allowedOrigins }: HttpOptions) {
  const origins: OriginRules = { allowed: allowedOrigins, reads: authorize?.reads ?? [] };
  let complete = false;
  const missing = (exports: Exports): readonly string[] => {
    const parts = complete ? [] : missingParts(agents, exports);
    if (!complete && parts.length === 0) {
      complete = true;
      for (const text of warningsOf(agents)) console.warn(`${WARNING}${text}`);
    }
    return parts;
  };
  return (
    base: (c: Context) => string,
    answer: (given: Given) => Promise<Response>,
    methods?: (c: Context) => readonly string[],
  ): Handler => {
    const answered: Handler = async (c) => {
      const request = c.req.raw;
      const requestId = crypto.randomUUID();
      try {
        const exports = exportsOf(c.executionCtx);
        const parts = missing(exports);
        if (parts.length > 0) return misconfigured(misconfiguration(parts));
        const foreign = foreignPage(request, allowedOrigins);
        if (foreign) return problemResponse(foreign, requestId);
        const settings = { authorize, ...secretsOf(c.env) };
        return await answer({ request, requestId, base: base(c), exports, env: c.env as object, access: settings });
      } catch (error) {
        return accessProblem(failureFor(error, log(requestId)), requestId);
      } finally {
        letGo(request);
      }
    };
    return async (c) => {
      const request = c.req.raw;
      const preflight = preflightAnswer(request, origins, methods && (() => methods(c)));
      return readableBy(request, origins, guarded(preflight ?? (await answered(c))));
    };
  };
}

/** The routes. An app of its own may take them over: `app.route('/ai', createApp(…))`. */
export function createApp(options: HttpOptions): Hono {
  const app = options.basePath === '' ? new Hono() : new Hono().basePath(options.basePath);
  const classes = new Set(options.definitions.keys());
  const handler = handlers(options);
  const { authorizer, newRoots, threadsPath } = options;
  const contextOf = ({ request, requestId, base, exports, access: settings }: Given): RequestContext => ({
    ...{ request, requestId, base, exports, classes, access: settings, authorizer, newRoots },
    log: log(requestId),
  });
  const pathIn = (c: Context): string => rawPath(c.req.url).slice(baseOf(c).length);
  const doorRequest = (given: Given): DoorRequest => ({
    ...given,
    // A door reads the body before it asks: an authorizer that looks at one finds none, as on a socket.
    agents: doorAgents(contextOf({ ...given, request: bodiless(given.request) })),
    socket: isUpgrade(given.request) ? (address) => doorSocket(contextOf(given), address) : undefined,
    json: (maxBytes) => readJson(given.request, maxBytes),
  });
  const doors = options.doors.filter(isPathDoor);
  const agentDoors = options.doors.filter((door): door is AgentDoor => !isPathDoor(door));
  for (const route of fixedRoutes(options))
    app.all(
      route.path,
      handler(
        baseOf,
        async (given) => {
          const page = route.path === '/' ? await homeOf(doors, doorRequest(given)) : undefined;
          return page ?? answerFixed(route, given);
        },
        () => FIXED_METHODS,
      ),
    );
  for (const each of doors)
    for (const path of [each.at, `${each.at}/*`])
      app.all(
        path,
        handler(baseOf, (given) => answerAtPath(each, doorRequest(given))),
      );
  app.all(
    `${AGENTS}*`,
    handler(
      baseOf,
      async (given) => {
        const found = agentDoorFor(agentDoors, rawPath(given.request.url).slice(given.base.length));
        if (found === undefined) return answerAgentRequest(contextOf(given));
        const request = doorRequest(given);
        return atDoor(found.door, request, await found.door.answer(request, found.address, found.rest));
      },
      (c) => methodsAt(() => pathIn(c)),
    ),
  );
  app.all(
    `${threadsPath}/*`,
    handler(
      baseOf,
      async (given) => {
        const path = rawPath(given.request.url).slice(given.base.length + threadsPath.length);
        return answerAgentRequest(contextOf(given), ownPathOf(path));
      },
      (c) => methodsAt(() => ownPathOf(pathIn(c).slice(threadsPath.length))),
    ),
  );
  app.notFound(
    handler(
      () => options.basePath,
      async ({ requestId, base }) =>
        problemResponse(failure('not_found', `There is no such route. See ${base}/openapi.json for all.`), requestId),
    ),
  );
  return app;
}

/** Whether a request is for one of the fixed routes, or for an agent of a class that is known. */
export function isOwn(options: HttpOptions, request: Request): boolean {
  const path = rawPath(request.url);
  const { basePath: base, definitions, threadsPath } = options;
  if (path !== base && !path.startsWith(`${base}/`)) return false;
  const own = path.slice(base.length);
  const isClass = (name: string) => [...definitions.values()].some(({ addressClass }) => addressClass === name);
  if (isThreadOf(own, threadsPath, isClass)) return true;
  if (options.doors.filter(isPathDoor).some(({ at }) => own === at || own.startsWith(`${at}/`))) return true;
  if (!own.startsWith(AGENTS)) return fixedRoutes(options).some((route) => route.path === (own === '' ? '/' : own));
  const [addressClass = ''] = own.slice(AGENTS.length).split('/', 1);
  return isClass(addressClass);
}
