/** The input and the output of an agent, in sight whatever its transcript shows. */
import type { AgentView, Json } from '../../../client';
import { labelOf } from '../../data/shown/labels';
import { Reading } from '../../parts/reading';

/** The input of the newest run, and its output once it has one. */
export function pinnedOf({ runs, messages }: AgentView): { readonly input?: Json; readonly output?: Json } {
  const run = runs.at(-1);
  const asked = messages.findLast((message) => message.status === 'delivered' && message.runId === run?.runId);
  const message = asked !== undefined && 'text' in asked ? asked.text : undefined;
  const input = run?.input ?? message;
  const output = run?.end?.status === 'completed' ? run.end.output : undefined;
  return { ...(input === undefined ? {} : { input }), ...(output === undefined || output === null ? {} : { output }) };
}

/** Both, each on a line that opens. */
export function Pinned({ agent }: { agent: AgentView }) {
  const { input, output } = pinnedOf(agent);
  const lines = [['Input', input] as const, ['Output', output] as const];
  return lines.map(([says, value]) =>
    value === undefined ? null : (
      <details key={says} className="pinned">
        <summary>
          <strong>{says}</strong> <span className="muted">{labelOf(value)}</span>
        </summary>
        <Reading value={value} />
      </details>
    ),
  );
}
