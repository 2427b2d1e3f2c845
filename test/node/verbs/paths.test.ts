/** Which requests are the Worker's, what their paths and queries mean, and how links and places in a stream are written. */
import { describe, expect, it } from 'vitest';
import { createWorker } from '../../../src/gateway/create-worker';
import { queryInput } from '../../../src/gateway/request-body';
import { rawPath, routeOf } from '../../../src/gateway/route';
import { isThreadOf, ownPathOf } from '../../../src/gateway/threads-route';
import { defineAgent } from '../../../src/index';
import { OffshootError } from '../../../src/protocol/errors';
import { WIRE_LIMITS } from '../../../src/protocol/wire/wire-limits';
import { checkMetadata } from '../../../src/verbs/metadata';
import { afterEvent, pauseIn } from '../../../src/verbs/reads/event-stream';
import { withBase } from '../../../src/verbs/reads/links';
import { VERB, VERBS } from '../../../src/verbs/table';
import { noModel } from '../../support/no-model';

/** The result of a call, or the code of its refusal. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (error instanceof OffshootError) return error.failure.code;
    throw error;
  }
}

describe('a request', () => {
  const agents = [defineAgent({ name: 'paths-top', systemPrompt: 'Work.', model: noModel })];
  const door = { name: 'd', at: '/door', answer: async () => undefined };
  const exported = { idFromName: () => null, getByName: () => ({}) };
  const context = { exports: { OffshootAgent: exported, OffshootDirectory: exported } };

  it('[A79] is ours at a fixed route, at agents and threads of its classes, and at its doors, below its base path alone', () => {
    for (const basePath of ['', '/v1']) {
      const worker = createWorker({ agents, doors: [door], threadsPath: '/t', basePath });
      const isOurs = (path: string) => worker.route(new Request(`https://a.test${path}`), {}, context) !== undefined;
      const ours = [
        ...[
          '/',
          '/healthz',
          '/openapi.json',
          '/directory/agents',
          '/directory/roots',
          '/directory/me',
          '/door',
          '/door/x',
        ],
        ...[
          '/agents/paths-top',
          '/agents/paths-top/one',
          '/agents/paths-top/one/start?x=1',
          '/t/paths-top/one/variables/v',
        ],
        ...['/t/paths-top%2Fone/variables/v', '/t/paths-top%2fone', '/openapi.json?x'],
      ];
      const others = [
        ...[
          '/directory',
          '/directory/other',
          '/doors',
          '/agents',
          '/agents/',
          '/agents/other/one',
          '/agents/paths-topper/one',
        ],
        ...[
          '/t',
          '/t/',
          '/t/other/one',
          '/tt/paths-top/one',
          '/threads/paths-top/one',
          '/x',
          '/x/agents/paths-top/one',
        ],
      ];
      for (const path of ours) expect([basePath, path, isOurs(`${basePath}${path}`)]).toEqual([basePath, path, true]);
      for (const path of others)
        expect([basePath, path, isOurs(`${basePath}${path}`)]).toEqual([basePath, path, false]);
      if (basePath === '') continue;
      for (const path of [...ours, '/v', '/v11/healthz']) expect([path, isOurs(path)]).toEqual([path, false]);
      expect(isOurs('/v1')).toBe(true);
    }
  });

  it('[A24] is for each verb at its path, and at no path that is longer or shorter', () => {
    const at = '/agents/top/one/sub/leaf/1~1';
    for (const verb of VERBS) {
      const path = `${at}${verb.path === '' ? '' : `/${verb.path.replace('{path}', 'a%2Fb%25')}`}`;
      const { verbs, address, path: named } = routeOf(path);
      expect([verb.name, verbs.get(verb.method)?.name, address.address]).toEqual([verb.name, verb.name, at]);
      expect([verb.name, named]).toEqual([verb.name, verb.path.includes('{path}') ? 'a/b%' : undefined]);
      expect([verb.name, routeOf(`${path}/x`).verbs.get(verb.method)?.name === verb.name]).toEqual([verb.name, false]);
    }
    expect(outcome(() => routeOf(`${at}/files/%`))).toBe('invalid_request');
    for (const [url, path] of [
      ['https://a.test', '/'],
      ['https://a.test/', '/'],
      ['https://a.test/a%2Fb?c#d', '/a%2Fb'],
      ['https://a.test/a#d?c', '/a'],
    ] as const)
      expect([url, rawPath(url)]).toEqual([url, path]);
  });

  it('[SAQ3] of a thread is that of its agent', () => {
    for (const [path, own] of [
      ['/top/one/variables/v', '/agents/top/one/variables/v'],
      ['/top%2Fone/variables/v', '/agents/top/one/variables/v'],
      ['/top/one%2fsub/leaf/a/variables/v%2F', '/agents/top/one/sub/leaf/a/variables/v%2F'],
      ['/top/one/variables', 'not_found'],
      ['/top/one/variables/', 'not_found'],
      ['/top/one/status', 'not_found'],
      ['/top/one/x/variables/v', 'not_found'],
      ['/top/variables/v', 'invalid_address'],
      ['/Top/one/variables/v', 'invalid_address'],
    ] as const)
      expect([path, outcome(() => ownPathOf(path))]).toEqual([path, own]);
    expect(isThreadOf('/t/top%2Fone', '/t', (name) => name === 'top')).toBe(true);
    expect(isThreadOf('/tt/top/one', '/t', () => true)).toBe(false);
  });

  it('[A51] has each parameter once', () => {
    const rows: readonly (readonly [query: string, input: unknown])[] = [
      ['', {}],
      ['?', {}],
      ['?a=1&b=', { a: '1', b: '' }],
      ['?a=%26+x#c', { a: '& x' }],
      ['?a=1&a=1', 'invalid_request'],
      ['?a&b&a', 'invalid_request'],
      ['?__proto__=1', 'invalid_request'],
      ['?constructor=1', { constructor: '1' }],
    ];
    for (const [query, input] of rows)
      expect(
        outcome(() => queryInput(`https://a.test/x${query}`)),
        query,
      ).toEqual(input);
  });
});

describe('what an answer refers to', () => {
  it('[A78] has the base path in its links, in those of its verb alone', () => {
    const body = { streamUrl: '/a/stream', address: '/a', other: '/b' };
    for (const verb of VERBS) {
      const links = verb.http?.links ?? [];
      const based = Object.fromEntries(
        Object.entries(body).map(([name, path]) => [name, links.includes(name) ? `/v1${path}` : path]),
      );
      expect([verb.name, withBase(verb, body, '/v1')]).toEqual([verb.name, based]);
      expect([verb.name, withBase(verb, body, '')]).toEqual([verb.name, body]);
      for (const other of ['x', null, [1], { streamUrl: 7 }, {}])
        expect([verb.name, withBase(verb, other, '/v1')]).toEqual([verb.name, other]);
    }
  });

  it('[W1, W38] is an event of a stream: after it comes the next one, and of the last one its reader knows the end', () => {
    for (const [id, place] of [
      ['0', { from: 1, rested: false }],
      ['7', { from: 8, rested: false }],
      ['7:end', { from: 8, rested: true }],
      [`1${'0'.repeat(14)}`, { from: 100_000_000_000_001, rested: false }],
    ] as const)
      expect([id, afterEvent(id)]).toEqual([id, place]);
    for (const id of ['', ':end', 'x', '-1', '01', '1.5', '7:END', '7:end:end', '7 ', `1${'0'.repeat(15)}`])
      expect([id, afterEvent(id)]).toEqual([id, undefined]);
  });

  it('[W39] is the place of a pause, at the very end of a stream alone', () => {
    for (const [text, pause] of [
      [': pause 12\n\n', { from: 12, rested: false }],
      ['data: x\n\n: pause 12 rested\n\n', { from: 12, rested: true }],
      [': pause 12\n\ndata: x\n\n', undefined],
      [': pause 12\n', undefined],
      [': pause x\n\n', undefined],
      ['', undefined],
    ] as const)
      expect([text, pauseIn(text)]).toEqual([text, pause]);
  });
});

describe('metadata', () => {
  it('[A53] has at most 16,384 bytes as JSON', () => {
    const most = WIRE_LIMITS.maxMetadataBytes;
    for (const [metadata, expected] of [
      [undefined, undefined],
      ['x'.repeat(most - 2), undefined],
      ['x'.repeat(most - 1), 'payload_too_large'],
      [{ a: 'x'.repeat(most - 8) }, undefined],
      [{ a: 'x'.repeat(most - 7) }, 'payload_too_large'],
      ['\u4e2d'.repeat((most - 2) / 3), undefined],
      ['\u4e2d'.repeat((most - 2) / 3 + 1), 'payload_too_large'],
    ] as const)
      expect(outcome(() => checkMetadata(metadata))).toBe(expected);
  });
});

describe('the path of a file', () => {
  it('[FS15] is taken by its verbs from one character to so many as a path of bytes may be written with', () => {
    const takes = (input: object) =>
      [VERB.readFile, VERB.removeFile].map((verb) => verb.input.safeParse(input).success);
    for (const [length, isTaken] of [
      [0, false],
      [1, true],
      [2, true],
      [4_096, true],
      [4_097, false],
    ] as const)
      expect([length, ...takes({ path: 'x'.repeat(length) })]).toEqual([length, isTaken, isTaken]);
  });
});
