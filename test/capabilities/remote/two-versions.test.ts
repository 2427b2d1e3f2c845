/** A deploy while an agent is at work whose child is in another Worker. */
import { describe, it } from 'vitest';
import { Tree } from '../../support/harness';
import { deploying, ORDERS } from '../../support/newer-calls';
import { examined, farParts } from './support/far';

describe.each(ORDERS)('a deploy, where $order', (order) => {
  it('[SO11] loses nothing of a remote agent', async () => {
    const { begin, ...options } = deploying(order);
    const tree = new Tree((it) => farParts(it), options);
    begin(tree);
    await tree.run();
    tree.time.problems.length = 0;
    examined(tree);
    tree.close();
  });
});
