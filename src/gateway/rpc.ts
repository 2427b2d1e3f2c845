/**
 * The entrypoint for other Workers: every verb of the table as a method. The methods are made from the table, so a verb
 * that is added there is one here, checked by the same schema as over HTTP.
 *
 * Keeps Y1, Y3, Y5, Y6.
 */

import { WorkerEntrypoint } from 'cloudflare:workers';
import type { AgentDefinition } from '../core/definition/definition';
import { refuse } from '../protocol/errors';
import { isObject, type Json, type JsonLike } from '../protocol/json';
import { plainInput } from '../protocol/plain-input';
import { type Problem, problemOf } from '../protocol/problem';
import { VERBS } from '../verbs/table';
import type { Verb } from '../verbs/verb';
import { listedAgents } from './agents/listed';
import { withAdvice } from './agents/route-advice';
import { misconfiguration, missingParts } from './agents/worker';
import { askAgent, refuseUnknownClass } from './ask-agent';
import { type Exports, exportsOf } from './objects';
import { failureFor, faultOf } from './problem';
import { addressOf, bytesOf, callerOf } from './rpc-input';
import type { RpcFailure, RpcMethods, RpcSuccess } from './rpc-types';

type Answered = RpcFailure | (RpcSuccess<JsonLike> & { readonly bytes?: ReadableStream<Uint8Array> });

/** What is wrong with the Worker, or undefined. */
function faultIn(exports: Exports): string | undefined {
  const agents = listedAgents();
  const missing =
    agents.size === 0
      ? ['OffshootRpc knows no agents. List them in the entry of the Worker: export default serve([…]);']
      : missingParts(agents, exports);
  return missing.length === 0 ? undefined : misconfiguration(missing);
}

/** A stream says in the input how long it is, a buffer knows. */
function withBytes(input: Json, given: unknown): { input: Json; bytes: ReadableStream<Uint8Array> } {
  const { bytes, size } = bytesOf(given);
  if (!isObject(input)) return { input, bytes };
  if (size === undefined && input.size === undefined)
    refuse(
      'length_required',
      'Give the `size` of the stream in bytes in the input, so that a complete stream can be recognized.',
    );
  return { input: size === undefined ? input : { size, ...input }, bytes };
}

/** Lets go of a stream that nobody has read, whichever argument it is: its sender would wait for a reader. */
function drop(content: unknown): void {
  if (content instanceof ReadableStream && !content.locked) content.cancel().catch(() => undefined);
}

/** Answers a call of a method; throws nothing. */
async function answer(context: object, verb: Verb, given: readonly unknown[]): Promise<Answered> {
  const requestId = crypto.randomUUID();
  const [where, what, ...rest] = given;
  const [content, who] = verb.bytes === 'in' ? rest : [undefined, rest[0]];
  let trace = '';
  const log = (error: unknown): void => console.error(`offshoot rpc ${requestId}${trace}:`, error);
  const refused = (problem: Problem): RpcFailure => {
    given.forEach(drop);
    return { ok: false, ...problem };
  };
  try {
    const exports = exportsOf(context);
    const fault = faultIn(exports);
    if (fault !== undefined) return refused(faultOf(fault));
    const { subject: caller, idempotencyKey, traceparent } = callerOf(who, Date.now());
    if (traceparent !== undefined) trace = ` ${traceparent}`;
    const worker = { exports, classes: listedAgents(), log };
    const address = addressOf(where);
    refuseUnknownClass(worker, address);
    const json = plainInput(what);
    const question = verb.bytes === 'in' ? withBytes(json, content) : { input: json };
    const asked = await askAgent(worker, { address, verb, caller, idempotencyKey, traceparent, ...question });
    const reply = withAdvice(asked, address);
    if (!reply.ok) return refused(problemOf(reply.error, requestId));
    const { body, bytes, status = verb.status } = reply;
    return { ok: true, status, body, ...(bytes ? { bytes } : {}) };
  } catch (error) {
    return refused(problemOf(failureFor(error, log), requestId));
  }
}

/** The methods lie on the prototype, because only what is there can be called. */
class Entrypoint extends WorkerEntrypoint {
  static {
    for (const verb of VERBS) {
      Object.defineProperty(Entrypoint.prototype, verb.name, {
        value(this: Entrypoint, ...given: unknown[]): Promise<Answered> {
          return answer(this.ctx, verb, given);
        },
      });
    }
  }
}

/**
 * The methods of a binding to `OffshootRpc`, whose type is `Service<OffshootRpc>`. For roots of one definition,
 * `Service<OffshootRpc<typeof planner>>` has its types, with roots as `{ agent, name }`. Several bindings may name the
 * same entrypoint, one for each definition.
 */
export type OffshootRpc<Agent extends AgentDefinition = AgentDefinition> = WorkerEntrypoint & RpcMethods<Agent>;

/**
 * The entrypoint that other Workers bind as a service. Export it beside the agents:
 * `export { OffshootDirectory, OffshootRpc } from 'offshoot/worker';` and bind it in the other Worker:
 * `"services": [{ "binding": "AGENTS", "service": "<this Worker>", "entrypoint": "OffshootRpc" }]`.
 *
 * Every operation is a method: `AGENTS.start(address, { message }, caller?)`. The address is a string
 * (`/agents/coordinator/q1`) or `{ agent, name, sub }`; the input is plain JSON, as in the body or the query over HTTP.
 * A call returns `{ ok: true, status, body }` or `{ ok: false, code, title, detail, … }`. `stream` (server-sent events)
 * and `readFile` also return `bytes`; `writeFile(address, { path }, bytes, caller?)` takes them. A call throws only if
 * the connection between the two Workers fails.
 *
 * Every holder of the binding is trusted: it may do everything to every agent, and `authorize` is not called. Only
 * someone who deploys Workers in the same account can add a binding. `caller.subject` says on whose behalf it calls,
 * and is not checked. Before you pass a browser's input on as an address or a caller, check its user's permissions.
 * @example
 * const started = async (agents: Service<OffshootRpc<typeof planner>>) => {
 *   const answer = await agents.start({ agent: 'planner', name: 'q1' }, { message: 'Plan a call.' });
 *   return answer.ok ? answer.body.sessionId : answer.code;
 * };
 */
export const OffshootRpc = Entrypoint as unknown as new (ctx: ExecutionContext, env: Cloudflare.Env) => OffshootRpc;
