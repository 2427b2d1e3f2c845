/**
 * The tools of a workspace: what a model may do with the files that its agent works on. They need files, so the engine
 * performs them (decision 40). Who changes a file names the version that it has seen, so nobody writes over what another
 * agent, a tool or a person has changed meanwhile.
 *
 * Decides: the names, arguments and sizes of the tools of a workspace.
 * Keeps WS1, WS3, WS6, WS8, WS9.
 */
import * as z from 'zod';
import { PAGE_LIMITS } from '../../../protocol/data-limits';
import type { BuiltInTool } from '../rules';

const NAMES = [
  'workspace_list_files',
  'workspace_read_file',
  'workspace_search_files',
  'workspace_write_file',
  'workspace_edit_file',
  'workspace_delete_file',
] as const;

/** What they are called. */
export type WorkspaceTool = (typeof NAMES)[number];

/** Lines of one read, where it does not say how many. */
const LINES = 2_000;

/** The longest text that is searched for, in characters. */
const MAX_SOUGHT = 200;

/** Matches of one search: where it does not say how many, and at most. */
const MATCHES = { size: 50, most: 200 };

/** The hexadecimal digits that a version is shown with: the beginning of the SHA-256 of the content. */
export const VERSION_DIGITS = 16;

const path = z.string().min(1).describe('Path from the top folder, such as notes/plan.md.');
const version = z
  .string({ error: 'Read the file first, and give the `version` that you have read.' })
  .regex(/^[0-9a-f]{16,64}$/)
  .describe('The `version` that the last read, list, search or change of the file returned.');
const prefix = z.string().optional().describe('Only paths that begin with this, such as notes/.');
const cursor = z.string().optional().describe('From the previous answer, to continue after it.');
const whole = z.number().int();

/** What their arguments must fit. */
export const WORKSPACE_SCHEMAS = {
  workspace_list_files: z.strictObject({
    prefix,
    cursor,
    limit: whole.min(1).max(PAGE_LIMITS.maxSize).default(PAGE_LIMITS.size),
  }),
  workspace_read_file: z
    .strictObject({
      path,
      line: whole.min(1).optional().describe('The first line, from 1.'),
      lines: whole.min(1).default(LINES).describe('The largest number of lines.'),
      offset: whole.min(0).optional().describe('The first byte, in place of `line`.'),
      length: whole.min(1).optional().describe('The largest number of bytes.'),
      encoding: z.enum(['text', 'base64']).default('text').describe('base64: the bytes, from `offset` on.'),
    })
    .refine(({ line, offset, encoding }) => line === undefined || (offset === undefined && encoding === 'text'), {
      message: 'Give either `line`, or `offset`; bytes (base64) have no lines.',
      path: ['line'],
    }),
  workspace_search_files: z.strictObject({
    text: z
      .string()
      .min(1)
      .max(MAX_SOUGHT)
      .regex(/^[^\r\n]*$/, 'Search for text of one line.')
      .describe('Exact text, without wildcards, on one line.'),
    ignoreCase: z.boolean().default(false).describe('Treats A to Z and a to z as equal.'),
    prefix,
    cursor,
    limit: whole.min(1).max(MATCHES.most).default(MATCHES.size),
  }),
  workspace_write_file: z.strictObject({
    path,
    content: z.string(),
    encoding: z.enum(['text', 'base64']).default('text').describe('How `content` is written; base64 for bytes.'),
    mediaType: z.string().optional().describe('Such as text/markdown.'),
    version: version.optional().describe('Needed to replace a file: the `version` that you have read.'),
  }),
  workspace_edit_file: z.strictObject({
    path,
    oldText: z.string().min(1).describe('Exactly as in the file, with enough text around it to occur once.'),
    newText: z.string(),
    version: version.optional().describe('Change only this version.'),
  }),
  workspace_delete_file: z.strictObject({ path, version }),
} as const satisfies Record<WorkspaceTool, z.core.$ZodType>;

/** What the schema of a tool makes of its arguments. */
export type WorkspaceArguments<Tool extends WorkspaceTool> = z.output<(typeof WORKSPACE_SCHEMAS)[Tool]>;

/** Those that change nothing. */
const LOOKING: ReadonlySet<WorkspaceTool> = new Set([
  'workspace_list_files',
  'workspace_read_file',
  'workspace_search_files',
]);

const DESCRIPTIONS: Readonly<Record<WorkspaceTool, string>> = {
  workspace_list_files: 'Lists the files of the workspace by path, with size and version.',
  workspace_read_file:
    'Reads a file of the workspace: lines of text, or bytes as base64. A long file is returned in parts: continue from `nextLine` or `nextOffset`.',
  workspace_search_files:
    'Finds the lines in the workspace that contain a text. If the answer has a `cursor`, there is more to search.',
  workspace_write_file:
    'Writes a whole file of the workspace. An existing file is replaced only with the `version` that you have read.',
  workspace_edit_file: 'Replaces a text in a file of the workspace. The text must occur exactly once.',
  workspace_delete_file: 'Deletes a file of the workspace.',
};

/** A row for each. What is done twice under one call is done once, so all of them may run again after a crash. */
export const workspaceTools: readonly BuiltInTool[] = NAMES.map((name) => ({
  name,
  of({ workspace }) {
    const looks = LOOKING.has(name);
    if (workspace === undefined || (workspace.readOnly === true && !looks)) return undefined;
    return {
      performed: true as const,
      description: DESCRIPTIONS[name],
      inputSchema: WORKSPACE_SCHEMAS[name],
      replay: 'safe' as const,
      requireApproval: !looks && workspace.requireApproval === true,
    };
  },
}));
