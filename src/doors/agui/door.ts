/**
 * AG-UI 1.0 at `POST /agui/{agent}`, and a stop at `POST /agui/{agent}/stop`.
 *
 * AU1. A request that is refused before its run begins is answered with a problem document; what fails later ends the run
 *      with `RUN_ERROR`.
 * AU9. A client that leaves stops nothing: the run goes on, and the next request joins it.
 */
import * as z from 'zod';
import { refuseUnknown } from '../../core/definition/invalid';
import type { DoorRequest, PathDoor } from '../../gateway/doors/door';
import { checkRootName } from '../../protocol/address';
import { failure, refuse, refuseWith } from '../../protocol/errors';
import { problemOf } from '../../protocol/problem';
import { MAX_DOOR_BYTES } from '../body';
import { Thread } from '../thread';
import type { AguiEvent } from './events';
import { runInput } from './input';
import { begin, eventsOf } from './run';

/** Options of the door. */
export interface AguiOptions {
  /** The path at which it is served, below `basePath`. Default: `/agui`. */
  readonly at?: string;
  /** Names of client tools (`execute: 'client'`) that a client may list with a run. Default: none. */
  readonly clientTools?: readonly string[];
}

const stopInput = z.object({ threadId: z.string().min(1), reason: z.string().min(1).max(1_000).optional() });

const ALLOW = 'POST, OPTIONS';

/** @throws OffshootError for a name that no root can have */
function threadAt({ agents }: DoorRequest, agent: string, threadId: string): Thread {
  checkRootName(threadId);
  return new Thread(agents, `/agents/${agent}/${threadId}`);
}

async function stopped(request: DoorRequest, agent: string): Promise<Response> {
  const read = stopInput.safeParse(await request.json());
  if (!read.success) refuse('invalid_request', 'Send { "threadId": "…" }, and optionally a `reason`.');
  const { threadId, reason } = read.data;
  const thread = threadAt(request, agent, threadId);
  const answer = await thread.ask<object>('interrupt', reason === undefined ? {} : { reason });
  if (!answer.ok) refuseWith(answer.error);
  return Response.json(answer.body, { status: 202, headers: { 'x-request-id': request.requestId } });
}

/** Events as they are sent. Nothing is read before the reader can take it. */
function sent(
  events: AsyncGenerator<AguiEvent | undefined, void, void>,
  close: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await events.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value ? `data: ${JSON.stringify(value)}\n\n` : ': alive\n\n'));
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}

async function answered(request: DoorRequest, agent: string, clientTools: readonly string[]): Promise<Response> {
  const run = runInput(await request.json(MAX_DOOR_BYTES), clientTools);
  const begun = await begin(threadAt(request, agent, run.threadId), run);
  const gone = new AbortController();
  const bytes = begun.bytes.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal: gone.signal });
  const events = eventsOf({ ...begun, bytes });
  return new Response(
    sent(events, () => gone.abort()),
    {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache, no-transform',
        'x-request-id': request.requestId,
      },
    },
  );
}

/**
 * The AG-UI door: clients send requests to `/agui/{agent}`, where the id of a thread is the name of a root.
 * @throws OffshootError `invalid_definition` for an unknown option
 * @example
 * export default serve([planner], { doors: [agui()] });
 */
export function agui(options: AguiOptions = {}): PathDoor {
  refuseUnknown('agui', options, ['at', 'clientTools']);
  const { at = '/agui', clientTools = [] } = options;
  return {
    name: 'agui',
    at,
    async answer(request, path) {
      const [, agent, stop] = /^\/([^/]+)(\/stop)?$/.exec(path) ?? [];
      if (agent === undefined) return undefined;
      const { method } = request.request;
      if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow: ALLOW } });
      if (method !== 'POST') {
        const { requestId } = request;
        const body = problemOf(failure('method_not_allowed', `This route takes ${ALLOW}.`), requestId);
        return Response.json(body, {
          status: body.status,
          headers: { 'content-type': 'application/problem+json', allow: ALLOW },
        });
      }
      return stop === undefined ? answered(request, agent, clientTools) : stopped(request, agent);
    },
  };
}
