/**
 * What can be asked of an agent now, and why not: the part of the status document that buttons are made of.
 *
 * Keeps A82.
 */
import * as z from 'zod';
import { codeFacts, type Failure } from '../errors';
import { detailOf } from '../problem';
import type { SchemaOf } from '../wire/schemas';

/** Whether a verb is taken now, or why not. */
export type Control = true | Failure;

/** The reason why an operation would be refused. */
export type VerbRefusal = {
  /** The code of the refusal; `nothing_to_stop` if the operation would change nothing. */
  readonly code: string;
  /** Safe to show to anyone. */
  readonly title: string;
  /** For a developer: what to do instead. */
  readonly detail: string;
};

/** The same, as documents have it. */
export type ShownControl = true | VerbRefusal;

/** The operations that the state of an agent allows or forbids. */
type Controlled =
  | 'start'
  | 'send'
  | 'interrupt'
  | 'abort'
  | 'terminate'
  | 'resume'
  | 'retry'
  | 'submit'
  | 'fork'
  | 'remove';

const refusal = z.object({
  code: z
    .string()
    .describe('The code that a request would be refused with; `nothing_to_stop` if a stop would change nothing.'),
  title: z.string().describe('Safe to show to anyone.'),
  detail: z.string().describe('For a developer: what to do instead.'),
});

/** Whether something is legal now, or why not, as documents have it. */
export const control: SchemaOf<ShownControl> = z.union([z.literal(true), refusal]);

/** The same of one. */
export function shownControl(one: Control): ShownControl {
  return one === true || { code: one.code, title: codeFacts(one.code).title, detail: detailOf(one) };
}

/** The operations that are allowed now, by name. */
export type ShownControls = { readonly [Verb in Controlled]: ShownControl };

/**
 * What is legal now, by the name of the verb: those that the state of an agent allows or not. What the caller may do
 * is another question (`/directory/me`). What a newer server says of a further verb is left out.
 */
export const controlsDocument: SchemaOf<ShownControls> = z
  .object({
    ...{ start: control, send: control, interrupt: control, abort: control, terminate: control },
    ...{ resume: control, retry: control, submit: control, fork: control, remove: control },
  })
  .describe('What the state of the agent allows now: true, or why the verb would be refused.');

/** The same, with each refusal as it was decided. */
export type Controls = Readonly<Record<Controlled, Control>>;

/** As the document has them. */
export function shownControls(controls: Controls): ShownControls {
  return controlsDocument.parse(
    Object.fromEntries(Object.entries(controls).map(([verb, one]) => [verb, shownControl(one)])),
  );
}
