/**
 * Verbs over a socket: the same table, the same checks, the right asked for each call.
 *
 * Keeps W10, W19.
 */

import type { Access } from '../access/auth';
import type { ObjectRuntime } from '../engine/object/object';
import type { VerbAnswer } from '../engine/object/object-calls';
import type { Segment } from '../engine/tree-messages';
import { failure, failureOf, OffshootError } from '../protocol/errors';
import type { Json } from '../protocol/json';
import type { Action } from '../protocol/shown/actions';
import { checked } from '../verbs/input';
import { withBase } from '../verbs/reads/links';
import { answerVerb, verbNamed } from '../verbs/table';

/** A verb that a socket asks for. */
export interface SocketAsk {
  readonly path: readonly Segment[];
  readonly verb: string;
  readonly body: Json;
  readonly idempotencyKey?: string;
  readonly traceparent?: string;
  /** What the paths of this server begin with for who opened the socket. */
  readonly base: string;
  /** Of the agent that is asked. */
  readonly address: string;
  /** Whether the socket may do this now, and as whom; at its own address, or at another one. */
  may(action: Action, address?: string): Promise<Access>;
}

/** Answers a verb that a socket asks for, at the root. */
export async function answerSocketCall(object: ObjectRuntime, frame: SocketAsk): Promise<VerbAnswer> {
  const { path, body, idempotencyKey, traceparent } = frame;
  const verb = verbNamed(frame.verb);
  if (verb === undefined)
    return {
      ok: false,
      error: failure(
        'not_found',
        `There is no such verb. See x-offshoot-verb in ${frame.base}/openapi.json for all verbs.`,
      ),
    };
  if (verb.bytes)
    return {
      ok: false,
      error: failure('invalid_request', 'This verb transfers bytes: use HTTP. Chunks arrive with offshoot.subscribe.'),
    };
  const allowed = await frame.may(verb.action);
  if (!allowed.ok) return allowed;
  try {
    const input = checked(verb.input, body);
    const more = verb.also?.(frame.address, input);
    for (const question of more ?? []) {
      const also = await frame.may(question.action, question.address);
      if (!also.ok) return also;
    }
    const answer = await answerVerb(object, {
      kind: 'verb',
      path,
      verb: verb.name,
      input,
      caller: allowed.grant.subject,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(allowed.token ? { token: allowed.token } : {}),
    });
    return answer.ok ? { ...answer, body: withBase(verb, answer.body, frame.base) } : answer;
  } catch (error) {
    if (error instanceof OffshootError) return { ok: false, error: failureOf(error) };
    object.environment.report(`The verb ${verb.name} failed over a socket.`, error);
    return { ok: false, error: failure('internal') };
  }
}
