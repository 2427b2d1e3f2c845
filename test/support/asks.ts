/** Requests of people at the root of a simulated tree, repeated as a client repeats what was lost with the process. */
import type { VerbAnswer } from '../../src/engine/object-calls';
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

/** Asks until there is an answer. */
export async function askSurely(tree: Tree, { verb, address, input, key = 'k' }: Asked): Promise<VerbAnswer> {
  for (;;) {
    const { crashes } = tree;
    const path = parseAddress(address).below.map(segmentOf);
    const call = { kind: 'verb', path, verb, input, caller: 'ada', idempotencyKey: key } as const;
    let said: VerbAnswer | undefined;
    const asked = tree.world.object(tree.address).call(call);
    asked.then(
      (reply) => {
        said = reply;
      },
      () => undefined,
    );
    await tree.time.until(() => said !== undefined || tree.crashes > crashes);
    if (said) return said;
  }
}
