/** Companions in objects of their own that are copied: four levels of agents, what the top calls, and where everybody is. */
import type { ChildPlacement } from '../../../../src/core/definition/definition';
import type { JsonObject } from '../../../../src/protocol/json';
import type { Tree, TreeParts } from '../../../support/harness';
import { asking, companion, questions } from '../../../support/levels';
import { agentOf, answer } from '../../../support/trees';

export const TOP = '/agents/top/one';
export const [ADA, BOB] = [`${TOP}/sub/scout/ada`, `${TOP}/sub/scout/bob`];
export const [OWN, DEEP] = ['/sub/leaf/own', '/sub/leaf/own/sub/tip/deep'];

export type Call = ReturnType<typeof companion>;
/** Where scouts, leaves and tips are. */
export type Places = readonly [ChildPlacement, ChildPlacement, ChildPlacement];
export const PLACES: readonly Places[] = [
  ['facet', 'object', 'facet'],
  ['facet', 'facet', 'object'],
  ['facet', 'object', 'object'],
  ['object', 'object', 'object'],
  ['object', 'facet', 'object'],
  ['object', 'object', 'facet'],
  ['object', 'facet', 'facet'],
];

/** Four levels: `top`, its scouts, the leaf of each, and the tip of each leaf. */
export function levels(
  calls: readonly (() => Call)[],
  [scouts, leaves, tips]: Places,
  maxTreeChildren?: number,
): TreeParts {
  const tip = agentOf('tip', { outputSchema: answer });
  const leaf = agentOf('leaf', { persistentAgents: [{ agent: tip, placement: tips }], outputSchema: answer });
  const scout = agentOf('scout', { persistentAgents: [{ agent: leaf, placement: leaves }], outputSchema: answer });
  const top = agentOf('top', { persistentAgents: [{ agent: scout, placement: scouts }] });
  const limits = maxTreeChildren === undefined ? top.limits : { ...top.limits, maxTreeChildren };
  return {
    agents: [{ ...top, limits }, scout, leaf, tip],
    scripts: {
      top: ({ step }) => {
        const next = calls[step - 1];
        return next ? { calls: [next()] } : { text: 'Done.' };
      },
      scout: asking('leaf', 'own'),
      leaf: asking('tip', 'deep'),
      tip: ({ messages }) =>
        questions(messages).at(-1)?.startsWith('hang')
          ? { hang: true }
          : { finish: { answer: questions(messages).join(' ') } },
    },
  };
}

export const spawns =
  (message: string, more: JsonObject = {}) =>
  () =>
    companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: message, ...more });
export const tells = (name: string, message: string) => () => companion('sendMessage', { name, message, wait: true });
export const copies =
  (message: string, more: JsonObject = {}) =>
  () =>
    companion('forkChild', { name: 'ada', newName: 'bob', message, ...more });

export const both = (places: Places) => () =>
  levels([spawns('one'), copies('two'), tells('ada', 'three'), tells('bob', 'four')], places);

/** What the top calls, step by step, several at once. */
export function calling(places: Places, ...steps: readonly (readonly Call[])[]): TreeParts {
  const parts = levels([], places);
  const top: TreeParts['scripts'][string] = ({ step }) => {
    const calls = steps[step - 1];
    return calls ? { calls: [...calls] } : { text: 'Done.' };
  };
  return { ...parts, scripts: { ...parts.scripts, top } };
}

export const OBJECTS: Places = ['object', 'object', 'object'];
/** A facet with facets and objects below it. */
export const MIXED: Places = ['facet', 'facet', 'object'];

/** What went wrong, but for calls that a crash cut off. */
export const unexpected = (tree: Tree): string[] =>
  tree.time.problems.filter((problem) => !problem.includes('was lost from memory'));
