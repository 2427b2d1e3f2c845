/** The Worker under test: agents that do what they are told, and the same routes as any app. */
import type { Connection, WSMessage } from 'agents';
import { z } from 'zod';
import { agui } from '../../src/agui';
import { chat } from '../../src/chat';
import { documentsOf as deskDocumentsOf } from '../../src/desk/documents';
import { Library } from '../../src/desk/library';
import {
  type AgentDefinition,
  createSubAgentTool,
  defineAgent,
  defineTool,
  OffshootError,
  type RootDocuments,
} from '../../src/index';
import { AgentObject, createWorker, OffshootAgent, OffshootDirectory, OffshootRpc } from '../../src/worker';
import { effectsOfCapabilities, toolsOfCapabilities } from '../capabilities';
import { ByBinding, ByHttp } from '../capabilities/remote/worker-parts';
import { Author } from './author';
import { clerk, keeper } from './keeper';
import { byFacet, byObject, far, oneFacet, oneObject } from './placed';
import { begins, pass, puppet } from './puppet';
import { rated } from './rated';
import { scribe } from './scribe';
import { eagerOptions, formOptions, lineOptions } from './starts';

const script = z.object({ steps: z.array(z.unknown()) });
const systemPrompt = 'Do what you are told.';

const note = defineTool({
  name: 'note',
  description: 'Notes a text in the state.',
  inputSchema: z.object({ text: z.string() }),
  replay: 'safe',
  execute: ({ text }, context) => {
    context.updateState(() => ({ noted: text }));
    context.emit(`noting ${text}`);
    return { noted: text };
  },
});

/** Tells so many things at once that readers of the stream are told, too. */
const recite = defineTool({
  name: 'recite',
  description: 'Recites numbers.',
  inputSchema: z.object({ count: z.number().int() }),
  replay: 'safe',
  execute: ({ count }, context) => {
    for (let number = 1; number <= count; number++) context.emitCustom('number', number);
    return { recited: count };
  },
});

/** Reads a file of its agent: what it is, a part of it, and how many bytes and pieces the whole has. */
const inspect = defineTool({
  name: 'inspect',
  description: 'Inspects a file.',
  inputSchema: z.object({ path: z.string(), offset: z.number().optional(), length: z.number().optional() }),
  execute: async ({ path, ...range }, { files }) => {
    const { size, mediaType } = (await files.stat(path)) ?? { size: -1, mediaType: '' };
    const whole = { bytes: 0, sum: 0 };
    for await (const piece of await files.stream(path)) {
      whole.bytes += piece.byteLength;
      for (const byte of piece) whole.sum += byte;
    }
    return { size, mediaType, part: [...(await files.read(path, range))], ...whole };
  },
});

/** Counts its bodies. One with a gate ends when that is open, or when it is aborted. */
const tally = defineTool({
  name: 'tally',
  description: 'Counts how often it runs.',
  inputSchema: z.object({ text: z.string(), gate: z.string().optional() }),
  replay: 'safe',
  execute: async ({ text, gate }, { idempotencyKey, abortSignal }) => {
    begins(`body ${idempotencyKey}`);
    if (gate === undefined) return { counted: text };
    const aborted = new Promise<never>((_, reject) => {
      abortSignal.addEventListener('abort', () => reject(new Error('It was told to stop.')));
    });
    await Promise.race([pass(gate), aborted]);
    return { counted: text };
  },
});
/** The same, once a person agrees. */
const announce = defineTool({
  name: 'announce',
  description: 'Announces a text.',
  inputSchema: z.object({ text: z.string() }),
  requireApproval: true,
  replay: 'safe',
  execute: ({ text }, { idempotencyKey }) => {
    begins(`body ${idempotencyKey}`);
    return { announced: text };
  },
});
/** Runs once a person agrees. */
const publish = defineTool({
  name: 'publish',
  description: 'Publishes a text.',
  inputSchema: z.object({ text: z.string().min(1), copies: z.number().default(1) }),
  requireApproval: true,
  execute: ({ text, copies }, { approval }) => ({ published: text, copies, by: approval?.actor ?? '' }),
});
/** The same, with a moment to agree. */
const publishSoon = defineTool({
  name: 'publish_soon',
  description: 'Publishes a text, if somebody agrees at once.',
  inputSchema: z.object({ text: z.string() }),
  requireApproval: true,
  answerWithinMs: 20,
  execute: ({ text }) => ({ published: text }),
});
/** The same, with a day to agree. */
const publishLater = defineTool({
  name: 'publish_later',
  description: 'Publishes a text, if somebody agrees within a day.',
  inputSchema: z.object({ text: z.string() }),
  requireApproval: true,
  answerWithinMs: 86_400_000,
  execute: ({ text }) => ({ published: text }),
});
const pick = defineTool({
  name: 'pick',
  description: 'A person picks one.',
  inputSchema: z.object({ of: z.array(z.string()) }),
  outputSchema: z.object({ picked: z.string() }),
  execute: 'client',
});
/** The same, with a moment to pick. */
const pickSoon = defineTool({
  name: 'pick_soon',
  description: 'A person picks one at once.',
  inputSchema: z.object({ of: z.array(z.string()) }),
  outputSchema: z.object({ picked: z.string() }),
  execute: 'client',
  answerWithinMs: 20,
});
/** Takes a number as text; what its schema makes of that is none any more. */
const double = defineTool({
  name: 'double',
  description: 'Doubles a number.',
  inputSchema: z.object({ n: z.string().transform(Number) }),
  requireApproval: true,
  execute: ({ n }) => ({ doubled: 2 * n }),
});
/** Its schema takes its time: a text that begins with `gate ` is checked once that gate is open. */
const vetted = defineTool({
  name: 'vetted',
  description: 'Publishes a text that is looked at closely.',
  inputSchema: z.object({
    text: z.string().refine(async (text) => {
      if (text.startsWith('gate ')) await pass(text);
      return true;
    }),
  }),
  requireApproval: true,
  execute: ({ text }) => ({ published: text }),
});
const asking = [vetted, double, publish, publishSoon, publishLater, pick, pickSoon];

/** So that no number of crashes changes what a tree ends in. */
const limits = { maxToolReplays: 100 };

const leaf = defineAgent({
  name: 'leaf',
  systemPrompt,
  model: puppet,
  tools: [note, recite, tally, announce, inspect, ...toolsOfCapabilities, ...asking],
  effects: effectsOfCapabilities,
  limits,
  root: false,
});
const middle = defineAgent({
  name: 'middle',
  systemPrompt,
  model: puppet,
  limits,
  tools: [
    note,
    ...asking,
    createSubAgentTool(leaf, script),
    createSubAgentTool(leaf, script, { name: 'heir', inheritWorkspace: true }),
  ],
  persistentAgents: [{ agent: leaf }],
});
/** What `forgottenDocuments` counts, by address. */
const forgotten = new Map<string, number>();

/** How often the documents of the root at an address were forgotten. */
export function forgottenDocuments(address: string): number {
  return forgotten.get(address) ?? 0;
}

/** Documents of an author: each root has `a.md` of its own, and may share it. */
function documentsOf(_env: unknown, address: string): RootDocuments {
  const own = { name: 'a.md', title: 'A', origin: 'own', bytes: 1 } as const;
  const must = (name: string): void => {
    if (!name.endsWith('a.md')) throw new OffshootError('not_found', `There is no document "${name}".`);
  };
  return {
    list: async () => [own],
    remove: async (name) => must(name),
    share: async (name) => {
      must(name);
      return { ...own, name: 'shared/a.md', origin: 'shared' };
    },
    unshare: async (name) => must(name),
    forget: async () => {
      forgotten.set(address, forgottenDocuments(address) + 1);
    },
  };
}

/** How often the library of a root has refused to forget, by the root's address; one that is not in here obeys. */
export const refusals = new Map<string, number>();

/** The documents of the desk, in its real library, which may refuse to forget. */
function libraryDocumentsOf(env: unknown, address: string): RootDocuments {
  const real = deskDocumentsOf(env, address);
  return {
    ...real,
    async forget() {
      const refused = refusals.get(address);
      if (refused !== undefined) {
        refusals.set(address, refused + 1);
        throw new Error('The library is away.');
      }
      await real.forget();
    },
  };
}

const top = defineAgent({
  name: 'top',
  description: 'The top of most trees.',
  systemPrompt,
  model: puppet,
  limits,
  effects: effectsOfCapabilities,
  tools: [
    note,
    inspect,
    ...toolsOfCapabilities,
    ...asking,
    createSubAgentTool(middle, script),
    createSubAgentTool(leaf, script),
    createSubAgentTool(leaf, script, { name: 'careful', onFailure: 'wait' }),
    createSubAgentTool(middle, script, { name: 'heir', inheritWorkspace: true }),
  ],
  workspace: true,
  documents: documentsOf,
});
/** Calls itself, and leaves in objects of their own; it keeps companions there, and in facets such as itself. */
const nest: AgentDefinition = defineAgent({
  name: 'nest',
  systemPrompt,
  model: puppet,
  tools: [
    ...asking,
    createSubAgentTool(() => nest, script, { name: 'nest' }),
    createSubAgentTool(() => nest, script, { name: 'alone', placement: 'object' }),
    createSubAgentTool(leaf, script, { name: 'apart', placement: 'object' }),
  ],
  persistentAgents: [{ agent: leaf, placement: 'object' }, { agent: () => nest }],
});
/** The same in the class that agents share, with files, and a child with a class of its own. */
const kin: AgentDefinition = defineAgent({
  name: 'kin',
  systemPrompt,
  model: puppet,
  workspace: true,
  tools: [
    note,
    ...asking,
    createSubAgentTool(() => kin, script, { name: 'kin' }),
    createSubAgentTool(() => kin, script, { name: 'alone', placement: 'object' }),
    createSubAgentTool(() => twin, script, { name: 'twin' }),
    createSubAgentTool(leaf, script, { name: 'apart', placement: 'object' }),
    createSubAgentTool(leaf, script, { name: 'leaf' }),
  ],
  persistentAgents: [{ agent: () => kin }, { agent: () => twin, placement: 'object' }],
});
/** Shares its class with `kin`. */
const twin = defineAgent({ name: 'twin', systemPrompt, model: puppet, tools: [note, ...asking] });
/** Has a class of its own, and a child that shares one. */
const host = defineAgent({ name: 'host', systemPrompt, model: puppet, tools: [createSubAgentTool(twin, script)] });
/** Keeps little: two runs, or 60 KB of log; at most two sub-agents work at once. It keeps companions. */
const tiny = defineAgent({
  name: 'tiny',
  systemPrompt,
  model: puppet,
  tools: [
    note,
    createSubAgentTool(leaf, script),
    createSubAgentTool(leaf, script, { name: 'brief', timeoutMs: 1_000 }),
  ],
  persistentAgents: [{ agent: leaf }, { agent: middle }],
  limits: { keepRuns: 2, keepLogBytes: 60_000, maxConcurrentChildren: 2 },
});
/** Files go with what it tells its companions, and with their ends. */
const bearer = defineAgent({ name: 'bearer', systemPrompt, model: puppet, workspace: true });
const courier = defineAgent({
  name: 'courier',
  systemPrompt,
  model: puppet,
  workspace: true,
  persistentAgents: [{ agent: bearer, returnsFiles: true, mayRead: true }],
});
const form = defineAgent({ ...formOptions, documents: libraryDocumentsOf });
const line = defineAgent({ ...lineOptions, tools: [note, ...asking] });
const eager = defineAgent({ ...eagerOptions, tools: [note, ...asking] });

/** The gates at which callbacks of authors hang. */
export const hanging = new Set<string>();

const made = new Map<string, number>();

/** How many objects of a class have been made in memory so far, facets among them; or how often one root was, by its id. */
export function lives(what: 'Top' | 'Middle' | 'Leaf' | DurableObjectId): number {
  return made.get(String(what)) ?? 0;
}

function isMade(className: string, id?: DurableObjectId): void {
  for (const what of id === undefined ? [className] : [className, String(id)])
    made.set(what, (made.get(what) ?? 0) + 1);
}

export class Leaf extends AgentObject.of(leaf) {
  constructor(ctx: DurableObjectState, env: Env) {
    isMade('Leaf');
    super(ctx, env);
  }

  /** An author's own frames. */
  override onMessage(connection: Connection, message: WSMessage): void {
    if (typeof message === 'string') connection.send(`leaf heard ${message}`);
  }
}
export class Middle extends AgentObject.of(middle) {
  constructor(ctx: DurableObjectState, env: Env) {
    isMade('Middle');
    super(ctx, env);
  }

  override onMessage(connection: Connection, message: WSMessage): void {
    if (typeof message === 'string') connection.send(`middle heard ${message}`);
  }
}
/** The tables that an object found in its storage when it was made last, by the object's id. */
export const tablesFound = new Map<string, number>();

export class Top extends AgentObject.of(top) {
  constructor(ctx: DurableObjectState, env: Env) {
    isMade('Top', ctx.id);
    tablesFound.set(ctx.id.toString(), ctx.storage.sql.exec('SELECT name FROM sqlite_master').toArray().length);
    super(ctx, env);
  }

  /** What begins with `at`, a gate and a blank waits at that gate. */
  override async onMessage(connection: Connection, message: WSMessage): Promise<void> {
    if (typeof message !== 'string') return;
    const [, gate] = /^at (\S+) /.exec(message) ?? [];
    if (gate !== undefined) await pass(gate);
    if (connection.readyState === WebSocket.OPEN) connection.send(`top heard ${message.slice(0, 1_000)}`);
  }
}
/** What the hooks of `Nest` were asked in a tree, by the name of its root; and which sub-agents they refuse. */
export const hooked = {
  asked: new Map<
    string,
    { by: string; child: { className: string; name: string }; method: string; mark: string | null }[]
  >(),
  refused: new Set<string>(),
};
export class Nest extends AgentObject.of(nest) {
  /** Makes a facet below the agent that these names lead to. */
  async makes([next, ...names]: readonly string[], name: string): Promise<void> {
    if (next === undefined) await this.subAgent(Leaf, name);
    else await (await this.subAgent(Nest, next)).makes(names, name);
  }

  /** Refuses whom a test names, and marks the requests for the others. */
  override async onBeforeSubAgent(
    request: Request,
    child: { className: string; name: string },
  ): Promise<Request | Response | undefined> {
    const refused = await super.onBeforeSubAgent(request, child);
    if (refused) return refused;
    const { pathname } = new URL(request.url);
    const root = pathname.split('/')[3] ?? '';
    const mark = request.headers.get('x-mark');
    hooked.asked.get(root)?.push({ by: this.name, child, method: request.method, mark });
    if (hooked.refused.has(`${root} ${child.className} ${child.name}`))
      return new Response(`No way from ${this.name}.`, { status: 402, headers: { 'x-by': this.name } });
    const headers = new Headers(request.headers);
    headers.set('x-mark', `${mark ?? ''}${this.name};`);
    return new Request(request, { headers });
  }

  override onMessage(connection: Connection, message: WSMessage): void {
    if (typeof message === 'string') connection.send(`${this.selfPath.length} heard ${message}`);
  }
}
export class Tiny extends AgentObject.of(tiny) {
  /** A callback of the author's that takes until a gate opens. */
  async hangs(gate: string): Promise<void> {
    hanging.add(gate);
    await pass(gate);
    hanging.delete(gate);
  }
}
export class Courier extends AgentObject.of(courier) {}
export class Bearer extends AgentObject.of(bearer) {}
/** Its author lets sockets change the SDK's state. */
export class Form extends AgentObject.of(form) {
  override shouldConnectionBeReadonly(): boolean {
    return false;
  }
}
export class Line extends AgentObject.of(line) {}
export class Eager extends AgentObject.of(eager) {}
export class Keeper extends AgentObject.of(keeper) {}
export class Clerk extends AgentObject.of(clerk) {}
export class Host extends AgentObject.of(host) {}
export class ByFacet extends AgentObject.of(byFacet) {}
export class ByObject extends AgentObject.of(byObject) {}
export class Rated extends AgentObject.of(rated) {}

export { ByBinding, ByHttp } from '../capabilities/remote/worker-parts';
export { Author, Library, OffshootAgent, OffshootDirectory, OffshootRpc };

export default createWorker({
  agents: [
    ...[Top, Middle, Leaf, Nest, Tiny, Courier, Bearer, Form, Line, Eager, Keeper, Clerk],
    ...[ByFacet, ByObject, ByBinding, ByHttp, Rated, Host],
    // In the class that agents share.
    ...[kin, twin, far, oneFacet, oneObject, scribe],
  ],
  doors: [chat(), agui({ clientTools: ['pick'] })],
});
