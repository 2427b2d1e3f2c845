/** What a request to an agent has in its headers, beside its query. */
import { expect, it } from 'vitest';
import { addAuthorizer } from '../../../src/access/authorizers';
import type { ObjectCall } from '../../../src/engine/object/object-calls';
import { answerAgentRequest } from '../../../src/gateway/agents-route';
import type { JsonObject } from '../../../src/protocol/json';
import { VERB } from '../../../src/verbs/table';
import type { Verb } from '../../../src/verbs/verb';

const AT = 'https://example.com/agents/top/one';
const authorize = () => ({ subject: 'Ann' });
const authorizer = addAuthorizer(authorize);

/** The input that a root is asked with. */
async function inputOf(path: string, init: RequestInit): Promise<unknown> {
  const asked: ObjectCall[] = [];
  const root = {
    async offshoot(call: ObjectCall) {
      asked.push(call);
      return { ok: false, error: { code: 'not_found', category: 'address', message: 'No.', retryable: false } };
    },
  };
  const request = new Request(`${AT}/${path}`, init);
  const context = {
    ...{ request, requestId: 'r', base: '', authorizer, classes: new Set(['Top']), log: () => undefined },
    ...{ exports: { Top: { getByName: () => root } }, access: { authorize } },
  };
  const { status } = await answerAgentRequest(context);
  const [call] = asked;
  return call?.kind === 'verb' ? call.input : status;
}

type Reads = NonNullable<NonNullable<Verb['http']>['reads']>;
/** A query that names the same things as the headers, otherwise; and what counts. */
const ROWS: {
  readonly [Kind in Reads]: readonly {
    readonly query: string;
    readonly init: RequestInit;
    readonly input: JsonObject;
  }[];
} = {
  'last-event-id': [
    { query: 'from=1', init: { headers: { 'last-event-id': '7' } }, input: { from: 8, rested: false } },
    { query: 'from=9&rested=0', init: { headers: { 'last-event-id': '7:end' } }, input: { from: 8, rested: true } },
    { query: 'rested=1', init: { headers: { 'last-event-id': '7' } }, input: { from: 8, rested: false } },
    { query: 'from=3', init: { headers: { 'last-event-id': '' } }, input: { from: 3 } },
  ],
  range: [
    {
      query: 'offset=9&length=9',
      init: { headers: { range: 'bytes=2-4' } },
      input: { path: 'a.md', offset: 2, length: 3 },
    },
    { query: 'suffix=9', init: { headers: { range: 'bytes=-3' } }, input: { path: 'a.md', suffix: 3 } },
    {
      query: 'ifRange=old&offset=9',
      init: { headers: { range: 'bytes=2-', 'if-range': '"new"' } },
      input: { path: 'a.md', offset: 2, ifRange: 'new' },
    },
  ],
  upload: [
    {
      query: 'size=9&mediaType=text/html&ifMatch=old',
      init: { method: 'PUT', headers: { 'content-length': '1', 'content-type': 'text/plain', 'if-match': '"new"' } },
      input: { path: 'a.md', size: 1, mediaType: 'text/plain', ifMatch: 'new' },
    },
    {
      query: 'ifMatch=old',
      init: { method: 'PUT', headers: { 'content-length': '1', 'if-none-match': '*' } },
      input: { path: 'a.md', size: 1, ifMatch: null },
    },
  ],
};

const READING = Object.values(VERB).flatMap((verb: Verb) => {
  const reads = verb.http?.reads;
  return reads === undefined ? [] : ROWS[reads].map((row) => [verb.name, row.query, verb, row] as const);
});

it.each(READING)(
  '[W1, FS25, FS26] of %s, headers take precedence over the query %s',
  async (_name, query, verb, row) => {
    const path = verb.path.replace('{path}', 'a.md');
    expect(await inputOf(`${path}?${query}`, row.init)).toEqual(row.input);
  },
);
