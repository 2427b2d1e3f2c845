/** Variables in scheduled effects: their values are in nothing that an effect writes. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineEffect } from '../../../src/capabilities/effects/define-effect';
import { defineTool } from '../../../src/core/definition/define-tool';
import { OffshootError } from '../../../src/protocol/errors';
import { command } from '../../../src/verbs/command';
import { streamOf } from '../../contract/files-support';
import { withTree } from '../../support/harness';
import { present } from '../../support/present';
import { agentOf } from '../../support/trees';

const CANARY = 'canary-4f1d2c';

it('[VR9] a value is in no file that an effect writes after it has read it, and its name is there instead', () =>
  withTree(
    () => ({
      agents: [
        agentOf('top', {
          variables: [{ name: 'KEY', type: 'secret' }],
          tools: [
            defineTool({
              name: 'plan',
              description: 'Plans.',
              inputSchema: z.object({}),
              execute: (_, context) => context.scheduleEffect('later', {}),
            }),
          ],
          effects: [
            defineEffect({
              name: 'later',
              description: 'Writes files later.',
              async execute(_, { files, variable }) {
                await files.write('before.txt', 'nothing read');
                const value = (await variable('KEY')) ?? '';
                await files.write(`${value}.txt`, `is ${value}`);
                const cut = [`one ${value.slice(0, 5)}`, value.slice(5), ' two'];
                const bytes = streamOf(cut.map((each) => new TextEncoder().encode(each)));
                await files.write('stream', bytes, { size: value.length + 8 });
              },
            }),
          ],
        }),
      ],
      scripts: { top: [{ calls: [{ name: 'plan', input: {} }] }, { text: 'Done.' }] },
    }),
    {},
    async (tree) => {
      const object = tree.world.object(tree.address);
      const start = { message: 'Go', env: { KEY: CANARY } };
      await tree.soon(command(object, tree.address, 'start', start, { caller: 'ada' }));
      await tree.finish();
      await tree.rest();
      const rows = present(tree.world.storage(tree.address)).sql.exec<{ path: string; tail: ArrayBuffer }>(
        'SELECT path, tail FROM files ORDER BY path',
      );
      const files = rows.toArray().map(({ path, tail }) => `${path}: ${Buffer.from(tail).toString()}`);
      expect(files).toEqual(['[KEY].txt: is [KEY]', 'before.txt: nothing read', 'stream: one [KEY] two']);
    },
  ));

it('[VR6] a value is in nothing that is kept or told of an effect that fails with it, however it says so', async () => {
  const fails: { readonly [how: string]: (value: string) => unknown } = {
    message: (value) => new Error(`No ${value}.`),
    ours: (value) => new OffshootError('tool_failed', `No ${value}.`, { details: { value } }),
    cause: (value) => new Error('No.', { cause: new Error(value) }),
    text: (value) => `No ${value}.`,
  };
  for (const [how, made] of Object.entries(fails))
    await withTree(
      () => ({
        agents: [
          agentOf('top', {
            variables: [{ name: 'KEY', type: 'secret' }],
            limits: { maxEffectTries: 1 },
            tools: [
              defineTool({
                name: 'plan',
                description: 'Plans.',
                inputSchema: z.object({}),
                execute: (_, context) => context.scheduleEffect('later', {}),
              }),
            ],
            effects: [
              defineEffect({
                name: 'later',
                description: 'Fails later.',
                async execute(_, { variable }) {
                  throw made((await variable('KEY')) ?? '');
                },
              }),
            ],
          }),
        ],
        scripts: { top: [{ calls: [{ name: 'plan', input: {} }] }, { text: 'Done.' }] },
      }),
      {},
      async (tree) => {
        const object = tree.world.object(tree.address);
        await tree.soon(command(object, tree.address, 'start', { message: 'Go', env: { KEY: CANARY } }, {}));
        await tree.finish();
        await tree.rest();
        const audit = tree.store().audit({});
        expect(
          audit.map(({ action }) => action),
          how,
        ).toContain('effect_given_up');
        expect(JSON.stringify([audit, tree.time.problems]), how).not.toContain(CANARY);
      },
    );
});
