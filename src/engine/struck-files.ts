/**
 * The files of a body that has read secrets: those are struck out of what it writes, as they are out of what it says. Models,
 * people, copies and other agents read files, and no file has a seal.
 *
 * Keeps VR9.
 */
import type { ToolFiles } from '../core/definition/tool-context';
import { OffshootError } from '../protocol/errors';
import type { ReadSecrets } from './read-secrets';

/** Files whose paths and contents have the names of secrets in place of their values, from the moment that one was read. */
export function struckFiles(files: ToolFiles, secrets: ReadSecrets): ToolFiles {
  const at = (path: string): string => (typeof path === 'string' ? secrets.text(path) : path);
  return {
    list: (prefix) => files.list(prefix === undefined ? prefix : at(prefix)),
    stat: (path) => files.stat(at(path)),
    read: (path, range) => files.read(at(path), range),
    readText: (path, range) => files.readText(at(path), range),
    stream: (path, range) => files.stream(at(path), range),
    remove: (path, options) => files.remove(at(path), options),
    write(path, content, options) {
      const { size, ...others } = options ?? {};
      // A secret may be read while the stream runs.
      if (content instanceof ReadableStream)
        return files.write(at(path), struckStream(content, size, secrets), secrets.none ? options : others);
      if (secrets.none) return files.write(path, content, options);
      const text = typeof content === 'string';
      const struck = text ? secrets.text(content) : secrets.bytes(content);
      // The size that was announced is that of what was given; it is as right or as wrong as before.
      const more = bytesOf(struck) - bytesOf(content);
      return files.write(at(path), struck, size === undefined ? others : { ...others, size: size + more });
    },
  };
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
