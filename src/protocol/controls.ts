/** What can be asked of an agent now, and why not: the part of the status document that buttons are made of. */
import * as z from 'zod';
import { type Failure, shownFailure } from './errors';
import { detailOf } from './problem';

/** The verbs that the state of an agent allows or not. What the caller may do is another question (`/directory/me`). */
const CONTROLS = [
  'start',
  'send',
  'interrupt',
  'abort',
  'terminate',
  'resume',
  'retry',
  'submit',
  'fork',
  'remove',
] as const;

/** Whether a verb is taken now, or why not. */
export type Control = true | Failure;

/** The same for each of them. */
export type Controls = Readonly<Record<(typeof CONTROLS)[number], Control>>;

const refusal = z.object({
  code: z.string().describe('As the verb would be refused with; `nothing_to_stop` where it would change nothing.'),
  title: z.string().describe('Safe to show to anyone.'),
  detail: z.string().describe('For a developer: what to do instead.'),
});

/** What is legal now, by the name of the verb. */
export const controlsDocument = z
  .record(z.enum(CONTROLS), z.union([z.literal(true), refusal]))
  .describe('What the state of the agent allows now: true, or why the verb would be refused.');

/** As the document has them. */
export function shownControls(controls: Controls): z.output<typeof controlsDocument> {
  return controlsDocument.parse(
    Object.fromEntries(
      Object.entries(controls).map(([verb, one]) => [
        verb,
        one === true || { code: one.code, title: shownFailure(one).title, detail: detailOf(one) },
      ]),
    ),
  );
}
