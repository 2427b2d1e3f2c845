/** The client against the table of verbs: what the API can be asked, the client can ask. */
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { type Client, createClient } from '../../../src/client';
import { type VERB, VERBS } from '../../../src/verbs/table';

type Verbs = typeof VERB;
type VerbName = keyof Verbs;

/** What the client calls by another name. */
const OTHER_NAMES = { submit: 'answer', stream: 'follow' } as const;
type MethodOf<Name extends VerbName> = Name extends keyof typeof OTHER_NAMES ? (typeof OTHER_NAMES)[Name] : Name;
type Method<Name extends VerbName> = MethodOf<Name> extends keyof Client ? Client[MethodOf<Name>] : never;

/** Verbs whose method answers with more, or with less, than the document: bytes, events, or nothing. */
type Otherwise =
  | 'start'
  | 'stream'
  | 'readFile'
  | 'remove'
  | 'removeFile'
  | 'cancelMessage'
  | 'removeDocument'
  | 'unshareDocument'
  | 'revokeToken';
type Documented = Exclude<VerbName, Otherwise>;

type Answered<Name extends VerbName> =
  Method<Name> extends (...given: never[]) => Promise<infer Answer> ? Answer : never;
type Fits<Name extends Documented> = [z.output<Verbs[Name]['output']>] extends [Answered<Name>]
  ? [Answered<Name>] extends [z.output<Verbs[Name]['output']>]
    ? true
    : 'the client promises more'
  : 'the client leaves something out';

/** The verbs whose answer the client types otherwise: none, or the compiler names them. */
type Wrong = { [Name in Documented]: Fits<Name> extends true ? never : `${Name}: ${Fits<Name>}` }[Documented];
const ALL_FIT: [Wrong] extends [never] ? true : Wrong = true;

const ADDRESS = '/agents/top/one/sub/leaf/1~1';
/** What comes after the address, where a method takes more. */
const MORE: { readonly [Name in VerbName]?: readonly unknown[] } = {
  start: [{ message: 'x' }],
  send: [{ content: 'x' }],
  submit: [{ kind: 'client-tool-result', toolCallId: 'c', result: 1 }],
  variables: ['a/b'],
  giveVariables: ['a/b', { env: {} }],
  readFile: ['a/b'],
  writeFile: ['a/b', new Uint8Array()],
  removeFile: ['a/b'],
  cancelMessage: ['a/b'],
  removeDocument: ['a/b'],
  shareDocument: ['a/b'],
  unshareDocument: ['a/b'],
  createToken: [{ actions: ['read'], ttlSeconds: 60 }],
  revokeToken: ['a/b'],
};

describe('the client and the table of verbs', () => {
  it.each(VERBS.map((verb) => [verb.name, verb] as const))('[J6] %s is a method of the client', async (name, verb) => {
    const asked: string[] = [];
    const client = createClient({
      baseUrl: 'http://x',
      fetch: async (url, init) => {
        asked.push(`${init?.method} ${String(url)}`);
        return new Response('{"code":"invalid_input"}', {
          status: 422,
          headers: { 'content-type': 'application/problem+json' },
        });
      },
    });
    const called = name === 'submit' || name === 'stream' ? OTHER_NAMES[name] : name;
    const method: unknown = Reflect.get(client, called);
    if (typeof method !== 'function') throw new Error(`There is no method for the verb ${name}.`);
    const abort = new AbortController();
    const answer: Promise<unknown> | AsyncGenerator = method.call(
      client,
      ADDRESS,
      ...(MORE[name] ?? []),
      ...(name === 'stream' ? [{ signal: abort.signal }] : []),
    );
    // The answer is none; what was asked is known by then.
    const first = answer instanceof Promise ? answer : answer.next();
    await first.then(
      () => undefined,
      () => undefined,
    );
    abort.abort();
    const path = verb.path === '' ? ADDRESS : `${ADDRESS}/${verb.path.replace('{path}', 'a%2Fb')}`;
    expect(asked[0]?.replace(/\?.*/u, '')).toBe(`${verb.method} http://x${path}`);
  });

  it.each(VERBS.map((verb) => [verb.name, verb] as const))(
    '[J6] the signal given to %s ends its request',
    async (name, verb) => {
      const began = Promise.withResolvers<AbortSignal | undefined | null>();
      const client = createClient({
        baseUrl: 'http://x',
        fetch: (_url, init) =>
          new Promise((_resolve, reject) => {
            init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
            began.resolve(init?.signal);
          }),
      });
      const method: unknown = Reflect.get(client, name === 'submit' || name === 'stream' ? OTHER_NAMES[name] : name);
      if (typeof method !== 'function') throw new Error(`There is no method for the verb ${name}.`);
      const [abort, why] = [new AbortController(), new Error('Enough.')];
      const more = MORE[name] ?? (verb.method === 'POST' ? [{}] : []);
      const answer: Promise<unknown> | AsyncGenerator = method.call(client, ADDRESS, ...more, { signal: abort.signal });
      const ended = expect(answer instanceof Promise ? answer : answer.next()).rejects.toBe(why);
      const given = await began.promise;
      abort.abort(why);
      expect(given?.aborted).toBe(true);
      await ended;
    },
  );

  it('[J6] types each answer as the table does', () => {
    expect(ALL_FIT).toBe(true);
  });
});
