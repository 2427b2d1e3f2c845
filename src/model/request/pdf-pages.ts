/**
 * The pages of a PDF file, counted in its bytes: nothing of it is drawn. Compressed parts are read as well, because most
 * writers keep pages so.
 */
import { inflateSync } from 'node:zlib';

const PAGE = /\/Type\s*\/Page(?![A-Za-z])/g;
const STREAM = /\/Type\s*\/ObjStm\b[\s\S]{0,1000}?stream\r?\n/g;

/** The most bytes that one compressed part may have. */
const MOST_INFLATED = 16 * 1_048_576;

/** Its pages; 1 where none is found. */
export function pagesOf(bytes: Uint8Array): number {
  // Each byte is a character, so that places in the text are places in the bytes.
  const text = new TextDecoder('latin1').decode(bytes);
  let pages = countIn(text);
  for (const { index, 0: head } of text.matchAll(STREAM))
    pages += countIn(inflated(bytes.subarray(index + head.length)));
  return Math.max(1, pages);
}

const countIn = (text: string): number => [...text.matchAll(PAGE)].length;

function inflated(bytes: Uint8Array): string {
  try {
    return new TextDecoder('latin1').decode(inflateSync(bytes, { maxOutputLength: MOST_INFLATED }));
  } catch {
    return '';
  }
}
