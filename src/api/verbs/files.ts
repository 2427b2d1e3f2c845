/** The files of an agent. Contents come in and go out as bytes, a part at a time. */
import { z } from 'zod';
import { OffshootError } from '../../core/errors';
import * as shape from '../schemas';
import { fromAgent } from '../verb';

const path = z.string().min(1).max(4_096);
const bytes = z.number().int().min(0);

/** The agent's files. */
export const files = fromAgent({
  name: 'files',
  method: 'GET',
  path: 'files',
  action: 'read',
  summary: 'The files of the agent, by path.',
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput.extend({ prefix: z.string().max(4_096).optional() }),
  output: shape.pageOf(shape.fileInfo),
  async handle({ object, input: { cursor, limit, prefix } }) {
    const options = {
      ...(cursor === undefined ? {} : { cursor }),
      ...(limit === undefined ? {} : { limit }),
      ...(prefix === undefined ? {} : { prefix }),
    };
    return { body: { ...(await object.ports.files.list(options)) } };
  },
  complete: (_asked, said) => said,
  whenQueued: () => ({ items: [] }),
});

/** One file. */
export const readFile = fromAgent({
  name: 'readFile',
  method: 'GET',
  path: 'files/{path}',
  action: 'read',
  summary: 'The content of a file.',
  status: 200,
  errors: [],
  bytes: 'out',
  input: z.strictObject({ path, offset: bytes.optional(), length: bytes.optional() }),
  output: shape.fileInfo.extend({ offset: bytes, length: bytes }),
  async handle({ object, input: { path: name, offset, length } }) {
    const range = { ...(offset === undefined ? {} : { offset }), ...(length === undefined ? {} : { length }) };
    const { file, body, ...part } = await object.ports.files.open(name, range);
    return { body: { ...file, ...part }, bytes: body };
  },
  complete: (_asked, said) => said,
});

/** Writes a file. */
export const writeFile = fromAgent({
  name: 'writeFile',
  method: 'PUT',
  path: 'files/{path}',
  action: 'write',
  summary: 'Writes a file. Until it is there as a whole, the old content stays.',
  status: 200,
  errors: ['payload_too_large', 'superseded'],
  bytes: 'in',
  input: z.strictObject({
    path,
    mediaType: z.string().max(255).optional(),
    size: bytes.optional(),
    ifMatch: z.string().nullable().optional().describe('Only over this version; null: only where there is none.'),
  }),
  output: shape.fileInfo,
  async handle({ object, call, input: { path: name, mediaType, size, ifMatch } }) {
    const options = {
      ...(mediaType === undefined ? {} : { mediaType }),
      ...(size === undefined ? {} : { size }),
      ...(ifMatch === undefined ? {} : { ifMatch }),
    };
    const before = await object.ports.files.stat(name);
    const body = await object.ports.files.write(name, call.bytes ?? new Uint8Array(0), options);
    return { body, status: before === undefined ? 201 : 200 };
  },
  complete: (_asked, said) => said,
});

/** Removes a file. */
export const removeFile = fromAgent({
  name: 'removeFile',
  method: 'DELETE',
  path: 'files/{path}',
  action: 'write',
  summary: 'Removes a file.',
  status: 204,
  errors: [],
  input: z.strictObject({ path }),
  output: shape.nothing,
  async handle({ object, input, once }) {
    await object.ports.files.remove(input.path, () => once.remember(204, {}));
    return { body: {} };
  },
  complete: () => ({}),
  whenQueued: () => {
    throw new OffshootError('not_found', 'This agent has no files yet.');
  },
});
