/** The HTTP surface: fixed routes by Hono, addresses by our own router, every error a problem document. */

import { Hono } from 'hono';
import { type AccessOptions, access, foreignPage } from '../access/auth';
import type { AgentDefinition } from '../core/definition/definition';
import type { NewRootLimits } from '../core/tree/root-claims';
import { failure } from '../protocol/errors';
import { pageInput } from '../protocol/shapes';
import { checked } from '../verbs/input';
import { answerAgentRequest } from './agents-route';
import { agentsPage, rootsInput, rootsPage } from './directory-route';
import type { Exports } from './objects';
import { openApiDocument } from './openapi';
import { accessProblem, failureFor, problemResponse } from './problem';
import { queryInput } from './request-body';
import type { RequestContext } from './request-context';
import { VERSION } from './version';

/** What the routes are made of. */
export interface HttpOptions {
  readonly definitions: ReadonlyMap<string, AgentDefinition>;
  readonly authorize: AccessOptions['authorize'];
  /** The number of the door that decides on access. */
  readonly door: number;
  readonly allowedOrigins: readonly string[];
  readonly newRoots: NewRootLimits | undefined;
}

/** What each request is answered with. */
export interface HttpEnvironment {
  readonly exports: Exports;
  readonly token: string | undefined;
  /** One line about the models in use, if the app gives one. */
  model(): string | undefined;
}

type Bindings = { Bindings: HttpEnvironment; Variables: { requestId: string } };

const WELCOME = {
  name: 'offshoot',
  version: VERSION,
  start: 'POST /agents/{class}/{name}/start with { "message": "…" }',
  watch: 'GET /agents/{class}/{name}/stream',
  agents: '/directory/agents',
  api: '/openapi.json',
} as const;

function log(requestId: string): (error: unknown) => void {
  return (error) => console.error(`offshoot request ${requestId}:`, error);
}

/** A route without an address. `accessAddress` is what the access check is asked for; without one, everyone is answered. */
interface FixedRoute {
  readonly path: string;
  readonly accessAddress?: string;
  answer(request: Request, environment: HttpEnvironment): Promise<object> | object;
}

function fixedRoutes({ definitions }: HttpOptions): FixedRoute[] {
  let document: object | undefined;
  return [
    { path: '/', accessAddress: '/', answer: (_request, { model }) => ({ ...WELCOME, model: model() }) },
    { path: '/healthz', answer: () => ({ ok: true, name: 'offshoot', version: VERSION }) },
    {
      path: '/openapi.json',
      accessAddress: '/',
      answer() {
        document ??= openApiDocument(VERSION);
        return document;
      },
    },
    {
      path: '/directory/agents',
      accessAddress: '/directory',
      answer: ({ url }) => agentsPage(definitions, pageInput.parse(checked(pageInput, queryInput(url)))),
    },
    {
      path: '/directory/roots',
      accessAddress: '/directory',
      answer: ({ url }, { exports }) =>
        rootsPage(definitions, exports, rootsInput.parse(checked(rootsInput, queryInput(url)))),
    },
  ];
}

/** The methods that a route without an address takes. */
const ALLOW = 'GET, HEAD, OPTIONS';

/** The routes. Nothing about a request is kept between requests. */
export function createApp(options: HttpOptions): Hono<Bindings> {
  const app = new Hono<Bindings>();
  const classes = new Set(options.definitions.keys());
  app.use(async (c, next) => {
    const requestId = crypto.randomUUID();
    c.set('requestId', requestId);
    const foreign = foreignPage(c.req.raw, options.allowedOrigins);
    if (foreign) return problemResponse(foreign, requestId);
    return next();
  });
  for (const { path, accessAddress, answer } of fixedRoutes(options)) {
    app.get(path, async (c) => {
      const requestId = c.get('requestId');
      if (accessAddress !== undefined) {
        const settings = { authorize: options.authorize, token: c.env.token };
        const allowed = await access(c.req.raw, { address: accessAddress, action: 'read' }, settings);
        if (!allowed.ok) return accessProblem(allowed.error, requestId);
      }
      const headers = { 'cache-control': 'no-store', 'x-request-id': requestId };
      return Response.json(await answer(c.req.raw, c.env), { headers });
    });
    app.all(path, (c) => {
      const requestId = c.get('requestId');
      const headers = { allow: ALLOW, 'x-request-id': requestId };
      if (c.req.method === 'OPTIONS') return new Response(null, { status: 204, headers });
      return problemResponse(failure('method_not_allowed', `This route takes ${ALLOW}.`), requestId, headers);
    });
  }
  app.all('/agents/*', (c) => {
    const requestId = c.get('requestId');
    const context: RequestContext = {
      request: c.req.raw,
      requestId,
      exports: c.env.exports,
      classes,
      access: { authorize: options.authorize, token: c.env.token },
      door: options.door,
      newRoots: options.newRoots,
      log: log(requestId),
    };
    return answerAgentRequest(context);
  });
  app.notFound((c) => {
    const error = failure('not_found', 'There is no such route. See /openapi.json for all routes.');
    return problemResponse(error, c.get('requestId'));
  });
  app.onError((error, c) => {
    const requestId = c.get('requestId');
    return problemResponse(failureFor(error, log(requestId)), requestId);
  });
  return app;
}
