/** The rules and the tools that a session works by: they follow its state and its traits. */
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/core/agent/events';
import type { Rules } from '../../src/core/agent/rules';
import { seatOf } from '../../src/core/agent/seat';
import type { AgentState } from '../../src/core/agent/state';
import { transition } from '../../src/core/agent/transition';
import { isObject } from '../../src/protocol/json';
import { ATTACH_TOOL, READ_TOOL } from '../../src/protocol/messages';
import { Machine } from '../support/machine';
import { agentOf } from '../support/trees';

describe('what a session works by', () => {
  it('[RG1, CF5, SE6] has the tool of each trait that the session has, and of no other, whatever was asked for before', () => {
    const keeper = seatOf(agentOf('keeper'));
    const traits = [true, undefined].flatMap((givesFiles) =>
      [true, undefined].map((mayRead) => ({ givesFiles, mayRead })),
    );
    // Each is asked for twice: a seat that is known is that of the same traits.
    for (const { givesFiles, mayRead } of [...traits, ...traits]) {
      const seat = keeper.over({ ...(givesFiles ? { givesFiles } : {}), ...(mayRead ? { mayRead } : {}) });
      expect(seat.tools.map(({ name }) => name).sort()).toEqual([
        ...(givesFiles ? [ATTACH_TOOL] : []),
        ...(mayRead ? [READ_TOOL] : []),
      ]);
    }
  });

  it('[SE6] is asked again for what goes on after an event that changes it', () => {
    const { state, rules } = new Machine();
    const spent: Rules = { ...rules, limits: { ...rules.limits, maxSteps: 0 } };
    const rulesOf = ({ custom }: AgentState) => (isObject(custom) && custom.seat === 'spent' ? spent : rules);
    const start = (seat: string): AgentEvent => ({
      type: 'start',
      at: 1,
      token: 't000000000000001',
      runId: 'r_1',
      messages: [],
      custom: { seat },
    });
    expect(transition(state, start('fresh'), rulesOf)).toMatchObject({ state: { run: { phase: 'active' } } });
    expect(transition(state, start('spent'), rulesOf)).toMatchObject({
      state: { run: { phase: 'ended', outcome: { error: { code: 'max_steps' } } } },
    });
  });
});
