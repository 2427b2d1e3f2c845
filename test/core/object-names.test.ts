import { describe, expect, it } from 'vitest';
import { agentNamed, objectNamed, SHARED_CLASS } from '../../src/core/ports/object-names';
import { kebabCase, pascalCase } from '../../src/protocol/ids';

const AGENTS = ['Kin', 'Twin', 'FactChecker', 'Agent2', 'A'];
const NAMES = ['first', 'a.b', 'child:s-1', 'slot:7', 'again:7', 'template:1', 'a:b:c'];

describe('the object of an agent', () => {
  it('[OC1] is told back to the agent, and no two agents have one', () => {
    const isShared = (className: string) => className !== 'A';
    const seen = new Set<string>();
    for (const className of AGENTS)
      for (const name of NAMES) {
        const object = objectNamed({ className, name }, isShared);
        expect(agentNamed(object)).toEqual({ className, name });
        expect(object.className).toBe(isShared(className) ? SHARED_CLASS : className);
        seen.add(`${object.className} ${object.name}`);
      }
    expect(seen.size).toBe(AGENTS.length * NAMES.length);
  });

  it('[OC1] has one name: any other text names no agent', () => {
    const texts = ['Kin:a', 'kin', ':a', 'k-i-n-:a', 'fact--checker:a', 'factChecker:a', 'agent-2:a', '', 'kin :a'];
    for (const name of texts) expect([name, agentNamed({ className: SHARED_CLASS, name })]).toEqual([name, undefined]);
    for (const className of AGENTS) expect(pascalCase(kebabCase(className))).toBe(className);
  });
});
