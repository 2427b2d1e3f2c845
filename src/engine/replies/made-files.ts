/**
 * The files that a model makes: they are kept among the files of its agent, and read again for a model that is shown its
 * own.
 *
 * Decides: the path of a file that a model made.
 * Keeps RP4, RP8.
 */
import type { Step } from '../../core/agent/state';
import type { KeptReply, MadeFile, ModelReply } from '../../core/definition/model-port';
import type { WorkFiles } from '../../core/ports/work-files';
import { bytesOfBase64 } from '../../protocol/content/file-bytes';
import { failureOf } from '../../protocol/errors';
import type { ReplyFilePart } from '../../protocol/messages';

/** The endings of paths, by media type. */
const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
};

/** The most that is read again of a file for a request. Unit: bytes. */
const MAX_READ = 10 * 1_048_576;

/** The token is of that step alone, also where several agents share their files. */
type MakingStep = Pick<Step, 'token' | 'attempt'>;

/** True where a reply has no file that is not kept yet. */
export const isKept = (reply: ModelReply): reply is KeptReply =>
  reply.content.every(({ type }) => type !== 'made-file');

/** A reply whose files are among those of the agent. One that cannot be kept says why, in the reply and its notes. */
export async function keptReply(reply: ModelReply, files: WorkFiles, step: MakingStep): Promise<KeptReply> {
  const content: KeptReply['content'][number][] = [];
  const notes = [...(reply.notes ?? [])];
  let count = 0;
  for (const part of reply.content) {
    if (part.type !== 'made-file') {
      content.push(part);
      continue;
    }
    count += 1;
    const kept = await keptFile(part, files, `${step.token}-${step.attempt}-${count}`);
    if ('omitted' in kept) notes.push(`A file of the reply (${kept.mediaType}) was not kept: ${kept.omitted}.`);
    content.push(kept);
  }
  return { ...reply, content, ...(notes.length === 0 ? {} : { notes }) };
}

async function keptFile(
  { mediaType, data, providerMetadata }: MadeFile,
  files: WorkFiles,
  name: string,
): Promise<ReplyFilePart> {
  const base = {
    type: 'reply-file' as const,
    mediaType,
    ...(providerMetadata === undefined ? {} : { providerMetadata }),
  };
  const bytes = bytesOfBase64(data);
  if (bytes === undefined) return { ...base, omitted: 'its data is not base64' };
  const path = `generated/${name}.${ENDINGS[mediaType] ?? 'bin'}`;
  try {
    const { etag, size } = await files.write(path, bytes, { mediaType, key: `reply ${name}` });
    return { ...base, path, etag, bytes: size };
  } catch (error) {
    return { ...base, omitted: failureOf(error).message };
  }
}

/** The bytes of a file that a model made; undefined where it is gone, was changed, or is too large to be sent. */
export async function readMade(files: WorkFiles, path: string, etag: string): Promise<Uint8Array | undefined> {
  try {
    const info = await files.stat(path);
    if (info?.etag !== etag || info.size > MAX_READ) return undefined;
    const { body } = await files.open(path);
    return new Uint8Array(await new Response(body).arrayBuffer());
  } catch {
    return undefined;
  }
}
