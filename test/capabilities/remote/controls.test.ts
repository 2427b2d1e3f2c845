/** What the status of a remote agent shows as legal, and what its verbs do at its local address: the same. */
import { describe, expect, it } from 'vitest';
import { segmentOf } from '../../../src/engine/tree-messages';
import { parseAddress } from '../../../src/protocol/address';
import type { JsonLike } from '../../../src/protocol/json';
import { statusDocument } from '../../../src/protocol/wire/shapes';
import { Tree, type TreeParts } from '../../support/harness';
import { agentOf, answer, noteTool } from '../../support/trees';
import { critics, JUDGE, kind, spawn } from './support/critic-elsewhere';
import { elsewhere } from './support/elsewhere';
import { farParts } from './support/far';

const FAR = '/agents/top/one/sub/far/1~1';

/** Each is refused, or changes nothing, in this order. */
const VERBS = {
  start: { message: 'Go' },
  resume: {},
  retry: {},
  fork: { name: 'copy', message: 'Go' },
  submit: { kind: 'approval-response', toolCallId: 'c_none', approved: true },
  send: { content: 'Listen' },
  interrupt: {},
  abort: {},
} as const satisfies { readonly [verb: string]: JsonLike };

async function ask(tree: Tree, address: string, verb: string, input: JsonLike) {
  const path = parseAddress(address).below.map(segmentOf);
  return tree.soon(tree.world.object(tree.address).call({ kind: 'verb', path, verb, input, caller: 'ann' }));
}

/** A companion that is remote, and works until it is let go. */
function companionParts(tree: Tree, critic: { hangs: boolean }): TreeParts {
  return {
    agents: [
      agentOf('writer', { persistentAgents: [{ agent: kind }], tools: [noteTool(tree)] }),
      agentOf('critic', { outputSchema: answer }),
    ],
    scripts: {
      writer: [{ calls: [spawn('Draft 1')] }, { text: 'Published.' }],
      critic: () => (critic.hangs ? { hang: true } : { finish: { answer: 'seen' } }),
    },
    env: { transport: elsewhere(tree) },
  };
}

async function agree(tree: Tree, address: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [verb, input] of Object.entries(VERBS)) {
    const status = await ask(tree, address, 'status', {});
    if (!status.ok) throw new Error(status.error.message);
    const said = Object.entries(statusDocument.parse(status.body).controls).find(([name]) => name === verb)?.[1];
    const came = await ask(tree, address, verb, input);
    const code = came.ok ? (came.status === 200 ? 'nothing_to_stop' : 'taken') : came.error.code;
    expect(said === true ? 'taken' : said?.code, verb).toBe(code);
    found[verb] = code;
  }
  return found;
}

describe('a remote agent', () => {
  it('[A82, RM13, RM37] that works takes what its status shows', async () => {
    const tree = new Tree((it) => {
      const made = farParts(it);
      return { ...made, scripts: { ...made.scripts, far: [{ hang: true }] } };
    });
    await tree.start();
    await tree.time.until(() => tree.port.working > 0 && tree.log.some(({ chunk }) => chunk.address === FAR));
    expect(await agree(tree, FAR)).toMatchObject({
      resume: 'already_running',
      fork: 'lives_elsewhere',
      send: 'taken',
      interrupt: 'taken',
    });
    tree.close();
  });

  it('[A82, RM13, RM37] that is a companion takes what its status shows, at work and at rest', async () => {
    const critic = { hangs: true };
    const tree = new Tree((it) => companionParts(it, critic));
    await tree.start();
    await tree.time.until(() => tree.port.working > 0 && tree.log.some(({ chunk }) => chunk.address === JUDGE));
    expect(await agree(tree, JUDGE)).toMatchObject({ resume: 'already_running', fork: 'lives_elsewhere' });
    critic.hangs = false;
    await tree.rest();
    expect(critics(tree)).toHaveLength(1);
    expect(await agree(tree, JUDGE)).toMatchObject({ fork: 'lives_elsewhere' });
    tree.close();
  });
});
