/** The options of a Worker: what its list of agents, its bounds and its headers may be, and what it says that it lacks. */
import { describe, expect, it, vi } from 'vitest';
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

  it('[A30] answers and logs the line to add, at every route, until it lacks nothing', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    const whole = { OffshootAgent: exported, OffshootDirectory: exported };
    for (const lacks of [[], ...Object.keys(whole).map((name) => [name]), Object.keys(whole)])
      for (const path of ['/healthz', '/', '/agents/kid/a/start']) {
        const worker = createWorker({ agents: [kid], authorize: () => ({ subject: 'ann' }) });
        const has = Object.fromEntries(Object.entries(whole).filter(([name]) => !lacks.includes(name)));
        const answer = await worker.fetch(
          new Request(`https://a.test${path}`, { method: 'OPTIONS' }),
          {},
          { exports: has },
        );
        const text = await answer.text();
        expect([lacks, path, answer.status]).toEqual([lacks, path, lacks.length > 0 ? 503 : 204]);
        const log = String(logged.mock.lastCall?.[0]);
        for (const name of lacks) for (const told of [text, log]) expect(told).toContain(`does not export ${name}`);
      }
  });

  it.each([
    [{ perCaller: 1 }, true],
    [{ perMinute: Number.MAX_SAFE_INTEGER }, true],
    [{ perCaller: 5, perMinute: undefined }, true],
    [{}, true],
    [{ perCaller: 0 }, false],
    [{ perCaller: -1 }, false],
    [{ perMinute: 1.5 }, false],
    [{ perMinute: Number.NaN }, false],
    [{ perMinute: Number.POSITIVE_INFINITY }, false],
    [{ perCaller: 1, perMinute: 0 }, false],
    [{ perCaller: '1' }, false],
    [{ perCaller: null }, false],
    [{ perHour: 1 }, false],
  ])('[A65] takes %j as the bounds of new roots: %s', (newRoots, isTaken) => {
    const make = () => Reflect.apply(createWorker, undefined, [{ agents: [kid], newRoots }]);
    if (isTaken) expect(make).not.toThrow();
    else expect(make).toThrow('newRoots');
  });

  it.each([
    ['cookie', true],
    ['x-api-key', true],
    ['x2', true],
    ['Cookie', false],
    ['x api', false],
    ['x_api', false],
    ['', false],
    [' cookie', false],
    [7, false],
  ])('[X43] takes %j as a header that its authorizer reads: %s', (name, isTaken) => {
    for (const reads of [[name], ['cookie', name], [name, 'cookie']]) {
      const authorize = Object.assign(() => ({ subject: 'ann' }), { reads });
      const make = () => Reflect.apply(createWorker, undefined, [{ agents: [kid], authorize }]);
      if (isTaken) expect(make).not.toThrow();
      else expect(make).toThrow('is not a header name');
    }
  });
});
