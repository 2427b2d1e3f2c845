import { it } from 'vitest';
import { Tree } from '../support/harness';
import { threeLevels } from '../support/trees';
const F = ["fine","fine","fine","fine","answer lost","twice","fine","fine","twice at once","fine","fine","unreachable","fine","unreachable","answer lost","twice","fine","fine","fine","fine","fine","fine","fine","fine","unreachable","fine","unreachable","unreachable","fine","fine","fine","fine"];
it('[X1] debug', async () => {
  let calls = 0;
  const inARow = new Map<string, number>();
  const tree: Tree = new Tree((t) => threeLevels(t, { maxConcurrentChildren: 2 }), { network: async (address, call, perform) => {
    const fate = F[calls++] ?? 'fine';
    const n = calls;
    const key = `${address} ${call.kind}`;
    const lost = inARow.get(key) ?? 0;
    const fails = (fate === 'unreachable' || fate === 'answer lost') && lost < 3;
    inARow.set(key, fails ? lost + 1 : 0);
    const what = call.kind === 'post' ? `post of ${tree.nodes.find((x) => x.sessionId === call.post.sessionId)?.address} batches ${call.post.batches.map((b) => b.first + '+' + b.chunks.length)} admit ${call.post.admit.map((a) => a.address)} settled ${call.post.settled?.callId} w ${call.post.withdraw} l ${call.post.lost}` : call.kind === 'agent' ? `${call.message.kind} ${call.path.map((h) => h.className + h.name)} ${JSON.stringify('callIds' in call.message ? call.message.callIds: '')}` : '';
    const t = tree.time.now % 1e7;
    if (fails && fate === 'unreachable') { console.log(t, n, 'FAIL', address, what); throw new Error('unreachable'); }
    if (fate === 'twice') await perform();
    const answer = fate === 'twice at once' ? (await Promise.all([perform(), perform()]))[1] : await perform();
    console.log(t, n, fate, address, what, '->', JSON.stringify(answer));
    if (fails) throw new Error('lost');
    return answer;
  } });
  await tree.start();
  await tree.time.pass(25_000);
  for (const n of tree.nodes) console.log(n.id, n.parentId, n.address, n.place, n.status, n.number, n.sessionId, n.callId);
  tree.close();
});
