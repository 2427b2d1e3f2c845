/** The failure of a run, above all else that its page says: message, cause and advice. */
import type { AgentView } from '../../../client';
import { calledOf, nameOf } from '../../data/names';
import { adviceOn } from '../../data/shown/advice';
import type { Row } from '../../data/tree/outline';
import { escaped } from '../../parts/words';

interface FailureProps {
  readonly row: Row;
  /** The agent's view, once it is read. */
  readonly agent: AgentView | undefined;
  /** All agents of the run. */
  readonly rows: readonly Row[];
  readonly onOpen: (address: string) => void;
}

/** Failed agents below that are named; the rest is a count. */
const NAMED = 3;

/** The deepest failed agents below one: those whose failure has no failure below it. */
export function causesBelow(address: string, rows: readonly Row[]): readonly Row[] {
  const failed = rows.filter((row) => row.status === 'failed' && row.address.startsWith(`${address}/sub/`));
  return failed.filter((row) => !failed.some((other) => other.address.startsWith(`${row.address}/sub/`)));
}

/** The notice; nothing for an agent that has not failed. */
export function Failure({ row, agent, rows, onOpen }: FailureProps) {
  if (row.status !== 'failed') return null;
  const end = agent?.runs.at(-1)?.end;
  const error = end?.status === 'failed' ? end.error : undefined;
  const title = error?.title ?? row.error ?? 'The run failed.';
  const causes = causesBelow(row.address, rows);
  return (
    <section className="failure" aria-label="Cause of the failure">
      <p>
        <strong>{title}</strong> {error !== undefined && <code>{error.code}</code>}
      </p>
      {error !== undefined && error.message !== title && <p className="failure-message">{escaped(error.message)}</p>}
      {causes.length > 0 && (
        <ul>
          {causes.slice(0, NAMED).map((cause) => (
            <li key={cause.agentId}>
              <button type="button" className="linkish" onClick={() => onOpen(cause.address)}>
                {cause.agentType} {cause.name ?? calledOf(nameOf(cause.address))}
              </button>{' '}
              failed{cause.error !== undefined && `: ${cause.error}`}
            </li>
          ))}
          {causes.length > NAMED && <li>{causes.length - NAMED} more sub-agents failed</li>}
        </ul>
      )}
      {error !== undefined && <p className="advice">{adviceOn(error)}</p>}
    </section>
  );
}
