/** What a person may ask of an agent now, and of a child of its: tried on the state as it was committed last. */
import { type ControlsOver, controlsOver, type OwnControls, ownControls } from '../core/agent/controls';
import type { AgentRuntime } from './agent';
import { knownChildren } from './own-children';
import type { AgentMessage } from './tree-messages';

const momentOf = ({ environment }: AgentRuntime) => ({ at: environment.now(), token: environment.token() });

/** What the agent itself says. */
export function ownControlsOf(agent: AgentRuntime): OwnControls {
  return ownControls(agent.state, (state) => agent.deps.seat(state).rules, momentOf(agent));
}

/** What it says about a child of its. */
export function controlsOverChild(
  agent: AgentRuntime,
  { task, name }: Extract<AgentMessage, { type: 'controls' }>,
): ControlsOver {
  const moment = momentOf(agent);
  const classes = agent.seat.definition.relationships.map(({ child }) => child.className);
  const children = knownChildren(agent.deps.store, classes, [name]);
  return controlsOver(agent.state, (state) => agent.deps.seat(state).rules, { task, name, children }, moment);
}
