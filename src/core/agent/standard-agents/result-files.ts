/**
 * Files that a session hands over with the call that ends it (Standard Agents): a binding says which argument names them.
 * They are looked at before the call has its result, so a call that names what cannot go fails, and ends nothing.
 *
 * Decides: which files go with the end of a session.
 * Keeps SA40, SA68, SA71.
 */
import { failure } from '../../../protocol/errors';
import { isObject } from '../../../protocol/json';
import type { CallResult } from '../../../protocol/messages';
import type { AgentDefinition } from '../../definition/definition';
import { MAX_CONTENT_BYTES } from '../../definition/limits';
import { enclose, MAX_ENCLOSED, pathsIn } from '../calls/enclosures';
import type { Draft } from '../draft';
import type { KnownFiles } from '../inbound';
import type { Rules } from '../rules';
import type { ActiveRun, AgentState, Call, GivenFile } from '../state';

/** Whether sessions of an agent may hand files over by the call that ends them. */
export function handsOver({ sides }: AgentDefinition): boolean {
  if (sides === undefined) return false;
  const bindings = [sides.side_a, sides.side_b].flatMap(({ sessionStop, sessionFail }) => [sessionStop, sessionFail]);
  return bindings.some((binding) => binding?.attachmentsProperty !== undefined);
}

/** What the argument of a call names that would end the session; undefined for any other call. */
function namedBy({ run }: AgentState, { sides }: Rules, { name, input, answer }: Call) {
  const side = run?.phase === 'active' && run.sides ? sides?.of[run.sides.acting] : undefined;
  const property = [side?.sessionFail, side?.sessionStop].find((one) => one?.name === name)?.attachmentsProperty;
  if (property === undefined) return undefined;
  const given = answer?.input ?? input;
  const value = isObject(given) && Object.hasOwn(given, property) ? given[property] : undefined;
  const named = pathsIn(value ?? null);
  return 'problem' in named ? { problem: `"${property}" ${named.problem}.` } : named;
}

/** The files that have to be looked at before a call has its result. */
export function filesOfCall(state: AgentState, rules: Rules, call: Call): ReadonlySet<string> {
  const named = namedBy(state, rules, call);
  return new Set(named && 'paths' in named ? named.paths : []);
}

/** A result of a call, once the files are held that it hands over; or the failure that it is where they cannot go. */
export function handedOver(
  draft: Draft,
  call: Call,
  result: CallResult,
  { token, files = {} }: { readonly token: string; readonly files?: KnownFiles },
  rules: Rules,
): CallResult {
  const named = result.success ? namedBy(draft.state, rules, call) : undefined;
  if (named === undefined) return result;
  if ('problem' in named) return unended(named.problem);
  const { run } = draft.state;
  if (named.paths.length === 0 || run?.phase !== 'active') return result;
  const before = (run.gives ?? []).filter(({ by }) => by === undefined);
  if (before.length + named.paths.length > MAX_ENCLOSED)
    return unended(`At most ${MAX_ENCLOSED} files can be returned; ${before.length} have been returned already.`);
  const enclosed = enclose(draft, { index: call.index, token, files }, named.paths, MAX_CONTENT_BYTES);
  if ('kind' in enclosed) return unended(enclosed.error.message);
  // Of a session that works for nobody they are its own anyway.
  if (run.task === undefined) return result;
  const given = enclosed.map((file): GivenFile => ({ ...file, by: call.callId }));
  draft.setRun({ ...run, gives: [...(run.gives ?? []), ...given] });
  return result;
}

const unended = (why: string): CallResult => ({
  success: false,
  error: failure('invalid_arguments', `The session continues, because its files could not be returned: ${why}`),
});

/** A run whose step is closed: the files of the call that ends it go along, those of any other do not. */
export function givingFor({ gives, endsBy: _before, ...run }: ActiveRun, ending: Call | undefined): ActiveRun {
  const left = gives?.filter(({ by }) => by === undefined || by === ending?.callId) ?? [];
  const goes = ending && left.some(({ by }) => by !== undefined) ? { endsBy: ending.callId } : {};
  return { ...run, ...(left.length === 0 ? {} : { gives: left }), ...goes };
}
