/** Where the value of a variable comes from: all ways in which three levels may ask for it and be given it, by the rule. */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../../src/core/definition/define-agent';
import type { AgentDefinition } from '../../../src/core/definition/definition';
import type { StoredVariable } from '../../../src/core/ports/agent-store';
import type { VariablesAnswer, VariablesCall } from '../../../src/engine/object/object-calls';
import { answerVariables, lacksOf, variableOf } from '../../../src/engine/perform/variable-values';
import { Machine } from '../../support/machine';
import { present } from '../../support/present';
import { promptOf } from '../../support/prompts';
import { VirtualTime } from '../../support/virtual-time';

const NAME = 'KEY';
const ASKS = ['not', 'unscoped', 'scoped'] as const;
const GIVEN = ['not', 'itself', 'for its child graph'] as const;

const BRINGS = ['nothing', 'the agent', 'its prompt', 'both'] as const;

/** One level: how its agent asks for the variable, how its session was given it, and what brings it along. */
interface Level {
  readonly asks: (typeof ASKS)[number];
  readonly given: (typeof GIVEN)[number];
  readonly brings: (typeof BRINGS)[number];
}
const LEVELS: readonly Omit<Level, 'brings'>[] = ASKS.flatMap((asks) => GIVEN.map((given) => ({ asks, given })));

const definitions = new Map<string, AgentDefinition>(
  ASKS.flatMap((asks) =>
    BRINGS.map((brings) => {
      const variable = { name: NAME, type: 'secret', required: true, scoped: asks === 'scoped' } as const;
      const env = (by: Level['brings']) => ([by, 'both'].includes(brings) ? { env: { [NAME]: by } } : {});
      const prompt = promptOf('words', env('its prompt'));
      const variables = asks === 'not' ? [] : [variable];
      return [`${asks} ${brings}`, defineAgent({ name: 'top', prompt, variables, ...env('the agent') })];
    }),
  ),
);

const ADDRESSES = ['/agents/top/one', '/agents/top/one/sub/top/1~1', '/agents/top/one/sub/top/1~1/sub/top/1~1'];

const { state } = new Machine();
const { environment } = new VirtualTime();

/** The objects of such levels, from the root down. */
function chain(levels: readonly Level[], worker: boolean) {
  const objects = levels.map(({ asks, given, brings }, at) => {
    const definition = present(definitions.get(`${asks} ${brings}`));
    const parent = at === 0 ? {} : { parent: { sessionId: `s_${at - 1}`, address: present(ADDRESSES[at - 1]) } };
    const session = { ...state.session, sessionId: `s_${at}`, address: present(ADDRESSES[at]), ...parent };
    const granted = given === 'itself' ? {} : { granted: true as const };
    const stored: StoredVariable | undefined = given === 'not' ? undefined : { sealed: `level ${at}`, ...granted };
    return {
      agent: { state: { ...state, session } },
      definition,
      store: { variable: () => stored, variableNames: () => [], setVariable: () => undefined },
      environment: { ...environment, bindings: worker ? { [NAME]: 'the Worker' } : {} },
      ports: {
        definition,
        vault: { seal: (_name: string, value: string) => value, open: (_name: string, sealed: string) => sealed },
        askVariables: (_root: unknown, call: VariablesCall): Promise<VariablesAnswer> => answer(0, call),
      },
    };
  });
  const answer = (at: number, call: VariablesCall): Promise<VariablesAnswer> =>
    answerVariables(present(objects[at]), call, (below) => answer(at + 1, { ...below, path: below.path.slice(1) }));
  return objects;
}

/** The same by the words of the promises. */
function expected(levels: readonly Level[], worker: boolean): string | undefined {
  const above = levels.map((level, at) => ({ ...level, at })).toReversed();
  const [reader, ...others] = above;
  if (reader?.given === 'itself' || (reader?.given === 'for its child graph' && reader.asks !== 'not'))
    return `level ${reader.at}`;
  if (reader && reader.brings !== 'nothing') return reader.brings === 'both' ? 'the agent' : reader.brings;
  const own = worker ? 'the Worker' : undefined;
  if (reader?.asks === 'scoped') {
    const granted = others.find(({ given }) => given === 'for its child graph');
    return granted ? `level ${granted.at}` : own;
  }
  // Whoever asks for it scoped has its own at most, and so have those below.
  const last = others.findIndex(({ asks }) => asks === 'scoped');
  const nearest = others.slice(0, last < 0 ? undefined : last + 1).find(({ given }) => given === 'itself');
  return nearest ? `level ${nearest.at}` : own;
}

/** What agents above bring along is for themselves: whatever that is, it changes nothing below. */
const all = [false, true].flatMap((worker) =>
  BRINGS.flatMap((brings, at) =>
    LEVELS.flatMap((top) =>
      LEVELS.flatMap((middle) =>
        LEVELS.map((leaf) => {
          const above = present(BRINGS[(at + LEVELS.indexOf(leaf)) % BRINGS.length]);
          const levels = [
            { ...top, brings: above },
            { ...middle, brings: above },
            { ...leaf, brings },
          ];
          return { worker, levels };
        }),
      ),
    ),
  ),
);

describe('the value of a variable', () => {
  it('[VR2, SAW12, SAW14] is by one rule, however the three levels ask for it, and whichever was given it or brings it', async () => {
    const wrong: unknown[] = [];
    for (const { levels, worker } of all) {
      const leaf = present(chain(levels, worker)[2]);
      const found = await variableOf(leaf, leaf.agent.state, NAME);
      if (found !== expected(levels, worker)) wrong.push({ levels, worker, found });
    }
    expect(wrong).toEqual([]);
  });

  it('[SAW12] is missing before a sub-agent begins exactly where it would be missing when that reads it', async () => {
    const needs = all.filter(({ levels }) => levels[2]?.asks === 'scoped' && levels[2].given === 'not');
    for (const { levels, worker } of needs) {
      const [, parent, leaf] = chain(levels, worker).map((object) => present(object));
      const { definition } = present(leaf);
      const lacks = await lacksOf(present(parent), present(parent).agent.state, definition);
      const missing = expected(levels, worker) === undefined ? { required: [NAME], missing: [NAME] } : undefined;
      expect(lacks, JSON.stringify({ levels, worker })).toEqual(missing);
    }
    expect(needs).toHaveLength(2 * BRINGS.length * LEVELS.length ** 2);
  });
});
