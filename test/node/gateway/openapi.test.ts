/** The description of the API as a document: what only a reader of it would miss. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openApiDocument } from '../../../src/gateway/openapi';
import { isObject, type JsonObject } from '../../../src/protocol/json';
import { VERB, VERBS } from '../../../src/verbs/table';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
}
interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operationId?: string;
  readonly 'x-offshoot-verb'?: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, JsonObject>>;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonObject }>> };
}

const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
  JSON.stringify(openApiDocument('1.2.3', '', '/threads')),
);
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): Operation => ({ ...operation, path, method })),
);
const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
const named = ({ parameters = [] }: Operation, place: Parameter['in']): string[] =>
  parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);

describe('the OpenAPI document', () => {
  it.each(operations)('[A27] of $method $path has each parameter of the path, in its order and once', (operation) => {
    expect(named(operation, 'path')).toEqual(namesIn(operation.path));
    const optional = (operation.parameters ?? []).filter((each) => each.in === 'path' && !each.required);
    expect(optional).toEqual([]);
  });

  it('[A27] has an id for each operation of a verb that no other has', () => {
    const ids = operations.flatMap(({ operationId }) => operationId ?? []);
    expect(ids.length).toBe(2 * VERBS.length + [VERB.variables, VERB.giveVariables].length + ['me'].length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  // What of an upload is said by its headers: OpenAPI has type and length with the content.
  const byHeader: Readonly<Record<string, readonly string[]>> = { writeFile: ['ifMatch', 'mediaType', 'size'] };

  it.each(VERBS)('[A27] has each part of the input of $name in one place: path, query, body or headers', (verb) => {
    const expected = verb.input instanceof z.ZodObject ? Object.keys(verb.input.shape).sort() : undefined;
    const own = operations.filter((operation) => operation['x-offshoot-verb'] === verb.name);
    expect(own.length).toBeGreaterThanOrEqual(2);
    const besides = [...namesIn(verb.path), ...(byHeader[verb.name] ?? [])];
    for (const operation of own) {
      const body = operation.requestBody?.content['application/json']?.schema.properties;
      const found = [...besides, ...named(operation, 'query'), ...(isObject(body) ? Object.keys(body) : [])].sort();
      expect([operation.path, found]).toEqual([operation.path, expected ?? found]);
    }
  });

  it('[A27] has the answers of a file that is read in part, or that its reader knows', () => {
    for (const { responses } of operations.filter((each) => each['x-offshoot-verb'] === 'readFile'))
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '206', '304', '416']));
  });

  it.each([
    ['writeFile', ['If-Match', 'If-None-Match']],
    ['readFile', ['Range', 'If-Range', 'If-None-Match']],
    ['stream', ['Last-Event-ID']],
    ['send', ['Idempotency-Key', 'traceparent']],
  ])('[A27] names the headers that %s reads', (name, headers) => {
    for (const operation of operations.filter((each) => each['x-offshoot-verb'] === name))
      expect(named(operation, 'header')).toEqual(headers);
  });
});
