/** A value of a variable, and everything that can be asked of agents: the table of verbs says what that is. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import { failureOf } from '../../src/protocol/errors';
import { isObject, type Json, type JsonObject } from '../../src/protocol/json';
import { command, commandAsGiven, isVerbName } from '../../src/verbs/command';
import { VERBS } from '../../src/verbs/table';
import { dump } from '../support/dump';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { dualOf, envelopesIn, lasting, leadOf } from '../support/prompts';
import { toolResults } from '../support/trees';

const CANARY = 'canary-7c21f0';
/** As a dump has it in bytes, such as those of a file. */
const HEX = Buffer.from(CANARY).toString('hex');
const OWN = `${CANARY} own`;
const GIVEN = `${CANARY} given`;

/** A lead with a value of its own, and a worker that waits for one of its own; both read theirs and say it. */
const parts = (): TreeParts => {
  const says = (name: string, scoped: boolean) =>
    defineTool({
      name: 'say',
      description: 'Says a value.',
      inputSchema: z.object({}),
      replay: 'safe',
      variables: [{ name, type: 'secret', required: true, scoped }],
      execute: async (_, context) => {
        const value = await context.variable(name);
        await context.files.write('value.txt', `it is ${value}`);
        return { said: value ?? null };
      },
    });
  const worker = dualOf('worker', { tools: [says('KEY', true)] });
  const create = { name: 'subagent_create', input: { agent: 'worker', message: 'Work.', name: 'Ann' } };
  const say = { name: 'say', input: {} };
  return {
    agents: [leadOf([says('TOP', false), lasting('worker', { blocking: false })], [worker]), worker],
    scripts: {
      lead: ({ messages, step }) =>
        step === 1 && envelopesIn(messages).length === 0 ? { calls: [say, create] } : { text: 'Done.' },
      worker: ({ step }) => (step === 1 ? { calls: [say] } : { text: 'Worked.' }),
    },
  };
};

const object = (value: Json = null): JsonObject => (isObject(value) ? value : {});

/** What a field may be given, by its name: what is there under that name, and what is nobody's. */
function known(tree: Tree, request: string, field: string): Json | undefined {
  const { session } = tree.state();
  switch (field) {
    case 'path':
      return request;
    case 'env':
      return { KEY: GIVEN };
    case 'checkpoint':
      return `${session.sessionId}.1`;
    case 'message':
    case 'content':
      return 'Again.';
    case 'actions':
      return ['read'];
    case 'name':
      return `copy-${request.length}`;
    default:
      return undefined;
  }
}

/** An input that a schema takes, with all of its fields that something is known for. */
function inputFor(tree: Tree, request: string, schema: z.ZodType): JsonObject {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const alternatives = [described, ...(described.anyOf ?? []), ...(described.oneOf ?? [])];
  const all = alternatives.find((one) => typeof one === 'object' && one.properties !== undefined);
  const { properties = {}, required = [] } = typeof all === 'object' ? all : {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]): [string, Json][] => {
      const value = known(tree, request, name);
      if (value !== undefined) return [[name, value]];
      if (!required.includes(name) || typeof field !== 'object') return [];
      if (field.enum?.[0] !== undefined) return [[name, z.json().parse(field.enum[0])]];
      const types: { readonly [type: string]: Json } = { object: {}, array: [], integer: 1, number: 1, boolean: true };
      return [[name, types[String(field.type)] ?? 'x']];
    }),
  );
}

const storesOf = ({ world }: Tree) =>
  new Map(
    world.addresses().flatMap((at) => {
      const storage = world.storage(at);
      return storage ? [[at, storage] as const] : [];
    }),
  );

describe('a value that is a secret', () => {
  it.each(VERBS.map(({ name }) => name))(
    '[VR6, VR9] is in nothing that comes of %s, before it was given and after',
    async (verb) => {
      for (const given of [false, true]) {
        await withTree(parts, {}, async (tree) => {
          const root = tree.world.object(tree.address);
          const ask = async (at: string, name: string, input: JsonObject): Promise<unknown> => {
            if (!isVerbName(name)) throw new TypeError(`${name} is no verb.`);
            const asked = commandAsGiven(root, at, name, input, { caller: 'ada' });
            return tree.soon(asked.catch((error: unknown) => ({ failed: failureOf(error), text: String(error) })));
          };
          const env = { TOP: OWN };
          await tree.soon(command(root, tree.address, 'start', { message: 'Go', env }, { caller: 'ada' }));
          await tree.rest();
          const refused = toolResults(tree).find(({ success }) => !success);
          const { request } = object(refused?.success === false ? (refused.error.details ?? null) : null);
          const id = String(object(request).request_id);
          if (given) await ask(tree.address, 'giveVariables', { path: id, env: { KEY: GIVEN } });
          await tree.rest();
          const row = VERBS.find(({ name }) => name === verb);
          if (row === undefined) throw new TypeError('There is no such verb.');
          const answers: unknown[] = [];
          for (const at of [...tree.nodes.map(({ address }) => address)].reverse()) {
            const input = inputFor(tree, id, row.input);
            for (const path of [id, 'value.txt', tree.store(at).messages({})[0]?.messageId ?? 'x'])
              answers.push(await ask(at, verb, 'path' in input ? { ...input, path } : input));
            answers.push(
              await ask(at, verb, {}),
              await ask(at, verb, { ...input, env: { KEY: GIVEN, 'NO-NAME': OWN } }),
            );
            await tree.rest();
          }
          const all = { answers, stores: dump(storesOf(tree)), asked: tree.port.asked, problems: tree.time.problems };
          const what = `${verb}${given ? ', after it was given' : ''}`;
          for (const [kind, found] of Object.entries(all))
            for (const form of [CANARY, HEX])
              expect(JSON.stringify(found).includes(form), `${what}: ${kind}`).toBe(false);
        });
      }
    },
  );
});
