/**
 * What the engine does for each tool of a workspace.
 *
 * Keeps WS1, BT4.
 */
import type * as z from 'zod';
import { WORKSPACE_SCHEMAS as SCHEMAS, type WorkspaceTool } from '../../core/agent/built-in/workspace';
import type { JsonObject } from '../../protocol/json';
import { deleteFile, editFile, writeFile } from './change';
import { listFiles, readFile } from './read';
import { searchFiles } from './search';
import type { Work } from './work';

/** A body: its arguments are read by the schema of its tool. */
type WorkspaceBody = (input: unknown, work: Work) => Promise<JsonObject>;

const body =
  <Schema extends z.ZodType>(
    schema: Schema,
    run: (input: z.output<Schema>, work: Work) => Promise<JsonObject>,
  ): WorkspaceBody =>
  (input, work) =>
    run(schema.parse(input), work);

const BODIES: Readonly<Record<WorkspaceTool, WorkspaceBody>> = {
  workspace_list_files: body(SCHEMAS.workspace_list_files, listFiles),
  workspace_read_file: body(SCHEMAS.workspace_read_file, readFile),
  workspace_search_files: body(SCHEMAS.workspace_search_files, searchFiles),
  workspace_write_file: body(SCHEMAS.workspace_write_file, writeFile),
  workspace_edit_file: body(SCHEMAS.workspace_edit_file, editFile),
  workspace_delete_file: body(SCHEMAS.workspace_delete_file, deleteFile),
};

const BY_NAME: ReadonlyMap<string, WorkspaceBody> = new Map(Object.entries(BODIES));

/** The body of a tool; undefined where the name is none of a workspace's. */
export function workspaceBody(name: string): WorkspaceBody | undefined {
  return BY_NAME.get(name);
}
