/**
 * Asking an object something from within its process. It is what a person can do to an agent, by the same table, checks
 * and ways through the tree as over HTTP (decision 34). A test runtime asks so, and so does who simulates people.
 *
 * Keeps TT6, TT8, AE15.
 */
import type * as z from 'zod';
import type { ObjectRuntime } from '../engine/object/object';
import type { VerbAnswer, VerbCall } from '../engine/object/object-calls';
import { segmentOf } from '../engine/tree-messages';
import { parseAddress } from '../protocol/address';
import { refuseWith } from '../protocol/errors';
import { plainInput } from '../protocol/plain-input';
import { traceparentSchema } from '../protocol/trace';
import { checked } from './input';
import { VERB } from './table';
import type { VerbSchema } from './verb';
import type { InputOf, OutputOf, VerbName } from './verb-types';

/** The table, as a caller sees it who knows the name. */
const TYPED: { readonly [Name in VerbName]: { readonly output: z.ZodType<OutputOf<Name>> } } = VERB;

/** Who asks, and under which key, as over HTTP. */
export interface CommandBy {
  readonly caller?: string | undefined;
  /** Repeated with the same key within 24 hours, what changes something gives the first acceptance again. */
  readonly idempotencyKey?: string | undefined;
  /** The trace of who asks (W3C): a run that the call begins belongs to it. */
  readonly traceparent?: string | undefined;
}

/** Whether a verb is called so. */
export function isVerbName(name: string): name is VerbName {
  return Object.hasOwn(VERB, name);
}

/**
 * The call of a verb at an agent of a tree. What it is given is bounded as a body of HTTP is.
 * @throws OffshootError `invalid_request`, `payload_too_large` for an input that is none
 */
export function callOf<Name extends VerbName>(
  address: string,
  name: Name,
  input: unknown,
  { caller, idempotencyKey, traceparent }: CommandBy = {},
): VerbCall {
  const schema: VerbSchema = VERB[name].input;
  return {
    kind: 'verb',
    path: parseAddress(address).below.map(segmentOf),
    verb: name,
    input: checked(schema, plainInput(input)),
    ...(caller === undefined ? {} : { caller }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(traceparent === undefined ? {} : { traceparent: checked(traceparentSchema, traceparent) }),
  };
}

/**
 * Asks a root about an agent of its tree; resolves when what it has changed survives a crash.
 * @throws OffshootError with the code and the advice that a client would get
 */
export function command<Name extends VerbName>(
  root: ObjectRuntime,
  address: string,
  name: Name,
  input: InputOf<Name>,
  by?: CommandBy,
): Promise<OutputOf<Name>> {
  return commandAsGiven(root, address, name, input, by);
}

/** The same for what an author gave: the verb's schema says whether it is an input. @throws OffshootError as `command` */
export async function commandAsGiven<Name extends VerbName>(
  root: ObjectRuntime,
  address: string,
  name: Name,
  input: unknown,
  by?: CommandBy,
): Promise<OutputOf<Name>> {
  const answer: VerbAnswer = await root.call(callOf(address, name, input, by));
  if (!answer.ok) refuseWith(answer.error);
  // Between objects it is known as JSON alone.
  return TYPED[name].output.parse(answer.body);
}
