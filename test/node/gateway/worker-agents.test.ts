import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../../src/core/definition/children/relationship';
import { defineAgent } from '../../../src/core/definition/define-agent';
import type { AgentDefinition } from '../../../src/core/definition/definition';
import { listOf, missingParts, type ServedAgent } from '../../../src/gateway/agents/worker';
import { createWorker, serve } from '../../../src/gateway/create-worker';
import { noModel } from '../../support/no-model';

const kid = defineAgent({ name: 'kid', systemPrompt: 'Work.', model: noModel });
const ask = createSubAgentTool(kid, z.object({}));
const boss = defineAgent({ name: 'boss', systemPrompt: 'Work.', model: noModel, tools: [ask] });

/** A class as the platform exports it that is in a migration. */
const exported = { idFromName: () => null };
const exports = { Boss: exported, Kid: exported, OffshootDirectory: exported };
/** A class of an agent's own. */
const ownClass = (definition: AgentDefinition): ServedAgent => Object.assign(class {}, { definition });
const missing = (...agents: ServedAgent[]) => missingParts(listOf(agents), exports);
const unlisted = 'The agent "boss" uses "kid", which the Worker does not list. Add it: serve([boss, kid])';

describe('a Worker', () => {
  it('[A30, DF8] lacks the agents that its agents use, whether or not a tool refers to them', () => {
    const silent = { ...boss, tools: [] };
    const careless = { ...boss, relationships: [] };
    const found = [boss, silent, careless].map((each) => missing(ownClass(each)));
    const withClass = unlisted.replace('serve([boss, kid])', 'agents: [Boss, kid]');
    expect(found).toEqual([[withClass], [withClass], []]);
    expect([missing(ownClass(boss), ownClass(kid)), missing(ownClass(silent), ownClass(kid))]).toEqual([[], []]);
  });

  it('[OC4] is told all that it lacks at once', () => {
    const bare = class {};
    expect(missingParts(listOf([boss, ownClass(kid)]), { Kid: bare })).toEqual([
      'The class Kid has no objects. Add to "exports" in wrangler.jsonc (or to "migrations"): "Kid": { "type": "durable-object", "storage": "sqlite" }',
      "The Worker does not export OffshootAgent. Add to its entry: export { OffshootAgent } from 'offshoot/worker';",
      "The Worker does not export OffshootDirectory. Add to its entry: export { OffshootDirectory } from 'offshoot/worker';",
    ]);
    expect(missingParts(listOf([boss]), { ...exports, OffshootAgent: bare })).toEqual([
      unlisted,
      expect.stringContaining('The class OffshootAgent has no objects.'),
    ]);
    expect(missingParts(listOf([boss, kid]), { OffshootDirectory: exported, OffshootAgent: exported })).toEqual([]);
  });

  it('[OC4] begins with no list that is wrong, and says all of it', () => {
    class Bare {}
    const twin = defineAgent({ name: 'Kid', systemPrompt: 'x', model: noModel });
    const taken = defineAgent({ name: 'offshoot-agent', systemPrompt: 'x', model: noModel });
    const directory = defineAgent({ name: 'offshoot-directory', systemPrompt: 'x', model: noModel });
    const half = { name: 'half', className: 'Half', addressClass: 'half' };
    const list = [
      kid,
      kid,
      twin,
      taken,
      Bare,
      {},
      ownClass(directory),
      half,
      Reflect.apply(ownClass, undefined, [half]),
    ];
    expect(() => Reflect.apply(listOf, undefined, [list])).toThrow(
      [
        'The Worker is misconfigured.',
        '- The agent "kid" is listed twice. Remove one entry.',
        '- The agents "kid" and "Kid" have the same class in addresses. Rename one.',
        '- The agent "offshoot-agent" has the name of a class of Offshoot. Rename it.',
        '- The class Bare is not an agent. Write: export class Bare extends AgentObject.of(definition) {}',
        '- agents[5] is an object. List a definition from `defineAgent`, or a class made by `AgentObject.of`.',
        '- The agent "offshoot-directory" has the name of a class of Offshoot. Rename it.',
        '- agents[7] is an object. List a definition from `defineAgent`, or a class made by `AgentObject.of`.',
        '- agents[8] is not an agent. Write: export class Planner extends AgentObject.of(definition) {}',
      ].join('\n'),
    );
    expect(() => listOf([kid, ownClass(kid)])).toThrow('The Worker is misconfigured. The agent "kid" is listed twice.');
    for (const empty of [() => serve([]), () => createWorker({ agents: [] })])
      expect(empty).toThrow(/^The Worker is misconfigured\. Its list of agents is empty.*: serve\(\[planner\]\)\.$/);
  });
});
