/** Two sides of an agent: whose turn it is. */
import { expect, it } from 'vitest';
import type { InboundMessage } from '../../src/core/agent/inbound';
import { firstSide } from '../../src/core/agent/standard-agents/sides';

const message = (from: InboundMessage['from'], more: Partial<InboundMessage> = {}): InboundMessage => ({
  ...{ id: 1, messageId: 'm_1', at: 1, role: 'user', content: 'Go.', from },
  ...more,
});

it('[SA59] begins with the side that the first message is for, whatever comes behind it; a notice counts where it wakes', () => {
  const askers = [message('caller'), message('parent'), message('offshoot', { wakes: true })];
  for (const asked of askers)
    for (const to of ['side_a', 'side_b'] as const)
      for (const behind of [[], [message('caller', { to: 'side_a' })], [message('offshoot', { to: 'side_b' })]])
        for (const before of [[], [message('offshoot', { to: 'side_b' }), message('offshoot')]])
          expect(firstSide([...before, { ...asked, to }, ...behind])).toBe(to);
  expect(firstSide([message('caller'), message('caller', { to: 'side_b' })])).toBe('side_a');
  expect(firstSide([message('offshoot', { to: 'side_b' })])).toBe('side_a');
  expect(firstSide([])).toBe('side_a');
});
