/**
 * Reaching one child: a message is sent until it is answered, or the patience of its sender is over.
 *
 * Decides: the waits between two tries to reach a child. How long it is tried in all is the sender's: the limit
 * `childReachMs` for a start, children.ts for a stop.
 * Keeps DG13, DG12, DG32, CT2, SO7.
 */
import { type Child, keyOf } from '../../core/agent/children/child';
import type { ChildRef } from '../../core/ports/child-transport';
import { boundedText, failureOf, isNewerFormat, NEWER_FORMAT_AGAIN_MS } from '../../protocol/errors';
import { pause } from '../environment';
import type { ParentAgent } from '../perform/performer';
import type { AgentAnswer, AgentMessage } from '../tree-messages';
import { isUnknownAnswer } from '../versions/known-calls';

/** A child that cannot be reached is tried again after these waits, in ms, the last one again and again. */
const REACH_AGAIN_MS = [50, 200, 1_000];
const LAST_WAIT_MS = 3_000;
/** A start that is under way when its stop comes has so long, in ms, to be answered. */
const UNDER_WAY_MS = 5_000;
/** Of what was wrong with the way to a child its parent's model reads so many characters. */
const MAX_WHY = 500;

/** A child as its transport knows it. */
export function refTo({ sessionId, address, placement }: ChildRef): ChildRef {
  return { sessionId, address, placement };
}

/** What became of a message to a child. */
export type Reached =
  | { readonly answer: AgentAnswer }
  /** `isNewer`: it is there, and a newer version has written its rows. */
  | { readonly answer?: never; readonly why: string; readonly isNewer?: true };

/** How long it is tried to reach a child, in ms, how long one call may take, and what ends it all. */
interface Patience {
  readonly ms: number;
  readonly answerMs: number;
  readonly signal: AbortSignal | undefined;
  /** Hears once that the child is not reached, when that is more than a moment. */
  readonly unreached?: (why: string) => void;
}

/**
 * Sends to a child until it answers or the patience is over. At the signal it waits a moment for a call that is under way.
 * A child with newer rows is asked until the signal: it works on once a newer version is deployed again.
 */
export async function reach(
  agent: ParentAgent,
  child: ChildRef,
  message: AgentMessage,
  { ms, answerMs, signal, unreached }: Patience,
): Promise<Reached> {
  const { environment } = agent;
  const until = environment.now() + ms;
  for (let tries = 0; ; tries++) {
    const reached = await sent(agent, child, message, answerMs, signal);
    const left = until - environment.now();
    if (reached.answer || isOver(signal)) return reached;
    if (tries === (reached.isNewer ? 0 : REACH_AGAIN_MS.length)) unreached?.(reached.why);
    if (reached.isNewer) await pause(environment, NEWER_FORMAT_AGAIN_MS, signal);
    else if (left <= 0) return reached;
    else await pause(environment, Math.min(REACH_AGAIN_MS[tries] ?? LAST_WAIT_MS, left), signal);
    if (isOver(signal)) return reached;
  }
}

/** The same for a child with a task: as long as it is not reached, its status text says why. */
export async function reachShown(
  agent: ParentAgent,
  child: Child,
  message: AgentMessage,
  patience: Patience,
): Promise<Reached> {
  const task = keyOf(child);
  const show = (why?: string): void => {
    agent.apply({ type: 'child_reach', at: agent.environment.now(), task, ...(why === undefined ? {} : { why }) });
  };
  const reached = await reach(agent, child, message, { ...patience, unreached: show });
  if (reached.answer && agent.state.children.get(child.childId)?.task.unreached !== undefined) show();
  return reached;
}

const isOver = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/** Sends to a child once. A call that is not answered within so long, in ms, is left behind. */
function sent(
  agent: ParentAgent,
  child: ChildRef,
  message: AgentMessage,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<Reached> {
  const { environment } = agent;
  return new Promise((resolve) => {
    const leave = (): void => settle({ why: 'It did not answer.' });
    let cancel = environment.timer(ms, leave);
    const aborted = (): void => {
      cancel();
      cancel = environment.timer(Math.min(ms, UNDER_WAY_MS), leave);
    };
    const settle = (reached: Reached): void => {
      cancel();
      signal?.removeEventListener('abort', aborted);
      resolve(reached);
    };
    signal?.addEventListener('abort', aborted, { once: true });
    agent.deps.children.send(refTo(child), { kind: 'agent', path: [], message }).then(
      (answer) => settle(isUnknownAnswer(answer) ? { why: 'A newer version answered.', isNewer: true } : { answer }),
      (error: unknown) => {
        environment.report(`The sub-agent ${child.address} could not be reached.`, error);
        settle({
          why: `It could not be reached: ${boundedText(failureOf(error).message, MAX_WHY)}`,
          ...(isNewerFormat(error) ? { isNewer: true } : {}),
        });
      },
    );
  });
}
