/** Verbs over a socket: the same table, the same checks, the right that the socket was opened with. */
import { failure, failureOf, OffshootError } from '../core/errors';
import type { Json } from '../core/json';
import type { VerbAnswer } from '../engine/calls';
import type { Hop } from '../engine/messages';
import type { ObjectRuntime } from '../engine/object';
import { checked } from './body';
import { answerVerb, verbNamed } from './verbs';

/** A verb that a socket asks for. */
export interface SocketAsk {
  readonly path: readonly Hop[];
  readonly verb: string;
  readonly body: Json;
  readonly caller: string;
  /** What the socket may do. */
  readonly actions: readonly string[];
  readonly idempotencyKey?: string;
}

/** Answers a verb that a socket asks for, at the root. */
export async function answerSocketCall(object: ObjectRuntime, asked: SocketAsk): Promise<VerbAnswer> {
  const { path, body, caller, actions, idempotencyKey } = asked;
  const verb = verbNamed(asked.verb);
  if (verb === undefined)
    return {
      ok: false,
      error: failure('not_found', 'There is no such verb. See x-offshoot-verb in /openapi.json for all verbs.'),
    };
  if (verb.bytes)
    return {
      ok: false,
      error: failure('invalid_request', 'This verb carries bytes: use HTTP. Chunks come with offshoot.subscribe.'),
    };
  if (!actions.includes(verb.action))
    return { ok: false, error: failure('forbidden', `This socket may not do "${verb.action}".`) };
  try {
    const input = checked(verb.input, body);
    return await answerVerb(object, {
      kind: 'verb',
      path,
      verb: verb.name,
      input,
      caller,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  } catch (error) {
    if (error instanceof OffshootError) return { ok: false, error: failureOf(error) };
    object.environment.report(`The verb ${verb.name} failed over a socket.`, error);
    return { ok: false, error: failure('internal') };
  }
}
