/** Where the value of a variable comes from: all ways in which three levels may ask for it and be given it, by the rule. */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../../src/core/definition/children/relationship';
import { type AgentOptions, defineAgent } from '../../../src/core/definition/define-agent';
import type { AgentDefinition } from '../../../src/core/definition/definition';
import type { StoredVariable } from '../../../src/core/ports/agent-store';
import type { VariablesAnswer, VariablesCall } from '../../../src/engine/object/object-calls';
import {
  answerVariables,
  keepVariables,
  lacksOf,
  sealVariables,
  variableOf,
} from '../../../src/engine/perform/variable-values';
import { DATA_LIMITS } from '../../../src/protocol/data-limits';
import { Machine } from '../../support/machine';
import { present } from '../../support/present';
import { promptOf } from '../../support/prompts';
import { agentOf, question } from '../../support/trees';
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
      // What is given with it is there.
      const given = await lacksOf(present(parent), present(parent).agent.state, definition, new Set(['OTHER', NAME]));
      expect(given).toBeUndefined();
    }
    expect(needs).toHaveLength(2 * BRINGS.length * LEVELS.length ** 2);
  });
});

/** An agent that must have these of its own, with others below it. */
const needing = (names: readonly string[], more: Partial<AgentOptions> = {}) =>
  agentOf(`needs-${names.join('').toLowerCase()}`, {
    variables: names.map((name) => ({ name, type: 'text', required: true, scoped: true })),
    ...more,
  });

describe('what a child graph lacks', () => {
  it('[SAW12] is what any agent of it must have and nobody brings or gives it, in the order of names', async () => {
    const leaf = needing(['C', 'A'], { inputSchema: question, env: { C: 'brought' } });
    const child = needing(['B', 'C'], { tools: [createSubAgentTool(leaf)] });
    const [top] = chain([{ asks: 'not', given: 'not', brings: 'nothing' }], false);
    const lacks = (given: readonly string[]) => lacksOf(present(top), present(top).agent.state, child, new Set(given));
    const required = ['A', 'B', 'C'];
    // C is missing to the upper one alone.
    expect(await lacks([])).toEqual({ required, missing: ['A', 'B', 'C'] });
    expect(await lacks(['C'])).toEqual({ required, missing: ['A', 'B'] });
    expect(await lacks(['B', 'C'])).toEqual({ required, missing: ['A'] });
    expect(await lacks(required)).toBeUndefined();
  });
});

describe('the variables of the Worker', () => {
  it('[VR13, VR2] are its own texts, by any name but those of its secrets', async () => {
    const values = { TEXT: 'text', EMPTY: '', NUMBER: 7, BUCKET: {}, NONE: null };
    const secrets = { ENCRYPTION_KEY: 'a', OFFSHOOT_TOKEN: 'b', OFFSHOOT_SIGNING_KEY: 'c' };
    const names = [...Object.keys({ ...values, ...secrets }), 'constructor', '__proto__', 'toString', 'OTHER'];
    const read = async (bindings: unknown) => {
      const [object] = chain([{ asks: 'not', given: 'not', brings: 'nothing' }], false);
      const { environment: known, ...rest } = present(object);
      const asks = { ...rest, environment: { ...known, bindings } };
      const found: (readonly [string, string])[] = [];
      for (const name of names) {
        const value = await variableOf(asks, asks.agent.state, name);
        if (value !== undefined) found.push([name, value]);
      }
      return Object.fromEntries(found);
    };
    expect(await read({ ...values, ...secrets })).toEqual({ TEXT: 'text', EMPTY: '' });
    for (const none of [undefined, null, 'text', 7]) expect(await read(none)).toEqual({});
  });
});

describe('the variables of a session', () => {
  it('[VR1] are at most 64, of which those that are forgotten with a request make room in it', () => {
    const stored = new Map<string, StoredVariable>();
    const store = {
      variable: (name: string) => stored.get(name),
      variableNames: () => [...stored.keys()],
      setVariable: (name: string, value: StoredVariable | undefined) =>
        value === undefined ? void stored.delete(name) : void stored.set(name, value),
    };
    const object = { ...present(chain([{ asks: 'not', given: 'not', brings: 'nothing' }], false)[0]), store };
    const keep = (names: readonly string[], forgotten: readonly string[] = []) =>
      keepVariables(
        object,
        sealVariables(
          object,
          Object.fromEntries([
            ...names.map((name) => [name, `of ${name}`] as const),
            ...forgotten.map((name) => [name, null] as const),
          ]),
        ),
      );
    const names = Array.from({ length: DATA_LIMITS.maxVariables }, (_, at) => `V${at}`);
    keep(names);
    expect([...stored]).toEqual(names.map((name) => [name, { sealed: `of ${name}` }]));
    keep(['V0', 'NEW'], ['V1']);
    expect([stored.size, stored.has('V1'), stored.get('NEW')]).toEqual([64, false, { sealed: 'of NEW' }]);
    expect(() => keep(['ONE_MORE'])).toThrow('at most 64 variables');
  });
});
