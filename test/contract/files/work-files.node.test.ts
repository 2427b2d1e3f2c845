/** The files that an agent works on, as `context.files` has them: whose they are makes no difference. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FileBody } from '../../../src/core/ports/file-store';
import type { WorkFiles } from '../../../src/core/ports/work-files';
import { OffshootError } from '../../../src/protocol/errors';
import { nodeStorage } from '../../../src/testing/node-storage';
import { bytesFrom, streamOf } from '../files-support';
import { benchOver, type Whose } from '../workspace-support';

const path = fc.constantFrom('a.md', 'b/c', 'b/d', '../no');
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const smallNumber = fc.integer({ min: -1, max: 8 });

/** Something that is asked of files. A version is that which the file has now, another one, or none. */
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('write' as const),
      path,
      body: fc.constantFrom('text', 'bytes', 'stream'),
      content: fc.string({ maxLength: 6 }),
      mediaType: optional(fc.constantFrom('text/markdown', 'image/png', 'no')),
      version: optional(fc.constantFrom('present', 'other', null)),
      size: optional(smallNumber),
      key: optional(fc.constantFrom('k1', 'k2')),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('stat' as const), path }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('open' as const),
      path,
      offset: optional(smallNumber),
      length: optional(smallNumber),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('list' as const),
      prefix: optional(fc.constantFrom('', 'b/')),
      limit: optional(smallNumber),
      cursor: optional(path),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('remove' as const),
      path,
      version: optional(fc.constantFrom('present' as const, 'other' as const)),
      key: optional(fc.constantFrom('k1', 'k2')),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('done' as const), key: fc.constantFrom('k1', 'k2') }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const bodyOf = (body: string, content: string): FileBody => {
  const bytes = new TextEncoder().encode(content);
  return body === 'text' ? content : body === 'bytes' ? bytes : streamOf([bytes]);
};

const given = (options: object): object =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** What comes of a step, apart from times: an answer, or the code of the refusal. */
async function cameOf(files: WorkFiles, asked: Step): Promise<unknown> {
  const ifMatch = async (version: 'present' | 'other' | null | undefined, of: string) =>
    version === 'present' ? (await files.stat(of))?.etag : version === 'other' ? '0'.repeat(64) : version;
  switch (asked.op) {
    case 'write': {
      const { mediaType, size, key } = asked;
      const options = given({ mediaType, size, key, ifMatch: await ifMatch(asked.version, asked.path) });
      return files.write(asked.path, bodyOf(asked.body, asked.content), options);
    }
    case 'stat':
      return files.stat(asked.path);
    case 'open': {
      const { body, ...facts } = await files.open(asked.path, given(asked));
      return { ...facts, text: new TextDecoder().decode(await bytesFrom(body)) };
    }
    case 'list':
      return files.list(given({ prefix: asked.prefix, limit: asked.limit, cursor: asked.cursor }));
    case 'remove': {
      const version = await ifMatch(asked.version, asked.path);
      return files.remove(asked.path, given({ key: asked.key, ifMatch: version }));
    }
    case 'done':
      return files.done(asked.key);
  }
}

const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null, (key, each) => (key === 'updatedAt' ? undefined : each)));

async function allOf(whose: Whose, steps: readonly Step[]): Promise<unknown[]> {
  const storage = nodeStorage();
  try {
    const { files } = benchOver(storage, whose);
    const came: unknown[] = [];
    for (const one of steps)
      came.push(
        await cameOf(files, one).then(withoutTimes, (error: unknown) => {
          if (error instanceof OffshootError) return { refused: error.code };
          throw error;
        }),
      );
    return came;
  } finally {
    storage.close();
  }
}

it('[WS10, FS2] files of the agent above take and give what files of its own do, whatever is asked of them', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      expect(await allOf('inherited', steps)).toEqual(await allOf('own', steps));
    }),
    { numRuns: 100 },
  ));
