/** The HTTP surface: fixed routes by Hono, addresses by our own router, every error a problem document. */
import { Hono } from 'hono';
import type { AgentDefinition } from '../core/definition';
import { failure } from '../core/errors';
import { answerAgentRequest, type RequestContext } from './agents-route';
import { type AccessOptions, access } from './auth';
import { checked, queryInput } from './body';
import { agentsPage, rootsInput, rootsPage } from './directory-route';
import type { Exports } from './objects';
import { openApiDocument } from './openapi';
import { failureFor, problemResponse } from './problem';
import { pageInput } from './schemas';
import { VERSION } from './version';

/** What the routes are made of. */
export interface HttpOptions {
  readonly definitions: ReadonlyMap<string, AgentDefinition>;
  readonly authorize: AccessOptions['authorize'];
  readonly allowedOrigins: readonly string[];
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

/** The routes. Nothing about a request is kept between requests. */
export function createApp(options: HttpOptions): Hono<Bindings> {
  const app = new Hono<Bindings>();
  const classes = new Set(options.definitions.keys());
  let document: object | undefined;
  app.use(async (c, next) => {
    c.set('requestId', crypto.randomUUID());
    await next();
  });
  const guarded = async (
    request: Request,
    address: string,
    environment: HttpEnvironment,
    requestId: string,
    answer: () => Promise<object> | object,
  ): Promise<Response> => {
    const allowed = await access(
      request,
      { address, action: 'read' },
      { authorize: options.authorize, token: environment.token },
    );
    if (!allowed.ok)
      return problemResponse(
        allowed.error,
        requestId,
        allowed.error.code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {},
      );
    return Response.json(await answer(), { headers: { 'cache-control': 'no-store', 'x-request-id': requestId } });
  };
  app.get('/', (c) => guarded(c.req.raw, '/', c.env, c.get('requestId'), () => ({ ...WELCOME, model: c.env.model() })));
  app.get('/healthz', () =>
    Response.json({ ok: true, name: 'offshoot', version: VERSION }, { headers: { 'cache-control': 'no-store' } }),
  );
  app.get('/openapi.json', (c) =>
    guarded(c.req.raw, '/', c.env, c.get('requestId'), () => {
      document ??= openApiDocument(VERSION);
      return document;
    }),
  );
  app.get('/directory/agents', (c) =>
    guarded(c.req.raw, '/directory', c.env, c.get('requestId'), () =>
      agentsPage(options.definitions, pageInput.parse(checked(pageInput, queryInput(c.req.url)))),
    ),
  );
  app.get('/directory/roots', (c) =>
    guarded(c.req.raw, '/directory', c.env, c.get('requestId'), () =>
      rootsPage(options.definitions, c.env.exports, rootsInput.parse(checked(rootsInput, queryInput(c.req.url)))),
    ),
  );
  for (const path of ['/', '/healthz', '/openapi.json', '/directory/agents', '/directory/roots']) {
    app.all(path, (c) => {
      const allow = 'GET, HEAD, OPTIONS';
      const requestId = c.get('requestId');
      if (c.req.method === 'OPTIONS')
        return new Response(null, { status: 204, headers: { allow, 'x-request-id': requestId } });
      return problemResponse(failure('method_not_allowed', `This route takes ${allow}.`), requestId, { allow });
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
      allowedOrigins: options.allowedOrigins,
      log: log(requestId),
    };
    return answerAgentRequest(context);
  });
  app.notFound((c) =>
    problemResponse(
      failure('not_found', 'There is no such route. See /openapi.json for all routes.'),
      c.get('requestId'),
    ),
  );
  app.onError((error, c) => {
    const requestId = c.get('requestId');
    return problemResponse(failureFor(error, log(requestId)), requestId);
  });
  return app;
}
