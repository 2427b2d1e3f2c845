/** Two values side by side as lines: what was asked, and what ran. */
import { diffLines } from 'diff';
import type { Json } from '../../../client';
import { escaped } from '../../parts/words';

const linesOf = (value: Json): string => `${escaped(JSON.stringify(value, undefined, 2))}\n`;

/** The lines that are gone, those that are new, and those that stayed. */
export function Difference({ asked, ranWith }: { asked: Json; ranWith: Json }) {
  return (
    <>
      <h4>Asked / ran with</h4>
      <pre className="difference">
        {diffLines(linesOf(asked), linesOf(ranWith)).map(({ value, added, removed }, index) => {
          const Line = added ? 'ins' : removed ? 'del' : 'span';
          const sign = added ? '+ ' : removed ? '- ' : '  ';
          return <Line key={`${index}`}>{value.replace(/^(?=.)/gmu, sign)}</Line>;
        })}
      </pre>
    </>
  );
}
