/**
 * What a verb is: one row of the table from which routes, socket calls and the description of the API are made.
 * A verb is answered at the root from its record, or at the agent itself.
 *
 * Keeps X31, A27.
 */
import type * as z from 'zod';
import { hasBegun, type TreeNode } from '../core/tree/node';
import { whyNoWork } from '../core/tree/verbs/route';
import { neverBegan, whyUnbegun } from '../core/tree/verbs/unbegun';
import type { AgentRuntime } from '../engine/agent';
import type { ObjectRuntime } from '../engine/object/object';
import type { VerbAnswer, VerbCall } from '../engine/object/object-calls';
import type { RootRuntime } from '../engine/root/root';
import type { ErrorCode } from '../protocol/errors';
import { failure, failureOf, OffshootError, refuse } from '../protocol/errors';
import type { JsonLike } from '../protocol/json';
import type { Action } from '../protocol/shown/actions';
import { locate } from './locate';
import { knownAtRoot, NO_RECORD, type RequestRecord, requestRecordOf } from './receipts';

/** What of a verb lies in parts of HTTP other than its path, query and JSON: other ways to call it know nothing of this. */
export interface HttpFacts {
  /** Which headers are fields of the input: those of a file that comes, of the part of one, of a stream that goes on. */
  readonly reads?: 'upload' | 'range' | 'last-event-id';
  /** What the bytes of the answer are. */
  readonly answers?: 'file' | 'events';
  /** Fields of the output that are paths of this server. */
  readonly links?: readonly string[];
}

/** Which way bytes go that come beside the JSON. */
export type Carried = 'in' | 'out';

/** The facts of a verb. */
export interface VerbFacts {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** What else the caller must be allowed, where that follows from the input. */
  also?(address: string, input: JsonLike): readonly { readonly address: string; readonly action: Action }[];
  /** What follows the address; `{path}` is one encoded segment. Empty for the address itself. */
  readonly path: string;
  readonly action: Action;
  /** One sentence: what it does. */
  readonly summary: string;
  /** The HTTP status of a success that does not say otherwise. */
  readonly status: number;
  /** What can go wrong beside what every verb answers. */
  readonly errors: readonly ErrorCode[];
  /** Whether bytes come in or go out beside the JSON: then it is no socket call. */
  readonly bytes?: Carried;
  readonly http?: HttpFacts;
  /** True where its handlers answer a trial, which changes nothing. */
  readonly hasTrial?: true;
  /** Under what the directory remembers an acceptance that has taken the root with it, by the caller and its key. */
  directoryKey?(caller: string, idempotencyKey: string): string;
}

/** What goes in, and what comes out, is written as JSON on its way. */
export type VerbSchema = z.ZodType<JsonLike>;

/** One row of the table; its name, its schemas and its bytes are known to the types too, so that callers can be typed by it. */
export interface Verb<
  Name extends string = string,
  Input extends VerbSchema = VerbSchema,
  Output extends VerbSchema = VerbSchema,
  Bytes extends Carried = Carried,
> extends VerbFacts {
  readonly name: Name;
  readonly bytes?: Bytes;
  readonly input: Input;
  readonly output: Output;
  /** Answers at an object; throws nothing that is expected. */
  answer(object: ObjectRuntime, call: VerbCall): Promise<VerbAnswer>;
}

/** What a handler gives back. */
export type Answer<Output> = {
  readonly body: Output;
  readonly status?: number;
  readonly bytes?: ReadableStream<Uint8Array>;
};

/** What a handler is given. */
export interface VerbContext<Input> {
  readonly object: ObjectRuntime;
  readonly call: VerbCall;
  readonly input: Input;
  /** The receipt of the request; one that is known already is answered before the handler is asked. */
  readonly request: RequestRecord;
}

/** What a handler at the root is given, about an agent of its tree. */
export interface TreeContext<Input> extends VerbContext<Input> {
  readonly tree: RootRuntime;
  readonly node: TreeNode;
}

/** What a handler at the agent itself is given. */
export interface AgentContext<Input> extends VerbContext<Input> {
  readonly agent: AgentRuntime;
}

type MaybePromise<Value> = Promise<Value> | Value;

interface Schemas<Input extends VerbSchema, Output extends VerbSchema> {
  readonly input: Input;
  readonly output: Output;
}

/** What `fromTree` takes. */
export interface TreeVerb<Input extends VerbSchema, Output extends VerbSchema>
  extends VerbFacts,
    Schemas<Input, Output> {
  handle(context: TreeContext<z.output<Input>>): MaybePromise<Answer<z.output<Output>>>;
}

/** What `fromAgent` takes. */
export interface AgentVerb<Input extends VerbSchema, Output extends VerbSchema, Reply extends JsonLike>
  extends VerbFacts,
    Schemas<Input, Output> {
  /** At the agent. */
  handle(context: AgentContext<z.output<Input>>): MaybePromise<Answer<Reply>>;
  /** At the root: makes the output of the agent's reply. */
  complete(context: TreeContext<z.output<Input>>, reply: Reply): MaybePromise<z.output<Output>>;
  /** At the root: the output for an agent that has not begun yet; without it the verb is `unavailable` until then, and `never_began` where it has ended. */
  whenQueued?(context: TreeContext<z.output<Input>>): MaybePromise<z.output<Output>>;
}

/** What `special` takes. */
export interface SpecialVerb<Input extends VerbSchema, Output extends VerbSchema>
  extends VerbFacts,
    Schemas<Input, Output> {
  handle(context: VerbContext<z.output<Input>>): Promise<Answer<z.output<Output>>>;
}

interface Known<Name extends string, Bytes extends Carried> {
  readonly name: Name;
  readonly bytes?: Bytes;
}

/**
 * Handlers as they are called. What they take is what their schemas made where the call came in, and what their own
 * agents replied; the way between objects knows it as JSON alone. They are methods, so that the compiler lets them be
 * kept here.
 */
interface Handlers {
  readonly atTree: { handle(context: TreeContext<JsonLike>): MaybePromise<Answer<JsonLike>> };
  readonly atAgent: {
    handle(context: AgentContext<JsonLike>): MaybePromise<Answer<JsonLike>>;
    complete(context: TreeContext<JsonLike>, reply: JsonLike): MaybePromise<JsonLike>;
    whenQueued?(context: TreeContext<JsonLike>): MaybePromise<JsonLike>;
  };
  readonly here: { handle(context: VerbContext<JsonLike>): MaybePromise<Answer<JsonLike>> };
}

/** The handler's answer; a repeated request gets the first one, and what a handler refuses with is data. */
async function runHandler(request: RequestRecord, work: () => MaybePromise<Answer<JsonLike>>): Promise<VerbAnswer> {
  if (request.known) return request.known;
  try {
    const { body, ...rest } = await work();
    return { ok: true, body, ...rest };
  } catch (error) {
    if (error instanceof OffshootError) return { ok: false, error: failureOf(error) };
    throw error;
  }
}

/** The agent of a call in the root's record; or the answer, where an object further down gives it or nobody is there. */
async function resolve(
  object: ObjectRuntime,
  call: VerbCall,
): Promise<{ tree: RootRuntime; node: TreeNode } | VerbAnswer> {
  if (!object.isRoot && call.path.length > 0) return object.down(call);
  const found = locate(object, call.path);
  if (found.at === 'nowhere') return { ok: false, error: found.error };
  if (found.at === 'record') return found;
  const reply = await object.down({ ...call, lookOnly: true });
  // An agent that the record does not hold has nothing to say, whoever answers for it.
  return reply.ok ? { ok: false, error: failure('not_found') } : reply;
}

/** A verb that the root answers from its record, for any agent of its tree. No other object is woken. */
export function fromTree<
  Name extends string,
  Input extends VerbSchema,
  Output extends VerbSchema,
  Bytes extends Carried = never,
>(verb: TreeVerb<Input, Output> & Known<Name, Bytes>): Verb<Name, Input, Output, Bytes> {
  const atTree: Handlers['atTree'] = verb;
  return {
    ...verb,
    async answer(object, call) {
      const found = await resolve(object, call);
      if ('ok' in found) return found;
      const request = requestRecordOf(object, call);
      return runHandler(request, () => atTree.handle({ ...found, object, call, request, input: call.input }));
    },
  };
}

/** A verb that the agent itself answers; a call for one below is passed down level by level. */
export function fromAgent<
  Name extends string,
  Input extends VerbSchema,
  Output extends VerbSchema,
  Reply extends JsonLike,
  Bytes extends Carried = never,
>(verb: AgentVerb<Input, Output, Reply> & Known<Name, Bytes>): Verb<Name, Input, Output, Bytes> {
  const atAgent: Handlers['atAgent'] = verb;
  const own = async (object: ObjectRuntime, call: VerbCall): Promise<VerbAnswer> => {
    const { agent } = object;
    if (agent === undefined) return { ok: false, error: call.ended ? neverBegan() : failure('not_found') };
    const request = requestRecordOf(object, call);
    return runHandler(request, () => atAgent.handle({ object, call, agent, request, input: call.input }));
  };
  const atRoot = async (
    found: { tree: RootRuntime; node: TreeNode },
    object: ObjectRuntime,
    call: VerbCall,
  ): Promise<VerbAnswer> => {
    const context = { ...found, object, call, request: NO_RECORD, input: call.input };
    if (found.node.kind === 'child' && !hasBegun(found.node)) {
      if (!atAgent.whenQueued) return { ok: false, error: whyUnbegun(found.node) };
      return { ok: true, body: await atAgent.whenQueued(context) };
    }
    const { tree, node } = found;
    const passed = node.kind === 'child' && whyNoWork(tree.tree, node) ? { ...call, endedAbove: true as const } : call;
    const reply = await (call.path.length > 0 ? object.down(passed) : own(object, call));
    if (!reply.ok) return reply;
    return runHandler(NO_RECORD, async () => ({ ...reply, body: await atAgent.complete(context, reply.body) }));
  };
  return {
    ...verb,
    async answer(object, call) {
      if (!object.isRoot && call.path.length === 0) return own(object, call);
      const found = await resolve(object, call);
      return 'ok' in found ? found : atRoot(found, object, call);
    },
  };
}

/** A verb with its own way through the tree. */
export function special<
  Name extends string,
  Input extends VerbSchema,
  Output extends VerbSchema,
  Bytes extends Carried = never,
>(verb: SpecialVerb<Input, Output> & Known<Name, Bytes>): Verb<Name, Input, Output, Bytes> {
  const here: Handlers['here'] = verb;
  return {
    ...verb,
    answer: (object, call) =>
      runHandler(NO_RECORD, () =>
        here.handle({ object, call, request: requestRecordOf(object, call), input: call.input }),
      ),
  };
}

/** The ways that a steered verb can take. */
export interface Ways<At extends string> {
  /** The root answers, by that name. */
  root(name: At): Promise<VerbAnswer>;
  /** The object itself answers. */
  here(): Promise<VerbAnswer>;
  /** The agent answers: this call, or the one that is passed. */
  agent(passed?: VerbCall): Promise<VerbAnswer>;
}

/** What `steered` takes. */
export interface SteeredVerb<
  Input extends VerbSchema,
  Output extends VerbSchema,
  Reply extends JsonLike,
  At extends string,
> extends VerbFacts,
    Schemas<Input, Output> {
  /** At the agent, as for `fromAgent`. */
  readonly agent: Pick<AgentVerb<Input, Output, Reply>, 'handle' | 'complete' | 'whenQueued'>;
  /** What the root does about an agent of its tree in place of the agent, as for `fromTree`; by a name of its own each. */
  readonly root: { readonly [Name in At]: TreeVerb<Input, Output>['handle'] };
  /** What the object itself does where there may be no agent yet, as for `special`. */
  readonly here?: SpecialVerb<Input, Output>['handle'];
  /** Which way a call takes that has come to the root; it may take one after the other. */
  steer(ways: Ways<At>, object: ObjectRuntime, call: VerbCall, input: z.output<Input>): Promise<VerbAnswer>;
}

/** How a verb is steered, as it is called (as `Handlers`). */
interface Steering<At extends string> {
  steer(ways: Ways<At>, object: ObjectRuntime, call: VerbCall, input: JsonLike): Promise<VerbAnswer>;
}

/**
 * A verb that the root steers: what it finds in its record says whether the agent itself answers, or the root does in its
 * place, for example through the parent of an agent that is at rest. What the root has answered for an agent below it
 * under a key, it answers again: by then that agent may be at work, which knows nothing of it.
 */
export function steered<
  Name extends string,
  Input extends VerbSchema,
  Output extends VerbSchema,
  Reply extends JsonLike,
  At extends string,
  Bytes extends Carried = never,
>(verb: SteeredVerb<Input, Output, Reply, At> & Known<Name, Bytes>): Verb<Name, Input, Output, Bytes> {
  const { agent, root, here = () => refuse('not_found'), steer, ...facts } = verb;
  const toAgent = fromAgent({ ...facts, ...agent });
  const toHere = special({ ...facts, handle: here });
  const steering: Steering<At> = { steer };
  return {
    ...toAgent,
    async answer(object, call) {
      if (!object.isRoot) return toAgent.answer(object, call);
      const known = knownAtRoot(object, call);
      if (known) return known;
      const ways: Ways<At> = {
        root: (name) => fromTree({ ...facts, handle: root[name] }).answer(object, call),
        here: () => toHere.answer(object, call),
        agent: (passed = call) => toAgent.answer(object, passed),
      };
      return steering.steer(ways, object, call, call.input);
    },
  };
}
