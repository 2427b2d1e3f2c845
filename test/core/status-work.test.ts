/** The work that the status of a wide step takes. It is asked for several times at each event. */
import { describe, expect, it } from 'vitest';
import type { Child } from '../../src/core/agent/children/child';
import { isAtRest, statusOf, suspensionOf } from '../../src/core/agent/runs/status';
import { Machine, planned } from '../support/machine';

const WIDTH = 500;

/** Children that count how often one is looked up. */
class Counted extends Map<number, Child> {
  looks = 0;
  override get(id: number): Child | undefined {
    this.looks++;
    return super.get(id);
  }
}

/** A step that awaits many children, of which so many have ended. */
function wide(ended: number) {
  const machine = new Machine({ limits: { maxChildren: WIDTH } });
  machine.start();
  machine.reply({ calls: Array.from({ length: WIDTH }, () => planned.child()) });
  for (let index = 0; index < ended; index++) machine.childEnded(index);
  const children = new Counted(machine.state.children);
  return { children, state: { ...machine.state, children } };
}

describe('the status of a step with 500 sub-agents', () => {
  it.each([0, 1, 250])('[B12, SU1] looks at one of them where %i have ended, however often it is asked', (ended) => {
    const { state, children } = wide(ended);
    for (let time = 0; time < 3; time++)
      expect([statusOf(state), suspensionOf(state), isAtRest(state)]).toEqual(['running', undefined, false]);
    expect(children.looks).toBe(1);
  });
});
