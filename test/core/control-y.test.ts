import { expect, it } from 'vitest';
import { PLAYS, played } from '../support/plays';
const want: [string, number][] = JSON.parse(process.env.WANT ?? '[]');
it.each(want)('%s %i', async (name, c) => {
    const play = PLAYS.find((p) => p.name.startsWith(name));
    if (!play) throw new Error('none');
    const calm = await played(play);
    let last: any;
    try {
    const f = await played(play, { crashAt: new Set([c]), onCommit: (tree) => { last = tree; } }, `crash at ${c}`);
    expect(f.transcripts).toEqual(calm.transcripts);
    } finally {
      console.info(last.commits.join(' '));
      console.info(last.nodes?.map((n: any) => `${n.address} ${n.place} ${n.status} ${n.givenUp ?? ''} ${n.number}`).join('\n'));
      console.info(last.log?.map(({chunk, sequence}: any) => `${sequence} ${chunk.address.replaceAll('/sub/','/')} ${chunk.runId} ${chunk.type} ${chunk.toolName ?? chunk.reason ?? ''} ${chunk.error?.message ?? ''}`).join('\n'));
    }
}, 100000);
