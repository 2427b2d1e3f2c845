/**
 * Rules on calls that providers ran: the name under which a call and its result go back to the provider. Its package writes the
 * results that it knows and drops others silently, and a call without its result is refused.
 *
 * Decides: which calls and results go back to Anthropic and to OpenAI.
 * Keeps RP6.
 */
import { isObject, type Json } from '../../protocol/json';
import type { ProviderCallPart, ProviderResultPart } from '../../protocol/messages';
import type { RanRule } from './profile';

const isKind = (result: Json, kinds: RegExp): boolean =>
  isObject(result) && typeof result.type === 'string' && kinds.test(result.type);

const isPage = (page: Json): boolean =>
  isObject(page) && typeof page.url === 'string' && typeof page.encryptedContent === 'string';

/** The results of Anthropic's tools, by their names. */
const RESULTS: Readonly<Record<string, (result: Json) => boolean>> = {
  web_search: (result) => Array.isArray(result) && result.every(isPage),
  web_fetch: (result) => isKind(result, /^web_fetch_result$/),
  code_execution: (result) => isKind(result, /^(?:encrypted_|bash_|text_editor_)?code_execution/),
};

/** A tool of a server of MCP, which Anthropic called: it keeps its name. */
const isMcp = ({ providerMetadata: of }: ProviderCallPart): boolean =>
  isObject(of?.anthropic) && of.anthropic.type === 'mcp-tool-use' && typeof of.anthropic.serverName === 'string';

/** The rule of Anthropic. */
export const RAN_BY_ANTHROPIC: RanRule = {
  calls: /^(?:srv|mcp)toolu_[A-Za-z0-9_]{1,128}$/,
  nameOf(call: ProviderCallPart, { result, isError }: ProviderResultPart) {
    if (isMcp(call)) return call.toolName;
    const name = /^anthropic\.([a-z_]+?)(?:_\d{8})?$/.exec(call.by)?.[1] ?? '';
    const fits = Object.hasOwn(RESULTS, name) && (isError ? isObject(result) : RESULTS[name]?.(result));
    return fits ? name : undefined;
  },
};

/**
 * The rule of OpenAI. Without a store the API is sent searches of the web alone, and a thought that led to another tool would
 * stand there without what it led to.
 */
export const RAN_BY_OPENAI: RanRule = {
  calls: /^ws_[A-Za-z0-9_-]{1,125}$/,
  nameOf(call: ProviderCallPart, { result, isError }: ProviderResultPart) {
    const name = /^(?:openai|azure)\.(web_search(?:_preview)?)$/.exec(call.by)?.[1];
    return name !== undefined && !isError && isObject(result) && isSearch(result.action) ? name : undefined;
  },
};

const isSearch = (action: Json | undefined): boolean =>
  isObject(action) && typeof action.type === 'string' && ['search', 'openPage', 'findInPage'].includes(action.type);

/** The rule of scripted models, which take all of it. */
export const RAN_BY_ANY: RanRule = { calls: /./, nameOf: ({ toolName }) => toolName };
