/**
 * What a verb is: one row of the table from which routes, socket calls and the description of the API are made.
 * A verb is answered at the root from its record, or at the agent itself.
 */
import type { z } from 'zod';
import type { ErrorCode } from '../core/errors';
import { failure, failureOf, OffshootError } from '../core/errors';
import type { Json } from '../core/json';
import type { TreeNode } from '../core/tree';
import type { AgentRuntime } from '../engine/agent';
import type { VerbAnswer, VerbCall } from '../engine/calls';
import type { ObjectRuntime } from '../engine/object';
import type { RootRuntime } from '../engine/root';
import { locate } from './locate';

/** What a grant allows. */
export const ACTIONS = ['read', 'write', 'answer', 'stop', 'admin'] as const;

/** What a caller wants to do. */
export type Action = (typeof ACTIONS)[number];

/** The facts of a verb. */
export interface VerbFacts {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
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
  readonly bytes?: 'in' | 'out';
  /** Whether it is for the top of a tree alone. */
  readonly rootOnly?: true;
}

/** One row of the table. */
export interface Verb extends VerbFacts {
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  /** Answers at an object; throws nothing that is expected. */
  answer(object: ObjectRuntime, call: VerbCall): Promise<VerbAnswer>;
}

/** What a handler gives back. */
export type Answer<Output> = { readonly body: Output; readonly status?: number; readonly bytes?: ReadableStream<Uint8Array> };

/** What a handler is asked. */
export interface Asked<Input> {
  readonly object: ObjectRuntime;
  readonly call: VerbCall;
  readonly input: Input;
}

/** A question about an agent of the tree, at the root. */
export interface AskedOfTree<Input> extends Asked<Input> {
  readonly tree: RootRuntime;
  readonly node: TreeNode;
}

/** A question to the agent itself. */
export interface AskedOfAgent<Input> extends Asked<Input> {
  readonly agent: AgentRuntime;
}

interface Schemas<Input extends z.ZodType, Output extends z.ZodType> {
  readonly input: Input;
  readonly output: Output;
}

async function settled<Output>(work: () => Promise<Answer<Output>> | Answer<Output>): Promise<VerbAnswer> {
  try {
    const { body, ...rest } = await work();
    return { ok: true, body: body as Json, ...rest };
  } catch (error) {
    if (error instanceof OffshootError) return { ok: false, error: failureOf(error) };
    throw error;
  }
}

/** A verb that the root answers from its record, for any agent of its tree. No other object is woken. */
export function fromTree<Input extends z.ZodType, Output extends z.ZodType>(
  verb: VerbFacts & Schemas<Input, Output> & { handle(asked: AskedOfTree<z.output<Input>>): Promise<Answer<z.output<Output>>> | Answer<z.output<Output>> },
): Verb {
  return {
    ...verb,
    async answer(object, call) {
      const found = locate(object, call.path);
      if (found.at === 'nowhere') return { ok: false, error: found.error };
      if (found.at === 'below') return object.down(call);
      const { tree, node } = found;
      return settled(() => verb.handle({ object, call, tree, node, input: verb.input.parse(call.input) }));
    },
  };
}

/** A verb that the agent itself answers; a call for one below is passed down hop by hop. */
export function fromAgent<Input extends z.ZodType, Output extends z.ZodType>(
  verb: VerbFacts &
    Schemas<Input, Output> & {
      handle(asked: AskedOfAgent<z.output<Input>>): Promise<Answer<z.output<Output>>> | Answer<z.output<Output>>;
      /** At the root: what a child that has not begun yet would say; without it, it is `unavailable`. */
      whenQueued?(asked: AskedOfTree<z.output<Input>>): Answer<z.output<Output>>;
      /** At the root: completes what the agent said. */
      complete?(asked: AskedOfTree<z.output<Input>>, said: z.output<Output>): Promise<z.output<Output>> | z.output<Output>;
    },
): Verb {
  const own = async (object: ObjectRuntime, call: VerbCall): Promise<VerbAnswer> => {
    const { agent } = object;
    if (agent === undefined) return { ok: false, error: failure('not_found') };
    return settled(() => verb.handle({ object, call, agent, input: verb.input.parse(call.input) }));
  };
  return {
    ...verb,
    async answer(object, call) {
      if (object.ports.top === undefined) return call.path.length > 0 ? object.down(call) : own(object, call);
      const found = locate(object, call.path);
      if (found.at === 'nowhere') return { ok: false, error: found.error };
      if (found.at === 'below') return object.down(call);
      const { tree, node } = found;
      const asked = { object, call, tree, node, input: verb.input.parse(call.input) };
      if (node.id !== 1 && node.number === 0) {
        const { whenQueued } = verb;
        if (whenQueued === undefined) return { ok: false, error: failure('unavailable', 'This agent waits for its turn to begin. Ask again when it runs.') };
        return settled(() => whenQueued(asked));
      }
      const said = await (call.path.length > 0 ? object.down(call) : own(object, call));
      const { complete } = verb;
      if (!said.ok || complete === undefined) return said;
      return settled(async () => ({ ...said, body: await complete(asked, said.body as z.output<Output>) }));
    },
  };
}

/** A verb with its own way through the tree. */
export function special<Input extends z.ZodType, Output extends z.ZodType>(
  verb: VerbFacts & Schemas<Input, Output> & { handle(asked: Asked<z.output<Input>>): Promise<Answer<z.output<Output>>> },
): Verb {
  return {
    ...verb,
    answer: (object, call) => settled(() => verb.handle({ object, call, input: verb.input.parse(call.input) })),
  };
}
