/**
 * The agent to ask where none is named.
 *
 * Keeps K30.
 */
import { Refused } from '../client/errors';
import { type Api, requestJson } from '../client/http';
import { isObject, type JsonObject } from '../protocol/json';
import { CliError, EXIT } from './cli-error';

const LIST_TIMEOUT_MS = 15_000;

/**
 * The only agent of the server that may be started.
 * @throws {CliError} for several or none, with their names, and for a token that may not list them
 */
export async function onlyAgent(api: Api, signal: AbortSignal): Promise<string> {
  const { items, cursor } = await listed(api, signal);
  const agents = Array.isArray(items) ? items.filter(isObject).filter(({ root }) => root === true) : [];
  const names = agents.map(({ addressClass }) => String(addressClass));
  const [only] = names;
  if (only === undefined && cursor !== undefined)
    throw new CliError('The server has many agents. Name the one to ask with --agent TYPE.', EXIT.usage);
  if (only === undefined)
    throw new CliError('The server has no agent that can be started: each has `root: false`.', EXIT.failed);
  if (names.length === 1 && cursor === undefined) return only;
  const all = `${names.join(', ')}${cursor === undefined ? '' : ', …'}`;
  throw new CliError(`The server has several agents: ${all}\nName one: npm run ask -- --agent ${only} "…"`, EXIT.usage);
}

async function listed(api: Api, signal: AbortSignal): Promise<JsonObject> {
  try {
    return await requestJson(api, '/directory/agents', { timeoutMs: LIST_TIMEOUT_MS, signal });
  } catch (error) {
    // A token of one agent may ask it, but sees no list.
    if (!(error instanceof Refused) || error.status !== 403) throw error;
    throw new CliError(`${error.message}\nName the agent to ask with --agent TYPE.`, EXIT.failed, { cause: error });
  }
}
