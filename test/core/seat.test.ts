import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/core/agent/events';
import type { Rules } from '../../src/core/agent/rules';
import type { AgentState } from '../../src/core/agent/state';
import { transition } from '../../src/core/agent/transition';
import { isObject } from '../../src/protocol/json';
import { Machine } from '../support/machine';

describe('what a session works by', () => {
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
