/**
 * What the compiler knows of a definition, carried from its schemas to whoever uses it. Nothing here is there at run
 * time.
 *
 * Keeps DF10.
 */
import type { Json } from '../../protocol/json';

declare global {
  namespace Cloudflare {
    /** The bindings and variables of the Worker; `wrangler types` writes what is in it. */
    interface Env {}
  }
}

/** The key under which a definition carries its types. */
export declare const TYPES: unique symbol;

/** The types of an agent; one that is left out is not known. */
export interface AgentTypes {
  /** What a start takes. */
  readonly input?: unknown;
  /** What a run ends with. */
  readonly output?: unknown;
  /** The custom state. */
  readonly state?: unknown;
  /** What a start may give as the custom state. */
  readonly initialState?: unknown;
  /** The bindings and variables that the agent and its children need. */
  readonly env?: unknown;
}

/** The types of a tool; one that is left out is not known. */
export interface ToolTypes {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly state?: unknown;
  readonly env?: unknown;
  readonly finishes?: boolean;
}

/**
 * A function of an author, as it is kept beside others whose types differ: what it takes is what its schemas make, which
 * the compiler cannot see any more where it is called.
 */
export type AuthorsFunction<Arguments extends readonly unknown[], Result> = {
  run(...given: Arguments): Result;
}['run'];

/** What becomes of a value that is written as JSON and read again: a Date is a text. */
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
/** Nothing is of these: they are there so that the compiler keeps `{ kind: 'a' }` as it is written. */
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

/** What a body gives, at once or later, with its literals as they are written. */
export type Result<Output> = Output | PromiseLike<Output> | Literal | LiteralLater;

/** One of the types that a definition carries. */
type Carried<Definition, Key extends keyof AgentTypes | keyof ToolTypes> = Definition extends {
  readonly [TYPES]?: infer Types;
}
  ? NonNullable<Types> extends { readonly [K in Key]: infer Known }
    ? Known
    : unknown
  : unknown;

/** What a start of an agent takes as `input`. */
export type InputOf<Definition> = Carried<Definition, 'input'>;
/** What a run of an agent ends with. */
export type OutputOf<Definition> = Carried<Definition, 'output'>;
/** The custom state of an agent, or what a tool needs of it. */
export type StateOf<Definition> = Carried<Definition, 'state'>;
/** What a start of an agent may give as `state`. */
export type InitialStateOf<Definition> = Carried<Definition, 'initialState'>;
/** What an agent or a tool needs of the Worker's environment. */
export type EnvOf<Definition> = Carried<Definition, 'env'>;
/** Whether a tool ends the run. */
export type FinishesOf<Definition> = Carried<Definition, 'finishes'>;

/** Whether this Worker has what an agent needs of it; unknown before `wrangler types` has written what there is. */
export type Bound<Needed> = [keyof Cloudflare.Env] extends [never]
  ? unknown
  : [Cloudflare.Env] extends [Needed]
    ? unknown
    : 'A tool of this agent, or of one below it, needs a binding or a variable that this Worker does not have.';
