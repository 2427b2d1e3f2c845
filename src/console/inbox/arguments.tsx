/** The arguments of a call, whole: a report as one, the rest as JSON. Where something in them hides or turns text, they are shown as JSON alone. */
import { useState } from 'react';
import type { Json } from '../../client';
import { JsonView } from '../parts/json';
import { isReport, Reading } from '../parts/reading';
import { isDeceptive } from '../parts/words';

/** Whether a value has characters that deceive, in its texts or their names. */
function hasHidden(value: Json): boolean {
  if (typeof value === 'string') return isDeceptive(value);
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, each]) => isDeceptive(name) || hasHidden(each));
}

/** All of them. */
export function Arguments({ input }: { input: Json }) {
  const deceptive = hasHidden(input);
  const [asJson, setAsJson] = useState(false);
  const reads = !deceptive && isReport(input);
  return (
    <div className="arguments">
      {deceptive && (
        <p className="warning" role="alert">
          These arguments contain hidden or text-direction characters, shown below as \u{'{…}'}.
        </p>
      )}
      {reads && (
        <p>
          <button type="button" aria-pressed={asJson} onClick={() => setAsJson(!asJson)}>
            Exact JSON
          </button>
        </p>
      )}
      {reads && !asJson ? <Reading value={input} /> : <JsonView value={input} whole />}
    </div>
  );
}
