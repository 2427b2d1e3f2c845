/** Files that go with a question, in the form that a start takes: below `uploads/`, each under its own name. */
import { base64Of } from '../../protocol/content/file-bytes';

/** A file as a start takes it. */
export interface Upload {
  readonly path: string;
  readonly mediaType: string;
  readonly base64: string;
}

/** Together, in bytes: what fits into one request with the question beside it. */
const MOST_BYTES = 700_000;

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const [, stem = name, ending = ''] = /^(.+?)(\.[^.]*)?$/u.exec(name) ?? [];
  for (let number = 2; ; number += 1) {
    const next = `${stem}-${number}${ending}`;
    if (!taken.has(next)) return next;
  }
}

/** Reads them; a name that comes twice gets a number. @throws TypeError where they are too large together */
export async function uploadsOf(files: readonly File[]): Promise<readonly Upload[]> {
  if (files.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES)
    throw new TypeError(`The attachments are too large: at most ${MOST_BYTES / 1_000} KB in total.`);
  const taken = new Set<string>();
  const uploads: Upload[] = [];
  for (const file of files) {
    const name = freeName(file.name || 'file', taken);
    taken.add(name);
    const mediaType = file.type || 'application/octet-stream';
    uploads.push({ path: `uploads/${name}`, mediaType, base64: base64Of(new Uint8Array(await file.arrayBuffer())) });
  }
  return uploads;
}
