/** The agents below another one that a stop, or its deletion, reaches. */
import { isEnded } from '../../../client';
import type { Row } from '../tree/outline';

/** A verb that ends an agent. */
export type Ending = 'abort' | 'terminate' | 'remove';

/** An agent that can still run: one that has a name lasts over its runs. */
const canRun = ({ status, name }: Row): boolean =>
  status !== 'terminated' && (name !== undefined || status === 'interrupted' || !isEnded(status));

const REACHES: Readonly<Record<Ending, (row: Row) => boolean>> = {
  abort: ({ status }) => !isEnded(status) && status !== 'idle',
  terminate: canRun,
  remove: () => true,
};

const SAYS: Readonly<Record<Ending, readonly [none: string, some: string]>> = {
  abort: ['No sub-agents are running.', 'It aborts'],
  terminate: ['All its sub-agents have already ended.', 'It ends'],
  remove: ['It has no sub-agents.', 'It deletes'],
};

/** The reach of a verb in words. `below`: all agents below the one that it is for. */
export function reachSays(verb: Ending, below: readonly Row[]): string {
  const count = below.filter(REACHES[verb]).length;
  const [none, some] = SAYS[verb];
  return count === 0 ? none : `${some} ${count} ${count === 1 ? 'sub-agent' : 'sub-agents'} as well.`;
}
