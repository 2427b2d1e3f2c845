/**
 * What a provider, its SDK package or the network throws, sorted by what the core should do next.
 * What a provider says of itself (a type or code in its answer) counts before the HTTP status: a 200 stream can
 * carry an error, and a 429 can mean an empty account, which no further attempt mends.
 *
 * Decides: which failures of a provider are asked again.
 * Keeps M17, M20, M38, M97, M110, CX13.
 */
import { beginningOf } from '../protocol/content/cut';
import { codeFacts, type ErrorCode, OffshootError } from '../protocol/errors';
import { redact } from './redact';

/** Whose failure it is, and what must not be repeated in its text. */
export interface ErrorContext {
  /** `provider/model`, or a word for it while no model is known. */
  readonly model: string;
  /** Values that must not appear in a message: keys and tokens. */
  readonly secrets: readonly string[];
  /** In ms since 1970: a date until which to wait is counted from here where the answer has no date of its own. */
  readonly now: number;
}

/** Provider text longer than this is cut, in characters: an error page is not a message. */
const MAX_PROVIDER_TEXT = 1_000;

interface Verdict {
  readonly code: ErrorCode;
  readonly retryable?: boolean;
}

interface Signs {
  readonly status?: number;
  /** Types, codes and names that the error and its causes carry, in lower case. */
  readonly words: ReadonlySet<string>;
  readonly message: string;
  /** Every message of the chain, to recognize a broken connection by. */
  readonly allText: string;
  readonly retryable?: boolean;
  readonly retryAfter?: Wait;
}

/** How long a provider asks to wait: in its words, and in ms. */
interface Wait {
  readonly said: string;
  readonly ms: number;
}

const REFUSED = words('content_filter content_policy_violation responsibleaipolicyviolation safety_violation');
const UNAUTHORIZED = words(
  'authentication_error permission_error invalid_api_key permission_denied unauthorized ai_loadapikeyerror ai_loadsettingerror',
);
const TOO_LONG = words(
  'context_length_exceeded request_too_large context_window_exceeded model_context_window_exceeded',
);
/** The words of providers for a request that is too long for their model, whatever its code. */
const TOO_LONG_TEXT =
  /prompt is too long|maximum context length|context (?:length|window|size)\b|input is too long|too many input tokens|exceeds? the (?:maximum|available) (?:context|number of tokens)|reduce the length of the (?:messages|prompt|input)/i;
const NO_CREDIT = words('insufficient_quota billing_error billing_not_active billing_hard_limit_reached');
/** The words of providers for an empty account, which some say with the status of a wrong request. */
const NO_CREDIT_TEXT = /credit balance is too low|insufficient (?:account )?(?:balance|credits?|funds)\b/i;
const PAYMENT_REQUIRED = 402;
const RATE_LIMITED = words('rate_limit_error rate_limit_exceeded rate_limited too_many_requests');
const OVERLOADED = words('overloaded_error server_is_overloaded engine_overloaded service_unavailable');
const BROKEN = words('server_error internal_server_error');
const OVERLOADED_TEXT = /\boverloaded\b/i;
const UNREADABLE = words(
  'ai_jsonparseerror ai_typevalidationerror ai_emptyresponsebodyerror ai_invalidresponsedataerror ai_nocontentgeneratederror',
);
/** The reply was no call that the provider could read, and it says so with the status of a wrong request. */
const UNREAD_CALL = words('tool_use_failed');
const NETWORK = words(
  'aborterror econnreset econnrefused econnaborted enotfound etimedout epipe eai_again enetunreach ehostunreach und_err_socket ' +
    'und_err_connect_timeout und_err_headers_timeout und_err_body_timeout connectionrefused connectionclosed failedtoopensocket',
);
const NETWORK_TEXT =
  /fetch failed|^terminated$|socket hang up|connection (?:lost|reset|refused|closed)|cannot connect|other side closed/im;

/**
 * The failure of a model call as an `OffshootError`; one that is an `OffshootError` already stays as it is.
 * Messages say who answered what, without keys, headers or the request.
 */
export function modelError(thrown: unknown, context: ErrorContext): OffshootError {
  if (thrown instanceof OffshootError) return thrown;
  const signs = readSigns(thrown, context.now);
  const { code, retryable } = verdict(signs);
  const answered = isRefused(signs.status) ? ` (HTTP ${signs.status})` : '';
  const wait =
    signs.retryAfter === undefined ? '' : ` It asks to wait ${signs.retryAfter.said} before the next request.`;
  const said = cut(redact(signs.message, context.secrets)) || codeFacts(code).title;
  const counts = code === 'context_too_large' ? countsOf(signs.allText) : undefined;
  return new OffshootError(code, `${context.model}: ${said}${answered}${wait}`, {
    ...(retryable === undefined ? {} : { retryable }),
    ...(signs.retryAfter === undefined ? {} : { retryAfterMs: signs.retryAfter.ms }),
    ...(counts === undefined ? {} : { details: counts }),
  });
}

function verdict(signs: Signs): Verdict {
  const has = (set: ReadonlySet<string>): boolean => [...signs.words].some((word) => set.has(word));
  const overloaded = has(OVERLOADED) || OVERLOADED_TEXT.test(signs.allText);
  if (has(REFUSED)) return { code: 'model_refused' };
  if (has(UNAUTHORIZED)) return { code: 'model_unauthorized' };
  if (has(NO_CREDIT) || isUnpaid(signs)) return { code: 'model_rate_limited', retryable: false };
  if (has(RATE_LIMITED)) return { code: 'model_rate_limited' };
  if (has(TOO_LONG) || isTooLong(signs)) return { code: 'context_too_large' };
  if (has(UNREAD_CALL)) return { code: 'model_bad_reply' };
  if (isRefused(signs.status)) return byStatus(signs.status, signs.retryable, overloaded);
  if (signs.words.has('timeouterror')) return { code: 'model_timeout' };
  if (has(NETWORK) || NETWORK_TEXT.test(signs.allText)) return { code: 'model_unavailable' };
  if (has(UNREADABLE)) return { code: 'model_bad_reply' };
  if (overloaded) return { code: 'model_overloaded' };
  if (has(BROKEN) || signs.retryable === true) return { code: 'model_unavailable' };
  return { code: 'model_error' };
}

/** A request that is refused because nobody pays for it. */
const isUnpaid = ({ status, allText }: Signs): boolean =>
  status === PAYMENT_REQUIRED || (isRefused(status) && status < 500 && NO_CREDIT_TEXT.test(allText));

/** A request that is refused for its length: by its status, or by what is said of it where no status says otherwise. */
function isTooLong({ status, allText }: Signs): boolean {
  if (status === 413) return true;
  const isOpen = !isRefused(status) || status === 400 || status === 422;
  return isOpen && TOO_LONG_TEXT.test(allText);
}

/** The tokens of a request that is too long, and how many are taken, where the provider reports both. */
function countsOf(text: string): { readonly tokens: number; readonly limit: number } | undefined {
  const numbers = [...text.matchAll(/\d[\d,]{2,}/g)].map(([number]) => Number(number.replaceAll(',', '')));
  const [one, other] = numbers.filter((number) => number >= LEAST_WINDOW);
  if (one === undefined || other === undefined || one === other) return undefined;
  return { tokens: Math.max(one, other), limit: Math.min(one, other) };
}

/** A smaller number is no window of a model. Unit: tokens. */
const LEAST_WINDOW = 500;

function isRefused(status: number | undefined): status is number {
  return status !== undefined && status >= 400;
}

/** The SDK's own word on a status (`isRetryable`) is kept where it has one. */
function byStatus(status: number, retryable: boolean | undefined, overloaded: boolean): Verdict {
  const own = retryable === undefined ? {} : { retryable };
  if (status === 401 || status === 403) return { code: 'model_unauthorized' };
  if (status === 429) return { code: 'model_rate_limited', ...own };
  if (status === 503 || status === 529 || (overloaded && status >= 500)) return { code: 'model_overloaded', ...own };
  // 408, 409 and 425 are how a server asks for the same request again.
  if (status >= 500 || status === 408 || status === 409 || status === 425) return { code: 'model_unavailable', ...own };
  return { code: 'model_error', ...own };
}

function readSigns(thrown: unknown, now: number): Signs {
  if (typeof thrown === 'string') return { words: new Set(), message: thrown, allText: thrown };
  const found = layers(thrown);
  const messages = found.map((layer) => text(layer.message)?.trim()).filter((message) => message);
  const answered = first(found, (layer) => number(layer.statusCode) ?? number(layer.status));
  // An error within a stream that began well has its status as a code.
  const status = isRefused(answered) ? answered : (first(found, codeStatus) ?? answered);
  const retryable = first(found, (layer) => (typeof layer.isRetryable === 'boolean' ? layer.isRetryable : undefined));
  const retryAfter = first(found, (layer) => waitOf(layer.responseHeaders ?? layer.headers, now));
  return {
    words: new Set(found.flatMap(({ type, code, name, error_type }) => [type, code, name, error_type].flatMap(word))),
    // Behind a good status the outer error only says that the answer could not be read; the inner one says why.
    message: (status === undefined || isRefused(status) ? messages[0] : messages.at(-1)) ?? '',
    allText: messages.join('\n'),
    ...(status === undefined ? {} : { status }),
    ...(retryable === undefined ? {} : { retryable }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

type Layer = Readonly<Record<string, unknown>>;

/** The places inside an error where SDK packages and providers put the real one. */
const INSIDE = ['error', 'data', 'response', 'cause', 'lastError', 'metadata'] as const;
/** The fields of each that say more. */
const FIELDS = [
  'message',
  'statusCode',
  'status',
  'isRetryable',
  'responseHeaders',
  'headers',
  'type',
  'code',
  'name',
  'error_type',
  'status_code',
] as const;
/** Also what ends the walk through an error that holds itself. */
const MAX_LAYERS = 12;

/** The error and what it wraps, outermost first. */
function layers(thrown: unknown): Layer[] {
  const found: Layer[] = [];
  const open: unknown[] = [thrown];
  while (open.length > 0 && found.length < MAX_LAYERS) {
    const next = open.shift();
    if (!isLayer(next)) continue;
    const plain = read(next);
    found.push(plain);
    for (const key of INSIDE) open.push(plain[key]);
  }
  return found;
}

/** The fields of an error. A getter may throw: nobody sees its error, which may hold a secret. */
function read(error: Layer): Layer {
  const plain: { [field: string]: unknown } = {};
  for (const field of [...INSIDE, ...FIELDS]) {
    try {
      plain[field] = error[field];
    } catch {
      // A field that cannot be read is missing.
    }
  }
  return plain;
}

/** Headers as SDK packages keep them, or as the platform does. */
function headersOf(headers: unknown): (name: string) => string | undefined {
  if (!isLayer(headers)) return () => undefined;
  const found = new Map<string, string>();
  const entries = headers instanceof Headers ? headers.entries() : Object.entries(headers);
  for (const [name, value] of entries) if (typeof value === 'string') found.set(name.toLowerCase(), value.trim());
  return (name) => found.get(name);
}

/** A wait in ms, in seconds, or until a date; anything else, and what is long past, says nothing. */
function waitOf(headers: unknown, now: number): Wait | undefined {
  const header = headersOf(headers);
  const exact = header('retry-after-ms');
  if (exact && AMOUNT.test(exact)) return { said: `${exact} ms`, ms: msOf(Number(exact)) };
  const wait = header('retry-after');
  if (!wait || wait.length > MAX_WAIT_TEXT) return undefined;
  if (AMOUNT.test(wait)) return { said: `${wait} s`, ms: msOf(Number(wait) * 1_000) };
  const until = Date.parse(wait);
  if (!/^[A-Z][a-z]/.test(wait) || Number.isNaN(until)) return undefined;
  // The clock of who answered counts, where it tells the time.
  const from = Date.parse(header('date') ?? '');
  return { said: `until ${wait}`, ms: msOf(until - (Number.isNaN(from) ? now : from)) };
}

const AMOUNT = /^\d{1,20}(?:\.\d{1,20})?$/;
/** A longer header is no wait, in characters. */
const MAX_WAIT_TEXT = 40;

const msOf = (ms: number): number => Math.min(Math.max(0, Math.ceil(ms)), Number.MAX_SAFE_INTEGER);

/** The HTTP status that an error has as its code: a number, or a text of three digits. */
function codeStatus({ code, status_code: status }: Layer): number | undefined {
  return [code, status]
    .map((value) => (typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : number(value)))
    .find((value) => value !== undefined && value >= 400 && value < 600);
}

function isLayer(value: unknown): value is Layer {
  return typeof value === 'object' && value !== null;
}

function first<T>(found: readonly Layer[], read: (layer: Layer) => T | undefined): T | undefined {
  for (const layer of found) {
    const value = read(layer);
    if (value !== undefined) return value;
  }
  return undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

function word(value: unknown): string[] {
  return typeof value === 'string' && value !== '' ? [value.toLowerCase()] : [];
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

function cut(value: string): string {
  return value.length <= MAX_PROVIDER_TEXT ? value : `${beginningOf(value, MAX_PROVIDER_TEXT)} …`;
}
