/**
 * What a person may ask of an agent now, and of a child of its: tried on the state as it was committed last.
 *
 * Keeps A82.
 */
import { type ControlsOver, controlsOver, type OwnControls, ownControls } from '../../core/agent/controls';
import type { AgentStore } from '../../core/ports/agent-store';
import type { AgentDeps } from '../agent-deps';
import { classesBelow, knownChildren } from '../children/own-children';
import type { WorkingAgent } from '../perform/performer';
import type { AgentMessage } from '../tree-messages';

interface AskedAgent extends Pick<WorkingAgent, 'environment' | 'state' | 'seat'> {
  readonly deps: Pick<AgentDeps, 'seat' | 'capabilities'> & {
    readonly store: Pick<AgentStore, 'countLasting' | 'named' | 'nextChild' | 'slots'>;
  };
}

const momentOf = ({ environment }: AskedAgent) => ({ at: environment.now(), token: environment.token() });

/** What the agent itself says. */
export function ownControlsOf(agent: AskedAgent): OwnControls {
  return ownControls(agent.state, (state) => agent.deps.seat(state).rules, agent.deps.capabilities, momentOf(agent));
}

/** What it says about a child of its. */
export function controlsOverChild(
  agent: AskedAgent,
  { task, name }: Extract<AgentMessage, { type: 'controls' }>,
): ControlsOver {
  const children = knownChildren(agent.deps.store, classesBelow(agent.seat.definition), [name]);
  const child = { task, name, children };
  const { seat, capabilities } = agent.deps;
  return controlsOver(agent.state, (state) => seat(state).rules, capabilities, child, momentOf(agent));
}
