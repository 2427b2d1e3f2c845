/**
 * The tool that the model of a step has to call.
 *
 * Decides: when a forced choice lets go.
 * Keeps ST17.
 */
import type { ToolChoice } from '../../definition/settings/settings';
import type { Rules } from '../rules';
import type { Seat } from '../seat';
import type { RepliedStep, Step } from '../state';

/**
 * The choice of a step's request; undefined where the model chooses. A forced call is made once in a turn: otherwise the
 * model could never answer. `required` holds on where only a call can end the run, and so does a tool that ends it.
 */
export function choiceOf(
  choice: ToolChoice | undefined,
  { definition, rules }: Pick<Seat, 'definition' | 'rules'>,
  step: Pick<Step, 'side'>,
  wasCalled: (tool?: string) => boolean,
): ToolChoice | undefined {
  if (choice === undefined || choice === 'auto') return undefined;
  if (choice === 'none') return choice;
  const ending = endingTools(definition.tools, rules);
  if (choice === 'required') {
    const endsByCall = step.side !== undefined || ending.length > 0;
    return endsByCall || !wasCalled() ? choice : undefined;
  }
  return ending.includes(choice.tool) || !wasCalled(choice.tool) ? choice : undefined;
}

const endingTools = (tools: Seat['definition']['tools'], { finishTools }: Rules): readonly string[] => [
  ...finishTools,
  ...tools.flatMap(({ name, finishWith }) => (finishWith ? [name] : [])),
];

/** True where the model of a step has called a tool, or that one. */
export const hasCalled = ({ calls }: Pick<RepliedStep, 'calls'>, tool?: string): boolean =>
  tool === undefined ? calls.length > 0 : calls.some(({ name }) => name === tool);
