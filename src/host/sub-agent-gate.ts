/**
 * The question to an author's `onBeforeSubAgent` for calls that the SDK does not route: HTTP, RPC, frames of sockets.
 *
 * Decides: which hooks are asked about a call to a sub-agent, and in which order.
 * Keeps F25, F26.
 *
 * - The root asks for all levels before it answers, since it answers many calls from its record.
 * - A class is known to have the hook once one of its objects was made in this isolate. Else a facet that holds nothing says so.
 */
import type { ObjectRuntime } from '../engine/object/object';
import type {
  AskedRequest,
  HookAnswer,
  SocketAnswer,
  SocketCall,
  VerbAnswer,
  VerbCall,
} from '../engine/object/object-calls';
import { isInOtherObject } from '../engine/object/object-sockets';
import type { Segment } from '../engine/tree-messages';
import { beginningOf } from '../protocol/content/cut';
import { failure } from '../protocol/errors';
import type { FacetLevel } from './sdk-internals';
import { isShared } from './worker-ports';

/** The classes of which an object was made in this isolate, and whether their authors have defined the hook. */
export const HOOKED = new Map<string, boolean>();

/** Requests that this file has made: their sub-agents are in the record of the tree, whatever the SDK lists. */
const OURS = new WeakSet<Request>();

/** An answer longer than this, in characters, is passed on without its body. */
const MAX_BODY = 65_536;
/** A refusal says so many characters of the body. */
const MAX_SAID = 500;

/** Notes whether a class has the hook. */
export function noteHook(className: string, isDefined: boolean): void {
  HOOKED.set(className, isDefined);
}

/** True for a request whose sub-agent was found by the record of the tree. */
export function isOurs(request: Request): boolean {
  return OURS.has(request);
}

type Refusal = Extract<VerbAnswer, { ok: false }>;

/** The class of an agent's objects, unless agents share it: no author has written that one. */
const ownClass = (className: string): string | undefined => (isShared(className) ? undefined : className);

/** The object that asks. */
export interface GateDeps {
  /** The author's hook of this object, where there is one. */
  hook(): ((request: Request, child: FacetLevel) => Promise<Request | Response | void>) | undefined;
  /** This object's name of a sub-agent. */
  nameOf(child: Segment): FacetLevel;
  /** Asks a facet that holds nothing whether its class has the hook. */
  learn(className: string): Promise<boolean>;
  /** True for an agent below that the tree has. */
  isThere(path: readonly Segment[]): boolean;
  /** Sends a call down the tree. */
  down(call: VerbCall): Promise<VerbAnswer>;
  started(): Promise<void>;
  report(error: unknown): void;
}

/** Asks the hooks on the way to a sub-agent. */
export class SubAgentGate {
  constructor(readonly deps: GateDeps) {}

  /** The answer to a call at this object. */
  async verb(object: ObjectRuntime, call: VerbCall, answer: () => Promise<VerbAnswer>): Promise<VerbAnswer> {
    const { gate, asked } = call;
    if (gate && asked) {
      if (call.path.length > 0) return object.down(call);
      const said = await this.own(gate, asked);
      return said.ok ? { ...said, body: {} } : said;
    }
    const asking = object.isRoot ? this.refusal(call) : undefined;
    return (asking && (await asking)) ?? answer();
  }

  /** The answer to who would open a socket. Sockets that the SDK leads to a facet are asked about by the SDK itself. */
  async socket(object: ObjectRuntime, { path, opening }: SocketCall, admit: () => SocketAnswer): Promise<SocketAnswer> {
    const found = path.length === 0 ? undefined : object.tree?.tree.byAddress(below(object, path));
    if (!object.tree || !found || !isInOtherObject(object.tree, found)) return admit();
    const refused = await this.refusal({ path, asked: { ...opening, method: 'GET' } });
    return refused ? { ok: false, error: refused.error } : admit();
  }

  /** The refusal of a call, if a hook refuses it; nothing at once where no hook is on the way. */
  refusal({ path, asked }: Pick<VerbCall, 'path' | 'asked'>): Promise<Refusal | undefined> | undefined {
    if (asked === undefined || path.length === 0) return undefined;
    const above = path.slice(0, -1).map(({ className }) => ownClass(className));
    const isFree = above.every((name) => name === undefined || HOOKED.get(name) === false);
    return isFree && this.deps.hook() === undefined ? undefined : this.#ask(path, asked);
  }

  async #ask(path: readonly Segment[], asked: AskedRequest): Promise<Refusal | undefined> {
    let request = asked;
    for (const [at, child] of path.entries()) {
      // A call to an agent that is not there is refused by the tree: no hook knows of it.
      if (at > 0 && !this.deps.isThere(path.slice(0, at))) return undefined;
      const answer = at === 0 ? await this.own(child, request) : await this.#below(path.slice(0, at), child, request);
      if (!answer.ok) return answer;
      request = answer.request ?? request;
    }
    return undefined;
  }

  async #below(path: readonly Segment[], child: Segment, asked: AskedRequest): Promise<HookAnswer | Refusal> {
    const name = ownClass(path.at(-1)?.className ?? '');
    if (name === undefined) return { ok: true };
    const isHooked = HOOKED.get(name) ?? (await this.deps.learn(name));
    if (!isHooked) return { ok: true };
    const answer = await this.deps.down({ kind: 'verb', path, verb: 'status', input: {}, asked, gate: child });
    return answer.ok ? { ok: true, ...(answer.request ? { request: answer.request } : {}) } : answer;
  }

  /** The answer of this object's hook about a sub-agent of it. */
  async own(child: Segment, asked: AskedRequest): Promise<HookAnswer | Refusal> {
    const hook = this.deps.hook();
    if (hook === undefined) return { ok: true };
    try {
      await this.deps.started();
      const { url, method, headers } = asked;
      const request = new Request(url, { method, headers: headers.map(([name, value]) => [name, value]) });
      OURS.add(request);
      const said = await hook(request, this.deps.nameOf(child));
      if (said instanceof Response) return await refusalBy(said);
      return said instanceof Request ? { ok: true, request: { ...asked, headers: [...said.headers] } } : { ok: true };
    } catch (error) {
      this.deps.report(error);
      return { ok: false, error: failure('internal') };
    }
  }
}

/** True where the record of an object's tree has an agent below it. */
export const isInTree = (object: ObjectRuntime, path: readonly Segment[]): boolean =>
  object.tree?.tree.byAddress(below(object, path)) !== undefined;

const below = ({ agent }: ObjectRuntime, path: readonly Segment[]): string =>
  (agent?.state.session.address ?? '') + path.map(({ addressClass, name }) => `/sub/${addressClass}/${name}`).join('');

/** A refusal with the response of an author, for those who get one. */
async function refusalBy(response: Response): Promise<Refusal> {
  const { status, headers } = response;
  const text = await response.text();
  const said = beginningOf(text, MAX_SAID) || 'An agent above this one refuses the call.';
  const error = failure('forbidden', said, false, { status });
  if (text.length > MAX_BODY) return { ok: false, error };
  return { ok: false, error, response: { status, headers: [...headers], body: text } };
}
