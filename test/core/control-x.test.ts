import { expect, it } from 'vitest';
import { PLAYS, played } from '../support/plays';

it.each(PLAYS)('$name', async (play) => {
    const calm = await played(play);
    expect(calm.problems).toEqual([]);
    const fails: string[] = [];
    for (let c = 1; c <= calm.commits; c++) {
      try {
       const f = await played(play, { crashAt: new Set([c]) }, `crash at ${c}`);
       if (play.same) expect(f.transcripts).toEqual(calm.transcripts);
      } catch (e) { fails.push(`${c}: ${(e as Error).message.slice(0, 1600)}`); }
    }
    console.info(play.name, 'commits', calm.commits, 'fails', fails.length, JSON.stringify(calm.again));
    if (fails.length) throw new Error(fails.slice(0,3).join('\n-----\n') + '\n' + fails.map(f=>f.split(':')[0]).join(' '));
}, 100000);
