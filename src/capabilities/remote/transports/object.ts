/**
 * Agents that are top-level Durable Objects of this Worker: asked by the table of verbs, as its own routes ask them.
 *
 * Keeps AE1.
 */
import { refuseUnknown } from '../../../core/definition/invalid';
import {
  type RemoteAgent,
  type RemoteAgentTransport,
  type RemoteAnswer,
  type RemoteBounds,
  type RemoteCall,
  type RemoteCaller,
  RemoteError,
  type RemoteEvent,
} from '../../../core/definition/remote-transport';
import { askRoot, rootIn } from '../../../gateway/objects';
import { parseAddress } from '../../../protocol/address';
import { failureOf, OffshootError } from '../../../protocol/errors';
import type { JsonObject } from '../../../protocol/json';
import { problemOf } from '../../../protocol/problem';
import { callOf, isVerbName } from '../../../verbs/command';
import { givenAnswer } from './answer';
import { addressOf } from './events';
import { limitsOf, type RemoteLimits } from './limits';
import { callWithin, type Given, streamWithin } from './platform-call';

/** Options of `ObjectTransport`. */
export interface ObjectTransportOptions {
  /**
   * The namespace of the agent's class: a binding (`env.RESEARCHER`, `env.OFFSHOOT_AGENT`), or its entry in
   * `ctx.exports`.
   */
  readonly namespace: { getByName(name: string): unknown } | undefined;
  /** Its label in references and in the console; `object` by default. */
  readonly label?: string;
  readonly limits?: Partial<RemoteLimits>;
}

/**
 * Reaches agents that are roots of this Worker, each in a separate Durable Object. Their data is checked and limited as
 * over HTTP.
 * @throws RemoteError `remote_not_configured` if the namespace is missing
 * @throws OffshootError `invalid_definition` for invalid limits
 * @example
 * const transport = (env: { RESEARCHER: DurableObjectNamespace }) => new ObjectTransport({ namespace: env.RESEARCHER });
 */
export class ObjectTransport implements RemoteAgentTransport {
  readonly label: string;
  readonly bounds: RemoteBounds;
  readonly #namespace: NonNullable<ObjectTransportOptions['namespace']>;
  readonly #limits: RemoteLimits;

  constructor(options: ObjectTransportOptions) {
    refuseUnknown('ObjectTransport', options, ['namespace', 'label', 'limits']);
    const { namespace, label = 'object', limits } = options;
    this.label = label;
    if (namespace === undefined || namespace === null)
      throw new RemoteError('remote_not_configured', `The namespace "${label}" is missing in the environment.`);
    this.#namespace = namespace;
    this.#limits = limitsOf('ObjectTransport', limits);
    this.bounds = this.#limits;
  }

  async call(request: RemoteCall): Promise<RemoteAnswer> {
    const { verb, agent, body = {}, idempotencyKey, caller } = request;
    const ask = () => this.#ask(verb, agent, body, { caller, idempotencyKey });
    return givenAnswer(verb, await callWithin(ask, request, this.label, this.#limits), this.#limits);
  }

  stream(request: {
    readonly agent: RemoteAgent;
    readonly from: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<RemoteEvent> {
    const ask = () => this.#ask('stream', request.agent, { from: request.from }, {});
    return streamWithin(ask, request, this.label, this.#limits);
  }

  /** What the object answers, with a refusal as over a binding. */
  async #ask(
    verb: string,
    agent: RemoteAgent,
    body: JsonObject,
    by: { readonly caller?: RemoteCaller | undefined; readonly idempotencyKey?: string | undefined },
  ): Promise<Given> {
    if (!isVerbName(verb)) throw new TypeError(`There is no verb "${verb}".`);
    const { caller, idempotencyKey } = by;
    const refused = (error: Parameters<typeof problemOf>[0]): Given => ({ ok: false, ...problemOf(error, '') });
    try {
      const call = callOf(addressOf(agent), verb, body, {
        caller: caller?.subject,
        idempotencyKey,
        traceparent: caller?.traceparent,
      });
      // A stub whose object has gone is of no further use.
      const { root: location } = parseAddress(addressOf(agent));
      const root = () => rootIn(this.#namespace, location);
      const answer = await askRoot(
        () => root().offshoot(call),
        (error) => console.error(`offshoot: the object behind "${this.label}" could not be reached.`, error),
      );
      return answer.ok ? { ok: true, body: answer.body, bytes: answer.bytes } : refused(answer.error);
    } catch (error) {
      if (error instanceof OffshootError) return refused(failureOf(error));
      throw error;
    }
  }
}
