/** Requests of people at a root of a simulated world, repeated as a client repeats what was lost with the process. */
import { expect } from 'vitest';
import type { VerbAnswer } from '../../src/engine/object/object-calls';
import { segmentOf } from '../../src/engine/tree-messages';
import { parseAddress } from '../../src/protocol/address';
import type { JsonObject } from '../../src/protocol/json';
import type { Tree } from './harness';

/** A request about an agent. */
export interface Asked {
  readonly verb: string;
  readonly address: string;
  readonly input: JsonObject;
  readonly key?: string;
}

/** Asks until there is an answer, as a client does whose request was lost with the process. */
export async function ask(
  tree: Tree,
  verb: string,
  input: JsonObject,
  key?: string,
  at = tree.address,
): Promise<VerbAnswer> {
  const path = parseAddress(at).below.map(segmentOf);
  const root = at.split('/sub/')[0] ?? at;
  const call = { kind: 'verb', path, verb, input, caller: 'ada', ...(key ? { idempotencyKey: key } : {}) } as const;
  for (;;) {
    const { crashes } = tree;
    let said: VerbAnswer | 'lost' | undefined;
    tree.world
      .object(root)
      .call(call)
      .then(
        (reply) => {
          said = reply;
        },
        () => {
          said = 'lost';
        },
      );
    await tree.time.until(() => said !== undefined || tree.crashes > crashes);
    if (typeof said === 'object') return said;
  }
}

/** Asks the same under a key, as a retry does. */
export const askSurely = (tree: Tree, { verb, address, input, key = 'k' }: Asked): Promise<VerbAnswer> =>
  ask(tree, verb, input, key, address);

/** What came of a request. */
export const code = (reply: VerbAnswer): string => (reply.ok ? 'ok' : reply.error.code);

/** Lets a root do what it is asked to, and gives its last word. */
export async function turn(tree: Tree, at: string, content: string): Promise<string> {
  expect(code(await ask(tree, 'send', { content }, `${at} ${content}`, at))).toBe('ok');
  await tree.rest();
  const { run } = tree.state(at);
  return run?.phase === 'ended' && run.outcome.status === 'completed' ? String(run.outcome.output) : `${run?.phase}`;
}
