/**
 * Tools of the AI SDK that a model provider runs itself, such as its search of the web.
 *
 * Decides: which of them are carried.
 * Keeps RP9, RP10.
 */
import { isObject, toJson } from '../../../protocol/json';
import type { AiTool } from '../ai-tool';
import { checkToolName } from '../define-tool';
import { invalidDefinition } from '../invalid';
import type { ProviderToolSpec } from '../model-port';

/** An id of a provider's tool: the provider, a dot, and its name. */
const TOOL_ID = /^[a-z][a-zA-Z0-9_-]{0,62}\.[a-zA-Z0-9_.-]{1,128}$/;

/** The settings of a tool, as JSON. Unit: bytes. */
const MAX_ARGS = 16_384;

/** Tools that a provider only describes, by their ids, where their package does not say so. */
const DESCRIBED = /\.(?:bash|text_editor|computer|memory|local_shell|shell|apply_patch|custom)(?:_|$)/;

/** True for a tool that a provider defines, also where the agent would run it. */
export const isProviderTool = ({ type = 'function' }: Pick<AiTool, 'type'>): boolean =>
  type === 'provider' || type === 'provider-defined';

/** @throws OffshootError `invalid_definition` for one that the agent would have to run */
export function fromProviderTool(name: string, tool: AiTool): ProviderToolSpec {
  checkToolName(name, '');
  const { id, args = {}, isProviderExecuted, execute } = tool;
  const where = `Tool "${name}"`;
  if (id === undefined || !TOOL_ID.test(id))
    invalidDefinition(`${where}: a tool of a provider has an \`id\` such as "openai.web_search".`);
  const runs = isProviderExecuted ?? (execute === undefined && !DESCRIBED.test(id));
  if (!runs)
    invalidDefinition(
      `${where} (${id}) is only described by its provider and has no body here: define it with \`tool({ inputSchema, execute })\` or \`defineTool\`.`,
    );
  const read = toJson(args, MAX_ARGS);
  if (!read.ok || !isObject(read.json))
    invalidDefinition(`${where}: its settings cannot be sent: ${read.ok ? 'they are not an object' : read.problem}.`);
  const { requireApproval } = read.json;
  if (requireApproval !== undefined && requireApproval !== 'never')
    invalidDefinition(
      `${where}: a call that the provider executes cannot wait for approval; set \`requireApproval: 'never'\`, or leave out the tool.`,
    );
  return Object.freeze({ name, id, args: read.json });
}
