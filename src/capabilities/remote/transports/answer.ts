/**
 * What another side answers to a verb: read as its schema says, and nothing else of it is kept.
 *
 * Keeps AE1, AE29, RM26.
 */
import * as z from 'zod';
import type { RemoteAnswer } from '../../../core/definition/remote-transport';
import { boundedText } from '../../../protocol/errors';
import { isObject, type Json, toJson } from '../../../protocol/json';
import { faulty } from './faults';
import { refusePrototypeKey } from './json';
import type { RemoteLimits } from './limits';
import { remoteVerb } from './verbs';

/** The longest code of another side that is kept, in characters. */
const MAX_CODE = 64;
const MAX_TITLE = 500;

const refusalSchema = z.object({
  code: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/)
    .max(MAX_CODE),
  title: z.string(),
  detail: z.string().optional(),
  status: z.number().int().min(400).max(599),
});

/** A refusal, with texts that are cut where they are long; undefined for what is none. */
export function refusalOf(problem: Json): Extract<RemoteAnswer, { readonly ok: false }> | undefined {
  const read = refusalSchema.safeParse(problem);
  if (!read.success) return undefined;
  const { code, title, detail, status } = read.data;
  const rest = detail === undefined || detail === '' ? {} : { detail: boundedText(detail) };
  // As JSON they are bounded already, as the whole answer is.
  const details = isObject(problem) ? problem.details : undefined;
  const known = details === undefined ? {} : { details };
  return { ok: false, code, title: boundedText(title, MAX_TITLE), ...rest, status, ...known };
}

/** The body of a success. @throws RemoteError `unknown_status`, `shape` */
export function successOf(verb: string, body: Json): RemoteAnswer {
  const read = remoteVerb(verb).answer.safeParse(body);
  if (read.success) {
    // Written anew: what is undefined is not there.
    const kept: Json = JSON.parse(JSON.stringify(read.data));
    return { ok: true, body: kept };
  }
  const issues = read.error.issues.flatMap((issue) => ('errors' in issue ? [issue, ...issue.errors.flat()] : [issue]));
  const where = issues.map(({ path }) => path.join('.')).find((path) => path !== '') ?? 'it';
  const isStatus = issues.some(
    ({ path, code }) => code === 'invalid_value' && path.at(-1) === 'status' && typeof at(body, path) === 'string',
  );
  throw isStatus
    ? faulty('unknown_status', `The answer to "${verb}" has an unknown status.`)
    : faulty('shape', `The answer to "${verb}" does not match the protocol, at ${where}.`);
}

/** What a value has at a path. */
function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

const givenSchema = z.union([
  z.object({ ok: z.literal(true), body: z.custom<object>((body) => typeof body === 'object' && body !== null) }),
  z.object({ ok: z.literal(false) }).loose(),
]);

/** What a call within the platform gave: plain data, but from another's code. @throws RemoteError */
export function givenAnswer(verb: string, given: unknown, limits: RemoteLimits): RemoteAnswer {
  const read = givenSchema.safeParse(given);
  if (!read.success) throw faulty('shape', `The answer to "${verb}" is neither a success nor a failure.`);
  const answer = read.data;
  if (answer.ok) return successOf(verb, plain(verb, answer.body, limits));
  const refusal = refusalOf(plain(verb, answer, limits));
  if (refusal === undefined) throw faulty('shape', `The refusal of "${verb}" is not a problem document.`);
  return refusal;
}

function plain(verb: string, value: unknown, { maxAnswerBytes, maxDepth }: RemoteLimits): Json {
  const made = toJson(value, maxAnswerBytes, maxDepth);
  if (made.ok) {
    if (made.text.includes('__proto__')) refusePrototypeKey(made.json, `The answer to "${verb}"`);
    return made.json;
  }
  if (made.tooLarge) throw faulty('body_too_large', `The answer to "${verb}" has more than ${maxAnswerBytes} bytes.`);
  const deep = made.problem.includes('nested deeper');
  throw faulty(deep ? 'too_deep' : 'shape', `The answer to "${verb}": ${made.problem}.`);
}
