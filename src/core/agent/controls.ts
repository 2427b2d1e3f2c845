/**
 * What a person may ask of an agent now: each verb's event is tried on the state, and what the transition refuses with is
 * the reason. So what is shown as legal and what is taken are one decision.
 *
 * Decides: which verbs are legal now at an agent, and why the others are not.
 * Keeps A82.
 */

import { type Failure, failure } from '../../protocol/errors';
import { mintId } from '../../protocol/ids';
import type { Control } from '../../protocol/shown/controls';
import { type CapabilityMachine, capabilityMissing } from './capability';
import type { TaskKey } from './children/child';
import type { AgentEvent, KnownChildren } from './events';
import type { NewMessage } from './inbound';
import type { Rules } from './rules';
import { failureByStop, type StopVerb } from './runs/stop-verb';
import type { AgentState } from './state';
import { transition } from './transition';

/** What an agent itself says to each verb. */
export type OwnControls = {
  readonly start: Control;
  readonly send: Control;
  readonly interrupt: Control;
  readonly abort: Control;
  readonly terminate: Control;
  readonly resume: Control;
  readonly retry: Control;
};

/** What a parent says to what is asked of a child by way of it. */
export interface ControlsOver {
  readonly tell: Control;
  readonly fork: Control;
  readonly resume: Control;
  readonly retry: Control;
  readonly giveUp: Control;
  readonly interrupt: Control;
  readonly abort: Control;
  readonly terminate: Control;
}

/** When it is asked, in ms since 1970, with randomness for what an event would mint; nothing of it is kept. */
interface Moment {
  readonly at: number;
  readonly token: string;
}

/** What a session works by. */
type RulesOf = (state: AgentState) => Rules;

/** Whether a stop has changed nothing, because no run goes on. */
export function stopsNothing(before: AgentState, after: AgentState): boolean {
  return after === before && before.run?.phase !== 'active';
}

/** Why a stop is no choice that would change nothing. */
export function nothingToStop(): Failure {
  return failure('nothing_to_stop', 'It has ended, or never began: a stop changes nothing.');
}

/** What an agent says now to a verb that comes to it. */
export function ownControls(
  state: AgentState,
  rulesOf: RulesOf,
  capabilities: readonly CapabilityMachine[],
  moment: Moment,
): OwnControls {
  const tried = (event: AgentEvent): Control => {
    const done = transition(state, event, rulesOf, capabilities);
    return done.ok || done.refused;
  };
  const stopped = (verb: StopVerb): Control => {
    const done = transition(state, { type: 'stop', ...moment, verb, reason: verb }, rulesOf, capabilities);
    if (!done.ok) return done.refused;
    return stopsNothing(state, done.state) ? nothingToStop() : true;
  };
  const runId = mintId('run', moment.token);
  const message = said(moment);
  return {
    start: tried({ type: 'start', ...moment, runId, messages: [message] }),
    send: tried({ type: 'send', ...moment, runId, message }),
    interrupt: stopped('interrupt'),
    abort: stopped('abort'),
    terminate: stopped('terminate'),
    resume: tried({ type: 'resume', ...moment, runId }),
    retry: tried({ type: 'retry', ...moment, runId }),
  };
}

/** What a parent says now about a child of its: by its task, and by its name where it has one. */
export function controlsOver(
  state: AgentState,
  rulesOf: RulesOf,
  capabilities: readonly CapabilityMachine[],
  child: { readonly task: TaskKey; readonly name: string; readonly children: KnownChildren },
  moment: Moment,
): ControlsOver {
  const { task, name, children } = child;
  const tried = (event: AgentEvent): Control => {
    const done = transition(state, event, rulesOf, capabilities);
    return done.ok || done.refused;
  };
  const stopped = (verb: StopVerb): Control =>
    tried({ type: 'child_stop', ...moment, task, verb, error: failureByStop(verb, verb) });
  const byCapability = (verb: string): Control => {
    for (const { name: capability, tries } of capabilities) {
      const event = tries?.(verb, { ...child, token: moment.token });
      if (event) return tried({ type: 'capability', ...moment, capability, event });
    }
    return capabilityMissing(verb);
  };
  return {
    tell: tried({ type: 'child_message', ...moment, children, name, message: said(moment), by: { actor: '' } }),
    fork: byCapability('fork'),
    resume: tried({ type: 'child_resume', ...moment, task }),
    retry: tried({ type: 'child_decided', ...moment, task, decision: 'retry' }),
    giveUp: tried({ type: 'child_decided', ...moment, task, decision: 'give_up' }),
    interrupt: stopped('interrupt'),
    abort: stopped('abort'),
    terminate: stopped('terminate'),
  };
}

/** The shortest that can be said. */
const WORD = '.';

const said = ({ token }: Moment): NewMessage => ({
  messageId: mintId('message', token),
  role: 'user',
  content: WORD,
  from: 'caller',
});
