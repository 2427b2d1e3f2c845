/**
 * Recognizes pictures and PDF files by their bytes, whatever they are called. A picture counts as whole where its structure
 * can be read to its end; its pixels are not decoded.
 *
 * Decides: when a picture or a PDF file is broken; which files are no text.
 * Keeps M61, WS22.
 */

/** The pictures that models take. */
export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** One of them. */
export type PictureType = (typeof PICTURE_TYPES)[number];

/** A picture that is whole. */
export interface PictureFacts {
  readonly kind: 'picture';
  readonly mediaType: PictureType;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** It has more than one frame. */
  readonly animated: boolean;
}

/** The kind of a file by its bytes. `broken` names the format that they begin as. */
export type FileFacts =
  | PictureFacts
  | { readonly kind: 'pdf'; readonly encrypted: boolean }
  | { readonly kind: 'broken'; readonly mediaType: PictureType | 'application/pdf' }
  | { readonly kind: 'other' };

type Frame = Pick<PictureFacts, 'width' | 'height' | 'animated'>;

/** The bytes that base64 stands for; undefined for what is no base64. */
export function bytesOfBase64(data: string): Uint8Array | undefined {
  try {
    const binary = atob(data);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
    return bytes;
  } catch {
    return undefined;
  }
}

/** The bytes of one piece: a multiple of three, so that pieces add up, and fewer than a call has arguments. */
const PIECE = 8_190;

/** Bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  // Not every Node has it, where `btoa` takes a second for 4 MB.
  if (bytes.toBase64) return bytes.toBase64();
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  return text;
}

/** A zero among so many first bytes of a file says that it is no text. */
const LOOKED_AT = 8_192;

/** True for the first bytes of a file that is no UTF-8 text: with a zero, or with the mark of UTF-16. */
export function isBinary(beginning: Uint8Array): boolean {
  const [first, second] = beginning;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return beginning.subarray(0, LOOKED_AT).includes(0);
}

/** The kind of a file, by its bytes. */
export function factsOfBytes(bytes: Uint8Array): FileFacts {
  const mediaType = beginsAs(bytes);
  if (mediaType === undefined) return { kind: 'other' };
  if (mediaType === 'application/pdf') {
    const encrypted = isPdf(bytes);
    return encrypted === undefined ? { kind: 'broken', mediaType } : { kind: 'pdf', encrypted };
  }
  const frame = FRAMES[mediaType](bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return frame && frame.width > 0 && frame.height > 0
    ? { kind: 'picture', mediaType, ...frame }
    : { kind: 'broken', mediaType };
}

/** The types that a file can be held to. */
const CHECKED: readonly string[] = [...PICTURE_TYPES, 'application/pdf'];

/** Why a file is not of its declared type, where its bytes show that. A picture may be one of another type. */
export function typeProblem(mediaType: string, bytes: Uint8Array | undefined): string | undefined {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!CHECKED.includes(type)) return undefined;
  const kind = bytes && factsOfBytes(bytes).kind;
  const fits = type === 'application/pdf' ? kind === 'pdf' : kind === 'picture';
  return fits ? undefined : `it is not a complete file of the type ${type}`;
}

const FRAMES: Record<PictureType, (bytes: Uint8Array, view: DataView) => Frame | undefined> = {
  'image/png': pngFrame,
  'image/jpeg': jpegFrame,
  'image/gif': gifFrame,
  'image/webp': webpFrame,
};

function beginsAs(bytes: Uint8Array): PictureType | 'application/pdf' | undefined {
  if (startsWith(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (startsWith(bytes, 0, '\xff\xd8\xff')) return 'image/jpeg';
  if (startsWith(bytes, 0, 'GIF87a') || startsWith(bytes, 0, 'GIF89a')) return 'image/gif';
  if (startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WEBP')) return 'image/webp';
  if (indexOf(bytes, '%PDF-', 0, PDF_HEAD) >= 0) return 'application/pdf';
  return undefined;
}

/** Chunks up to `IEND`, behind `IHDR` and at least one of data. */
function pngFrame(bytes: Uint8Array, view: DataView): Frame | undefined {
  let frame: Frame | undefined;
  let animated = false;
  let data = false;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const next = at + 12 + length;
    if (next > bytes.length) return undefined;
    if (startsWith(bytes, at + 4, 'IEND')) return frame && data ? { ...frame, animated } : undefined;
    if (frame === undefined) {
      if (length !== 13 || !startsWith(bytes, at + 4, 'IHDR')) return undefined;
      frame = { width: view.getUint32(at + 8), height: view.getUint32(at + 12), animated: false };
    }
    animated ||= startsWith(bytes, at + 4, 'acTL');
    data ||= startsWith(bytes, at + 4, 'IDAT') && length > 0;
    at = next;
  }
  return undefined;
}

/** Segments up to the scan, a frame among them, and the mark of the end behind it. */
function jpegFrame(bytes: Uint8Array, view: DataView): Frame | undefined {
  let frame: Frame | undefined;
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const mark = bytes[at + 1] ?? 0;
    // Marks may be padded.
    if (mark === 0xff) {
      at++;
      continue;
    }
    const length = view.getUint16(at + 2);
    if (length < 2 || at + 2 + length > bytes.length) return undefined;
    if (mark === 0xda) return frame && endsJpeg(bytes, at + 2 + length) ? frame : undefined;
    const isFrame = mark >= 0xc0 && mark <= 0xcf && mark !== 0xc4 && mark !== 0xc8 && mark !== 0xcc;
    if (isFrame && length >= 8)
      frame = { height: view.getUint16(at + 5), width: view.getUint16(at + 7), animated: false };
    at += 2 + length;
  }
  return undefined;
}

function endsJpeg(bytes: Uint8Array, from: number): boolean {
  for (let at = bytes.length - 2; at >= from; at--) if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true;
  return false;
}

/** Blocks up to the trailer, a picture among them. */
function gifFrame(bytes: Uint8Array, view: DataView): Frame | undefined {
  if (bytes.length < 14) return undefined;
  const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  let frames = 0;
  for (let at = 13 + colours(bytes[10] ?? 0); at < bytes.length; ) {
    const block = bytes[at];
    if (block === 0x3b) return frames > 0 ? { ...size, animated: frames > 1 } : undefined;
    if (block === 0x2c) {
      frames++;
      // The descriptor, its colours and the size of a code.
      at = pastBlocks(bytes, at + 11 + colours(bytes[at + 9] ?? 0));
    } else if (block === 0x21) at = pastBlocks(bytes, at + 2);
    else return undefined;
  }
  return undefined;
}

/** The bytes of the colour table, by the packed field. */
const colours = (packed: number): number => (packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0);

/** The place behind data blocks, each with its length before it, up to an empty one. */
function pastBlocks(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at]) at += 1 + length;
  return at + 1;
}

/** A container that is as long as it says, with a frame in it. */
function webpFrame(bytes: Uint8Array, view: DataView): Frame | undefined {
  if (bytes.length < 30) return undefined;
  const whole = view.getUint32(4, true) + 8;
  if (whole > bytes.length) return undefined;
  if (startsWith(bytes, 12, 'VP8 ')) {
    return startsWith(bytes, 23, '\x9d\x01\x2a')
      ? { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff, animated: false }
      : undefined;
  }
  if (startsWith(bytes, 12, 'VP8L')) {
    const packed = view.getUint32(21, true);
    return bytes[20] === 0x2f
      ? { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1, animated: false }
      : undefined;
  }
  if (!startsWith(bytes, 12, 'VP8X')) return undefined;
  const side = (at: number): number => view.getUint16(at, true) + ((bytes[at + 2] ?? 0) << 16) + 1;
  return { width: side(24), height: side(27), animated: ((bytes[20] ?? 0) & 2) !== 0 };
}

/** A PDF file may have other bytes before its head, and behind its end. */
const PDF_HEAD = 1_024;
const PDF_END = 2_048;

/** True for an encrypted PDF file; undefined where it has no end. */
function isPdf(bytes: Uint8Array): boolean | undefined {
  const end = Math.max(0, bytes.length - PDF_END);
  if (indexOf(bytes, '%%EOF', end, bytes.length) < 0) return undefined;
  return indexOf(bytes, '/Encrypt', 0, bytes.length) >= 0;
}

function startsWith(bytes: Uint8Array, from: number, text: string): boolean {
  if (from + text.length > bytes.length) return false;
  for (let at = 0; at < text.length; at++) if (bytes[from + at] !== text.charCodeAt(at)) return false;
  return true;
}

function indexOf(bytes: Uint8Array, text: string, from: number, to: number): number {
  const first = text.charCodeAt(0);
  const last = Math.min(to, bytes.length) - text.length;
  for (let at = bytes.indexOf(first, from); at >= 0 && at <= last; at = bytes.indexOf(first, at + 1)) {
    if (startsWith(bytes, at, text)) return at;
  }
  return -1;
}
