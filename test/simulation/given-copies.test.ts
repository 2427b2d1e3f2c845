/** What authors' functions are given is their own: what they do to that changes nothing that is kept, shown or given to others. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import type { HooksOption } from '../../src/core/definition/hooks/hooks';
import { defineHook, STANDARD_HOOK_NAMES } from '../../src/core/definition/hooks/standard-hooks';
import { type TreeParts, withTree } from '../support/harness';
import { People } from '../support/people';
import { agentOf } from '../support/trees';

/** Changes a value in every place. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const each of Object.values(value)) spoil(each);
  if (Array.isArray(value)) value.push('spoilt');
  else Reflect.set(value, 'spoilt', true);
}

const INPUT = { list: [{ deep: 'a' }] };
const GIVEN = { found: [{ deep: 'b' }] };
type Body = (payload: unknown, context: { readonly tags: unknown }) => void;

/** Those that nothing of this run is for. */
const NOT_HERE: ReadonlySet<string> = new Set([
  'after_tool_call_failure',
  'after_subagent_created',
  'before_update_message',
  'after_update_message',
]);

const OF_RUNS = {
  names: ['onAgentStart', 'onAgentComplete', 'onRunSettled', 'onStepStart', 'onStepEnd', 'beforeTool', 'afterTool'],
  make: (names: readonly string[], run: (name: string) => Body): HooksOption =>
    Object.fromEntries(names.map((name) => [name, run(name)])),
};
const STANDARD = {
  names: STANDARD_HOOK_NAMES.filter((name) => !NOT_HERE.has(name)),
  make: (names: readonly string[], run: (name: string) => Body): HooksOption =>
    STANDARD_HOOK_NAMES.filter((name) => names.includes(name)).map((hook) =>
      defineHook(Object({ hook, id: `own_${hook}`, execute: run(hook) })),
    ),
};

it.each([
  ['runs', OF_RUNS],
  ['parts of runs', STANDARD],
])(
  '[HK27, SA75] hooks of %s that change what they are given leave a run as it is without them',
  async (_, { names, make }) => {
    const seen = new Set<string>();
    const ended = async (spoils: boolean) => {
      const run =
        (name: string): Body =>
        (payload, { tags }) => {
          seen.add(name);
          if (spoils) for (const each of [payload, tags]) spoil(each);
        };
      const got: string[] = [];
      const find = defineTool({
        name: 'find',
        description: 'Finds.',
        inputSchema: z.looseObject({}),
        execute: (input) => {
          got.push(JSON.stringify(input));
          return GIVEN;
        },
      });
      const parts = (): TreeParts => ({
        agents: [agentOf('top', { outputSchema: z.looseObject({}), tools: [find], hooks: make(names, run) })],
        scripts: { top: [{ text: 'Well.', calls: [{ name: 'find', input: INPUT }] }, { finish: GIVEN }] },
      });
      return withTree(parts, {}, async (tree) => {
        await tree.start('Go.');
        await tree.finish();
        await tree.rest();
        const asked = tree.port.asked.map(({ messages }) => messages);
        return JSON.parse(
          JSON.stringify({
            got,
            outcome: tree.outcome,
            session: tree.state().session,
            transcript: tree.transcript(),
            asked,
            log: tree.log,
          }),
        );
      });
    };
    const calm = await ended(false);
    expect(await ended(true)).toEqual(calm);
    expect([...seen].sort()).toEqual([...names].sort());
  },
);

const OF_DEFINITIONS = ['requireApproval', 'systemPrompt', 'stopWhen', 'inputSchema'] as const;

it.each(OF_DEFINITIONS)(
  '[CL13] `%s` that changes what it is given, then and later, leaves a run as it is without',
  async (spoiler) => {
    const ended = async (spoils: boolean) => {
      const held: object[] = [];
      const seen = new Set<string>();
      const given = (name: (typeof OF_DEFINITIONS)[number], ...values: object[]): void => {
        seen.add(name);
        if (name === spoiler) held.push(...values);
        if (spoils) for (const each of held) spoil(each);
      };
      const got: unknown[] = [];
      const tool = (name: string, isGated: boolean) =>
        defineTool({
          name,
          description: 'Finds.',
          inputSchema: z.looseObject({ list: z.array(z.any()) }).superRefine((input) => given('inputSchema', input)),
          requireApproval: (input, { state, agent }) => {
            given('requireApproval', input, Object(state), agent);
            return isGated;
          },
          execute: (input, { getState }) => {
            // Its own arguments are what the schema makes of them.
            got.push(structuredClone([spoiler === 'inputSchema' ? [] : input, getState()]));
            return GIVEN;
          },
        });
      const top = agentOf('top', {
        stateSchema: z.looseObject({ list: z.array(z.looseObject({})).default([{}]) }),
        systemPrompt: ({ state }) => {
          given('systemPrompt', Object(state));
          return 'Work.';
        },
        tools: [tool('find', false), tool('look', true)],
        stopWhen: (facts) => {
          given('stopWhen', facts, facts.calls, ...facts.steps.map(({ content }) => content));
          return false;
        },
      });
      const calls = ['find', 'look'].map((name) => ({ name, input: INPUT }));
      const parts = (): TreeParts => ({ agents: [top], scripts: { top: [{ text: 'Well.', calls }, { text: 'So.' }] } });
      return withTree(parts, {}, async (tree) => {
        await tree.start('Go.');
        await tree.rest();
        const shown = structuredClone(tree.pending);
        await new People({}).attend(tree);
        await tree.rest();
        expect([...seen].sort()).toEqual(OF_DEFINITIONS.toSorted());
        const asked = tree.port.asked.map(({ messages }) => messages);
        const facts = { outcome: tree.outcome, state: tree.state(), transcript: tree.transcript(), log: tree.log };
        return JSON.parse(JSON.stringify({ got, shown, asked, ...facts }));
      });
    };
    expect(await ended(true)).toEqual(await ended(false));
  },
);
