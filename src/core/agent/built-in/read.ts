/**
 * `__read__`: a child reads those whom its task names: their messages, custom state and files. The parent holds what it
 * has allowed, so the engine asks that.
 *
 * Decides: the size of a page, and of a part of a file, that a child reads of others.
 * Keeps RG2.
 */
import * as z from 'zod';
import { READ_TOOL } from '../../../protocol/messages';
import type { Child } from '../children/child';
import type { BuiltInTool } from '../rules';
import { nameSchema } from './companions/names';

/** Of a file so many bytes are read at once. */
const MAX_READ_BYTES = 65_536;
/** Entries of a page. */
const PAGE = { size: 20, most: 100 } as const;

/** What the arguments of `__read__` must fit. */
export const readInput = z
  .strictObject({
    of: nameSchema.optional().describe('The name of the agent to read; by default, the agent that gave you your task.'),
    what: z.enum(['messages', 'state', 'files', 'file']),
    path: z.string().min(1).max(4_096).optional().describe('With file: which.'),
    offset: z.int().min(0).default(0).describe('With file: the first byte.'),
    cursor: z.string().min(1).max(200).optional().describe('With messages and files: `cursor` of the previous page.'),
    limit: z
      .int()
      .positive()
      .max(PAGE.most)
      .default(PAGE.size)
      .describe('With messages and files: the largest number of entries.'),
  })
  .refine(({ what, path }) => (what === 'file') === (path !== undefined), '`path` goes with `what: file`.')
  .refine(
    ({ what, cursor }) => cursor === undefined || what === 'messages' || what === 'files',
    '`cursor` is for lists only.',
  );

/** What a child asks to read. */
export type Reading = z.output<typeof readInput>;

/** Whether a task lets its child read an agent: its parent where no name is given. */
export function allowsToRead({ task }: Pick<Child, 'task'>, name: string | undefined): boolean {
  const { reads } = task;
  return name === undefined ? reads?.parent === true : reads?.names.includes(name) === true;
}

/** The verb that reads it, and its input. */
export function verbFor({ what, path = '', offset, cursor, limit }: Reading) {
  const page = { limit, ...(cursor === undefined ? {} : { cursor }) };
  switch (what) {
    case 'messages':
      return { verb: 'messages', input: page };
    case 'files':
      return { verb: 'files', input: page };
    case 'state':
      return { verb: 'state', input: {} };
    case 'file':
      return { verb: 'readFile', input: { path, offset, length: MAX_READ_BYTES } };
  }
}

/** The row of `__read__`. */
export const readOthers: BuiltInTool = {
  name: READ_TOOL,
  of(_definition, { mayRead }) {
    if (!mayRead) return undefined;
    return {
      performed: true,
      replay: 'safe',
      requireApproval: false,
      description:
        'Reads another agent, as your task allows: its messages, its custom state, its files, or the text of one file. It changes nothing. The permission ends with your task.',
      inputSchema: readInput,
    };
  },
};
