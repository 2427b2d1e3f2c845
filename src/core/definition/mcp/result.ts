/**
 * Results of MCP, as its clients hand them on: an object whose `content` is a list of parts.
 *
 * Decides: which results of MCP are failures; what stands for bytes that no model reads.
 * Keeps DF44, DF43.
 */
import { OffshootError } from '../../../protocol/errors';
import { isTextual } from '../../../protocol/messages';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const isPart = (part: unknown): part is Fields => isFields(part) && typeof part.type === 'string';

/**
 * A result without bytes that would be sent as text; any other value as it is.
 * @throws OffshootError `tool_failed` with its text, where the server says that the call has failed
 */
export function takenResult(output: unknown): unknown {
  if (!isFields(output)) return output;
  // Servers of the first version of the protocol have `toolResult` in place of `content`.
  if (output.isError === true && (Array.isArray(output.content) || 'toolResult' in output))
    throw new OffshootError('tool_failed', reasonOf(output));
  if (!Array.isArray(output.content) || !output.content.every(isPart)) return output;
  const content: readonly Fields[] = output.content;
  const shown = content.map(withoutBytes);
  return shown.every((part, at) => part === content[at]) ? output : { ...output, content: shown };
}

/** The reason of a failure: its texts, those of resources too; otherwise the value that it has for programs. */
function reasonOf({ content, structuredContent, toolResult }: Fields): string {
  const parts = Array.isArray(content) ? content.filter(isFields) : [];
  const texts = parts.flatMap(({ text, resource }) => [text, isFields(resource) ? resource.text : undefined]);
  const said = texts.filter((text) => typeof text === 'string').join('\n\n');
  if (said !== '') return said;
  const value = structuredContent ?? toolResult;
  if (value === undefined) return 'The MCP server reported a failure without a reason.';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** True for files that models are shown. */
const isShown = (mediaType: string): boolean =>
  mediaType.startsWith('image/') || mediaType === 'application/pdf' || isTextual({ mediaType });

/** Pictures, PDF files and texts are files; other bytes become a line. */
function withoutBytes(part: Fields): Fields {
  if (part.type === 'audio') return line(part.mimeType, 'audio');
  if (part.type === 'image' && !(typeof part.mimeType === 'string' && isShown(part.mimeType)))
    return line(part.mimeType, 'image');
  if (part.type !== 'resource' || !isFields(part.resource)) return part;
  const { blob, mimeType, uri } = part.resource;
  if (typeof blob !== 'string') return part;
  // Clients hand on what they take for a picture as a file.
  if (typeof mimeType === 'string' && isShown(mimeType)) return { type: 'image', data: blob, mimeType };
  return line(mimeType, typeof uri === 'string' ? uri : 'resource');
}

const line = (mimeType: unknown, name: string): Fields => ({
  type: 'text',
  text: `[${name} (${typeof mimeType === 'string' ? mimeType : 'of an unknown type'}) was omitted because it is not text.]`,
});
