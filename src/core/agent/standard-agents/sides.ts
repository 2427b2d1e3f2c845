/**
 * The turns of a session with two sides: what a step that is closed means to the session. Pure; whose turn it is stands
 * in the run, so a crash changes nothing of it.
 *
 * Decides: whose turn it is; what ends a session of two sides.
 * Keeps SA7, SA38, SA39, SA41, SA45.
 */
import { failure } from '../../../protocol/errors';
import { isObject, type Json } from '../../../protocol/json';
import { otherSide, type SideName } from '../../../protocol/sides';
import type { SessionBinding, Side } from '../../definition/definition';
import type { InboundMessage } from '../inbound';
import {
  type ActingSide,
  type ActiveRun,
  type Call,
  type Outcome,
  type RepliedStep,
  replyText,
  type Step,
} from '../state';

/** The sides of an agent, and how many turns its sessions have. */
export interface SidesRules {
  readonly of: Readonly<Record<SideName, Side>>;
  readonly maxTurns?: number;
}

/** The side that a message is for. */
export const targetOf = ({ to }: Pick<InboundMessage, 'to'>): SideName => to ?? 'side_a';

/** The side that acts first: that which the first message is for. */
export function firstSide(inbox: readonly InboundMessage[]): SideName {
  const first = inbox.find(({ from, wakes }) => from !== 'offshoot' || wakes);
  return first ? targetOf(first) : 'side_a';
}

const asText = (value: Json | undefined): string => {
  if (value === undefined || value === null) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).trim();
};

/** An argument of a call as a text: what a person agreed to, where they changed it. */
function argumentOf({ input, answer }: Call, property: string | undefined): string {
  const given = answer?.input ?? input;
  if (property === undefined || !isObject(given)) return '';
  return asText(given[property]);
}

/** The calls of a tool in a step that succeeded, each judged by itself. */
function succeeded(step: RepliedStep, name: string | undefined): Call[] {
  if (name === undefined) return [];
  return step.calls.filter((call) => call.name === name && call.settled?.result.success === true);
}

const NO_MESSAGE = 'The session ended without a message.';

/** What a binding makes of a call: the argument that it names, else what the tool gave. */
function payloadOf({ messageProperty }: SessionBinding, call: Call): string {
  const { settled } = call;
  const given = settled?.result.success === true ? asText(settled.result.value) : '';
  return argumentOf(call, messageProperty) || given || NO_MESSAGE;
}

/** What a status tool tells: the argument, else what it gave, else why it failed; nothing where all are empty. */
export function statusOfCall({ messageProperty }: SessionBinding, call: Call): string {
  const result = call.settled?.result;
  if (result === undefined) return '';
  return argumentOf(call, messageProperty) || (result.success ? asText(result.value) : result.error.message);
}

/** What the other side reads of a step: what its `stopTool` was called with or gave, else its text. */
export function messageOfSide(side: Side, step: RepliedStep): string {
  const text = replyText(step);
  const [stop] = succeeded(step, side.stopTool);
  if (stop === undefined) return text;
  const mapped = argumentOf(stop, side.stopToolResponseProperty);
  if (mapped !== '') return mapped;
  return text.trim() === '' && stop.settled?.result.success === true ? asText(stop.settled.result.value) : text;
}

/** The end of a session that a call of a step is: a failure first, whatever else was called. */
export function boundEnd(
  side: Side,
  step: RepliedStep,
): { readonly outcome: Outcome; readonly call: Call } | undefined {
  const { sessionFail, sessionStop } = side;
  const [failed] = succeeded(step, sessionFail?.name);
  if (sessionFail && failed) {
    const error = failure('session_failed', payloadOf(sessionFail, failed));
    return { outcome: { status: 'failed', error, failureReason: error.code }, call: failed };
  }
  const [stopped] = succeeded(step, sessionStop?.name);
  if (sessionStop === undefined || stopped === undefined) return undefined;
  const output = payloadOf(sessionStop, stopped);
  return { outcome: { status: 'completed', output, completionReason: 'session_stop' }, call: stopped };
}

/** Whether a turn ends with a step: by the tool for it, a reply without calls, or the last step of the side. */
function endsTurn(side: Side, step: RepliedStep, { steps }: ActingSide): boolean {
  if (succeeded(step, side.stopTool).length > 0) return true;
  if (step.calls.length === 0 && side.stopOnResponse) return true;
  return side.maxSteps !== undefined && steps >= side.maxSteps;
}

/** Whose turn it is after a step, and the end of the session where its turns are used up. */
export function afterStep(
  rules: SidesRules,
  { sides }: Pick<ActiveRun, 'sides'>,
  step: RepliedStep,
): { readonly sides: ActingSide; readonly ended?: Outcome } {
  const { acting, ...before } = sides ?? { acting: 'side_a', turns: 0, steps: 0 };
  const side = rules.of[acting];
  if (!endsTurn(side, step, { acting, ...before })) return { sides: { acting, ...before } };
  const turns = before.turns + 1;
  const { maxTurns } = rules;
  if (maxTurns === undefined) return { sides: { acting: otherSide(acting), turns, steps: 0 } };
  const told = messageOfSide(side, step).trim();
  const said = told === '' ? (before.said ?? '') : told;
  const next: ActingSide = { acting: otherSide(acting), turns, steps: 0, said };
  if (turns < maxTurns) return { sides: next };
  return { sides: next, ended: { status: 'completed', output: said, completionReason: 'session_turns' } };
}

/** Whose turn it was in the last of these steps, before that was closed: all of a chain up to it, in order. */
export function sidesIn(rules: SidesRules, steps: Iterable<Step>): ActingSide | undefined {
  let sides: ActingSide | undefined;
  let before: Step | undefined;
  for (const step of steps) {
    const { acting, ...counts } = sides ?? { acting: 'side_a', turns: 0, steps: 0 };
    const counted = { acting, ...counts, steps: counts.steps + 1 };
    const next = before?.phase === 'calls' ? afterStep(rules, { sides: counted }, before).sides : { acting, ...counts };
    // Whom people spoke to may be another one than is next.
    sides = { ...next, acting: step.side ?? next.acting };
    before = step;
  }
  return sides;
}

/** What a side is told whose reply had no calls and did not end its turn. */
export function goOn({ stopTool }: Side): string {
  const how = stopTool === undefined ? 'Use your tools.' : `Your turn ends when you call the tool ${stopTool}.`;
  return `Your turn continues. ${how}`;
}
