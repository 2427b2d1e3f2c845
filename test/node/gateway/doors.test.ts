/** Doors of a Worker: where they lie, and what they answer with. */
import { describe, expect, it } from 'vitest';
import { webConsole } from '../../../src/console';
import { listAgents } from '../../../src/gateway/agents/listed';
import { listOf } from '../../../src/gateway/agents/worker';
import { createWorker } from '../../../src/gateway/create-worker';
import type { AgentDoor, Door, PathDoor } from '../../../src/gateway/doors/door';
import { defineAgent } from '../../../src/index';
import { noModel } from '../../support/no-model';

const door = (at: string, more: Partial<PathDoor> = {}): PathDoor => ({
  name: at,
  at,
  answer: async () => undefined,
  ...more,
});
const behind = (segment: string, more: Partial<AgentDoor> = {}): AgentDoor => ({
  ...{ name: segment, behind: segment, answer: async () => undefined },
  ...more,
});
const clerk = defineAgent({ name: 'doorkeeper', systemPrompt: 'Work.', model: noModel });
const made = (...doors: Door[]) => createWorker({ agents: [clerk], doors });
const exported = { idFromName: () => null };
const exports = { OffshootDirectory: exported, OffshootAgent: exported };
const ask = (doors: Door[], path: string, headers = {}, method = 'GET') =>
  made(...doors).fetch(new Request(`http://localhost${path}`, { headers, method }), {}, { exports });

describe('a door', () => {
  it.each(['', '/', 'x', '/x/', '/:x', '/agents', '/agents/x', '/directory', '/healthz', '/openapi.json', '/threads'])(
    '[OC5] is refused at %j',
    (at) => expect(() => made(door(at))).toThrow(expect.objectContaining({ code: 'invalid_definition' })),
  );

  it('[OC5] is refused where another one is, above it or below it', () => {
    for (const [one, other] of [
      ['/a', '/a'],
      ['/a', '/a/b'],
      ['/a/b', '/a'],
    ] as const)
      expect(() => made(door(one), door(other))).toThrow('other routes are at');
    expect(() => made(door('/a'), door('/ab'), webConsole())).not.toThrow();
    expect(() => createWorker({ agents: [clerk], threadsPath: '/t', doors: [door('/t/x')] })).toThrow(
      'other routes are at',
    );
  });

  it('[OC5] answers below its path alone, and is 404 where it has nothing', async () => {
    const asked: string[] = [];
    const one = door('/a', {
      answer: async (_request, path) => {
        asked.push(path);
        return path === '/no' ? undefined : Response.redirect('http://localhost/elsewhere');
      },
    });
    // The headers of such an answer cannot be set.
    expect((await ask([one], '/a/x')).headers.get('x-content-type-options')).toBe('nosniff');
    expect((await ask([one], '/a')).status).toBe(302);
    const none = await ask([one], '/a/no');
    expect([none.status, await none.json()]).toMatchObject([404, { code: 'not_found' }]);
    expect((await ask([one], '/ab')).status).toBe(404);
    expect(asked).toEqual(['/x', '', '/no']);
  });

  it('[OC5] answers a browser that opens the first page, and no program', async () => {
    const home = async () => new Response('page');
    const open = (accept: string, method?: string) => ask([door('/a'), door('/b', { home })], '/', { accept }, method);
    for (const accept of ['text/html', 'application/xhtml+xml,text/html;q=0.9'])
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
        const type = (await open(accept, method)).headers.get('content-type');
        const opens = method === 'GET' || method === 'HEAD';
        expect([accept, method, type?.startsWith('text/plain') ?? false]).toEqual([accept, method, opens]);
      }
    expect(await (await open('text/html')).text()).toBe('page');
    for (const accept of ['application/json', '*/*', ''])
      expect((await open(accept)).headers.get('content-type')).toContain('json');
  });
});

describe('a door at agents', () => {
  it.each(['', 'sub', 'stream', 'files', 'a/b', '/a', 'A', undefined, 7])('[OC8] is refused at %j', (segment) =>
    expect(() => made(behind(segment as string))).toThrow(expect.objectContaining({ code: 'invalid_definition' })),
  );

  it('[OC8] is refused where another one is', () => {
    expect(() => made(behind('chat'), behind('chat'))).toThrow('other routes are at "chat"');
    expect(() => made(behind('chat'), door('/chat'))).not.toThrow();
    expect(() => made('chat' as never)).toThrow('doors[0] is not a door');
  });

  it('[OC8] answers at its segment behind an address, at any depth, and the API everywhere else', async () => {
    const asked: unknown[] = [];
    const chat = behind('chat', {
      answer: async (_request, address, rest) => {
        asked.push([address, ...rest]);
        return rest[0] === 'no' ? undefined : new Response('yes');
      },
    });
    const at = (path: string) => ask([chat], path);
    expect(await (await at('/agents/planner/a/chat')).text()).toBe('yes');
    expect(await (await at('/agents/planner/a/sub/x/7~1/chat/%2F%C3%A9/stream')).text()).toBe('yes');
    const answers = ['/agents/planner/a/chat/no', '/agents/planner/a/chats', '/agents/Planner/a/chat'].map(at);
    answers.push(at('/agents/planner/a/chat/%E0'));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404, 400, 400]);
    expect(asked).toEqual([
      ['/agents/planner/a'],
      ['/agents/planner/a/sub/x/7~1', '/é', 'stream'],
      ['/agents/planner/a', 'no'],
    ]);
  });
});

describe('what a door asks', () => {
  it('[OC8] is asked of an agent alone: a longer address is refused', async () => {
    const outcomes: unknown[] = [];
    const asking = door('/asks', {
      async answer({ agents }, path) {
        const asked = agents.allow([{ address: path, verb: 'status', input: {} }]);
        outcomes.push(
          await asked.then(
            () => 'allowed',
            ({ code }) => code,
          ),
        );
        return new Response('');
      },
    });
    const agent = '/agents/doorkeeper/a';
    const addresses = [agent, `${agent}/sub/leaf/1~1`];
    const others = addresses.flatMap((address) => ['', 'status', 'status/x', 'x'].map((rest) => `${address}/${rest}`));
    for (const path of [...addresses, ...others]) await ask([asking], `/asks${path}`);
    expect(outcomes).toEqual([...addresses.map(() => 'allowed'), ...others.map(() => 'invalid_address')]);
  });
});

describe('the agents of a program', () => {
  it('[OC1] have one definition and one kind of class each', () => {
    const define = (name: string) => defineAgent({ name, systemPrompt: 'x', model: noModel });
    const [one, other, own] = [define('listed-once'), define('listed-once'), define('listed-own')];
    listAgents(listOf([one]));
    expect(() => listAgents(listOf([one]))).not.toThrow();
    expect(() => listAgents(listOf([other]))).toThrow('"listed-once" is listed by two Workers');
    listAgents(listOf([Object.assign(class {}, { definition: own })]));
    expect(() => listAgents(listOf([own]))).toThrow('"listed-own" is listed by two Workers');
  });
});
