/**
 * The settings of a step's request, by its definition and what its turn and those that it resumes have called.
 *
 * Keeps ST17, M80.
 */
import type { Seat } from '../../core/agent/seat';
import type { Step } from '../../core/agent/state';
import { choiceOf, hasCalled } from '../../core/agent/steps/tool-choice';
import type { ModelSettings } from '../../core/definition/settings/settings';
import type { StoppableAgent } from '../perform/performer';

/** The settings of a step, before a hook has changed them. */
export function settingsOfStep({ deps: { store } }: StepsOf, asked: Seat, step: Step): ModelSettings {
  const { toolChoice, ...settings } = asked.definition.settings;
  const first = step.id - step.number;
  // The first step of a turn has the call as a rule, so the steps are read one by one.
  const wasCalled = (tool?: string): boolean => {
    for (let id = first; id < step.id - 1; id++) {
      const [earlier] = store.steps({ after: id, upTo: id + 1 });
      const isOurs = earlier?.phase === 'calls' && earlier.side === step.side;
      if (isOurs && hasCalled(earlier, tool)) return true;
    }
    return false;
  };
  const choice = choiceOf(toolChoice, asked, step, wasCalled);
  return choice === undefined ? settings : { ...settings, toolChoice: choice };
}

type StepsOf = Pick<StoppableAgent, 'deps'>;
