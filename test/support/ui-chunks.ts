/** Chunks of AI SDK UI, held to the schema of the client. */
import { uiMessageChunkSchema } from 'ai';

/** @throws what is wrong with a chunk */
export async function checkUiChunk(chunk: unknown): Promise<void> {
  const checked = await uiMessageChunkSchema().validate?.(chunk);
  if (checked?.success !== true) throw new Error(`No chunk: ${JSON.stringify(chunk)}`, { cause: checked?.error });
}
