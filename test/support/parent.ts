/** A parent of which only what it needs for its children is there, whose root and children answer as a test says. */
import type { AgentEvent } from '../../src/core/agent/events';
import type { AgentState } from '../../src/core/agent/state';
import { limitsOf } from '../../src/core/definition/limits';
import type { AdmissionRequest } from '../../src/core/tree/admission';
import { Beginnings } from '../../src/engine/children/child-starts';
import type { ParentAgent } from '../../src/engine/perform/performer';
import { VirtualTime } from './virtual-time';

/** What the others answer. */
export interface Others {
  /** The root, to a request for a child. */
  readonly admission?: object;
  /** A child, to the message of that number, from 0. Undefined: it is not reached. */
  answers?(number: number): object | undefined;
  /** The sessions that the root says never began, to a request that names these. */
  withdrawn?(what: { readonly withdraw?: readonly string[]; readonly lost?: readonly string[] }): readonly string[];
  /** The agent has been in memory since before its children were made. */
  readonly isFresh?: boolean;
}

/** The parent, with what it sent, asked, removed and applied. */
export function parentOf(
  state: AgentState,
  { admission = {}, answers = () => ({ answer: 'done' }), withdrawn, isFresh = true }: Others = {},
) {
  const time = new VirtualTime();
  const sent: object[] = [];
  const asked: object[] = [];
  const removed: string[] = [];
  const given: string[] = [];
  const events: Record<string, unknown>[] = [];
  const controller = new AbortController();
  const agent = {
    environment: time.environment,
    state,
    seat: { rules: { limits: limitsOf({}) }, workspace: { readOnly: true } },
    apply: (event: AgentEvent) => {
      events.push({ ...event });
      return { ok: true };
    },
    link: {
      ask: async (what: { readonly admit?: readonly AdmissionRequest[]; readonly withdraw?: readonly string[] }) => {
        asked.push(what);
        const admissions = (what.admit ?? []).map(({ childId }) => ({ childId, ...admission }));
        return { admissions, withdrawn: withdrawn?.(what) ?? [] };
      },
      relay: async () => [],
    },
    takeEnds: async () => undefined,
    beginnings: new Beginnings(isFresh ? { ...state, children: new Map() } : state),
    preparing: {
      prepare: () => undefined,
      awaited: () => [],
      prepared: () => undefined,
      giveUp: async (_agent: object, { sessionId }: { readonly sessionId: string }) => void given.push(sessionId),
    },
    stoppedBy: new Map(),
    turns: { take: (_id: string, work: () => Promise<void>) => work() },
    owes: () => true,
    signalOf: () => controller.signal,
    deps: {
      children: {
        prepare: async () => undefined,
        send: async (_child: object, { message }: { readonly message: object }) => {
          const answer = answers(sent.push(message) - 1);
          if (answer === undefined) throw new Error('It is not reached.');
          return answer;
        },
        remove: async ({ sessionId }: { readonly sessionId: string }) => void removed.push(sessionId),
      },
      store: { child: () => undefined },
    },
  };
  return { agent: agent as unknown as ParentAgent, time, sent, asked, removed, given, events, controller };
}
