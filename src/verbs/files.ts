/**
 * The files of an agent. Contents come in and go out as bytes, a part at a time.
 *
 * Keeps A15.
 */
import * as z from 'zod';
import type { ByteRange, FileInfo } from '../core/ports/file-store';
import { OffshootError } from '../protocol/errors';
import { filePath } from '../protocol/file-rules';
import * as shape from '../protocol/wire/shapes';
import { steadyBytes } from './upload-bytes';
import { fromAgent } from './verb';

const path = z.string().min(1).max(4_096);
const bytes = z.number().int().min(0);

/** How much of the file an answer has: `none` when the part that was asked for begins behind its end. */
const PARTS = ['whole', 'some', 'none'] as const;
type Part = (typeof PARTS)[number];

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
  complete: (_context, reply) => reply,
  whenQueued: () => ({ items: [] }),
});

/** One file. */
export const readFile = fromAgent({
  name: 'readFile',
  method: 'GET',
  path: 'files/{path}',
  action: 'read',
  summary: 'The contents of a file.',
  status: 200,
  errors: ['range_not_satisfiable'],
  bytes: 'out',
  http: { reads: 'range', answers: 'file' },
  input: z.strictObject({
    path,
    offset: bytes.optional(),
    length: bytes.optional(),
    suffix: bytes.optional().describe('This many bytes from the end, instead of offset and length.'),
    ifRange: z
      .string()
      .optional()
      .describe('The range applies to this version only; of another version, the whole file is returned.'),
  }),
  output: shape.fileInfo.extend({ offset: bytes, length: bytes, part: z.enum(PARTS) }),
  async handle({ object, input: { path: name, ...wanted } }) {
    let part: Part = 'whole';
    const { file, body, ...range } = await object.ports.files.open(name, (found) => {
      const chosen = partOf(found, wanted);
      part = chosen.part;
      return chosen.range;
    });
    return { body: { ...file, ...range, part }, bytes: body };
  },
  complete: (_context, reply) => reply,
});

interface WantedPart {
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
  readonly suffix?: number | undefined;
  readonly ifRange?: string | undefined;
}

function partOf({ size, etag }: FileInfo, wanted: WantedPart): { part: Part; range: ByteRange } {
  const { suffix, offset = 0, length, ifRange } = wanted;
  const whole = { part: 'whole', range: {} } as const;
  if (suffix === undefined && wanted.offset === undefined && length === undefined) return whole;
  if (ifRange !== undefined && ifRange !== etag) return whole;
  // The end of an empty file is all of it; there is no way to write that as a part.
  if (suffix !== undefined && suffix > 0)
    return size === 0 ? whole : { part: 'some', range: { offset: Math.max(0, size - suffix) } };
  if (suffix === 0 || offset >= size) return { part: 'none', range: { offset: size } };
  return { part: 'some', range: { offset, ...(length === undefined ? {} : { length }) } };
}

/** Writes a file. */
export const writeFile = fromAgent({
  name: 'writeFile',
  method: 'PUT',
  path: 'files/{path}',
  action: 'write',
  summary: 'Writes a file. The old content stays until the new content is complete.',
  status: 200,
  errors: ['length_required', 'payload_too_large', 'request_timeout', 'file_changed', 'too_many_files'],
  bytes: 'in',
  http: { reads: 'upload' },
  input: z.strictObject({
    path,
    mediaType: z.string().max(255).optional(),
    size: bytes,
    ifMatch: z.string().nullable().optional().describe('Replaces only this version; null: writes only a new file.'),
  }),
  output: shape.fileInfo,
  async handle({ object, call, request, input: { path: name, mediaType, size, ifMatch } }) {
    const options = {
      size,
      ...(mediaType === undefined ? {} : { mediaType }),
      ...(ifMatch === undefined ? {} : { ifMatch }),
      inTransaction: () => request.note({ detail: { path: filePath(name), size } }),
    };
    const before = await object.ports.files.stat(name);
    const body = await object.ports.files.write(
      name,
      call.bytes ? steadyBytes(call.bytes) : new Uint8Array(0),
      options,
    );
    return { body, status: before === undefined ? 201 : 200 };
  },
  complete: (_context, reply) => reply,
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
  async handle({ object, input, request }) {
    await object.ports.files.remove(input.path, {
      inTransaction: () => request.remember(204, {}, { detail: { path: filePath(input.path) } }),
    });
    return { body: {} };
  },
  complete: () => ({}),
  whenQueued: () => {
    throw new OffshootError('not_found', 'This agent has no files yet.');
  },
});
