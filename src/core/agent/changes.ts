/**
 * What a transition writes. One change is one row, written or replaced by its key.
 *
 * Keeps EG1.
 */
import type { Chunk, ChunkBody } from '../../protocol/chunks';
import type { Failure } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import type { Child } from './children/child';
import type { VariableRequest } from './events';
import type { InboundMessage } from './inbound';
import type { AgentState, Call, CustomBefore, QueuedStart, Run, Session, Settlement, SliceRow, Step } from './state';

/** One row to write. Calls are kept with their step; their results are rows of their own. */
export type Change =
  | { readonly put: 'session'; readonly session: Session }
  | { readonly put: 'custom'; readonly custom: Json }
  | { readonly put: 'custom_before'; readonly before: CustomBefore }
  | { readonly put: 'run'; readonly run: Run }
  | { readonly put: 'step'; readonly step: Step }
  /** How an open call stands; its result takes the place of this row. */
  | {
      readonly put: 'call_state';
      readonly stepId: number;
      readonly index: number;
      readonly state: Pick<Call, 'state' | 'answer'>;
    }
  | { readonly put: 'settlement'; readonly stepId: number; readonly index: number; readonly settlement: Settlement }
  | { readonly put: 'queued'; readonly start: QueuedStart }
  | { readonly put: 'unqueued'; readonly id: number }
  | { readonly put: 'row'; readonly capability: string; readonly row: SliceRow }
  | { readonly put: 'no_row'; readonly capability: string; readonly id: number }
  | { readonly put: 'message'; readonly message: InboundMessage }
  /** A message that no step has seen is taken back. */
  | { readonly put: 'no_message'; readonly id: number }
  /** A child that waits for variables. */
  | { readonly put: 'variable_request'; readonly request: VariableRequest }
  | { readonly put: 'no_variable_request'; readonly requestId: string }
  /** `reuses`: it takes the slot of one that was released, whose row goes. */
  | { readonly put: 'child'; readonly child: Child; readonly reuses: boolean };

/** A chunk before its base is added. */
export interface Emission {
  readonly body: ChunkBody;
  /** The run that it tells of: one event may end a run and begin the next. */
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
}

/** What becomes of a file, in the transaction of an event (`enclosures.ts`). */
export type FileMove =
  /** It is held under a key, as it is. */
  | { readonly move: 'hold'; readonly key: string; readonly path: string }
  /** What is held under a key is held under another one from here on. */
  | { readonly move: 'rename'; readonly key: string; readonly to: string }
  /** What came under a key is a file from here on. */
  | { readonly move: 'place'; readonly key: string; readonly path: string }
  /** What is kept under keys that begin so is not wanted any more; of these only what is before a key, where one is given. */
  | { readonly move: 'drop'; readonly prefix: string; readonly before?: string };

/** What an event did. */
export interface Applied {
  readonly ok: true;
  readonly state: AgentState;
  readonly changes: readonly Change[];
  readonly chunks: readonly Emission[];
  readonly moves?: readonly FileMove[];
  /** Why what a person sent is kept beside the result of its call, and is not that result. */
  readonly late?: Failure;
}

/** What an event did, or why it did nothing. */
export type Transition = Applied | { readonly ok: false; readonly refused: Failure };

/** The chunks of an event as the log has them. `timestamp` is in ms since 1970. */
export function chunksOf({ state, chunks }: Applied, timestamp: number): Chunk[] {
  const { sessionId: agentId, agentType, address } = state.session;
  return chunks.map(({ body, runId, step, attempt }) => ({
    ...body,
    agentId,
    agentType,
    address,
    runId,
    step,
    attempt,
    timestamp,
  }));
}
