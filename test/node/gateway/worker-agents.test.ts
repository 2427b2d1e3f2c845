import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/core/definition/define-agent';
import type { AgentDefinition } from '../../../src/core/definition/definition';
import { createSubAgentTool } from '../../../src/core/definition/relationship';
import { definitionsOf, missingPart } from '../../../src/gateway/worker-agents';
import { noModel } from '../../support/no-model';

const kid = defineAgent({ name: 'kid', systemPrompt: 'Work.', model: noModel });
const ask = createSubAgentTool(kid, z.object({}));
const boss = defineAgent({ name: 'boss', systemPrompt: 'Work.', model: noModel, tools: [ask] });

/** A class as the platform exports it that is in a migration. */
const exported = { idFromName: () => null };
const exports = { Boss: exported, Kid: exported, OffshootDirectory: exported };
const missing = (...definitions: AgentDefinition[]) =>
  missingPart(definitionsOf(definitions.map((definition) => ({ name: definition.className, definition }))), exports);

describe('what a Worker lacks', () => {
  it('[A30, DF8] is told from the relationships of its agents, whether or not a tool refers to them', () => {
    const silent = { ...boss, tools: [] };
    const careless = { ...boss, relationships: [] };
    expect(missing(boss)).toContain('agents: [Kid, …]');
    expect(missing(silent)).toContain('agents: [Kid, …]');
    expect(missing(careless)).toBeUndefined();
    expect([missing(boss, kid), missing(silent, kid)]).toEqual([undefined, undefined]);
  });
});
