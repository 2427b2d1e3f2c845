/** The rights of every verb at every door: what is asked, where, and that nothing is reached without it. */
import { describe, expect, it } from 'vitest';
import type { AccessQuestion, Authorize } from '../../../src/access/authorize';
import { addAuthorizer } from '../../../src/access/authorizers';
import { agui } from '../../../src/agui';
import { chat } from '../../../src/chat';
import type { ObjectRuntime } from '../../../src/engine/object/object';
import type { VerbCall } from '../../../src/engine/object/object-calls';
import type { HeldSocket, SocketDeps } from '../../../src/engine/object/object-sockets';
import { createWorker } from '../../../src/gateway/create-worker';
import type { AgentDoor, DoorAsk } from '../../../src/gateway/doors/door';
import { defineAgent } from '../../../src/index';
import { failure, OffshootError } from '../../../src/protocol/errors';
import { isObject, type Json, type JsonObject } from '../../../src/protocol/json';
import { ACTIONS, type Action } from '../../../src/protocol/shown/actions';
import { TreeSockets } from '../../../src/sockets/tree-sockets';
import { VERB, VERBS, verbNamed } from '../../../src/verbs/table';
import { refusedByToken } from '../../../src/verbs/token-use';
import type { Verb } from '../../../src/verbs/verb';
import type { VerbName } from '../../../src/verbs/verb-types';
import { noModel } from '../../support/no-model';

const HOST = 'https://example.com';
const ROOT = '/agents/rights-top/one';
const BELOW = `${ROOT}/sub/rights-leaf/a`;

/** A right, at the address that is asked or at another one. */
type Right = Action | readonly [Action, string];

/** An input of a verb, and every right that it needs, in the order of asking. */
interface Row {
  readonly input?: JsonObject;
  readonly at?: string;
  readonly needs: readonly [Right, ...Right[]];
}

const reads: readonly Row[] = [{ needs: ['read'] }];
const stops: readonly Row[] = [{ needs: ['stop'] }, { at: BELOW, needs: ['stop'] }];
const resumes: readonly Row[] = [{ needs: ['write'] }, { at: BELOW, needs: ['write'] }];

/** Written by hand: whoever changes what a verb asks for changes it here too. */
const RIGHTS: Record<VerbName, readonly Row[]> = {
  start: [{ input: { message: 'Go' }, needs: ['write'] }],
  send: [{ input: { content: 'Go' }, needs: ['write'] }],
  interrupt: stops,
  abort: stops,
  terminate: stops,
  resume: resumes,
  retry: resumes,
  fork: [
    { input: { name: 'copy' }, needs: ['read', ['write', '/agents/rights-top/copy']] },
    {
      at: BELOW,
      input: { name: 'b', message: 'Go' },
      needs: ['read', ['write', `${ROOT}/sub/rights-leaf/b`]],
    },
  ],
  pending: reads,
  submit: [
    { input: { kind: 'client-tool-result', toolCallId: 'c_1', result: 1 }, needs: ['answer'] },
    {
      input: { kind: 'approval-response', toolCallId: 'c_1', approved: true, inputHash: '0'.repeat(64) },
      needs: ['answer'],
    },
  ],
  status: reads,
  tree: reads,
  runs: reads,
  calls: reads,
  logs: reads,
  state: reads,
  limits: reads,
  audit: reads,
  checkpoints: reads,
  messages: reads,
  cancelMessage: [{ input: { path: 'm_1' }, needs: ['write'] }],
  chunks: reads,
  stream: reads,
  variables: [{ input: { path: 'v_1' }, needs: ['read'] }],
  giveVariables: [{ input: { path: 'v_1', env: { KEY: 'x' } }, needs: ['write'] }],
  children: reads,
  usage: reads,
  schedules: reads,
  files: reads,
  readFile: [{ input: { path: 'a.md' }, needs: ['read'] }],
  writeFile: [{ input: { path: 'a.md', size: 1 }, needs: ['write'] }],
  removeFile: [{ input: { path: 'a.md' }, needs: ['write'] }],
  documents: reads,
  removeDocument: [{ input: { path: 'a.md' }, needs: ['write'] }],
  shareDocument: [{ input: { document: 'a.md' }, needs: ['share'] }],
  unshareDocument: [{ input: { path: 'a.md' }, needs: ['share'] }],
  createToken: [
    ...ACTIONS.map((action): Row => ({ input: { actions: [action], ttlSeconds: 60 }, needs: ['share', action] })),
    { at: BELOW, input: { actions: ['read', 'stop'], ttlSeconds: 60 }, needs: ['share', 'read', 'stop'] },
    { input: { actions: ['read', 'answer'], ttlSeconds: 60, toolCallId: 'c_1' }, needs: ['share', 'read', 'answer'] },
  ],
  tokens: [{ needs: ['share'] }],
  revokeToken: [{ input: { path: 't_1' }, needs: ['share'] }],
  createTicket: [
    { needs: ['read'] },
    ...ACTIONS.map((action): Row => ({ input: { actions: [action] }, needs: ['read', action] })),
    { at: BELOW, input: { actions: ['write', 'stop'] }, needs: ['read', 'write', 'stop'] },
  ],
  remove: [{ needs: ['admin'] }, { at: BELOW, needs: ['admin'] }],
};

interface Case {
  readonly title: string;
  readonly verb: Verb;
  readonly address: string;
  readonly input: JsonObject;
  readonly needs: readonly AccessQuestion[];
}

const CASES: readonly Case[] = VERBS.flatMap((verb) =>
  (RIGHTS[verb.name] ?? []).map(({ input = {}, at: address = ROOT, needs }) => ({
    ...{ verb, address, input },
    title: `${verb.name} ${JSON.stringify(input)} at ${address}`,
    needs: needs.map((right) =>
      typeof right === 'string' ? { address, action: right } : { action: right[0], address: right[1] },
    ),
  })),
);

/** The rights of the caller, and what the authorizer was asked; there is one for all Workers of this file. */
let granted: (question: AccessQuestion) => boolean = () => false;
let questions: AccessQuestion[] = [];
const authorize: Authorize = (_request, question) => {
  questions.push(question);
  return granted(question) ? { subject: 'eve' } : { refused: 'forbidden' };
};
const same = (one: AccessQuestion, other: AccessQuestion): boolean =>
  one.address === other.address && one.action === other.action;

/** The calls that reached a root, and its answers. */
let reached: VerbCall[] = [];
let answers: (call: VerbCall) => Json | undefined = () => undefined;
const root = {
  offshoot: async (call: VerbCall) => {
    reached.push(call);
    const body = answers(call);
    return body === undefined ? { ok: false, error: failure('not_found') } : { ok: true, body };
  },
};
const exported = { idFromName: () => null, getByName: () => root };

/** A door that asks what the body of a request says. */
const plain: AgentDoor = {
  name: 'plain',
  behind: 'plain',
  async answer({ agents, json }, address) {
    const asks = ((await json()) as unknown as Omit<DoorAsk, 'address'>[]).map((ask) => ({ address, ...ask }));
    for (const allowed of await agents.allow(asks)) await allowed.ask();
    return new Response(null, { status: 204 });
  },
};
const top = defineAgent({ name: 'rights-top', systemPrompt: 'Work.', model: noModel });
const worker = createWorker({ agents: [top], authorize, doors: [plain, chat(), agui()] });
const fetched = (path: string, init?: RequestInit): Promise<Response> =>
  worker.fetch(
    new Request(`${HOST}${path}`, init),
    {},
    { exports: { OffshootAgent: exported, OffshootDirectory: exported } },
  );
const posted = (path: string, body: Json): Promise<Response> =>
  fetched(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

/** Whether a way of asking was refused for want of a right. */
type Ask = (one: Case) => Promise<boolean>;

function overHttp({ verb, address, input }: Case): Promise<Response> {
  const { path: segment = '', size, ...rest } = input;
  const path = `${address}${verb.path === '' ? '' : `/${verb.path.replace('{path}', String(segment))}`}`;
  if (verb.method === 'POST') return posted(path, rest);
  if (verb.method === 'PUT')
    return fetched(path, { method: 'PUT', body: 'x', headers: { 'content-length': String(size) } });
  return fetched(path, { method: verb.method });
}

const http: Ask = async (one) => {
  const response = await overHttp(one);
  await response.body?.cancel();
  return response.status === 403;
};

const door: Ask = async ({ address, verb, input }) =>
  (await posted(`${address}/plain`, [{ verb: verb.name, input }])).status === 403;

/** An object that notes that it was reached: whoever looks at anything in it has a right. */
function watchedObject(): ObjectRuntime {
  const environment = { now: () => 0, report: (text: string, error: unknown) => expect.fail(`${text} ${error}`) };
  return new Proxy({ environment, tree: undefined } as unknown as ObjectRuntime, {
    get: (object, name) => {
      if (name in object) return Reflect.get(object, name);
      reached.push({ kind: 'verb', path: [], verb: String(name), input: {} });
      throw new OffshootError('not_found');
    },
  });
}

const authorizer = addAuthorizer(authorize);

const socket: Ask = async ({ address, verb, input }) => {
  const object = watchedObject();
  const uri = `${HOST}${address}?offshoot=${encodeURIComponent(JSON.stringify({ address }))}`;
  const sent: JsonObject[] = [];
  const held = { id: 's', uri, send: (text: string) => sent.push(JSON.parse(text)), close: () => undefined };
  const opening = { authorizer, url: `${HOST}${address}`, headers: [], holder: 'eve' };
  const deps = {
    ...{ object: () => object, isLeaving: () => false, sockets: () => [], env: () => ({}) },
    ...{ position: () => undefined, setPosition: () => undefined, direct: () => undefined },
    openings: () => ({ get: () => opening, put: () => undefined, delete: () => undefined, list: () => [] }),
  } satisfies SocketDeps;
  const frame = { type: 'offshoot.call', id: 1, verb: verb.name, body: input };
  await new TreeSockets(deps).take(held as unknown as HeldSocket, JSON.stringify(frame));
  const [{ body } = {}] = sent;
  const code = isObject(body) ? body.code : undefined;
  // Some verbs see at once that no tree is there.
  if (code === 'not_found' && reached.length === 0) reached.push({ kind: 'verb', path: [], verb: verb.name, input });
  return code === 'forbidden';
};

/** Asks with some rights; gives whether it was refused, and what was asked and reached. */
async function tried(ask: Ask, one: Case, may: (question: AccessQuestion) => boolean) {
  granted = may;
  questions = [];
  reached = [];
  const refused = await ask(one);
  return { refused, reached: reached.length, questions };
}

const DOORS = [
  ['HTTP', http, CASES],
  ['a door', door, CASES],
  ['a socket', socket, CASES.filter(({ verb }) => verb.bytes === undefined)],
] as const;

describe('the right of each verb', () => {
  it('[X31] is written here, that of the table first', () => {
    const first = VERBS.map(({ name }) => [name, new Set(RIGHTS[name]?.map(({ needs: [right] }) => right))]);
    expect(first).toEqual(VERBS.map(({ name, action }) => [name, new Set([action])]));
    expect(Object.keys(RIGHTS).sort()).toEqual(Object.keys(VERB).sort());
    // What follows from an input is tried with inputs that make a difference.
    for (const { name, also } of VERBS)
      expect([name, RIGHTS[name]?.some(({ needs }) => needs.length > 1)]).toEqual([name, also !== undefined]);
  });

  it.each(DOORS)('[X31, W10, OC8, TK6] at %s is all that is asked for, and enough', async (_door, ask, cases) => {
    for (const one of cases) {
      const outcome = await tried(ask, one, (question) => one.needs.some((right) => same(right, question)));
      expect(outcome, one.title).toEqual({ refused: false, reached: 1, questions: one.needs });
    }
  });

  it.each(DOORS)('[X31, W10, OC8, TK6] at %s is needed, whatever else is granted', async (_door, ask, cases) => {
    for (const one of cases)
      for (const right of one.needs) {
        const outcome = await tried(ask, one, (question) => !same(right, question));
        expect(outcome, `${one.title} without ${right.action} at ${right.address}`).toMatchObject({
          ...{ refused: true, reached: 0 },
        });
      }
  });

  it('[W10] of a verb with bytes is not asked for over a socket, which refuses it', async () => {
    for (const one of CASES.filter(({ verb }) => verb.bytes !== undefined))
      expect(await tried(socket, one, () => true), one.title).toEqual({ refused: false, reached: 0, questions: [] });
  });

  it('[X31] is that of GET for HEAD, and to read for what no verb answers', async () => {
    granted = ({ action }) => action !== 'read';
    reached = [];
    for (const { verb, address, input } of CASES.filter((one) => one.verb.method === 'GET')) {
      const path = `${address}/${verb.path.replace('{path}', String(input.path))}`;
      const { status } = await fetched(path, { method: 'HEAD' });
      expect([path, status]).toEqual([path, verb.action === 'read' ? 403 : 404]);
    }
    for (const [path, method] of [
      ['/nothing', 'GET'],
      ['/nothing', 'DELETE'],
      ['/start', 'DELETE'],
      ['/start', 'OPTIONS'],
    ])
      expect([path, method, (await fetched(`${ROOT}${path}`, { method: method ?? '' })).status]).toEqual([
        path,
        method,
        403,
      ]);
    expect(reached.map(({ verb }) => verbNamed(verb)?.action)).toEqual(['share']);
  });

  it('[OC8] at a door is asked for all that a request asks, before any of it is done', async () => {
    for (const missing of ['read', 'write', 'stop'] as const) {
      granted = ({ action }) => action !== missing;
      reached = [];
      const asks = [{ verb: 'send', input: { content: 'Go' } }, { verb: 'status' }, { verb: 'abort' }];
      expect((await posted(`${ROOT}/plain`, asks)).status).toBe(403);
      expect(reached).toEqual([]);
    }
  });

  it('[TK5] with a token for one call is to show the calls that wait, and to answer that one', () => {
    const known = { id: 't_1', endsAt: 1 };
    const object = { isRoot: true, tree: { deps: { store: { token: () => known } } } } as unknown as ObjectRuntime;
    const token = { id: 't_1', endsAt: 1, call: 'c_1' };
    const allowed = (verb: string, input: Json) =>
      refusedByToken(object, { kind: 'verb', path: [], verb, input, token }) === undefined;
    const inputs: JsonObject[] = [{}, { toolCallId: 'c_1' }, { toolCallId: 'c_2' }];
    const found = VERBS.flatMap(({ name }) =>
      inputs.filter((input) => allowed(name, input)).map(({ toolCallId = '' }) => `${name} ${toolCallId}`),
    );
    expect(found).toEqual(['pending ', 'pending c_1', 'pending c_2', 'submit c_1']);
  });
});

const HASH = 'a'.repeat(64);
const waiting = (toolCallId: string, kind: string) => ({
  ...{ toolCallId, toolName: 'x', kind, input: {}, inputHash: HASH, address: ROOT, agentType: 'rights-top' },
});
/** Answers of an agent that waits for an approval and for the result of a tool. */
const WAITS: Readonly<Record<string, Json>> = {
  status: { sessionId: 's_1', status: 'suspended_approval', childCounts: { running: 0, queued: 0 }, lastSequence: 9 },
  pending: { items: [waiting('c_1', 'approval'), waiting('c_2', 'client-tool')] },
  messages: { items: [], asOfSequence: 9 },
  send: { messageId: 'm_1', delivery: 'started' },
  submit: { status: 'running' },
  interrupt: { status: 'running' },
};

const said = { id: 'u_1', role: 'user', parts: [{ type: 'text', text: 'Go' }] };
const approval = { id: 'c_1', approved: true, descriptor: { inputHash: HASH } };
const asksFor = { type: 'tool-x', toolCallId: 'c_1', state: 'approval-responded', approval };
const answered = { id: 's_1.1', role: 'assistant', parts: [asksFor] };
const chatBody = (...messages: Json[]): Json => ({ id: 'one', trigger: 'submit-message', messages });
const aguiBody = (more: JsonObject): Json => ({ threadId: 'one', runId: 'r', messages: [], ...more });
const words = [{ id: 'u_1', role: 'user', content: 'Go' }];
const resume = [{ interruptId: `c_1.${HASH}`, status: 'resolved', payload: { approved: true } }];

/** Requests at doors for agents: the rights that each needs, and what it changes. */
const AT_DOORS: readonly [string, () => Promise<Response>, readonly Action[], readonly VerbName[]][] = [
  ['the messages of a chat', () => fetched(`${ROOT}/chat`), ['read'], []],
  ['the stream of a chat', () => fetched(`${ROOT}/chat/one/stream`), ['read'], []],
  ['a message', () => posted(`${ROOT}/chat`, chatBody(said)), ['read', 'write'], ['send']],
  ['an answer', () => posted(`${ROOT}/chat`, chatBody(answered)), ['read', 'answer'], ['submit']],
  [
    'an answer with a message',
    () => posted(`${ROOT}/chat`, chatBody(answered, said)),
    ['read', 'answer', 'write'],
    ['submit', 'send'],
  ],
  ['a run', () => posted('/agui/rights-top', aguiBody({})), ['read'], []],
  [
    'a run with a message',
    () => posted('/agui/rights-top', aguiBody({ messages: words })),
    ['read', 'write'],
    ['send'],
  ],
  ['a run with an answer', () => posted('/agui/rights-top', aguiBody({ resume })), ['read', 'answer'], ['submit']],
  [
    'a run with both',
    () => posted('/agui/rights-top', aguiBody({ resume, messages: words })),
    ['read', 'answer', 'write'],
    ['submit', 'send'],
  ],
  ['a stop', () => posted('/agui/rights-top/stop', { threadId: 'one' }), ['stop'], ['interrupt']],
];

describe('the rights of a request at a door', () => {
  it.each(AT_DOORS)(
    '[OC8, CH8, AU1] %s: each of them is needed, before anything changes',
    async (_what, ask, needs, changes) => {
      answers = ({ verb }) => WAITS[verb];
      const changed = () =>
        reached.filter(({ verb, isTrial }) => verbNamed(verb)?.method !== 'GET' && !isTrial).map(({ verb }) => verb);
      for (const missing of ACTIONS) {
        granted = ({ action }) => action !== missing;
        reached = [];
        const response = await ask();
        await response.body?.cancel();
        const isNeeded = needs.includes(missing);
        expect([missing, response.status === 403]).toEqual([missing, isNeeded]);
        expect(changed()).toEqual(isNeeded ? [] : changes);
      }
      answers = () => undefined;
    },
  );
});
