/**
 * What callers of the RPC surface give and get, typed by the table of verbs.
 *
 * Keeps Y1.
 */

import type { AgentDefinition } from '../core/definition/definition';
import type { InitialStateOf, InputOf, JsonOf, OutputOf, StateOf } from '../core/definition/types';
import type { Json } from '../protocol/json';
import type { Problem } from '../protocol/problem';
import type { InputOf as VerbInputOf, VerbName, OutputOf as VerbOutputOf, VerbTypes } from '../verbs/verb-types';

/** One level of an address in parts. `agent` is `fact-checker` or `FactChecker`. */
export interface RpcLevel {
  readonly agent: string;
  readonly name: string;
}

/** Where an agent is: `/agents/{class}/{name}/sub/{class}/{name}…`, or the same in parts. */
export type RpcAddress = string | (RpcLevel & { readonly sub?: readonly RpcLevel[] });

/** The caller on whose behalf a Worker calls. */
export interface RpcCaller {
  /** The caller's name. It separates idempotency keys, and appears in audit logs. 1 to 128 characters. */
  readonly subject: string;
  /** The idempotency key: repeated within 24 hours, a call that changes something returns the original response. */
  readonly idempotencyKey?: string | undefined;
  /** The time after which nothing more is called, in ms since 1970. Calls in progress continue. */
  readonly deadline?: number | undefined;
  /** The W3C trace context of the caller. Runs that the call starts belong to it, and the log names it with errors. */
  readonly traceparent?: string | undefined;
}

/** The failure of a call, as over HTTP. Handle it by its `code`. */
export interface RpcFailure extends Omit<Problem, 'details'> {
  readonly ok: false;
  /** Further details, such as the recorded decision. */
  readonly details?: RpcJson;
}

/** The response to a call; `status` is that of HTTP (201 or 200, 202 or 200). */
export interface RpcSuccess<Body> {
  readonly ok: true;
  readonly status: number;
  readonly body: Body;
}

/** The content of a file to write. A stream is read once; its `size` must be in the input. */
export type RpcBytes = ReadableStream<Uint8Array> | ArrayBuffer | ArrayBufferView;

/** The bytes of a response. Read them to the end, or cancel them. */
export interface WithBytes {
  readonly bytes: ReadableStream<Uint8Array>;
}

/** Input without `size`, for a buffer whose size is known. */
type Unsized<Input> = Omit<Input, 'size'> & { readonly size?: number | undefined };

/** Any JSON, written with interfaces, because service bindings cannot resolve the shorter recursive type. */
export type RpcJson = null | boolean | number | string | RpcJsonArray | RpcJsonObject;
/** A list of JSON values. */
export interface RpcJsonArray extends ReadonlyArray<RpcJson> {}
/** An object of JSON values. */
export interface RpcJsonObject {
  readonly [key: string]: RpcJson;
}

/** An output, with JSON as `RpcJson`. */
type Shown<T> = [Json] extends [T]
  ? RpcJson | Extract<T, undefined>
  : T extends readonly (infer Item)[]
    ? readonly Shown<Item>[]
    : T extends object
      ? { [Key in keyof T]: Shown<T[Key]> }
      : T;

type StatusDocument = VerbOutputOf<'status'>;

/** A run with its output. */
type Ending<Run, Agent> = Omit<Run, 'output'> & { readonly output?: JsonOf<OutputOf<Agent>> | undefined };
type Standing<Agent> = Omit<StatusDocument, 'run'> & {
  readonly run?: Ending<NonNullable<StatusDocument['run']>, Agent> | undefined;
};

/** Input of a verb, typed by the agent's schemas. */
interface Takes<Agent> {
  readonly start: Omit<VerbInputOf<'start'>, 'input' | 'state'> & {
    readonly input?: InputOf<Agent> | undefined;
    readonly state?: InitialStateOf<Agent> | undefined;
  };
}

/** Output of a verb, typed by the agent's schemas. */
interface Gives<Agent> {
  readonly start: Exclude<VerbOutputOf<'start'>, StatusDocument> | Standing<Agent>;
  readonly status: Standing<Agent>;
  readonly runs: Omit<VerbOutputOf<'runs'>, 'items'> & {
    readonly items: readonly Ending<VerbOutputOf<'runs'>['items'][number], Agent>[];
  };
  readonly state: { readonly state: JsonOf<StateOf<Agent>> };
}

type Input<Name extends VerbName, Agent> = Name extends keyof Takes<Agent> ? Takes<Agent>[Name] : VerbInputOf<Name>;
type Output<Name extends VerbName, Agent> = Name extends keyof Gives<Agent> ? Gives<Agent>[Name] : VerbOutputOf<Name>;
type Answer<Name extends VerbName, Agent> =
  | RpcFailure
  | (RpcSuccess<Shown<Output<Name, Agent>>> & ('out' extends VerbTypes[Name]['bytes'] ? WithBytes : unknown));

/** A root, in parts. The types of a definition apply to its own agent, not to agents below it. */
export type RpcRoot = RpcLevel & { readonly sub?: never };

/** Any agent, or with the type of a definition, a root of that definition. */
type Where<Agent> = [AgentDefinition] extends [Agent] ? RpcAddress : RpcRoot;

type Method<Name extends VerbName, Agent> = 'in' extends VerbTypes[Name]['bytes']
  ? (
      address: Where<Agent>,
      input: Unsized<Input<Name, Agent>>,
      bytes: RpcBytes,
      caller?: RpcCaller,
    ) => Promise<Answer<Name, Agent>>
  : // biome-ignore lint/complexity/noBannedTypes: it asks whether all keys are optional
    {} extends Input<Name, Agent>
    ? (address: Where<Agent>, input?: Input<Name, Agent>, caller?: RpcCaller) => Promise<Answer<Name, Agent>>
    : (address: Where<Agent>, input: Input<Name, Agent>, caller?: RpcCaller) => Promise<Answer<Name, Agent>>;

/** A method for each operation. With the type of a definition, input, output and custom state have its types. */
export type RpcMethods<Agent extends AgentDefinition = AgentDefinition> = {
  [Name in VerbName]: Method<Name, Agent>;
};
