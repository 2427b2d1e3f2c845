/**
 * The files of a body that has read secrets: those are struck out of what it writes, as they are out of what it says. Models,
 * people, copies and other agents read files, and no file has a seal.
 *
 * Keeps CL11, VR9.
 */
import { checkGiven, kindOf } from '../../core/definition/invalid';
import type { ToolFileRange, ToolFiles } from '../../core/definition/tool-context';
import { OffshootError } from '../../protocol/errors';
import type { ReadSecrets } from '../perform/read-secrets';

/** Files whose paths and contents have the names of secrets in place of their values, from the moment that one was read. */
export function struckFiles(files: ToolFiles, secrets: ReadSecrets): ToolFiles {
  const at = (path: string): string => {
    checkGiven('The path of a file', path, 'text');
    return secrets.text(path);
  };
  return {
    list: async (prefix) => files.list(prefix === undefined ? prefix : at(prefix)),
    stat: async (path) => files.stat(at(path)),
    read: async (path, range) => files.read(at(path), rangeGiven(range)),
    readText: async (path, range) => files.readText(at(path), rangeGiven(range)),
    stream: async (path, range) => files.stream(at(path), rangeGiven(range)),
    async remove(path, options = {}) {
      checkGiven('The options of `files.remove`', options, 'object');
      return files.remove(at(path), options);
    },
    async write(path, content, options = {}) {
      checkGiven('The options of `files.write`', options, 'object');
      checkContent(content);
      const { size, ...others } = options;
      // A secret may be read while the stream runs.
      if (content instanceof ReadableStream)
        return files.write(at(path), struckStream(content, size, secrets), secrets.none ? options : others);
      if (secrets.none) return files.write(at(path), content, options);
      const text = typeof content === 'string';
      const struck = text ? secrets.text(content) : secrets.bytes(content);
      // The size that was announced is that of what was given; it is as right or as wrong as before.
      const more = bytesOf(struck) - bytesOf(content);
      return files.write(at(path), struck, size === undefined ? others : { ...others, size: size + more });
    },
  };
}

function rangeGiven(range: ToolFileRange | undefined): ToolFileRange | undefined {
  if (range !== undefined) checkGiven('The range of a file', range, 'object');
  return range;
}

/** Refuses what a file cannot be made of. */
function checkContent(content: unknown): void {
  if (typeof content === 'string' || content instanceof Uint8Array || content instanceof ReadableStream) return;
  throw new OffshootError(
    'invalid_input',
    `The content of a file must be a text, a Uint8Array or a ReadableStream, but is ${kindOf(content)}.`,
  );
}

const bytesOf = (content: string | Uint8Array): number =>
  typeof content === 'string' ? new TextEncoder().encode(content).byteLength : content.byteLength;

/** A stream without the secrets. @param size how many bytes the stream must have, where it was said */
function struckStream(source: ReadableStream<Uint8Array>, size: number | undefined, secrets: ReadSecrets) {
  const reader = source.getReader();
  const pieces = secrets.pieces();
  let given = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          if (!done && !(value instanceof Uint8Array))
            throw new OffshootError(
              'invalid_request',
              'The stream must carry bytes (Uint8Array): encode its text first.',
            );
          if (done && size !== undefined && size !== given)
            throw new OffshootError(
              'invalid_request',
              `The body has ${given} bytes, but ${size} were announced: send it again, as a whole.`,
            );
          given += value?.byteLength ?? 0;
          const struck = value === undefined ? pieces.end() : pieces.next(value);
          if (struck.byteLength > 0) controller.enqueue(struck);
          if (done) return controller.close();
          if (struck.byteLength > 0) return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
