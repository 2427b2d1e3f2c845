/**
 * What the compiler knows of a definition, carried from its schemas to whoever uses it. Nothing here is there at run
 * time.
 *
 * Keeps DF10.
 */
import type { Json } from '../../protocol/json';

declare global {
  namespace Cloudflare {
    /** The bindings and variables of the Worker, declared by `wrangler types`. */
    interface Env {}
  }
}

/** The key under which a definition carries its types. */
export declare const TYPES: unique symbol;

/** The types of an agent; an omitted one is unknown. */
export interface AgentTypes {
  /** The input of a start. */
  readonly input?: unknown;
  /** The output of a run. */
  readonly output?: unknown;
  /** The custom state. */
  readonly state?: unknown;
  /** The initial custom state that a start may pass. */
  readonly initialState?: unknown;
  /** The bindings and variables that the agent and its children need. */
  readonly env?: unknown;
}

/** The types of a tool; an omitted one is unknown. */
export interface ToolTypes {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly state?: unknown;
  readonly env?: unknown;
  readonly finishes?: boolean;
}

/**
 * A function of the app, stored together with functions of other types. Its arguments come from its schemas, which the
 * compiler cannot check at the call.
 */
export type AuthorsFunction<Arguments extends readonly unknown[], Result> = {
  run(...given: Arguments): Result;
}['run'];

/** The type of a value after a JSON round trip: a Date becomes a string. */
export type JsonOf<T> = unknown extends T
  ? Json
  : T extends Json | undefined
    ? T
    : T extends { toJSON(): infer Written }
      ? JsonOf<Written>
      : T extends object
        ? { [Key in keyof T]: JsonOf<T[Key]> }
        : never;

declare const RESULT_DOES_NOT_FIT: unique symbol;
/** No value has this type: it makes the compiler keep the literal type of `{ kind: 'a' }`. */
interface FitsOutputSchema {
  readonly [RESULT_DOES_NOT_FIT]: never;
}
interface Fields extends FitsOutputSchema {
  readonly [key: string]: Literal;
}
type Literal =
  | ('' & FitsOutputSchema)
  | (0 & FitsOutputSchema)
  | (true & FitsOutputSchema)
  | (false & FitsOutputSchema)
  | (readonly Literal[] & FitsOutputSchema)
  | Fields;
/** The same for what is awaited. Its last signature keeps `new Promise((resolve) => …)` from being taken for one. */
interface LiteralLater extends FitsOutputSchema {
  then(onfulfilled: (value: Literal) => unknown): unknown;
  then(onfulfilled: null): unknown;
}

/** The result of a function or its promise, with literal types preserved. */
export type Result<Output> = Output | PromiseLike<Output> | Literal | LiteralLater;

/** One of the types that a definition carries. */
type Carried<Definition, Key extends keyof AgentTypes | keyof ToolTypes> = Definition extends {
  readonly [TYPES]?: infer Types;
}
  ? NonNullable<Types> extends { readonly [K in Key]: infer Known }
    ? Known
    : unknown
  : unknown;

/** The `input` of a start of an agent. */
export type InputOf<Definition> = Carried<Definition, 'input'>;
/** The output of an agent's run. */
export type OutputOf<Definition> = Carried<Definition, 'output'>;
/** The custom state of an agent, or the part of it that a tool needs. */
export type StateOf<Definition> = Carried<Definition, 'state'>;
/** The `state` that a start of an agent may pass. */
export type InitialStateOf<Definition> = Carried<Definition, 'initialState'>;
/** The part of the Worker's environment that an agent or a tool needs. */
export type EnvOf<Definition> = Carried<Definition, 'env'>;
/** Whether a tool ends the run. */
export type FinishesOf<Definition> = Carried<Definition, 'finishes'>;

/**
 * Whether this Worker has the bindings that an agent needs; unknown until `wrangler types` has generated their types.
 */
export type Bound<Needed> = [keyof Cloudflare.Env] extends [never]
  ? unknown
  : [Cloudflare.Env] extends [Needed]
    ? unknown
    : 'A tool of this agent, or of one below it, needs a binding or a variable that this Worker does not have.';
