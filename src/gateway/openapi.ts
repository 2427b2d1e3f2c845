/**
 * The description of the API, made from the table of verbs.
 *
 * Keeps A27.
 */
import * as z from 'zod';
import { jsonSchemaOf } from '../core/definition/schemas/schema';
import { chunkSchema } from '../protocol/chunks';
import { ERROR_CODES, type ErrorCode } from '../protocol/errors';
import { isObject, type Json, type JsonObject } from '../protocol/json';
import * as listing from '../protocol/wire/listings';
import { me } from '../protocol/wire/readings';
import * as shape from '../protocol/wire/shapes';
import { VERB, VERBS } from '../verbs/table';
import type { HttpFacts, Verb, VerbSchema } from '../verbs/verb';
import { meInput } from './me-route';

/** What any request to an agent may be answered with. */
const COMMON: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_address',
  'unauthorized',
  'forbidden',
  'not_found',
  'gone',
  'method_not_allowed',
  'internal',
  'auth_not_configured',
  'newer_format',
];
const OF_BODIES: readonly ErrorCode[] = [
  'invalid_json',
  'unsupported_media_type',
  'payload_too_large',
  'request_timeout',
];

const json = (schema: z.ZodType, io: 'input' | 'output'): JsonObject => ({
  'application/json': { schema: jsonSchemaOf(schema, io) },
});

function errorResponses(codes: readonly ErrorCode[]): JsonObject {
  const byStatus: { [status: string]: ErrorCode[] } = {};
  for (const code of codes) {
    const { status } = ERROR_CODES[code];
    byStatus[status] = [...(byStatus[status] ?? []), code];
  }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, found]) => [
      status,
      {
        description: found.join(', '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}

function parameters(verb: Pick<Verb, 'input' | 'method' | 'path'>): Json[] {
  if (verb.method !== 'GET') return [];
  const { properties, required } = jsonSchemaOf(verb.input, 'input');
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {})
    .filter(([name]) => !verb.path.includes(`{${name}}`))
    .map(([name, schema]) => ({ name, in: 'query', required: needed.includes(name), schema }));
}

const segment = (name: string, description: string): Json => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
});
const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

/** The headers that are fields of a verb's input. The length and the type of an upload are those of its content. */
const READS: Readonly<Record<NonNullable<HttpFacts['reads']>, readonly Json[]>> = {
  upload: [
    header('If-Match', 'The etag of the version to replace.'),
    header('If-None-Match', '*, to write only a new file.'),
  ],
  range: [
    header('Range', 'The bytes to read, such as bytes=0-99.'),
    header('If-Range', 'The range applies only if the file has this etag; otherwise the whole file is sent.'),
    header('If-None-Match', 'Known etags. A file that has one of them is answered with 304.'),
  ],
  'last-event-id': [header('Last-Event-ID', 'The sequence of the last event that was received.')],
};

/** What of the input is in the body: the rest stands in the path. */
const inBody = ({ input, path }: Verb): z.ZodType =>
  path.includes('{path}') && input instanceof z.ZodObject ? input.omit({ path: true }) : input;

function requestBody(verb: Verb): JsonObject {
  if (verb.bytes === 'in') return { requestBody: { required: true, content: { '*/*': { schema: {} } } } };
  return verb.method === 'POST' ? { requestBody: { required: true, content: json(inBody(verb), 'input') } } : {};
}

function successContent(verb: Verb): JsonObject {
  if (verb.status === 204) return {};
  if (verb.http?.answers === 'events')
    return { content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/Chunk' } } } };
  if (verb.bytes === 'out') return { content: { '*/*': { schema: {} } } };
  return { content: json(verb.output, 'output') };
}

/** Where a verb lies: the end of its id, and the parameters of its path. */
interface Place {
  readonly suffix: string;
  readonly segments: readonly Json[];
}
const AT_ROOT: Place = {
  suffix: '',
  segments: [segment('class', 'The agent, in kebab case.'), segment('name', 'The name of the root.')],
};
const BELOW: Place = {
  suffix: 'Below',
  segments: [
    ...AT_ROOT.segments,
    segment('subClass', 'The sub-agent, in kebab case.'),
    segment('subName', 'Its slot and generation, as in 7~3. Further levels follow in the same way.'),
  ],
};
const OF_THREAD: Place = {
  suffix: 'OfThread',
  segments: [segment('thread', 'The address of the agent without /agents/, with %2F for each slash.')],
};

function operation(verb: Verb, { suffix, segments }: Place): JsonObject {
  const once = verb.method === 'POST' || verb.method === 'DELETE';
  const errors = [...COMMON, ...(verb.method === 'POST' ? OF_BODIES : []), ...verb.errors];
  return {
    operationId: `${verb.name}${suffix}`,
    summary: verb.summary,
    'x-offshoot-verb': verb.name,
    'x-offshoot-action': verb.action,
    parameters: [
      ...segments,
      ...(verb.path.includes('{path}')
        ? [segment('path', 'A path as one encoded segment, with %2F for each slash; or an id.')]
        : []),
      ...parameters(verb),
      ...(once
        ? [
            header(
              'Idempotency-Key',
              'A request that is repeated with the same key within 24 hours gets the original response.',
            ),
          ]
        : []),
      ...(verb.method === 'POST'
        ? [
            header(
              'traceparent',
              'The trace of the caller (W3C trace context), for a run that the request begins. A malformed value is ignored.',
            ),
          ]
        : []),
      ...(verb.http?.reads ? READS[verb.http.reads] : []),
    ],
    ...requestBody(verb),
    responses: {
      [verb.status]: { description: verb.summary, ...successContent(verb) },
      ...(verb.http?.reads === 'range'
        ? {
            206: { description: 'The part that Range asks for.', ...successContent(verb) },
            304: { description: 'If-None-Match has its etag.' },
          }
        : {}),
      ...errorResponses(errors),
    },
  };
}

const list = (
  input: VerbSchema,
  item: z.ZodType,
  summary: string,
  page: z.ZodType = shape.pageOf(item),
): JsonObject => ({
  get: {
    summary,
    'x-offshoot-action': 'read',
    parameters: parameters({ input, method: 'GET', path: '' }),
    responses: {
      200: { description: summary, content: json(page, 'output') },
      ...errorResponses([
        'invalid_request',
        'invalid_cursor',
        'unauthorized',
        'forbidden',
        'internal',
        'auth_not_configured',
      ]),
    },
  },
});

const plain = (summary: string): JsonObject => ({
  get: {
    summary,
    responses: { 200: { description: summary, content: { 'application/json': { schema: { type: 'object' } } } } },
  },
});

/** The document of `/openapi.json` (OpenAPI 3.1), for a server whose paths all begin with `base`, with threads at `threads`. */
export function openApiDocument(version: string, base: string, threads: string): JsonObject {
  const paths: { [path: string]: { [method: string]: Json } } = {};
  const add = (base: string, verb: Verb, place: Place): void => {
    const path = verb.path === '' ? base : `${base}/${verb.path}`;
    paths[path] = { ...paths[path], [verb.method.toLowerCase()]: operation(verb, place) };
  };
  for (const verb of VERBS) {
    add('/agents/{class}/{name}', verb, AT_ROOT);
    add('/agents/{class}/{name}/sub/{subClass}/{subName}', verb, BELOW);
  }
  for (const verb of [VERB.variables, VERB.giveVariables]) add(`${threads}/{thread}`, verb, OF_THREAD);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Offshoot',
      version,
      description:
        'Durable trees of AI agents. An address is /agents/{class}/{name}, followed by any number of /sub/{class}/{name}.',
    },
    ...(base === '' ? {} : { servers: [{ url: base }] }),
    paths: {
      '/healthz': plain('Whether the server is up.'),
      '/openapi.json': plain('The OpenAPI document of all routes.'),
      '/directory/agents': list(shape.pageInput, listing.listedAgent, 'The agent types with their schemas.'),
      '/directory/roots': list(listing.rootsInput, listing.listedRoot, 'The roots, newest first.'),
      '/directory/pending': list(
        listing.listedPendingInput,
        listing.listedCall,
        'The pending calls of all roots, oldest first.',
      ),
      '/directory/errors': list(
        listing.listedErrorsInput,
        listing.listedFailure,
        'Failed runs under any root, newest first, with their causes.',
        listing.errorsPage,
      ),
      '/directory/children': list(
        listing.listedChildrenInput,
        listing.listedChild,
        'Companions and remote sub-agents of all roots, most recently active first.',
      ),
      '/directory/me': {
        get: {
          operationId: 'me',
          summary: 'The caller, and what the caller may do at an address.',
          parameters: parameters({ input: meInput, method: 'GET', path: '' }),
          responses: { 200: { description: 'The caller.', content: json(me, 'output') }, ...errorResponses(COMMON) },
        },
      },
      ...paths,
    },
    components: {
      schemas: { Problem: jsonSchemaOf(shape.problem, 'output'), Chunk: jsonSchemaOf(chunkSchema, 'output') },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ bearer: [] }],
  };
}
