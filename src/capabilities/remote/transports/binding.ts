/**
 * Agents of another Worker, over a service binding to its `OffshootRpc`: no network, no secret.
 *
 * Keeps AE1, AE9.
 */
import { refuseUnknown } from '../../../core/definition/invalid';
import {
  type RemoteAgent,
  type RemoteAgentTransport,
  type RemoteAnswer,
  type RemoteBounds,
  type RemoteCall,
  RemoteError,
  type RemoteEvent,
} from '../../../core/definition/remote-transport';
import { givenAnswer } from './answer';
import { refusedBody } from './body';
import { addressOf } from './events';
import { faulty } from './faults';
import { limitsOf, type RemoteLimits } from './limits';
import { callWithin, type Given, streamWithin } from './platform-call';

/** Options of `ServiceBindingTransport`. */
export interface ServiceBindingOptions {
  /** The binding, `env.RESEARCH`: a service with the entrypoint `OffshootRpc`. */
  readonly binding: object | undefined;
  /** Its label in references and in the console; `binding` by default. */
  readonly label?: string;
  readonly limits?: Partial<RemoteLimits>;
}

/** Whose keys they are where a call names nobody. */
const NOBODY = 'offshoot';

/**
 * Reaches agents of another Worker of the same account over a service binding. Its data is checked and limited as over
 * HTTP.
 * @throws RemoteError `remote_not_configured` if the binding is missing
 * @throws OffshootError `invalid_definition` for invalid limits
 * @example
 * const transport = (env: { RESEARCH: Service<OffshootRpc> }) => new ServiceBindingTransport({ binding: env.RESEARCH });
 */
export class ServiceBindingTransport implements RemoteAgentTransport {
  readonly label: string;
  readonly bounds: RemoteBounds;
  readonly #binding: object;
  readonly #limits: RemoteLimits;

  constructor(options: ServiceBindingOptions) {
    refuseUnknown('ServiceBindingTransport', options, ['binding', 'label', 'limits']);
    const { binding, label = 'binding', limits } = options;
    this.label = label;
    if (binding === undefined || binding === null)
      throw new RemoteError('remote_not_configured', `The service binding "${label}" is missing in the environment.`);
    this.#binding = binding;
    this.#limits = limitsOf('ServiceBindingTransport', limits);
    this.bounds = this.#limits;
  }

  async call(request: RemoteCall): Promise<RemoteAnswer> {
    const { verb, agent, body = {}, idempotencyKey, caller } = request;
    const refused = refusedBody(body);
    if (refused) return refused;
    const who = {
      subject: NOBODY,
      ...caller,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    };
    const ask = () => this.#ask(verb, addressOf(agent), body, who);
    return givenAnswer(verb, await callWithin(ask, request, this.label, this.#limits), this.#limits);
  }

  stream(request: {
    readonly agent: RemoteAgent;
    readonly from: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<RemoteEvent> {
    const ask = () => this.#ask('stream', addressOf(request.agent), { from: request.from }, { subject: NOBODY });
    return streamWithin(ask, request, this.label, this.#limits);
  }

  /** A method of a stub is called on it, by its name. */
  async #ask(verb: string, ...given: readonly unknown[]): Promise<Given> {
    const method: unknown = Reflect.get(this.#binding, verb);
    if (typeof method !== 'function')
      throw new RemoteError('remote_not_configured', `The binding "${this.label}" is not bound to an OffshootRpc.`);
    const answer: unknown = await Reflect.apply(method, this.#binding, given);
    if (typeof answer === 'object' && answer !== null) return { ...answer };
    throw faulty('shape', `The answer to "${verb}" is not an object.`);
  }
}
