/** Parts that OpenAI's two protocols share: the shape of errors, and rules on tools, settings and pictures. */

import type { Failed } from '../replies';
import { claimedType, decodeBase64, readPicture } from './pictures';
import { type Asked, brokenText, isJson, isRecord, type Refusal } from './rule';
import { hasUnionAtRoot, listFault, schemaFault, strictFault } from './schemas';

/** Fields of an error beside its message. */
export interface ErrorDetails {
  readonly param?: string | null;
  readonly code?: string | number | null;
  readonly type?: string;
  readonly status?: number;
}

/** A refusal with that message. */
export function invalid(
  message: string,
  { status = 400, param = null, code = null, type }: ErrorDetails = {},
): Refusal {
  return { status, body: { error: { message, type: type ?? 'invalid_request_error', param, code } } };
}

const TYPES: Readonly<Record<number, string>> = { 429: 'requests', 500: 'server_error', 503: 'server_error' };

/** The body of a scripted error. */
export function failure({ status, type, code, message = `Status ${status}.` }: Failed): Refusal {
  return invalid(message, { status, code: code ?? null, type: type ?? TYPES[status] ?? 'invalid_request_error' });
}

/** An error about a text that does not fit the pattern of names. */
function badPattern(param: string): Refusal {
  return invalid(
    `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    { param, code: 'invalid_value' },
  );
}

/** An error about a text that is too long. */
export function tooLong(param: string, most: number, length: number): Refusal {
  return invalid(
    `Invalid '${param}': string too long. Expected a string with maximum length ${most}, but got a string with length ${length} instead.`,
    { param, code: 'string_above_max_length' },
  );
}

/** An error about an empty text. */
export function emptyString(param: string): Refusal {
  return invalid(
    `Invalid '${param}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
    { param, code: 'empty_string' },
  );
}

/** A refusal of a name for its letters or its length. */
export function nameFault(param: string, name: unknown, most: number): Refusal | undefined {
  const text = String(name ?? '');
  if (!/^[a-zA-Z0-9_-]+$/.test(text)) return badPattern(param);
  return text.length > most ? tooLong(param, most, text.length) : undefined;
}

/** A refusal of a text that is not JSON. */
export function unreadable(text: string): Refusal | undefined {
  return isJson(text)
    ? undefined
    : invalid(
        "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly.)",
      );
}

/** The most bytes of a request with files. */
const MAX_BYTES = 50 * 1_000_000;

/** A refusal of a request that is too large. */
export function sizeFault({ bytes, limits: { maxBytes = MAX_BYTES } }: Pick<Asked<never>, 'bytes' | 'limits'>) {
  return bytes <= maxBytes
    ? undefined
    : invalid(`Total payload size exceeds the limit of ${maxBytes} bytes per request.`, { status: 413 });
}

/** A refusal of half a surrogate pair. */
export function halfFault(body: unknown): Refusal | undefined {
  return brokenText(body) === undefined
    ? undefined
    : invalid('Invalid body: failed to parse JSON value. Please check the value to ensure it is valid JSON.', {
        code: 'invalid_json',
      });
}

/** A function that the model may call. */
export interface Fn {
  readonly name: string;
  readonly parameters?: unknown;
  readonly strict?: boolean | null;
}

/** The most tools of a request. */
const MAX_TOOLS = 128;

/** A refusal of too many tools. */
export function toolCountFault(count: number): Refusal | undefined {
  if (count <= MAX_TOOLS) return undefined;
  return invalid(
    `Invalid 'tools': array too long. Expected an array with maximum length ${MAX_TOOLS}, but got an array with length ${count} instead.`,
    { param: 'tools', code: 'array_above_max_length' },
  );
}

/** The first fault that a check finds in the functions; `place` names one by its index. */
export function fnFault(
  fns: readonly (Fn | undefined)[],
  place: (at: number) => string,
  check: (fn: Fn, at: string) => Refusal | undefined,
): Refusal | undefined {
  for (const [at, fn] of fns.entries()) {
    const found = fn === undefined ? undefined : check(fn, place(at));
    if (found !== undefined) return found;
  }
  return undefined;
}

function schemaError({ name }: Fn, at: string, fault: string): Refusal {
  return invalid(`Invalid schema for function '${name}': ${fault}`, {
    param: `${at}.parameters`,
    code: 'invalid_function_parameters',
  });
}

/** A schema has to be that of an object. */
export function rootFault(fn: Fn, at: string): Refusal | undefined {
  if (fn.parameters === undefined) return undefined;
  const type = isRecord(fn.parameters) ? fn.parameters.type : undefined;
  if (type === 'object') return undefined;
  const got = type === undefined ? 'None' : String(type);
  return schemaError(fn, at, `schema must be a JSON Schema of 'type: "object"', got 'type: "${got}"'.`);
}

/** A schema has no union at its root. */
export function unionFault(fn: Fn, at: string): Refusal | undefined {
  const { parameters } = fn;
  if (!hasUnionAtRoot(parameters) && !(isRecord(parameters) && ('enum' in parameters || 'not' in parameters)))
    return undefined;
  return schemaError(
    fn,
    at,
    "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
  );
}

/** Lists say what is in them. */
export function itemsFault(fn: Fn, at: string): Refusal | undefined {
  return inContext(fn, at, schemaFault(fn.parameters, listFault));
}

/** The schema of a strict function names all that it takes. */
export function strictnessFault(fn: Fn, at: string): Refusal | undefined {
  return fn.strict === true ? inContext(fn, at, schemaFault(fn.parameters, strictFault)) : undefined;
}

function inContext(fn: Fn, at: string, found: ReturnType<typeof schemaFault>): Refusal | undefined {
  if (found === undefined) return undefined;
  const path = found.path.map((step) => `'${step}'`).join(', ');
  return schemaError(fn, at, `In context=(${path}${found.path.length === 1 ? ',' : ''}), ${found.fault}`);
}

/** Models that think before they answer. */
export function isReasoningModel(model: string): boolean {
  return /^o[134]|^gpt-5(?!-chat)/.test(model);
}

/** Models that think whether or not they are asked to, so that nothing else steers what they say. */
export function alwaysReasons(model: string): boolean {
  return /^o[134]|^gpt-5(-mini|-nano|-pro|-codex)?(-\d{4}-\d\d-\d\d)?$/.test(model);
}

/** True where the URL holds a picture that decodes, or points to the web, which is not fetched. */
export function isPictureUrl(url: string): boolean {
  if (!url.startsWith('data:')) return true;
  const data = /^data:[^;,]+;base64,(.*)$/s.exec(url)?.[1];
  const bytes = decodeBase64(data);
  return bytes !== undefined && claimedType(bytes) !== undefined && readPicture(bytes) !== undefined;
}

/** The refusal of a parameter that the model does not have. */
export function unsupported(name: string): Refusal {
  return invalid(`Unsupported parameter: '${name}' is not supported with this model.`, {
    param: name,
    code: 'unsupported_parameter',
  });
}

/** The refusal of a parameter of tools in a request without any. */
export function withoutTools<Name extends 'parallel_tool_calls' | 'tool_choice'>(
  body: { readonly tools?: unknown } & { readonly [Key in Name]?: unknown },
  name: Name,
): Refusal | undefined {
  if (body[name] === undefined || body.tools !== undefined) return undefined;
  return invalid(`Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`, { param: name });
}
