/** A file on its way to the disk of a person, where the request needs a token. */
import type { Document } from '../../client';
import { server } from '../data/session';

interface Handle {
  createWritable(): Promise<WritableStream<Uint8Array>>;
}
type Picker = (options: { suggestedName: string }) => Promise<Handle>;

/** What asks a person where a file goes, in browsers that have it: then it streams, whatever its size. */
const picker = (): Picker | undefined => Reflect.get(globalThis, 'showSaveFilePicker');

/** Elsewhere the browser holds it, on its own disk where it is large, before it saves it. */
async function saved(answer: Response, name: string): Promise<void> {
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Downloads a file. */
export async function download(address: string, { path }: Document<'file'>): Promise<void> {
  const name = path.split('/').at(-1) ?? path;
  const pick = picker();
  if (pick === undefined) {
    await saved(await server().readFile(address, path), name);
    return;
  }
  // The window asks for a place at the press alone: before the first byte is asked for.
  const handle = await pick({ suggestedName: name }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  });
  if (handle === undefined) return;
  const answer = await server().readFile(address, path);
  await answer.body?.pipeTo(await handle.createWritable());
}
